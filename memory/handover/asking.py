"""Asking for a human, and where one stands. Only a request that nobody took can run out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory.errors import Conflict
from memory.frames import Frames
from memory.handover.telling import tell
from memory.overview.telling import tell_closed
from memory.records import Conversation, Person
from memory.storage import audit, conversations, people
from memory.storage import handovers as rows
from memory.storage.audit import Action
from memory.storage.engine import reading, transaction

ASKED = "asked"
FAILURES = "failures"
_FAILURES_FOR_HUMAN = 2  # in a row


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Where a person stands with their request."""

    state: str  # requested, claimed
    place: int = 0  # in the queue, from 1
    agent: str = ""


def ask(
    session: Session, frames: Frames, conversation: Conversation, *, reason: str, now: datetime
) -> Standing:
    """Ask for a human in the caller's transaction; asking again keeps the place. Wake the frames after it.

    Args:
        reason: `ASKED` or `FAILURES`.
    """
    conversations.lock(session, conversation.id)
    handover, new = rows.request(
        session, conversation_id=conversation.id, person_id=conversation.person_id, reason=reason, now=now
    )
    if not new:
        return standing(session, conversation) or Standing(state="requested", place=1)
    audit.add(
        session,
        Action.REQUESTED,
        actor=people.by_id(session, handover.person_id).name if reason == ASKED else "Asterism",
        person_id=handover.person_id,
        handover_id=handover.id,
        detail=reason,
        now=now,
    )
    place = rows.place(session, handover)
    tell(session, frames, handover, "requested", place=place, now=now)
    return Standing(state="requested", place=place)


def ask_after_failures(
    session: Session, frames: Frames, conversation: Conversation, failures: int, *, now: datetime
) -> None:
    """Ask for a human when so many answers in a row have failed that the next one would not help."""
    if failures >= _FAILURES_FOR_HUMAN:
        ask(session, frames, conversation, reason=FAILURES, now=now)


def ask_by_button(engine: Engine, frames: Frames, person: Person, *, now: datetime, idle_s: float) -> None:
    """Ask for a human without a word to the assistant; a conversation begins when none is open."""
    with transaction(engine) as session:
        conversation, closed, _ = conversations.take_open(session, person.id, now=now, idle_s=idle_s)
        if closed is not None:
            tell_closed(session, frames, person.id, closed, now=now)
        ask(session, frames, conversation, reason=ASKED, now=now)
    frames.wake(person.id)


def standing(session: Session, conversation: Conversation) -> Standing | None:
    """Where the conversation's request stands; None when there is none."""
    handover = rows.open_of(session, conversation.id)
    if handover is None:
        return None
    if handover.claimed_by is None:
        return Standing(state="requested", place=rows.place(session, handover))
    return Standing(state="claimed", agent=rows.names(session, [handover.claimed_by])[handover.claimed_by])


def withdraw(engine: Engine, frames: Frames, person: Person, *, now: datetime) -> None:
    """The person needs no human any more.

    Raises:
        Conflict: one is there already.
    """
    with transaction(engine) as session:
        conversation = conversations.open_of(session, person.id)
        if conversation is None:
            return
        if not drop(session, frames, conversation.id, how="withdrawn", actor=person.name, now=now) and (
            conversations.held_by(session, conversation.id) is not None
        ):
            raise Conflict("A person is answering you already.")
    frames.wake(person.id)
    tell_places(engine, frames, now=now)


def drop(
    session: Session, frames: Frames, conversation_id: int, *, how: str, actor: str, now: datetime
) -> bool:
    """End a request that nobody took, in the caller's transaction; False when there is none.

    Args:
        how: withdrawn or expired.
    """
    ended = rows.end_unclaimed(session, conversation_id, how, now=now)
    if ended is None:
        return False
    audit.add(
        session,
        Action.EXPIRED if how == "expired" else Action.CANCELLED,
        actor=actor,
        person_id=ended.person_id,
        handover_id=ended.id,
        now=now,
    )
    tell(session, frames, ended, how, now=now)
    return True


def expire(engine: Engine, frames: Frames, *, now: datetime, wait_s: float) -> int:
    """End requests that nobody took within `wait_s` seconds; returns how many. Claimed ones never run out."""
    with reading(engine) as session:
        found = rows.stale(session, now - timedelta(seconds=wait_s))
    ended = 0
    for handover in found:
        with transaction(engine) as session:  # one each: a claim at this moment wins or comes too late
            ended += drop(session, frames, handover.conversation_id, how="expired", actor="Asterism", now=now)
        frames.wake(handover.person_id)
    if ended:
        tell_places(engine, frames, now=now)
    return ended


def tell_places(engine: Engine, frames: Frames, *, now: datetime) -> None:
    """Tell everybody who waits where they stand now."""
    with reading(engine) as session:
        found = rows.waiting(session)
    for place, handover in enumerate(found, start=1):
        with transaction(
            engine
        ) as session:  # one each: two desks that tell at once must not wait for each other
            if rows.by_public_id(session, handover.public_id).claimed_by is None:
                tell(session, frames, handover, "requested", place=place, now=now)
        frames.wake(handover.person_id)
