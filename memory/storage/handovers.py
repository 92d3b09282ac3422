"""Requests for a human, their claim and return as rows. What must hold once is one conditional statement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Select, exists, func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from memory.errors import NotFound
from memory.records import Card, Person, Turn, TurnContext, TurnState
from memory.storage import cards, conversations, people, turns
from memory.storage.tables import (
    CardRow,
    ConversationRow,
    HandoverNoteRow,
    HandoverRow,
    PersonRow,
    RetrievalRow,
    ToolCallRow,
    TurnRow,
)


@dataclass(frozen=True, kw_only=True)
class Handover:
    """One request for a human, from its asking to its end."""

    id: int
    public_id: str
    conversation_id: int
    person_id: int
    reason: str  # asked, failures
    requested_at: datetime
    claimed_by: int | None
    claimed_at: datetime | None
    ended_at: datetime | None
    ended_how: str  # "", returned, expired, withdrawn


@dataclass(frozen=True, kw_only=True)
class Queued:
    """An open request as the desk lists it: who waits, and who holds it. None of the person's words."""

    handover: Handover
    person: str
    language: str
    owner_id: int | None
    owner: str


@dataclass(frozen=True, kw_only=True)
class Note:
    """An internal note of an agent."""

    author: str
    text: str
    at: datetime


def to_record(row: HandoverRow) -> Handover:
    """The request as the rest of the product knows it."""
    return Handover(
        id=row.id,
        public_id=row.public_id,
        conversation_id=row.conversation_id,
        person_id=row.person_id,
        reason=row.reason,
        requested_at=row.requested_at,
        claimed_by=row.claimed_by,
        claimed_at=row.claimed_at,
        ended_at=row.ended_at,
        ended_how=row.ended_how,
    )


def request(
    session: Session, *, conversation_id: int, person_id: int, reason: str, now: datetime
) -> tuple[Handover, bool]:
    """Ask for a human; a conversation that waits for one already keeps its place.

    Returns:
        The open request and whether it is new.
    """
    known = open_of(session, conversation_id)
    if known is not None:
        return known, False
    row = HandoverRow(
        conversation_id=conversation_id, person_id=person_id, reason=reason, requested_at=now, ended_how=""
    )
    try:
        with session.begin_nested():
            session.add(row)
            session.flush()
    except IntegrityError:  # another process asked just now; the index keeps it at one
        known = open_of(session, conversation_id)
        if known is None:
            raise
        return known, False
    return to_record(row), True


def open_of(session: Session, conversation_id: int) -> Handover | None:
    """The conversation's open request, claimed or not."""
    row = session.scalar(
        select(HandoverRow)
        .where(HandoverRow.conversation_id == conversation_id, HandoverRow.ended_at.is_(None))
        .execution_options(populate_existing=True)
    )
    return None if row is None else to_record(row)


def by_public_id(session: Session, public_id: str) -> Handover:
    """One request.

    Raises:
        NotFound: there is none.
    """
    row = session.scalar(
        select(HandoverRow)
        .where(HandoverRow.public_id == public_id)
        .execution_options(populate_existing=True)
    )
    if row is None:
        raise NotFound("handover", public_id)
    return to_record(row)


def queue(session: Session) -> list[Queued]:
    """Open requests: those that nobody holds first, each by the time it was asked."""
    owner = select(PersonRow.id, PersonRow.name).subquery()
    found = session.execute(
        select(HandoverRow, PersonRow.name, PersonRow.language, owner.c.id, owner.c.name)
        .join(PersonRow, PersonRow.id == HandoverRow.person_id)
        .join(ConversationRow, ConversationRow.id == HandoverRow.conversation_id)
        .outerjoin(owner, owner.c.id == HandoverRow.claimed_by)
        .where(HandoverRow.ended_at.is_(None), ConversationRow.archived_at.is_(None))
        .order_by(HandoverRow.claimed_by.is_not(None), HandoverRow.requested_at, HandoverRow.id)
    )
    return [
        Queued(
            handover=to_record(row), person=name, language=language, owner_id=owner_id, owner=owner_name or ""
        )
        for row, name, language, owner_id, owner_name in found
    ]


def waiting(session: Session) -> list[Handover]:
    """Requests that nobody holds, the longest wait first."""
    return [to_record(row) for row in session.scalars(_waiting())]


def place(session: Session, handover: Handover) -> int:
    """Which one it is in the queue, from 1."""
    earlier = (
        select(func.count())
        .select_from(HandoverRow)
        .join(ConversationRow, ConversationRow.id == HandoverRow.conversation_id)
        .where(
            *_unclaimed(),
            ConversationRow.archived_at.is_(None),
            or_(
                HandoverRow.requested_at < handover.requested_at,
                (HandoverRow.requested_at == handover.requested_at) & (HandoverRow.id < handover.id),
            ),
        )
    )
    return (session.scalar(earlier) or 0) + 1


def claim(session: Session, handover: Handover, agent_id: int, *, now: datetime) -> bool:
    """Take a request that nobody holds; False when somebody was faster, or it is over.

    One conditional statement decides. The conversation is held until the transaction
    ends, so that whoever shows words of the assistant comes wholly before or after.
    """
    conversations.lock(session, handover.conversation_id)
    is_open = exists().where(
        ConversationRow.id == HandoverRow.conversation_id, ConversationRow.archived_at.is_(None)
    )
    won = session.scalar(
        update(HandoverRow)
        .where(HandoverRow.id == handover.id, *_unclaimed(), is_open)
        # Who takes it knows of it: a telling that is still under way comes too late.
        .values(claimed_by=agent_id, claimed_at=now, announced_at=now)
        .execution_options(synchronize_session=False)
        .returning(HandoverRow.id)
    )
    if won is None:
        return False
    _hold(session, handover.conversation_id, agent_id)
    return True


def reassign(session: Session, handover: Handover, *, holder_id: int, to: int | None, now: datetime) -> bool:
    """Give a held request to another agent, or back to the queue with None; False when it is not held so."""
    conversations.lock(session, handover.conversation_id)
    changed = session.scalar(
        update(HandoverRow)
        .where(*_held(handover, holder_id))
        .values(claimed_by=to, claimed_at=None if to is None else now, announced_at=None)
        .execution_options(synchronize_session=False)
        .returning(HandoverRow.id)
    )
    if changed is None:
        return False
    _hold(session, handover.conversation_id, to)
    return True


def give_back(session: Session, handover: Handover, *, holder_id: int, now: datetime) -> bool:
    """End a held request; the assistant answers again. False when this agent does not hold it."""
    conversations.lock(session, handover.conversation_id)
    changed = session.scalar(
        update(HandoverRow)
        .where(*_held(handover, holder_id))
        .values(ended_at=now, ended_how="returned")
        .execution_options(synchronize_session=False)
        .returning(HandoverRow.id)
    )
    if changed is None:
        return False
    _hold(session, handover.conversation_id, None)
    _touch(session, handover.conversation_id, now=now)
    return True


def end_unclaimed(session: Session, conversation_id: int, how: str, *, now: datetime) -> Handover | None:
    """End a request that nobody holds: withdrawn or expired. None when there is none, or a human has it."""
    conversations.lock(session, conversation_id)
    row = session.scalar(
        update(HandoverRow)
        .where(HandoverRow.conversation_id == conversation_id, *_unclaimed())
        .values(ended_at=now, ended_how=how)
        .execution_options(synchronize_session=False)
        .returning(HandoverRow)
    )
    return None if row is None else to_record(row)


def stale(session: Session, moment: datetime, *, limit: int = 200) -> list[Handover]:
    """Requests that nobody took since before a moment, or whose conversation is over."""
    rows = session.scalars(
        select(HandoverRow)
        .join(ConversationRow, ConversationRow.id == HandoverRow.conversation_id)
        .where(
            *_unclaimed(), or_(HandoverRow.requested_at < moment, ConversationRow.archived_at.is_not(None))
        )
        .order_by(HandoverRow.id)
        .limit(limit)
    )
    return [to_record(row) for row in rows]


def say(
    session: Session, handover: Handover, agent: Person, *, text: str, client_id: str, now: datetime
) -> tuple[Turn, bool]:
    """A human's message as a turn of the thread; the same `client_id` twice is one.

    It counts as an exchange: whoever talks with a human is not silent.

    Returns:
        The turn and whether it is new.
    """
    owner = people.by_id(session, handover.person_id)
    turn, new = turns.write(
        session,
        conversations.by_id(session, handover.conversation_id),
        client_id=f"agent-{client_id}"[:64],
        text="",
        context=TurnContext(screen="", device_id=None, zone=owner.zone, language=owner.language),
        now=now,
        state=TurnState.WITH_HUMAN,
    )
    if new:
        session.execute(
            update(TurnRow)
            .where(TurnRow.id == turn.id)
            .values(answer=text, answered_by=agent.id, answered_at=now)
        )
    return turns.by_id(session, turn.id), new


def add_note(session: Session, handover: Handover, author_id: int, text: str, *, now: datetime) -> None:
    """Keep an internal note."""
    session.add(HandoverNoteRow(handover_id=handover.id, author_id=author_id, text=text, created_at=now))


def notes(session: Session, conversation_id: int) -> list[Note]:
    """Internal notes of all handovers of a conversation, oldest first."""
    found = session.execute(
        select(HandoverNoteRow, PersonRow.name)
        .join(HandoverRow, HandoverRow.id == HandoverNoteRow.handover_id)
        .outerjoin(PersonRow, PersonRow.id == HandoverNoteRow.author_id)
        .where(HandoverRow.conversation_id == conversation_id)
        .order_by(HandoverNoteRow.id)
    )
    return [Note(author=name or "", text=row.text, at=row.created_at) for row, name in found]


def names(session: Session, person_ids: Sequence[int]) -> dict[int, str]:
    """Names of agents, by id."""
    found = session.execute(select(PersonRow.id, PersonRow.name).where(PersonRow.id.in_(person_ids)))
    return {person_id: name for person_id, name in found}


def asking_turns(session: Session, conversation_id: int) -> set[int]:
    """Turns in which a human was asked for: they are no open question."""
    return set(
        session.scalars(
            select(ToolCallRow.turn_id)
            .join(TurnRow, TurnRow.id == ToolCallRow.turn_id)
            .where(TurnRow.conversation_id == conversation_id, ToolCallRow.name == "ask_for_human")
        )
    )


def todos(session: Session, conversation_id: int, person_id: int) -> list[Card]:
    """Open tasks and reminders that the conversation made or used, and no others; no sensitive ones."""
    used = select(RetrievalRow.card_id).where(
        RetrievalRow.used.is_(True),
        RetrievalRow.turn_id.in_(select(TurnRow.id).where(TurnRow.conversation_id == conversation_id)),
    )
    ids = session.scalars(
        select(CardRow.id)
        .where(
            CardRow.person_id == person_id,
            CardRow.category.in_(("task", "reminder")),
            CardRow.status == "active",
            ~CardRow.sensitive,
            or_(CardRow.conversation_id == conversation_id, CardRow.id.in_(used)),
        )
        .order_by(CardRow.id)
    ).all()
    found = cards.by_ids(session, person_id, ids)
    return [found[each] for each in ids if each in found]


def _unclaimed() -> tuple[ColumnElement[bool], ...]:
    return HandoverRow.ended_at.is_(None), HandoverRow.claimed_by.is_(None)


def _held(handover: Handover, holder_id: int) -> tuple[ColumnElement[bool], ...]:
    return (
        HandoverRow.id == handover.id,
        HandoverRow.claimed_by == holder_id,
        HandoverRow.ended_at.is_(None),
    )


def _waiting() -> Select[HandoverRow]:
    return (
        select(HandoverRow)
        .join(ConversationRow, ConversationRow.id == HandoverRow.conversation_id)
        .where(*_unclaimed(), ConversationRow.archived_at.is_(None))
        .order_by(HandoverRow.requested_at, HandoverRow.id)
    )


def _hold(session: Session, conversation_id: int, agent_id: int | None) -> None:
    session.execute(
        update(ConversationRow)
        .where(ConversationRow.id == conversation_id)
        .values(handled_by=agent_id)
        .execution_options(synchronize_session=False)
    )
    session.expire_all()


def _touch(session: Session, conversation_id: int, *, now: datetime) -> None:
    """What was said with a human goes on with the assistant: the silence is counted from here."""
    session.execute(
        update(ConversationRow)
        .where(ConversationRow.id == conversation_id)
        .values(last_exchange_at=now, failures=0)
        .execution_options(synchronize_session=False)
    )
