"""The queue's workers: each job in a forked child, with what is heavy loaded before the fork."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Sequence
from typing import Any

import rq
from redis import Redis
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.worker import BaseWorker

from memory.queue import BACKGROUND, PROMPT
from memory.running.logs import LineFormatter
from memory.running.supervisor import die_with_parent

log = logging.getLogger(__name__)

QUEUES = (PROMPT, BACKGROUND)


class Discreet(BaseWorker):
    """Keeps out of Valkey and the log what an error says: that may be a person's words."""

    def handle_job_failure(self, job: Job, queue: Queue, *args: Any, **told: Any) -> None:
        """Store where a job broke, and the errors' classes."""
        broken = sys.exc_info()
        if broken[0] is not None:
            told["exc_string"] = LineFormatter().formatException(broken)
        super().handle_job_failure(job, queue, *args, **told)

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Say in the log that a job broke; RQ's own line would hold the error's words."""
        log.error("job failed", exc_info=exc_info, extra={"job": job.id, "function": job.func_name})


class Worker(Discreet, rq.Worker):
    """RQ's worker, whose forked child does not outlive it."""

    def main_work_horse(self, job: Job, queue: Queue) -> None:
        """Run one job in the forked child. Jobs may run twice, so that being killed is no loss."""
        die_with_parent(signal.SIGKILL)
        super().main_work_horse(job, queue)


def make_worker(redis: Redis, names: Sequence[str]) -> Worker:
    """A worker for the named queues, the first before the others; `work()` runs it."""
    queues = [Queue(name, connection=redis, serializer=JSONSerializer) for name in names]
    return Worker(queues, connection=redis, serializer=JSONSerializer)


def listening(redis: Redis) -> dict[str, int]:
    """How many live workers there are for each queue."""
    counts = dict.fromkeys(QUEUES, 0)
    for worker in rq.Worker.all(connection=redis, serializer=JSONSerializer):
        for name in worker.queue_names():
            counts[name] = counts.get(name, 0) + 1
    return counts
