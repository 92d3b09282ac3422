"""Cards as rows. Every change raises the owner's `cards_version`, which caches compare."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Select,
    delete,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session

from memory.errors import NotFound
from memory.records import Author, Card, CardStatus, Category, NewCard, When
from memory.storage import ledgers
from memory.storage.tables import CardRow, PersonRow
from memory.storage.types import Vector


def to_record(row: CardRow) -> Card:
    """The card as the rest of the product knows it."""
    return Card(
        id=row.id,
        public_id=row.public_id,
        person_id=row.person_id,
        category=Category(row.category),
        text=row.text,
        title=row.title,
        subject=row.subject,
        relation=row.relation,
        attribute=row.attribute,
        value=row.value,
        people=tuple(row.people),
        language=row.language,
        author=Author(row.author),
        speaker=row.speaker,
        visible=row.visible,
        sensitive=row.sensitive,
        pinned=row.pinned,
        status=CardStatus(row.status),
        supersedes_id=row.supersedes_id,
        turn_id=row.turn_id,
        conversation_id=row.conversation_id,
        device_id=row.device_id,
        when=_when(row),
        learned_at=row.learned_at,
        mentioned_at=row.mentioned_at,
        valid_until=row.valid_until,
        due_at=row.due_at,
        version=row.version,
    )


def _when(row: CardRow) -> When | None:
    if row.starts_local is None:
        return None
    return When(
        start=datetime.fromisoformat(row.starts_local),
        zone=row.zone or "UTC",
        all_day=row.all_day,
        end=None if row.ends_local is None else datetime.fromisoformat(row.ends_local),
        rrule=row.rrule,
        exdates=tuple(datetime.fromisoformat(each) for each in row.exdates or ()),
    )


def when_columns(when: When | None) -> dict[str, Any]:
    """The columns that hold a moment."""
    if when is None:
        return {
            "starts_local": None,
            "ends_local": None,
            "zone": None,
            "all_day": False,
            "rrule": None,
            "exdates": [],
        }
    return {
        "starts_local": when.start.isoformat(timespec="minutes"),
        "ends_local": None if when.end is None else when.end.isoformat(timespec="minutes"),
        "zone": when.zone,
        "all_day": when.all_day,
        "rrule": when.rrule,
        "exdates": [each.isoformat(timespec="minutes") for each in when.exdates],
    }


def add(
    session: Session,
    person_id: int,
    new: NewCard,
    *,
    visible: bool,
    subject_key: str,
    statement_key: str,
    terms: str,
    surface_terms: str,
    vector: Vector | None,
    vector_version: str,
    due_at: datetime | None,
    supersedes_id: int | None,
    now: datetime,
    public_id: str | None = None,
    batch: str = "",
) -> Card:
    """Store a new active card."""
    row = CardRow(
        person_id=person_id,
        category=new.category.value,
        text=new.text,
        title=new.title,
        subject=new.subject,
        subject_key=subject_key,
        statement_key=statement_key,
        relation=new.relation,
        attribute=new.attribute,
        value=new.value,
        people=list(new.people),
        language=new.language,
        author=new.author.value,
        speaker=new.speaker,
        visible=visible,
        sensitive=new.sensitive,
        supersedes_id=supersedes_id,
        turn_id=new.turn_id,
        conversation_id=new.conversation_id,
        device_id=new.device_id,
        batch=batch,
        learned_at=now,
        mentioned_at=now,
        changed_at=now,
        due_at=due_at,
        terms=terms,
        surface_terms=surface_terms,
        vector=vector,
        vector_version=vector_version,
        **when_columns(new.when),
    )
    if public_id is not None:
        row.public_id = public_id
    session.add(row)
    session.flush()
    touch_owner(session, person_id)
    return to_record(row)


def change(session: Session, card_id: int, *, now: datetime, **columns: Any) -> Card:
    """Set columns of a card and raise its version.

    Raises:
        NotFound: the card is gone.
    """
    row = session.get(CardRow, card_id)
    if row is None:
        raise NotFound("card", card_id)
    for name, value in columns.items():
        setattr(row, name, value)
    row.version += 1
    row.changed_at = now
    session.flush()
    touch_owner(session, row.person_id)
    return to_record(row)


def set_status(
    session: Session, card_ids: Iterable[int], status: CardStatus, *, now: datetime, was: CardStatus
) -> int:
    """Move cards from one status to another, in the database; returns how many moved."""
    ids = list(card_ids)
    forgets = status is CardStatus.FORGOTTEN
    # What comes back from being forgotten is what it was: a task that was done is done.
    value = func.coalesce(func.nullif(CardRow.forgotten_from, ""), status.value)
    moved = session.execute(
        update(CardRow)
        .where(CardRow.id.in_(ids), CardRow.status == was.value)
        .values(
            status=value if was is CardStatus.FORGOTTEN else status.value,
            changed_at=now,
            version=CardRow.version + 1,
            forgotten_at=now if forgets else None,
            forgotten_from=was.value if forgets else "",
        )
        .execution_options(synchronize_session=False)
        .returning(CardRow.person_id)
    ).all()
    session.expire_all()
    for person_id in {row[0] for row in moved}:
        touch_owner(session, person_id)
    return len(moved)


def mention(session: Session, card_ids: Iterable[int], *, now: datetime) -> None:
    """Renew the last-mention date; never moves it back."""
    session.execute(
        update(CardRow)
        .where(CardRow.id.in_(list(card_ids)), CardRow.mentioned_at < now)
        .values(mentioned_at=now)
        .execution_options(synchronize_session=False)
    )


def by_public_id(session: Session, person_id: int, public_id: str) -> Card:
    """One of the person's own cards, in whatever status.

    Raises:
        NotFound: there is none, or it is someone else's.
    """
    row = session.scalar(
        select(CardRow).where(CardRow.person_id == person_id, CardRow.public_id == public_id)
    )
    if row is None:
        raise NotFound("card", public_id)
    return to_record(row)


def by_ids(session: Session, person_id: int, card_ids: Sequence[int]) -> dict[int, Card]:
    """The person's own cards with these ids."""
    rows = session.scalars(select(CardRow).where(CardRow.person_id == person_id, CardRow.id.in_(card_ids)))
    return {row.id: to_record(row) for row in rows}


def by_public_ids(session: Session, person_id: int, public_ids: Collection[str]) -> list[Card]:
    """The person's own ones of these cards that are still there, in whatever status."""
    if not public_ids:
        return []
    rows = session.scalars(
        select(CardRow).where(CardRow.person_id == person_id, CardRow.public_id.in_(public_ids))
    )
    return [to_record(row) for row in rows]


def of_turn(session: Session, turn_id: int, *, status: CardStatus = CardStatus.ACTIVE) -> list[Card]:
    """Cards a turn made that are in one status, oldest first."""
    rows = session.scalars(
        select(CardRow).where(CardRow.turn_id == turn_id, CardRow.status == status.value).order_by(CardRow.id)
    )
    return [to_record(row) for row in rows]


def rivals(
    session: Session,
    person_id: int,
    *,
    category: Category,
    subject_key: str,
    attribute: str,
    statement_key: str,
) -> list[Card]:
    """Active cards that could say the same as a new one, or an older value of it; oldest first.

    All persons when the category is person: names are compared by the caller.
    """
    statement = _active(person_id).where(CardRow.category == category.value)
    if category is not Category.PERSON:
        alike = CardRow.statement_key == statement_key
        if attribute:
            alike = alike | ((CardRow.attribute == attribute) & (CardRow.subject_key == subject_key))
        statement = statement.where(alike)
    return [to_record(row) for row in session.scalars(statement.order_by(CardRow.id))]


def superseders(session: Session, person_id: int, card_id: int) -> list[Card]:
    """Active cards that replaced this one."""
    return [
        to_record(row) for row in session.scalars(_active(person_id).where(CardRow.supersedes_id == card_id))
    ]


def naming(session: Session, person_id: int, words: Sequence[str], *, limit: int = 200) -> list[Card]:
    """Active cards whose folded words hold one of `words`, newest first; persons left out."""
    if not words:
        return []
    statement = (
        _active(person_id)
        .where(
            CardRow.category != "person",
            or_(*(CardRow.surface_terms.contains(word, autoescape=True) for word in words)),
        )
        .order_by(CardRow.id.desc())
        .limit(limit)
    )
    return [to_record(row) for row in session.scalars(statement)]


def active(
    session: Session, person_id: int, *, categories: Sequence[Category] = (), limit: int = 100_000
) -> list[Card]:
    """The person's active cards, newest first."""
    statement = _active(person_id).order_by(CardRow.learned_at.desc(), CardRow.id.desc()).limit(limit)
    if categories:
        statement = statement.where(CardRow.category.in_([each.value for each in categories]))
    return [to_record(row) for row in session.scalars(statement)]


def page(
    session: Session,
    person_id: int,
    *,
    text: str = "",
    category: Category | None = None,
    status: CardStatus = CardStatus.ACTIVE,
    offset: int = 0,
    limit: int = 50,
) -> tuple[list[Card], int]:
    """A page of the person's cards, newest first, and how many there are in all.

    Args:
        text: folded words; each must stand in the card.
    """
    where = [CardRow.person_id == person_id, CardRow.status == status.value]
    if category is not None:
        where.append(CardRow.category == category.value)
    for word in text.split():
        where.append(CardRow.surface_terms.contains(word, autoescape=True))
    total = session.scalar(select(func.count()).select_from(CardRow).where(*where)) or 0
    rows = session.scalars(
        select(CardRow)
        .where(*where)
        .order_by(CardRow.learned_at.desc(), CardRow.id.desc())
        .offset(offset)
        .limit(limit)
    )
    return [to_record(row) for row in rows], total


def people(session: Session, person_id: int, *, limit: int = 1000) -> list[Card]:
    """The person cards, last mentioned first."""
    rows = session.scalars(
        _active(person_id)
        .where(CardRow.category == "person")
        .order_by(CardRow.mentioned_at.desc(), CardRow.id.desc())
        .limit(limit)
    )
    return [to_record(row) for row in rows]


def to_do(session: Session, person_id: int) -> list[Card]:
    """Open tasks, reminders and events that are dated, by their wall-clock start; undated ones last."""
    rows = session.scalars(
        _active(person_id)
        .where(or_(CardRow.category.in_(("task", "reminder")), CardRow.starts_local.is_not(None)))
        .order_by(CardRow.starts_local.is_(None), CardRow.starts_local, CardRow.id)
    )
    return [to_record(row) for row in rows]


def forgotten_at(session: Session, person_id: int, moment: datetime) -> list[Card]:
    """The person's cards that were forgotten at one moment, in one step.

    Raises:
        ValueError: the moment has no zone.
    """
    if moment.tzinfo is None:
        raise ValueError("naive time: hand in an aware one")
    found = select(CardRow).where(
        CardRow.person_id == person_id, CardRow.status == "forgotten", CardRow.forgotten_at == moment
    )
    return [to_record(row) for row in session.scalars(found)]


def forgotten_before(session: Session, moment: datetime) -> list[int]:
    """Cards whose undo has run out."""
    return list(
        session.scalars(
            select(CardRow.id).where(CardRow.status == "forgotten", CardRow.forgotten_at < moment)
        )
    )


def remove(session: Session, card_ids: Sequence[int]) -> int:
    """Delete rows for good, with their links, retrievals and worth. Returns how many."""
    owners = set(session.scalars(select(CardRow.person_id).where(CardRow.id.in_(card_ids))))
    gone = session.execute(
        delete(CardRow)
        .where(CardRow.id.in_(card_ids))
        .execution_options(synchronize_session=False)
        .returning(CardRow.id)
    ).all()
    for person_id in owners:
        touch_owner(session, person_id)
    ledgers.mark_stale(session, owners)
    return len(gone)


def touch_owner(session: Session, person_id: int) -> None:
    """Tell every process's cache that the person's cards changed."""
    session.execute(
        update(PersonRow)
        .where(PersonRow.id == person_id)
        .values(cards_version=PersonRow.cards_version + 1)
        .execution_options(synchronize_session=False)
    )


def history(session: Session, card_id: int) -> list[Card]:
    """The chain of cards this one superseded, newest first, without itself."""
    chain: list[Card] = []
    row = session.get(CardRow, card_id)
    while row is not None and row.supersedes_id is not None and len(chain) < 50:
        row = session.get(CardRow, row.supersedes_id)
        if row is not None:
            chain.append(to_record(row))
    return chain


def _active(person_id: int) -> Select[CardRow]:
    return select(CardRow).where(CardRow.person_id == person_id, CardRow.status == "active")
