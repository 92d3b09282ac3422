"""The nightly tidying of memories: themes, similar links, and what may be there twice."""

from __future__ import annotations

import logging

from jobs.wiring import wiring
from memory.cards.tidy import tidy
from memory.errors import NotFound
from memory.portability import importing
from memory.queue import JobName
from memory.storage import nearest, tidying
from memory.storage.engine import reading

log = logging.getLogger(__name__)


def run(*, person_id: int = 0) -> int:
    """Tidy one person's memory, or queue that for everybody. Running it twice changes nothing.

    Killed at any line it is taken up again by the next run: each person is tidied
    in one transaction.

    Args:
        person_id: 0 is everybody.

    Returns:
        How many things changed; for everybody, how many people were queued.
    """
    parts = wiring()
    if person_id:
        try:
            importing.embed_missing(parts.engine, parts.embedder, person_id)  # if an import's job was lost
            nearest.tend(parts.engine, person_id, most=parts.settings.exact_search_most)
            return tidy(parts.engine, parts.embedder, person_id, now=parts.clock()).changes
        except NotFound:
            log.info("person gone before the tidying", extra={"person_id": person_id})
            return 0
    with reading(parts.engine) as session:
        owners = tidying.owners(session)
    nearest.let_go_of_the_gone(parts.engine)
    return sum(parts.queue.enqueue(JobName.TIDY, unique=str(each), person_id=each) for each in owners)
