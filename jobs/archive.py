"""The five-minute sweep, and the summary of one archived conversation."""

from __future__ import annotations

from datetime import datetime, timedelta

from jobs.wiring import wiring
from memory import cards
from memory.llm.choose import load_connection
from memory.llm.summarising import summariser
from memory.overview import archive
from memory.queue import JobName
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction
from memory.wiring import Wiring

_UNQUEUED_AFTER = timedelta(minutes=2)  # by then a queued job has run


def run(*, conversation_id: int) -> int:
    """Summarise one archived conversation. Running it twice changes nothing.

    Returns:
        1 when the summary was written now, else 0.
    """
    parts = wiring()
    now = parts.clock()
    summarises = None
    if load_connection(parts.settings) is not None:
        summarises = summariser(parts.model(), now=now)
    return int(
        archive.write_summary(parts.engine, parts.embedder, conversation_id, now=now, summarises=summarises)
    )


def sweep() -> int:
    """Archive silent conversations and find whatever was left undone: summaries, verifications, removals.

    Everything it does is done once by the rows themselves, so that it may be killed
    and run again at any step.

    Returns:
        How many conversations were archived.
    """
    parts = wiring()
    now = parts.clock()
    closed = archive.close_silent(parts.engine, now=now, idle_s=parts.settings.idle_s)
    _summarise(parts, now=now)
    with reading(parts.engine) as session:
        unverified = turn_rows.unverified(session, before=now - _UNQUEUED_AFTER, limit=200)
    for turn_id in unverified:
        parts.queue.enqueue(JobName.VERIFY, unique=str(turn_id), turn_id=turn_id)
    with transaction(parts.engine) as session:
        cards.purge(session, now=now, undo_s=parts.settings.undo_s)
        turn_rows.purge_deleted(session, now - timedelta(seconds=parts.settings.undo_s))
    return len(closed)


def _summarise(parts: Wiring, *, now: datetime) -> None:
    """See to the summaries that are missing: in jobs of their own where a model takes its time over each."""
    slow = load_connection(parts.settings) is not None
    for conversation_id in archive.pending_summaries(parts.engine):
        if slow and parts.queue.enqueue(
            JobName.ARCHIVE, unique=str(conversation_id), conversation_id=conversation_id
        ):
            continue
        archive.write_summary(parts.engine, parts.embedder, conversation_id, now=now)
