"""The one clock. Only the edges hold a Clock; everything below them is handed `now`.

Tests and benchmarks move it for all processes at once with a file
(`ASTERISM_CLOCK_FILE`) that holds `{"at": <unix s>, "offset_s": <s>, "rate": <x>}`:
the product's time is `real + offset_s + (real - at) * (rate - 1)`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

Clock = Callable[[], datetime]
"""Returns the product's present, aware and in UTC."""


def system_clock() -> datetime:
    """The machine's time, aware, UTC. The only place that asks the system for it."""
    return datetime.now(UTC)


class FileClock:
    """A clock that follows a file, so that every process of a test sees the same moved time.

    The file is read again when its modification time changes. A missing or
    half-written file leaves the last good setting in force.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp = -1
        self._at = 0.0
        self._offset_s = 0.0
        self._rate = 1.0

    def __call__(self) -> datetime:
        real = time.time()
        self._refresh()
        return datetime.fromtimestamp(real + self._offset_s + (real - self._at) * (self._rate - 1.0), UTC)

    def _refresh(self) -> None:
        try:
            stamp = self._path.stat().st_mtime_ns
            if stamp == self._stamp:
                return
            told = json.loads(self._path.read_text())
            if not isinstance(told, dict):
                return
            at, offset_s, rate = (
                float(told.get(name, default))
                for name, default in (("at", time.time()), ("offset_s", 0.0), ("rate", 1.0))
            )
        except (OSError, ValueError, TypeError):
            return
        self._at, self._offset_s, self._rate, self._stamp = at, offset_s, rate, stamp


def write_clock_file(path: Path, *, offset_s: float, rate: float = 1.0) -> None:
    """Move the clock of every process that follows `path`."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps({"at": time.time(), "offset_s": offset_s, "rate": rate}))
    part.replace(path)


def choose_clock(path: Path | None) -> Clock:
    """The system's clock, or the one that follows `path` when a path is given."""
    return system_clock if path is None else FileClock(path)
