"""The whole product in one command: makes its folders, starts its processes, says where it answers."""

from __future__ import annotations

import http.client
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from memory.config import Settings
from memory.errors import ConfigError
from memory.running import address, valkey
from memory.running.lock import RunLock
from memory.running.supervisor import Child, Supervisor

_READY_S = 60.0
_LEAST_FREE = 16_000_000  # bytes; with less, the database or the queue could not even start


def prepare_var(settings: Settings) -> Path:
    """Make `var` and its log folder, for this user only, and give the log folder.

    Raises:
        ConfigError: it cannot be written, or its disk is full.
    """
    logs = settings.var / "log"
    try:
        for folder in (settings.var, logs):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)
        probe = settings.var / ".writable"
        probe.touch(mode=0o600)
        probe.unlink()
    except OSError as error:
        raise ConfigError(
            [
                f"ASTERISM_VAR: {settings.var} cannot be written ({error.strerror}); "
                "choose a folder that this user may write"
            ]
        ) from None
    free = shutil.disk_usage(settings.var).free
    if free < _LEAST_FREE:
        raise ConfigError(
            [f"ASTERISM_VAR: {free / 1e6:.1f} MB are free on the disk of {settings.var}; make room on it"]
        )
    return logs


def run(
    settings: Settings,
    *,
    program: Path,
    env: Mapping[str, str],
    prepare: Callable[[Settings], str | None],
) -> None:
    """Start everything and stay until Ctrl-C or SIGTERM; then end everything.

    Args:
        program: app.py, which is started once for each process with the process's name.
        prepare: brings the database up to date and gives the link that makes the
            first account, or None when there are accounts.

    Raises:
        ConfigError: a setting cannot be used on this machine.
        AlreadyRunning: another product holds this `var`.
        ChildFailed: a process cannot be kept alive.
    """
    logs = prepare_var(settings)
    lock = RunLock(settings.var)
    lock.acquire(address.home(settings))
    is_greeted = False
    supervisor = Supervisor(logs, {**env, "PYTHONUNBUFFERED": "1"})
    try:
        supervisor.listen()
        address.check_port(settings)
        if not settings.redis_url:
            supervisor.start(_valkey(settings))
            supervisor.wait_ready(_READY_S)  # the others need it at once
        link = prepare(settings)
        if not supervisor.stopping:
            supervisor.start(_web(program, settings))
        supervisor.wait_ready(_READY_S)
        if not supervisor.stopping:
            greet(settings, link)
            is_greeted = True
            # Only now: what is queued waits for them, and a person waits for the page.
            for child in _workers(program):
                supervisor.start(child)
        supervisor.watch()
    finally:
        if is_greeted and sys.stdout.isatty():
            print("\nEnding …", flush=True)
        supervisor.stop()
        lock.release()


def _valkey(settings: Settings) -> Child:
    return Child(
        name="valkey",
        command=valkey.prepare(settings),
        is_ready=lambda: valkey.is_answering(settings.valkey_socket),
    )


def _workers(program: Path) -> list[Child]:
    def command(*words: str) -> list[str]:
        return [sys.executable, str(program), *words]

    return [
        Child(name="worker-prompt", can_wait=True, command=command("worker", "prompt"), stage=1),
        Child(name="worker-background", can_wait=True, command=command("worker", "background"), stage=1),
        Child(name="scheduler", can_wait=True, command=command("scheduler"), stage=1),
    ]


def _web(program: Path, settings: Settings) -> Child:
    return Child(
        name="web",
        command=[sys.executable, str(program), "web"],
        is_ready=lambda: is_serving(settings),
        stage=2,
    )


def is_serving(settings: Settings, *, timeout_s: float = 2.0) -> bool:
    """Whether the web server answers on this machine."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104 (compared with)
    # Not urllib: it would ask a proxy of the environment for our own address.
    line = http.client.HTTPConnection(host, settings.port, timeout=timeout_s)
    try:
        line.request("GET", "/health")
        line.getresponse()  # any answer will do, also one that says what is ill
    except (OSError, http.client.HTTPException):
        return False
    finally:
        line.close()
    return True


def greet(settings: Settings, link: str | None) -> None:
    """Print where the product answers and what to do first."""
    lines = ["", f"  Asterism is ready: {address.home(settings)}"]
    elsewhere = address.reachable(settings)
    if elsewhere and elsewhere != address.home(settings):
        lines.append(f"  In this network:   {elsewhere}")
    if link:
        lines += ["", "  Make the first account here (this link works once):", f"  {link}"]
    if elsewhere:
        lines += ["", address.qr(link or elsewhere)]
    if settings.is_public and not settings.is_secure:
        lines += [f"  {line}" for line in address.PLAIN_HTTP.splitlines()]
    lines += ["", f"  Ctrl-C ends it. Logs are in {settings.var / 'log'}", ""]
    print("\n".join(lines), flush=True)
