"""Erase everything a person told, in every layer, and count it in a receipt."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from redis import Redis
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer
from sqlalchemy import Engine

from memory.frames import Frames
from memory.queue import BACKGROUND, PROMPT
from memory.records import Person
from memory.storage import portable
from memory.storage.engine import scrub, transaction

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """What was erased, layer by layer."""

    erased_at: datetime
    layers: Mapping[str, int]
    scrubbed: bool  # the database file holds no trace any more


def erase(
    engine: Engine,
    person: Person,
    *,
    redis: Redis | None,
    frames: Frames,
    now: datetime,
) -> Receipt:
    """Erase all of a person's data; the account itself stays, empty. Other people are untouched."""
    with transaction(engine) as session:
        ids = portable.own_ids(session, person.id)
        layers = portable.erase(session, person.id)
    layers["queued jobs"] = _drop_jobs(redis, ids) if redis is not None else 0
    frames.drop_copies(person.id)
    scrubbed = scrub(engine)
    log.info("erased", extra={"person_id": person.id, "rows": sum(layers.values())})
    frames.wake(person.id)
    return Receipt(erased_at=now, layers=layers, scrubbed=scrubbed)


def _drop_jobs(redis: Redis, ids: Mapping[str, set[int]]) -> int:
    """Take the person's jobs off the queues. They hold ids only, and would find nothing."""
    dropped = 0
    try:
        for name in (PROMPT, BACKGROUND):
            queue = Queue(name, connection=redis, serializer=JSONSerializer)
            for job_id in queue.job_ids:
                job = Job.fetch(job_id, connection=redis, serializer=JSONSerializer)
                if any(job.kwargs.get(key) in own for key, own in ids.items()):
                    job.delete()
                    dropped += 1
    # Broad on purpose: a queue that is down, or a job that ran meanwhile, must not stop an erasure.
    except Exception as error:
        log.warning("jobs not dropped", extra={"error": type(error).__name__})
    return dropped
