"""Reminders that are due, and their firings. A firing is a row; its unique key is the rule "exactly once".

A row with no `sent_at` still has to reach a closed browser. `claimed_by` names the
worker that is at it, "" while none is; `claimed_at` is when it began.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, func, or_, select, update
from sqlalchemy.orm import Session

from memory.errors import NotFound
from memory.records import Card, Category
from memory.storage.cards import to_record as to_card
from memory.storage.tables import CardRow, DeliveryRow, FrameRow, PersonRow


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """One firing of a reminder."""

    id: int
    public_id: str
    card_id: int
    person_id: int
    device_id: int | None  # which device notifies; None is every open page
    due_at: datetime
    claimed_at: datetime
    sent_at: datetime | None
    late: bool
    acknowledged_at: datetime | None


def next_due(session: Session) -> datetime | None:
    """When the next reminder of anybody is due; None when none is waiting."""
    return session.scalar(select(func.min(CardRow.due_at)).where(*_WAITING))


def due(session: Session, *, now: datetime, limit: int) -> list[Card]:
    """Reminders whose moment has come, by id, locked until the transaction ends.

    By id, so that two dispatchers lock in the same order; what another one holds is left to it.
    """
    rows = session.scalars(
        select(CardRow)
        .where(*_WAITING, CardRow.due_at <= now)
        .order_by(CardRow.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return [to_card(row) for row in rows]


def travelled(session: Session, *, limit: int, locked: bool = False) -> list[tuple[Card, str]]:
    """Recurring reminders reckoned in another zone than the one their owner is in now, and that zone."""
    statement = (
        select(CardRow, PersonRow.zone)
        .join(PersonRow, PersonRow.id == CardRow.person_id)
        .where(*_WAITING, CardRow.rrule.is_not(None), CardRow.zone != PersonRow.zone)
        .order_by(CardRow.id)
        .limit(limit)
    )
    if locked:
        statement = statement.with_for_update(of=CardRow, skip_locked=True)
    return [(to_card(row), zone) for row, zone in session.execute(statement)]


def move(session: Session, card: Card, *, zone: str, due_at: datetime) -> bool:
    """Reckon a reminder in another zone; False when somebody changed it meanwhile."""
    return _set_due(session, card, due_at, zone=zone)


def claim(
    session: Session,
    card: Card,
    *,
    next_due_at: datetime | None,
    device_id: int | None,
    late: bool,
    needs_push: bool,
    now: datetime,
) -> Delivery | None:
    """Take one firing: the card goes on to its next moment and the firing becomes a row, in one step.

    Only one caller gets it, whoever else tries at the same time or with a clock that
    was set back. None when the card was changed or taken meanwhile, or has fired for
    this moment before.

    Args:
        card: as it was read; its `due_at` is the moment that fires.
        needs_push: a closed browser is to be reached; else this row is all there is to do.
    """
    if card.due_at is None or not _set_due(session, card, next_due_at):
        return None
    # Whoever gets here holds the card's row: nobody can add the same firing in between.
    fired = session.scalar(
        select(DeliveryRow.id).where(DeliveryRow.card_id == card.id, DeliveryRow.due_at == card.due_at)
    )
    if fired is not None:
        return None
    row = DeliveryRow(
        card_id=card.id,
        person_id=card.person_id,
        device_id=device_id,
        due_at=card.due_at,
        claimed_at=now,
        sent_at=None if needs_push else now,
        late=late,
    )
    session.add(row)
    session.flush()
    return _record(row)


def unsent(session: Session, *, now: datetime, after: timedelta, limit: int) -> list[int]:
    """Firings that nobody has finished for a while: their worker died, or the queue lost them.

    One whose claim lies in the future counts too: the clock was set back.
    """
    return list(
        session.scalars(
            select(DeliveryRow.id)
            .where(DeliveryRow.sent_at.is_(None), _is_left(now, after))
            .order_by(DeliveryRow.claimed_at)
            .limit(limit)
        )
    )


def take(
    session: Session, delivery_id: int, *, worker: str, now: datetime, lease: timedelta, late_after: timedelta
) -> Delivery | None:
    """Begin to send one firing; None when it was sent, another worker is at it, or it is gone."""
    row = session.scalar(
        select(DeliveryRow)
        .where(
            DeliveryRow.id == delivery_id,
            DeliveryRow.sent_at.is_(None),
            or_(DeliveryRow.claimed_by == "", _is_left(now, lease)),
        )
        .with_for_update()
    )
    if row is None:
        return None
    row.claimed_by, row.claimed_at = worker, now
    row.late = row.late or now - row.due_at > late_after
    session.flush()
    return _record(row)


def mark_sent(session: Session, delivery_id: int, *, now: datetime) -> None:
    """Note that nothing more is to be done for a firing."""
    session.execute(
        update(DeliveryRow)
        .where(DeliveryRow.id == delivery_id, DeliveryRow.sent_at.is_(None))
        .values(sent_at=now)
        .execution_options(synchronize_session=False)
    )


def acknowledge(session: Session, person_id: int, card_ids: Sequence[int], *, now: datetime) -> None:
    """Note that the person has seen what rang for these cards."""
    session.execute(
        update(DeliveryRow)
        .where(
            DeliveryRow.person_id == person_id,
            DeliveryRow.card_id.in_(card_ids),
            DeliveryRow.acknowledged_at.is_(None),
        )
        .values(acknowledged_at=now)
        .execution_options(synchronize_session=False)
    )


def by_public_id(session: Session, person_id: int, public_id: str) -> Delivery:
    """One of the person's own firings.

    Raises:
        NotFound: there is none, or it is someone else's.
    """
    row = session.scalar(
        select(DeliveryRow).where(DeliveryRow.person_id == person_id, DeliveryRow.public_id == public_id)
    )
    if row is None:
        raise NotFound("reminder", public_id)
    return _record(row)


def last_of(session: Session, person_id: int, card_ids: Sequence[int]) -> dict[int, Delivery]:
    """The newest firing of each of these cards that has fired."""
    rows = session.scalars(
        select(DeliveryRow)
        .where(DeliveryRow.person_id == person_id, DeliveryRow.card_id.in_(card_ids))
        .order_by(DeliveryRow.due_at, DeliveryRow.id)
    )
    return {row.card_id: _record(row) for row in rows}


def between(
    session: Session, person_id: int, *, after: datetime, until: datetime | None, limit: int
) -> list[tuple[Delivery, Card]]:
    """What rang for a person in a span of time and is not forgotten, oldest first."""
    statement = (
        select(DeliveryRow, CardRow)
        .join(CardRow, CardRow.id == DeliveryRow.card_id)
        .where(
            DeliveryRow.person_id == person_id,
            DeliveryRow.claimed_at >= after,
            CardRow.status != "forgotten",
        )
        .order_by(DeliveryRow.claimed_at.desc(), DeliveryRow.id.desc())
        .limit(limit)
    )
    if until is not None:
        statement = statement.where(DeliveryRow.claimed_at < until)
    return [(_record(row), to_card(card)) for row, card in reversed(session.execute(statement).all())]


def drop_frames(session: Session, card_ids: Sequence[int]) -> int:
    """Remove the frames that told of these cards' firings: they hold the cards' words. Returns how many."""
    dropped = 0
    told = select(CardRow.person_id, CardRow.public_id).where(
        CardRow.id.in_(card_ids), CardRow.category == Category.REMINDER.value
    )
    for person_id, public_id in session.execute(told).all():
        gone = session.execute(
            delete(FrameRow)
            .where(
                FrameRow.person_id == person_id,
                FrameRow.kind == "reminder",
                FrameRow.body["card"].as_string() == public_id,
            )
            .execution_options(synchronize_session=False)
            .returning(FrameRow.id)
        )
        dropped += len(gone.all())
    return dropped


_WAITING = (
    CardRow.status == "active",
    CardRow.category == Category.REMINDER.value,
    CardRow.due_at.is_not(None),
)


def _is_left(now: datetime, after: timedelta) -> ColumnElement[bool]:
    return or_(DeliveryRow.claimed_at < now - after, DeliveryRow.claimed_at > now + after)


def _set_due(session: Session, card: Card, due_at: datetime | None, *, zone: str | None = None) -> bool:
    """Move a waiting reminder's next moment if it is still the one that was read."""
    values: dict[str, object] = {"due_at": due_at} if zone is None else {"due_at": due_at, "zone": zone}
    done = session.execute(
        update(CardRow)
        .where(CardRow.id == card.id, *_WAITING, CardRow.due_at == card.due_at)
        .values(**values)
        .execution_options(synchronize_session=False)
        .returning(CardRow.id)
    ).all()
    return len(done) == 1


def _record(row: DeliveryRow) -> Delivery:
    return Delivery(
        id=row.id,
        public_id=row.public_id,
        card_id=row.card_id,
        person_id=row.person_id,
        device_id=row.device_id,
        due_at=row.due_at,
        claimed_at=row.claimed_at,
        sent_at=row.sent_at,
        late=row.late,
        acknowledged_at=row.acknowledged_at,
    )
