"""The five-minute sweep, and the summary of one archived conversation."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from jobs.wiring import wiring
from memory import cards, handover, judge
from memory.llm.choose import load_connection
from memory.llm.summarising import summariser
from memory.overview import archive
from memory.overview.interrupted import mark_interrupted
from memory.overview.telling import tell_closed
from memory.queue import JobName
from memory.storage import cards as card_rows
from memory.storage import conversations as conversation_rows
from memory.storage import frames as frame_rows
from memory.storage import outcomes, tidying
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction
from memory.wiring import Wiring

log = logging.getLogger(__name__)

FRAMES_KEPT = timedelta(days=3)  # a page that slept longer is fetched anew
_UNQUEUED_AFTER = timedelta(minutes=2)  # by then a queued job has run
_DEAD_FOR = timedelta(minutes=2)  # the web processes look every few seconds; this is for when there is none


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
    """Archive silent conversations and find whatever was left undone: turns, summaries, jobs, removals.

    Everything it does is done once by the rows themselves, so that it may be killed
    and run again at any step.

    Returns:
        How many conversations were archived.
    """
    parts = wiring()
    now = parts.clock()
    mark_interrupted(parts.engine, parts.frames, now=now - _DEAD_FOR)
    closed = archive.close_silent(
        parts.engine,
        now=now,
        idle_s=parts.settings.idle_s,
        tells=lambda session, each: tell_closed(session, parts.frames, each.person_id, each.id, now=now),
    )
    for person_id, _ in closed:
        parts.frames.wake(person_id)
    handover.expire(parts.engine, parts.frames, now=now, wait_s=parts.settings.handover_wait_s)
    _summarise(parts, now=now)
    _queue_what_was_not(parts, now=now)
    undo_ran_out = now - timedelta(seconds=parts.settings.undo_s)
    with transaction(parts.engine) as session:
        forgetful = tidying.owners_of(session, card_rows.forgotten_before(session, undo_ran_out))
        cards.purge(session, now=now, undo_s=parts.settings.undo_s)
        turn_rows.purge_deleted(session, undo_ran_out)
        conversation_rows.purge_private(session)
        frame_rows.drop_before(session, now - FRAMES_KEPT)
    for person_id in forgetful:  # the name of a theme may hold the forgotten word
        parts.queue.enqueue(JobName.TIDY, unique=str(person_id), person_id=person_id)
    judge.tend(parts.engine, now=now)
    return len(closed)


def _queue_what_was_not(parts: Wiring, *, now: datetime) -> None:
    """Queue again what a queue that was down, or a worker that was killed, left undone."""
    before = now - _UNQUEUED_AFTER
    with reading(parts.engine) as session:
        unverified = turn_rows.unverified(session, before=before, limit=200)
        unwarmed = turn_rows.unwarmed(session, before=before, since=now - timedelta(days=1), limit=200)
        unjudged = outcomes.unjudged(session, before=before, since=now - timedelta(days=1), limit=200)
    for turn_id in unjudged:
        parts.queue.enqueue(JobName.JUDGE, unique=str(turn_id), turn_id=turn_id)
    for turn_id in unverified:
        parts.queue.enqueue(JobName.VERIFY, unique=str(turn_id), turn_id=turn_id)
    for turn_id in unwarmed:
        parts.queue.enqueue(JobName.WARM, unique=str(turn_id), turn_id=turn_id)


def _summarise(parts: Wiring, *, now: datetime) -> None:
    """See to the summaries that are missing: in jobs of their own where a model takes its time over each."""
    slow = load_connection(parts.settings) is not None
    for conversation_id in archive.pending_summaries(parts.engine):
        if slow and parts.queue.enqueue(
            JobName.ARCHIVE, unique=str(conversation_id), conversation_id=conversation_id
        ):
            continue
        try:
            archive.write_summary(parts.engine, parts.embedder, conversation_id, now=now)
        # Broad on purpose: one conversation that cannot be summarised must not hold up the sweep.
        except Exception:
            log.exception("summary not written", extra={"conversation_id": conversation_id})
