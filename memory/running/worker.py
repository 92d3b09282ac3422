"""The queue's workers: each job in a forked child, with what is heavy loaded before the fork."""

from __future__ import annotations

import signal
from collections.abc import Sequence

import rq
from redis import Redis
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer

from memory.queue import BACKGROUND, PROMPT
from memory.running.supervisor import die_with_parent

QUEUES = (PROMPT, BACKGROUND)


class Worker(rq.Worker):
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
