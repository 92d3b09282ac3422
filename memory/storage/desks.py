"""The agents themselves: who is at the desk, who wishes to be told, and the texts they keep ready."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from memory.errors import Forbidden, NotFound
from memory.records import Role
from memory.storage.tables import DeskAgentRow, HandoverRow, PersonRow, ReadyTextRow

HERE_FOR = timedelta(seconds=90)  # a browser asks for pages in the background once a minute
_WRITTEN_EVERY = timedelta(seconds=20)  # pages ask every few seconds; not each is worth a write
_ROLES = (Role.AGENT.value, Role.OPERATOR.value)


@dataclass(frozen=True, kw_only=True)
class Presence:
    """An agent as their colleagues see them."""

    id: int
    public_id: str
    name: str
    is_here: bool  # a page of theirs is open
    holds: int  # conversations
    told: bool  # wishes to be told of requests while no page is open


@dataclass(frozen=True, kw_only=True)
class ReadyText:
    """A text to insert."""

    public_id: str
    name: str
    text: str
    shared: bool
    is_own: bool
    author: str


def seen(session: Session, agent_id: int, *, now: datetime) -> bool:
    """Note down that a page of the agent is open; False when that was done a moment ago."""
    row = session.get(DeskAgentRow, agent_id, populate_existing=True)
    if row is not None and row.seen_at is not None and now - row.seen_at < _WRITTEN_EVERY:
        return False
    if row is None:
        row = _added(session, agent_id)
    row.seen_at = now
    return True


def is_noted(session: Session, agent_id: int, *, now: datetime) -> bool:
    """Whether `seen` would write nothing."""
    at = session.scalar(select(DeskAgentRow.seen_at).where(DeskAgentRow.person_id == agent_id))
    return at is not None and now - at < _WRITTEN_EVERY


def tell(session: Session, agent_id: int, *, told: bool) -> None:
    """Whether the agent is told of requests while no page of theirs is open."""
    row = session.get(DeskAgentRow, agent_id, populate_existing=True)
    if row is None:
        row = _added(session, agent_id)
    row.told = told


def agents(session: Session, *, now: datetime) -> list[Presence]:
    """Everybody who may hold a conversation: who is here first, each by name."""
    holds = (
        select(HandoverRow.claimed_by, func.count().label("total"))
        .where(HandoverRow.ended_at.is_(None), HandoverRow.claimed_by.is_not(None))
        .group_by(HandoverRow.claimed_by)
        .subquery()
    )
    found = session.execute(
        select(PersonRow.id, PersonRow.public_id, PersonRow.name, DeskAgentRow, holds.c.total)
        .outerjoin(DeskAgentRow, DeskAgentRow.person_id == PersonRow.id)
        .outerjoin(holds, holds.c.claimed_by == PersonRow.id)
        .where(PersonRow.role.in_(_ROLES))
    )
    known = [
        Presence(
            id=person_id,
            public_id=public_id,
            name=name,
            is_here=row is not None and row.seen_at is not None and now - row.seen_at < HERE_FOR,
            holds=total or 0,
            told=row is None or row.told,
        )
        for person_id, public_id, name, row, total in found
    ]
    return sorted(known, key=lambda each: (not each.is_here, each.name.casefold(), each.id))


def unannounced(session: Session) -> list[tuple[int, int, int | None, str]]:
    """Open requests that no closed browser was told of: id, person, who was given it, person's language."""
    found = session.execute(
        select(HandoverRow.id, HandoverRow.person_id, HandoverRow.claimed_by, PersonRow.language)
        .join(PersonRow, PersonRow.id == HandoverRow.person_id)
        .where(HandoverRow.ended_at.is_(None), HandoverRow.announced_at.is_(None))
        .order_by(HandoverRow.id)
    )
    return [(each[0], each[1], each[2], each[3]) for each in found]


def announce(session: Session, handover_id: int, *, holder_id: int | None, now: datetime) -> bool:
    """Claim the telling of a request; False when another did, or it stands otherwise by now."""
    holder = HandoverRow.claimed_by.is_(None) if holder_id is None else HandoverRow.claimed_by == holder_id
    told = session.scalar(
        update(HandoverRow)
        .where(
            HandoverRow.id == handover_id,
            HandoverRow.ended_at.is_(None),
            HandoverRow.announced_at.is_(None),
            holder,
        )
        .values(announced_at=now)
        .execution_options(synchronize_session=False)
        .returning(HandoverRow.id)
    )
    return told is not None


def ready_texts(session: Session, agent_id: int) -> list[ReadyText]:
    """The agent's own texts and those of everybody, by name."""
    found = session.execute(
        select(ReadyTextRow, PersonRow.name)
        .join(PersonRow, PersonRow.id == ReadyTextRow.person_id)
        .where(or_(ReadyTextRow.person_id == agent_id, ReadyTextRow.shared))
    )
    texts = [
        ReadyText(
            public_id=row.public_id,
            name=row.name,
            text=row.text,
            shared=row.shared,
            is_own=row.person_id == agent_id,
            author=author,
        )
        for row, author in found
    ]
    return sorted(texts, key=lambda each: (each.name.casefold(), each.public_id))


def keep_text(
    session: Session, agent_id: int, *, name: str, text: str, shared: bool, public_id: str, now: datetime
) -> None:
    """Write a ready text, a new one with `public_id` "".

    Raises:
        NotFound: there is no such text.
        Forbidden: somebody else wrote it.
    """
    row = ReadyTextRow(person_id=agent_id) if not public_id else _own_text(session, agent_id, public_id)
    row.name, row.text, row.shared, row.changed_at = name, text, shared, now
    session.add(row)
    session.flush()


def drop_text(session: Session, agent_id: int, public_id: str, *, role: Role) -> None:
    """Remove a ready text: one's own, or as operator a shared one.

    Raises:
        NotFound: there is no such text.
        Forbidden: somebody else wrote it.
    """
    row = _text(session, public_id)
    if row.person_id != agent_id and not (row.shared and role is Role.OPERATOR):
        raise Forbidden("Somebody else wrote this.")
    session.delete(row)


def count_texts(session: Session, agent_id: int) -> int:
    """How many ready texts the agent wrote."""
    counted = select(func.count()).select_from(ReadyTextRow).where(ReadyTextRow.person_id == agent_id)
    return session.scalar(counted) or 0


def _own_text(session: Session, agent_id: int, public_id: str) -> ReadyTextRow:
    row = _text(session, public_id)
    if row.person_id != agent_id:
        raise Forbidden("Somebody else wrote this.")
    return row


def _text(session: Session, public_id: str) -> ReadyTextRow:
    row = session.scalar(select(ReadyTextRow).where(ReadyTextRow.public_id == public_id))
    if row is None:
        raise NotFound("ready text", public_id)
    return row


def _added(session: Session, agent_id: int) -> DeskAgentRow:
    row = DeskAgentRow(person_id=agent_id, told=True)
    try:
        with session.begin_nested():
            session.add(row)
            session.flush()
    except IntegrityError:  # another page of theirs was a moment faster
        return session.get_one(DeskAgentRow, agent_id, populate_existing=True)
    return row
