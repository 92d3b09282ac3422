"""Putting work on the queue by name and id, so that nobody imports jobs.

Arguments are ids and flags only: no text of a person ever reaches the queue.
"""

from __future__ import annotations

import logging
from enum import StrEnum

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer

log = logging.getLogger(__name__)

PROMPT = "prompt"  # reminders and outcomes: never waits behind slow work
BACKGROUND = "background"  # verify, warm, archive, tidy


class JobName(StrEnum):
    """Every job, by the dotted path that queued jobs hold. A test imports each."""

    VERIFY = "jobs.verify.run"
    WARM = "jobs.warm.run"
    ARCHIVE = "jobs.archive.run"
    SWEEP = "jobs.archive.sweep"
    JUDGE = "jobs.judge.run"
    REMIND = "jobs.remind.run"
    TIDY = "jobs.tidy.run"
    PLACE = "jobs.place.run"
    ERASE = "jobs.erase.run"
    EMBED = "jobs.embed.run"
    ANNOUNCE = "jobs.announce.run"


QUEUE_OF: dict[JobName, str] = {
    JobName.VERIFY: BACKGROUND,
    JobName.WARM: BACKGROUND,
    JobName.ARCHIVE: BACKGROUND,
    JobName.SWEEP: BACKGROUND,
    JobName.JUDGE: PROMPT,
    JobName.REMIND: PROMPT,
    JobName.TIDY: BACKGROUND,
    JobName.PLACE: BACKGROUND,
    JobName.ERASE: BACKGROUND,
    JobName.EMBED: BACKGROUND,
    JobName.ANNOUNCE: PROMPT,
}


class JobQueue:
    """Puts jobs on the queue. When it is down a turn still ends well: the sweep finds what is missing."""

    def __init__(self, connection: Redis) -> None:
        self._queues = {
            name: Queue(name, connection=connection, serializer=JSONSerializer)
            for name in (PROMPT, BACKGROUND)
        }

    def enqueue(self, job: JobName, *, unique: str = "", **ids: int | str | bool | list[int]) -> bool:
        """Queue one job; says whether that worked.

        Args:
            unique: a key for this piece of work; while one of this key waits, no other is queued.
            ids: the job's keyword arguments: ids and flags, never a person's text.
        """
        queue = self._queues[QUEUE_OF[job]]
        job_id = f"{job.value.replace('.', '-')}-{unique}" if unique else None
        try:
            if job_id and _is_waiting(queue, job_id):
                return True
            queue.enqueue_call(
                job.value, kwargs=ids, job_id=job_id, result_ttl=600, failure_ttl=86400, timeout=300
            )
        except RedisError as error:
            log.warning("not queued", extra={"job": job.value, "error": type(error).__name__})
            return False
        return True


def _is_waiting(queue: Queue, job_id: str) -> bool:
    # RQ's own `unique` would also refuse while a job of this id has ended and is still kept.
    return bool(queue.connection.hget(Job.key_for(job_id), "status") == b"queued")
