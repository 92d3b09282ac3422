"""What the agenda shows besides what is open: what ended, and what one import brought."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from memory.records import Card
from memory.storage.cards import to_record
from memory.storage.tables import CardRow


def ended_to_do(session: Session, person_id: int, *, limit: int) -> list[Card]:
    """Tasks, reminders and events that were done or called off, the last one first."""
    rows = session.scalars(
        select(CardRow)
        .where(
            CardRow.person_id == person_id,
            CardRow.status.in_(("done", "cancelled")),
            CardRow.category.in_(("task", "reminder", "event")),
        )
        .order_by(CardRow.changed_at.desc(), CardRow.id.desc())
        .limit(limit)
    )
    return [to_record(row) for row in rows]


def of_batch(session: Session, person_id: int, batch: str) -> list[Card]:
    """The person's cards that one import brought, in whatever status."""
    rows = session.scalars(
        select(CardRow)
        .where(CardRow.person_id == person_id, CardRow.batch == batch, CardRow.batch != "")
        .order_by(CardRow.id)
    )
    return [to_record(row) for row in rows]
