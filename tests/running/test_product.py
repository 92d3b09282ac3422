"""The whole product as a person starts it: `python app.py` in a folder of its own."""

from __future__ import annotations

import http.client
import os
import re
import secrets
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from flask.sessions import SecureCookieSessionInterface
from redis import Redis

from memory.clock import choose_clock, write_clock_file
from memory.config import Settings
from memory.records import Person
from memory.running.worker import listening
from memory.storage.engine import make_engine
from memory.web import build_web
from memory.wiring import Wiring, build
from tests import factories
from tests.databases import rows
from tests.servers import ROOT, clean_env, free_port

_PATIENCE_S = 40.0  # generous: the machine may be busy


class Product:
    """A started product and what it has printed so far."""

    def __init__(self, var: Path, **env: str) -> None:
        self.var = var
        self.port = int(env.setdefault("ASTERISM_PORT", str(free_port())))
        self.output = var.parent / f"{var.name}.out"
        self.env = clean_env({"ASTERISM_VAR": str(var), "ASTERISM_WEB_THREADS": "32", **env})
        with self.output.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, str(ROOT / "app.py")],
                env=self.env,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    @property
    def printed(self) -> str:
        return self.output.read_text()

    def until(self, is_so: Callable[[], bool], what: str) -> None:
        """Wait until something is so."""
        deadline = time.monotonic() + _PATIENCE_S
        while not is_so():
            if time.monotonic() > deadline:
                pytest.fail(f"{what}: not within {_PATIENCE_S:.0f} s; printed:\n{self.printed}")
            time.sleep(0.05)

    def ready(self) -> Product:
        self.until(lambda: "ready" in self.printed or self.process.poll() is not None, "ready")
        assert self.process.poll() is None, self.printed
        return self

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and give the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(_PATIENCE_S)

    def children(self) -> set[int]:
        """The processes that have this product's folder in their environment or command, without itself."""
        found = set()
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit() or int(folder.name) == self.process.pid:
                continue
            try:
                told = (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes()
                dead = (folder / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
            except OSError:
                continue
            if os.fsencode(self.var) in told and not dead:
                found.add(int(folder.name))
        return found

    def fetch(self, path: str) -> int:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            line.request("GET", path)
            return line.getresponse().status
        finally:
            line.close()


def command(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "app.py"), *words],
        env=clean_env(env),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """One product for the tests that leave it as it was."""
    folder = tmp_path_factory.mktemp("product")
    write_clock_file(folder / "clock.json", offset_s=0)
    started = Product(folder / "var", ASTERISM_CLOCK_FILE=str(folder / "clock.json")).ready()
    yield started
    started.end(signal.SIGKILL)


linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def test_it_prints_a_link_that_makes_the_first_account(product: Product) -> None:
    link = re.search(r"http://\S+/join/\S+", product.printed)
    assert link is not None
    assert product.fetch("/join/" + link.group().rpartition("/")[2]) == 200


def test_what_it_writes_is_for_its_user_only(product: Product) -> None:
    for path in [product.var, *product.var.rglob("*")]:
        mode = path.lstat().st_mode
        if not stat.S_ISSOCK(mode):  # a socket is guarded by its folder
            assert mode & 0o077 == 0, f"{path} is open to others: {mode:o}"


def test_a_second_start_says_where_the_first_one_answers(product: Product) -> None:
    second = command(ASTERISM_VAR=str(product.var), ASTERISM_PORT=str(product.port))
    assert second.returncode == 1
    assert f"already running at http://127.0.0.1:{product.port}" in second.stderr
    assert product.fetch("/health") == 200


def test_a_start_on_a_port_in_use_says_which_and_how_to_choose(product: Product, tmp_path: Path) -> None:
    other = command(ASTERISM_VAR=str(tmp_path / "other"), ASTERISM_PORT=str(product.port))
    assert other.returncode == 2
    assert f"port {product.port} is in use" in other.stderr
    assert re.search(r"ASTERISM_PORT=\d+ make run", other.stderr)


def test_the_doctor_finds_a_running_product_well(product: Product) -> None:
    redis = Redis.from_url(Settings.from_env(product.env, root=ROOT).redis_address)
    product.until(lambda: all(listening(redis).values()), "workers")  # they start after the page
    verdicts = command("doctor", **{name: product.env[name] for name in product.env if "ASTERISM" in name})
    assert verdicts.returncode == 0
    for part in ("database", "queue", "model", "embedding", "web"):
        assert re.search(rf"^{part} +ok", verdicts.stdout, re.M), verdicts.stdout


def test_the_scheduler_and_the_worker_follow_the_moved_clock(product: Product) -> None:
    settings = Settings.from_env(product.env, root=ROOT)
    assert settings.clock_file is not None
    engine = make_engine(settings.database_url)
    before = choose_clock(settings.clock_file)() - timedelta(seconds=2 * settings.idle_s)
    factories.conversation(engine, factories.person(engine), opened_at=before)
    write_clock_file(settings.clock_file, offset_s=1.1 * settings.sweep_s)
    product.until(lambda: all(row["archived_at"] for row in rows(engine, "conversations")), "archived")
    (row,) = rows(engine, "conversations")
    assert str(row["archived_at"]) > f"{before:%Y-%m-%d %H:%M:%S}"
    engine.dispose()


SECRET, SPARED = "Zinnober_24!x9", "Ocker_31!y8"


def test_a_secret_is_in_no_log_and_no_file_of_the_queue_and_once_erased_in_no_byte_at_all(
    product: Product,
) -> None:
    settings = Settings.from_env(product.env, root=ROOT)
    redis = Redis.from_url(settings.redis_address)
    parts = build(settings)
    clara, bob = factories.person(parts.engine, name="Clara"), factories.person(parts.engine, name="Bob")
    for person, word in ((bob, SPARED), (clara, SECRET)):
        cookie = cookie_of(parts, person)
        for text in (f"The wifi password in the cabin is {word}", "What is the wifi password in the cabin?"):
            answer = sent(product, cookie, "/", "/say", text=text, client_id=secrets.token_hex(8))
        assert answer.count(word) == 2  # said once, and told back exactly to its owner
    product.until(
        lambda: all(row["verified_at"] and row["judged_at"] for row in rows(parts.engine, "turns")), "jobs"
    )
    for secret in (SECRET, SPARED):
        assert holding(product, secret) == {"asterism.db"}
        assert holding(product, secret, redis) == {"asterism.db"}
    assert "Everything is erased" in sent(product, cookie, "/data/", "/data/erase", confirm=clara.email)
    product.until(lambda: holding(product, SECRET, redis) == set(), "no byte left")
    assert holding(product, SPARED) == {"asterism.db"}
    parts.engine.dispose()
    parts.redis.close()


def holding(product: Product, secret: str, redis: Redis | None = None) -> set[str]:
    """The files of a product that hold a word, also its log; the queue first writes down all it has."""
    if redis is not None:
        redis.save()
        redis.bgrewriteaof()
        product.until(lambda: not redis.info("persistence")["aof_rewrite_in_progress"], "rewritten")
    files = [each for each in (*product.var.rglob("*"), product.output) if each.is_file()]
    assert {"asterism.db", "dump.rdb"} <= {each.name for each in files} or redis is None
    found = {each.name for each in files if secret.encode() in each.read_bytes()}
    return {name.removesuffix("-wal") for name in found}


def cookie_of(parts: Wiring, person: Person) -> tuple[str, str]:
    """The name and value of a browser's session on which the person is signed in."""
    app = build_web(parts)
    serializer = SecureCookieSessionInterface().get_signing_serializer(app)
    assert serializer is not None
    told = {"_user_id": f"{person.public_id}:{person.session_epoch}", "_fresh": True}
    return app.config["SESSION_COOKIE_NAME"], str(serializer.dumps(told))


def sent(product: Product, cookie: tuple[str, str], at: str, to: str, **form: str) -> str:
    """The page after a form was sent from the page `at`, in a browser without scripts."""
    name, value = cookie
    with httpx.Client(base_url=f"http://127.0.0.1:{product.port}", timeout=_PATIENCE_S) as browser:
        page = browser.get(at, headers={"Cookie": f"{name}={value}"})
        token = re.search(r'name="csrf-token" content="([^"]+)"', page.text)
        assert token is not None
        mine = {"Cookie": f"{name}={page.cookies.get(name, value)}"}
        browser.cookies.clear()
        told = {**form, "csrf_token": token.group(1)}
        answer = browser.post(to, data=told, headers={**mine, "Referer": str(browser.base_url)})
        browser.cookies.clear()
        return (
            answer.text
            if answer.status_code == 200
            else browser.get(answer.headers["Location"], headers=mine).text
        )


@linux
def test_a_child_that_dies_is_started_anew(product: Product) -> None:
    product.until(lambda: len(product.children()) >= 6, "all children")
    before = product.children()
    for pid in before:
        if b"web" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
            os.kill(pid, signal.SIGKILL)
    product.until(lambda: bool(product.children() - before), "a new child")
    product.until(lambda: _serves(product), "serving again")


@linux
def test_a_killed_product_takes_its_children_along_starts_again_and_ends_on_ctrl_c(tmp_path: Path) -> None:
    product = Product(tmp_path / "var").ready()
    product.until(lambda: len(product.children()) >= 6, "all children")
    product.end(signal.SIGKILL)
    product.until(lambda: product.children() == set(), "no child left")

    again = Product(tmp_path / "var", ASTERISM_PORT=str(product.port))
    again.until(lambda: again.printed.count("ready") == 2, "ready again")
    with socket.create_connection(("127.0.0.1", again.port)) as idle:
        idle.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n")  # and never ends its request
        started = time.monotonic()
        assert again.end(signal.SIGINT) == 0
        assert time.monotonic() - started < 15
    assert again.children() == set()


def _serves(product: Product) -> bool:
    try:
        return product.fetch("/health") == 200
    except OSError:
        return False


def test_all_bad_settings_are_told_at_once(tmp_path: Path) -> None:
    told = command(
        ASTERISM_VAR=str(tmp_path / "var"),
        ASTERISM_PORT="eighty",
        ASTERISM_IDLE="0",
        ASTERISM_MODEL="gpt",
        DATABASE_URL="mysql://localhost/x",
        ASTERISM_LOG_LEVEL="LOUD",
    )
    assert told.returncode == 2
    for name in ("ASTERISM_PORT", "ASTERISM_IDLE", "ASTERISM_MODEL", "DATABASE_URL", "ASTERISM_LOG_LEVEL"):
        assert f"{name}: " in told.stderr
    assert "Traceback" not in told.stderr


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    for more in ({}, {"ASTERISM_SECRET_KEY": "x" * 40}):
        told = command(ASTERISM_VAR=str(blocker / "var"), **more)
        assert told.returncode == 2
        assert "ASTERISM_VAR" in told.stderr
        assert "Traceback" not in told.stderr


def test_an_address_of_another_machine_is_told(tmp_path: Path) -> None:
    told = command(
        ASTERISM_VAR=str(tmp_path / "var"), ASTERISM_HOST="192.0.2.7", ASTERISM_PORT=str(free_port())
    )
    assert told.returncode == 2
    assert "ASTERISM_HOST" in told.stderr
