"""Starts the product's processes, watches them, and ends them. One thread, no library."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

log = logging.getLogger(__name__)

_LOOK_S = 0.2  # how often the processes are looked at
_STEADY_S = 30.0  # a process that lived so long starts anew without a pause
_TRIES = 5  # quick deaths in a row after which the product gives up, unless it can wait for this one
_LONGEST_PAUSE_S = 30.0
_LOG_BYTES = 5_000_000  # a log larger than this is put aside at the next start
_PR_SET_PDEATHSIG = 1


class ChildFailed(Exception):
    """A process cannot be kept alive; the message says which and shows the end of its log."""


@dataclass(frozen=True, kw_only=True)
class Child:
    """One process and how to treat it."""

    name: str
    command: Sequence[str]
    is_ready: Callable[[], bool] | None = None  # None: ready when started
    stop_s: float = 5.0  # after SIGTERM, before SIGKILL
    can_wait: bool = False  # people are served without it: it is tried again for ever
    stage: int = 0  # ended in descending order, those of one stage together


@dataclass
class _Running:
    child: Child
    process: subprocess.Popen[bytes]
    started: float
    failures: int = 0
    again_at: float | None = field(default=None)


class Supervisor:
    """Keeps children alive until it is told to stop.

    Each child has its own session, so that Ctrl-C reaches only this process, which
    then ends them in order. On Linux the kernel ends them too when this process is
    killed; elsewhere they look themselves (`follow_parent`).
    """

    def __init__(self, log_dir: Path, env: Mapping[str, str]) -> None:
        self._log_dir = log_dir
        self._env = {**env, PARENT: str(os.getpid())}
        self._running: list[_Running] = []
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_write, False)
        self.stopping = False

    def listen(self) -> None:
        """End on SIGINT and SIGTERM, and with the terminal unless it was started to outlive it (nohup)."""
        signal.signal(signal.SIGINT, self._ask_to_stop)
        signal.signal(signal.SIGTERM, self._ask_to_stop)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self._ask_to_stop)

    def _ask_to_stop(self, _number: int, _frame: object) -> None:
        self.stopping = True
        os.write(self._wake_write, b".")

    def pause(self, seconds: float) -> None:
        """Wait, but not longer than until somebody asks to stop."""
        if not self.stopping:
            select.select([self._wake_read], [], [], seconds)

    def start(self, child: Child) -> None:
        """Start one child; its output goes to a log of its own."""
        self._running.append(_Running(child, self._spawn(child), time.monotonic()))

    def wait_ready(self, timeout_s: float) -> None:
        """Return when every child is ready, or when somebody asks to stop.

        Raises:
            ChildFailed: one died or was not ready in time.
        """
        deadline = time.monotonic() + timeout_s
        waiting = [each for each in self._running if each.child.is_ready is not None]
        while waiting and not self.stopping:
            for each in self._running:
                if each.process.poll() is not None:
                    raise ChildFailed(self._obituary(each.child, "ended while starting"))
            waiting = [each for each in waiting if not (each.child.is_ready and each.child.is_ready())]
            if waiting and time.monotonic() > deadline:
                raise ChildFailed(self._obituary(waiting[0].child, f"was not ready after {timeout_s:.0f} s"))
            if waiting:
                self.pause(0.05)

    def watch(self) -> None:
        """Start anew what ends, until somebody asks to stop.

        Raises:
            ChildFailed: a child ended too often in a short time.
        """
        while not self.stopping:
            for each in self._running:
                self._look_at(each)
            self.pause(_LOOK_S)

    def _look_at(self, each: _Running) -> None:
        now = time.monotonic()
        if each.again_at is not None:
            if now >= each.again_at:
                each.process, each.started, each.again_at = self._spawn(each.child), now, None
            return
        code = each.process.poll()
        if code is None:
            return
        each.failures = 1 if now - each.started > _STEADY_S else each.failures + 1
        if each.failures > _TRIES and not each.child.can_wait:
            raise ChildFailed(self._obituary(each.child, f"ended {each.failures} times in a row"))
        log.warning("process ended; starting it anew", extra={"child": each.child.name, "code": code})
        each.again_at = now + min(0.25 * 2 ** min(each.failures - 1, 8), _LONGEST_PAUSE_S)

    def stop(self) -> None:
        """End all children: politely, in stages, and by force where that takes too long."""
        self.stopping = True
        for stage in sorted({each.child.stage for each in self._running}, reverse=True):
            group = [each for each in self._running if each.child.stage == stage]
            for each in group:
                if each.process.poll() is None:
                    each.process.terminate()
            for each in group:
                left = each.child.stop_s
                try:
                    each.process.wait(left)
                except subprocess.TimeoutExpired:
                    log.warning("process killed", extra={"child": each.child.name})
                _kill_group(each.process)
        self._running.clear()

    def _spawn(self, child: Child) -> subprocess.Popen[bytes]:
        path = self._log_dir / f"{child.name}.log"
        if path.exists() and path.stat().st_size > _LOG_BYTES:
            path.replace(path.with_suffix(".log.1"))
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as output:
            return subprocess.Popen(  # noqa: S603 (our own commands)
                list(child.command),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=self._env,
                start_new_session=True,
                preexec_fn=die_with_parent if sys.platform == "linux" else None,
            )

    def _obituary(self, child: Child, what: str) -> str:
        path = self._log_dir / f"{child.name}.log"
        lines = path.read_text(errors="replace").splitlines()[-12:] if path.exists() else []
        tail = "\n".join(f"    {line}" for line in lines)
        return f"The {child.name} process {what}. The end of {path}:\n{tail}"


PARENT = "ASTERISM_PARENT"  # the supervisor's process id, for children; not a setting

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def die_with_parent(number: int = signal.SIGTERM) -> None:
    """Ask the kernel to send this process a signal when its parent dies. Linux only; no-op elsewhere."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)


def follow_parent(env: Mapping[str, str]) -> None:
    """In a child: end when the supervisor is gone, also where the kernel does not see to it."""
    told = env.get(PARENT, "")
    if not told.isdigit():
        return
    if os.getppid() != int(told):  # it died before this line
        sys.exit(0)
    if sys.platform != "linux":
        import threading

        threading.Thread(target=_watch_parent, args=(int(told),), name="parent", daemon=True).start()


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os.kill(os.getpid(), signal.SIGTERM)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End whatever is left of a child's session."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
