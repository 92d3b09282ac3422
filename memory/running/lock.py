"""One product for one `var`: a lock that the kernel takes back when its holder dies."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path


class AlreadyRunning(Exception):
    """Another product holds the lock; the message says where it answers."""


class RunLock:
    """Held as long as the object lives or until `release`. A killed holder leaves no stale lock."""

    def __init__(self, var: Path) -> None:
        self._path = var / "running"
        self._handle: int | None = None

    def acquire(self, address: str) -> None:
        """Take the lock and write down where this product answers.

        Raises:
            AlreadyRunning: somebody holds it.
        """
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            raise AlreadyRunning(_told(self._path)) from None
        os.ftruncate(handle, 0)
        os.write(handle, json.dumps({"process": os.getpid(), "address": address}).encode())
        self._handle = handle

    def release(self) -> None:
        """Give the lock back; harmless when it is not held."""
        if self._handle is not None:
            os.ftruncate(self._handle, 0)
            os.close(self._handle)
            self._handle = None


def running_at(var: Path) -> str:
    """Where the product with this `var` answers; empty when none runs."""
    path = var / "running"
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return str(_read(path).get("address", ""))
    finally:
        os.close(handle)
    return ""


def _read(path: Path) -> dict[str, object]:
    try:
        told = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _told(path: Path) -> str:
    told = _read(path)
    where = f" at {told['address']}" if "address" in told else ""
    who = f" (process {told['process']})" if "process" in told else ""
    return (
        f"Asterism is already running{where}{who}.\n"
        "End that one with Ctrl-C, or start another with its own ASTERISM_VAR and ASTERISM_PORT."
    )
