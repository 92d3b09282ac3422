"""Doubles that behave: they keep state and refuse what the real part refuses."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from memory.queue import JobName, JobQueue

T0 = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)  # a Monday morning, no change of the clocks near


@dataclass
class FakeClock:
    """Stands still until it is told to move."""

    now: datetime = T0

    def __call__(self) -> datetime:
        return self.now

    def tick(self, **delta: float) -> None:
        """Move by a `timedelta`'s arguments: `clock.tick(minutes=31)`."""
        self.now += timedelta(**delta)

    def set(self, now: datetime) -> None:
        """Move to a moment, backwards too.

        Raises:
            ValueError: the moment is naive.
        """
        if now.tzinfo is None:
            raise ValueError("naive time: hand in an aware one")
        self.now = now.astimezone(UTC)


@dataclass
class FakeQueue(JobQueue):
    """Remembers what was queued. `down` makes it behave as with a Redis that does not answer."""

    down: bool = False
    jobs: list[tuple[JobName, dict[str, Any]]] = field(default_factory=list)
    _unique: set[tuple[JobName, str]] = field(default_factory=set)

    def enqueue(self, job: JobName, *, unique: str = "", **ids: int | str | bool | list[int]) -> bool:
        """Queue one job; says whether that worked."""
        if self.down:
            return False
        if unique and (job, unique) in self._unique:
            return True
        self._unique.add((job, unique))
        self.jobs.append((job, dict(ids)))
        return True

    def take_all(self) -> None:
        """As when the workers have come to everything that waits."""
        self._unique.clear()

    def of(self, job: JobName) -> list[dict[str, Any]]:
        """The arguments of every queued job of one name, oldest first."""
        return [ids for name, ids in self.jobs if name is job]
