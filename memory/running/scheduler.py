"""What happens by the clock: jobs at intervals, and dispatchers that sleep until something is due."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Protocol

from redis import Redis
from redis.exceptions import RedisError
from rq.cron import CronJob, CronScheduler

from memory.clock import Clock
from memory.queue import QUEUE_OF, JobName

log = logging.getLogger(__name__)

Dispatcher = Callable[[threading.Event], None]
"""Runs until the event is set. It sleeps until its next due row and claims each row before it acts."""

_LOOK_S = 1.0  # real seconds between looks: a moved clock must be noticed


class Enqueues(Protocol):
    """What the scheduler uses of the queue."""

    def enqueue(self, job: JobName, *, unique: str = "", **ids: int | str | bool | list[int]) -> bool:
        """Queue one job; says whether that worked."""
        ...


class Scheduler(CronScheduler):
    """RQ's cron scheduler on the product's clock and with the product's way to the queue.

    RQ's own would put pickled jobs on the queue, which our workers refuse to read,
    and would ask the machine for the time, which tests and benchmarks move.
    """

    def __init__(self, redis: Redis, queue: Enqueues, clock: Clock, every: Mapping[JobName, float]) -> None:
        super().__init__(redis)
        self._queue = queue
        self._clock = clock
        self._due: dict[CronJob, tuple[JobName, timedelta, datetime]] = {}
        now = clock()
        for job, seconds in every.items():
            entry = CronJob(QUEUE_OF[job], func_name=job.value, interval=max(1, int(seconds)))
            self._cron_jobs.append(entry)  # so that RQ's own tools list it
            self._due[entry] = (job, timedelta(seconds=seconds), now)

    def enqueue_jobs(self) -> list[CronJob]:
        """Queue what is due; what was missed while nobody looked is queued once."""
        now = self._clock()
        queued = []
        for entry, (job, interval, due) in self._due.items():
            if now < due and due - now <= interval:  # a clock that was set back does not silence a job
                continue
            # One that still waits will do: behind slow work they would pile up and hold up what they find.
            if self._queue.enqueue(job, unique="interval"):
                self._due[entry] = (job, interval, now + interval)
                entry.latest_enqueue_time, entry.next_enqueue_time = now, now + interval
                queued.append(entry)
        return queued

    def calculate_sleep_interval(self) -> float:
        """Real seconds until the next look."""
        return _LOOK_S

    def heartbeat(self) -> None:
        """Say that this scheduler lives; a Valkey that is away for a moment does not end it."""
        try:
            super().heartbeat()
        except RedisError as error:
            log.warning("heartbeat not sent", extra={"error": type(error).__name__})

    def save(self, pipeline: object = None) -> None:
        """Write down what is scheduled, for RQ's own tools."""
        try:
            super().save(pipeline)  # type: ignore[arg-type]
        except RedisError as error:
            log.warning("schedule not written down", extra={"error": type(error).__name__})


def run(scheduler: Scheduler, dispatchers: Iterable[Dispatcher]) -> None:
    """Run the scheduler here and each dispatcher in a thread, until SIGTERM or SIGINT."""
    stop = threading.Event()
    threads = [threading.Thread(target=each, args=(stop,), daemon=True) for each in dispatchers]
    for thread in threads:
        thread.start()
    try:
        scheduler.start()  # type: ignore[no-untyped-call]
    finally:
        stop.set()
        for thread in threads:
            thread.join(2.0)
