"""What can be done with the whole conversation: begin a new one, keep nothing, say who holds the phone."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory.errors import Conflict, InvalidInput
from memory.frames import Frames
from memory.handover.asking import drop
from memory.overview.telling import tell_closed, tell_speaker
from memory.records import Person
from memory.storage import conversations as rows
from memory.storage import leases
from memory.storage.engine import transaction

MAX_NAME = 120


def start_afresh(engine: Engine, frames: Frames, person: Person, *, now: datetime) -> int | None:
    """Archive the person's open conversation at once; its id, or None when none was open.

    Raises:
        Conflict: a human holds it.
    """
    with transaction(engine) as session:
        closed = _close(session, frames, person, now=now, asked=True)
    frames.wake(person.id)
    return closed


def set_private(
    engine: Engine, frames: Frames, person: Person, *, private: bool, now: datetime
) -> int | None:
    """Begin a conversation that reads memory and keeps nothing, or end it, and with it all that was said.

    Returns:
        The id of the conversation that was archived for it, or None.

    Raises:
        Conflict: a human holds the open conversation.
    """
    with transaction(engine) as session:
        known = rows.open_of(session, person.id)
        if private == (known is not None and known.private):
            return None
        closed = _close(session, frames, person, now=now, asked=not private)
        if private:
            conversation = rows.open_private(session, person.id, now=now)
            body = {"at": now.isoformat(timespec="seconds"), "private": True}
            frames.add(
                session,
                person_id=person.id,
                kind="conversation",
                body=body,
                now=now,
                conversation_id=conversation.id,
            )
    frames.wake(person.id)
    return closed


def _close(session: Session, frames: Frames, person: Person, *, now: datetime, asked: bool) -> int | None:
    conversation = rows.open_of(session, person.id)
    if conversation is None:
        return None
    rows.lock(session, conversation.id)
    if rows.held_by(session, conversation.id) is not None:
        raise Conflict("A person is answering you just now. Start afresh when they are done.")
    if conversation.private:
        leases.stop_all(session, conversation.id)
    if not rows.close(session, conversation.id, now=now):
        return None
    drop(session, frames, conversation.id, how="withdrawn", actor=person.name, now=now)
    tell_closed(session, frames, person.id, conversation.id, now=now, asked=asked)
    return conversation.id


def set_speaker(
    engine: Engine,
    frames: Frames,
    person: Person,
    *,
    name: str,
    relation: str,
    now: datetime,
    idle_s: float,
) -> int | None:
    """Say who holds the phone from the next message on; "" is the owner.

    Returns:
        The id of a conversation that had been silent for too long and was archived.

    Raises:
        InvalidInput: the name or the relation is too long.
    """
    name, relation = " ".join(name.split()), " ".join(relation.split())
    if max(len(name), len(relation)) > MAX_NAME:
        raise InvalidInput("A name may have at most %(most)s characters.", most=MAX_NAME)
    closed: int | None = None
    with transaction(engine) as session:
        known = rows.open_of(session, person.id)
        over = known is None or rows.is_over(known.last_exchange_at, now=now, idle_s=idle_s)
        if over and not name:
            return None  # a conversation that begins is the owner's anyway
        conversation, closed, _ = rows.take_open(session, person.id, now=now, idle_s=idle_s)
        if closed is not None:
            tell_closed(session, frames, person.id, closed, now=now)
        rows.set_speaker(session, conversation.id, name=name, relation=relation if name else "")
        tell_speaker(session, frames, person.id, conversation.id, name, now=now)
    frames.wake(person.id)
    return closed
