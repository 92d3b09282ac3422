"""Fixtures for a running product: a real gunicorn, and a real worker on a real Valkey."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest
from rq import Queue, SimpleWorker
from rq.job import Job
from rq.registry import FailedJobRegistry
from rq.serializers import JSONSerializer

from memory.clock import choose_clock, write_clock_file
from memory.config import Settings
from memory.queue import BACKGROUND, PROMPT
from memory.records import Person, Role
from memory.running.product import is_serving

if TYPE_CHECKING:
    from memory.wiring import Wiring

ROOT = Path(__file__).parent.parent
PASSWORD = "correct horse battery"
_START_S = 30.0


def free_port() -> int:
    """A port on which nobody listens at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def clean_env(more: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without settings of the product, and with `more`."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("ASTERISM_") and name not in ("DATABASE_URL", "REDIS_URL")
    }
    return {**kept, "PYTHONUNBUFFERED": "1", **more}


@dataclass
class LiveServer:
    """The web process under real gunicorn, with a clock that tests move."""

    env: dict[str, str]
    var: Path
    workers: int = 1
    _process: subprocess.Popen[bytes] | None = None
    _offset: timedelta = field(default_factory=timedelta)

    @property
    def settings(self) -> Settings:
        """What the process was told."""
        return Settings.from_env(self.env, root=ROOT)

    @property
    def url(self) -> str:
        """Where it answers, without a slash at the end."""
        return f"http://127.0.0.1:{self.env['ASTERISM_PORT']}"

    def command(self) -> list[str]:
        """What starts the web process."""
        return [sys.executable, str(ROOT / "app.py"), "web", "--processes", str(self.workers)]

    def start(self) -> None:
        """Start it and wait until it answers."""
        log = self.var / "web.log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                self.command(),
                env=clean_env(self.env),
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        settings, deadline = self.settings, time.monotonic() + _START_S
        while not is_serving(settings, timeout_s=5):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                pytest.fail(f"the web server did not start:\n{log.read_text()[-3000:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        """End it politely, as an operator would."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(10)
        self.kill()

    def kill(self) -> None:
        """End it and its children at once, as a power cut would."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):  # nothing of it was left
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def move_clock(self, **delta: float) -> None:
        """Move the product's time by a `timedelta`'s arguments, for every process of this server."""
        self._offset += timedelta(**delta)
        write_clock_file(Path(self.env["ASTERISM_CLOCK_FILE"]), offset_s=self._offset.total_seconds())

    def wiring(self) -> Wiring:
        """Parts in this process that work on the same database, queue and clock."""
        from memory.wiring import build

        return build(self.settings)

    def account(
        self,
        name: str = "Alice",
        *,
        role: Role = Role.PERSON,
        language: str = "en",
        zone: str = "Europe/Berlin",
    ) -> Person:
        """A new account that signs in with its email and `PASSWORD`."""
        from memory import accounts

        parts = self.wiring()
        form = accounts.SignUp(
            email=f"{name.lower()}-{time.monotonic_ns()}@example.org",
            name=name,
            password=PASSWORD,
            language=language,
            zone=zone,
        )
        try:
            return accounts.create_user(
                parts.engine, form, role=role, now=choose_clock(self.settings.clock_file)()
            )
        finally:
            parts.engine.dispose()

    def work(self) -> int:
        """Do all queued jobs now, in this process; gives how many."""
        parts = self.wiring()
        try:
            return work_off(parts)
        finally:
            parts.engine.dispose()
            parts.redis.close()


def work_off(parts: Wiring, *, may_fail: bool = False) -> int:
    """Do all queued jobs now with a real worker; gives how many. A failed job fails the test."""
    from jobs.wiring import using

    queues = [Queue(name, connection=parts.redis, serializer=JSONSerializer) for name in (PROMPT, BACKGROUND)]
    waiting = [job for queue in queues for job in queue.get_job_ids()]
    with using(parts):
        worker = SimpleWorker(queues, connection=parts.redis, serializer=JSONSerializer)
        worker.work(burst=True, logging_level="ERROR")
    for queue in queues:
        for job_id in FailedJobRegistry(queue=queue).get_job_ids():
            job = Job.fetch(job_id, connection=parts.redis, serializer=JSONSerializer)
            result = job.latest_result()
            if not may_fail:
                pytest.fail(f"{job.func_name} failed:\n{result.exc_string if result else ''}")
    return len(waiting)


@pytest.fixture
def worker(wiring: Wiring) -> Callable[[], int]:
    """Call it to do all queued jobs of the `wiring` fixture with a real worker."""
    return lambda: work_off(wiring)


StartServer = Callable[..., LiveServer]


Server = TypeVar("Server", bound=LiveServer)


def new_server(
    kind: type[Server], var: Path, database_url: str, redis_url: str, workers: int, env: Mapping[str, str]
) -> Server:
    """Start a web process of a kind on a free port."""
    var.mkdir(mode=0o700, parents=True, exist_ok=True)
    clock_file = var / "clock.json"
    write_clock_file(clock_file, offset_s=0)
    told = {
        "ASTERISM_VAR": str(var),
        "ASTERISM_PORT": str(free_port()),
        "ASTERISM_CLOCK_FILE": str(clock_file),
        "ASTERISM_WEB_THREADS": "64",
        "DATABASE_URL": database_url,
        "REDIS_URL": redis_url,
        **env,
    }
    server = kind(env=told, var=var, workers=workers)
    server.start()
    return server


@pytest.fixture
def start_server(database_url: str, valkey_url: str, tmp_path: Path) -> Iterator[StartServer]:
    """Call it (`workers=`, settings by `env=`) for a server of this test's own, on each kind of database."""
    started: list[LiveServer] = []

    def start(*, workers: int = 1, env: Mapping[str, str] | None = None) -> LiveServer:
        server = new_server(
            LiveServer,
            tmp_path / f"server{len(started)}",
            database_url,
            f"{valkey_url}?db=2",
            workers,
            env or {},
        )
        started.append(server)
        return server

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="session")
def live_server(
    sqlite_template: Path, valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveServer]:
    """One server for the whole session, on SQLite; each test makes accounts of its own."""
    var = tmp_path_factory.mktemp("live")
    database = var / "asterism.db"
    database.write_bytes(sqlite_template.read_bytes())
    server = new_server(LiveServer, var, f"sqlite:///{database}", f"{valkey_url}?db=1", 1, {})
    yield server
    server.stop()
