"""The five-minute sweep, and the summary of one archived conversation."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from jobs.again import note_conversation
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
_AT_ONCE = 200  # of one kind of work; what was looked for least comes first
_DEAD_FOR = timedelta(minutes=2)  # the web processes look every few seconds; this is for when there is none


def run(*, conversation_id: int, again: bool = False) -> int:
    """Summarise one archived conversation. Running it twice changes nothing.

    Args:
        again: the sweep asked for it.

    Returns:
        1 when the summary was written now, else 0.
    """
    parts = wiring()
    now = parts.clock()
    if again:
        note_conversation(parts, conversation_id)
    summarises = None
    if load_connection(parts.settings) is not None:
        summarises = summariser(parts.model(), now=now)
    return int(
        archive.write_summary(parts.engine, parts.embedder, conversation_id, now=now, summarises=summarises)
    )


def sweep() -> int:
    """Archive silent conversations and find whatever was left undone: turns, summaries, jobs, removals.

    Everything it does is done once by the rows themselves, so that it may be killed
    and run again at any step. A step that fails holds up none of the others.

    Returns:
        How many conversations were archived.

    Raises:
        Exception: the first that a step failed with, when all steps have had their turn.
    """
    parts = wiring()
    now = parts.clock()
    failures: list[Exception] = []
    closed = 0
    for step in (_mark_dead, _close, _expire, _summarise, _queue_what_was_not, _remove, _tend):
        try:
            closed += step(parts, now=now)
        # Broad on purpose, and raised below: one step's fault must not leave the others undone for ever.
        except Exception as error:
            log.exception("a step of the sweep failed", extra={"step": step.__name__})
            failures.append(error)
    if failures:
        raise failures[0]
    return closed


def _mark_dead(parts: Wiring, *, now: datetime) -> int:
    """Mark the turns that a dead process left."""
    mark_interrupted(parts.engine, parts.frames, now=now - _DEAD_FOR)
    return 0


def _close(parts: Wiring, *, now: datetime) -> int:
    """Archive silent conversations; gives how many."""
    closed = archive.close_silent(
        parts.engine,
        now=now,
        idle_s=parts.settings.idle_s,
        tells=lambda session, each: tell_closed(session, parts.frames, each.person_id, each.id, now=now),
    )
    for person_id, _ in closed:
        parts.frames.wake(person_id)
    return len(closed)


def _expire(parts: Wiring, *, now: datetime) -> int:
    """End requests for a human that nobody came to."""
    handover.expire(parts.engine, parts.frames, now=now, wait_s=parts.settings.handover_wait_s)
    return 0


def _summarise(parts: Wiring, *, now: datetime) -> int:
    """See to the summaries that are missing: in jobs of their own where a model takes its time over each."""
    slow = load_connection(parts.settings) is not None
    for conversation_id in archive.pending_summaries(parts.engine, now=now):
        if slow and parts.queue.enqueue(
            JobName.ARCHIVE, unique=str(conversation_id), conversation_id=conversation_id, again=True
        ):
            continue
        try:
            note_conversation(parts, conversation_id)
            archive.write_summary(parts.engine, parts.embedder, conversation_id, now=now)
        # Broad on purpose: one conversation that cannot be summarised must not hold up the sweep.
        except Exception:
            log.exception("summary not written", extra={"conversation_id": conversation_id})
    return 0


def _queue_what_was_not(parts: Wiring, *, now: datetime) -> int:
    """Queue again what a queue that was down, or a worker that was killed, left undone."""
    before, since = now - _UNQUEUED_AFTER, now - timedelta(days=1)
    with reading(parts.engine) as session:
        left = {
            JobName.JUDGE: outcomes.unjudged(session, before=before, since=since, now=now, limit=_AT_ONCE),
            JobName.VERIFY: turn_rows.unverified(session, before=before, now=now, limit=_AT_ONCE),
            JobName.WARM: turn_rows.unwarmed(session, before=before, since=since, now=now, limit=_AT_ONCE),
        }
    for job, turn_ids in left.items():
        for turn_id in turn_ids:
            parts.queue.enqueue(job, unique=str(turn_id), turn_id=turn_id, again=True)
    return 0


def _remove(parts: Wiring, *, now: datetime) -> int:
    """Take away for good what was hidden, when its undo has run out."""
    undo_ran_out = now - timedelta(seconds=parts.settings.undo_s)
    with transaction(parts.engine) as session:
        forgetful = tidying.owners_of(session, card_rows.forgotten_before(session, undo_ran_out))
        cards.purge(session, now=now, undo_s=parts.settings.undo_s)
        turn_rows.purge_deleted(session, undo_ran_out)
        conversation_rows.purge_private(session)
        frame_rows.drop_before(session, now - FRAMES_KEPT)
    for person_id in forgetful:  # the name of a theme may hold the forgotten word
        parts.queue.enqueue(JobName.TIDY, unique=str(person_id), person_id=person_id)
    return 0


def _tend(parts: Wiring, *, now: datetime) -> int:
    """Let time do its part in how well memories serve."""
    judge.tend(parts.engine, now=now)
    return 0
