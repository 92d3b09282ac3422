"""Who did what at the desk, and when: append-only, without a person's words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session

from memory.storage.tables import AuditRow, HandoverRow, PersonRow


class Action(StrEnum):
    """What can be done at the desk. Stored: names are never changed."""

    REQUESTED = "requested"
    CLAIMED = "claimed"
    OPENED = "opened"
    SAID = "said"
    NOTED = "noted"
    DECIDED = "decided"
    WITHDREW = "withdrew"
    PASSED = "passed"
    REQUEUED = "requeued"
    RETURNED = "returned"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


MARKS = (Action.CLAIMED, Action.PASSED, Action.REQUEUED, Action.RETURNED)
"""What the person's thread shows as a line: a human came, another took over, they left."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One act at the desk."""

    id: int
    at: datetime
    actor: str
    action: str
    person: str  # public id; "" when the account is gone
    handover: str  # public id
    detail: str


def add(
    session: Session,
    action: Action,
    *,
    actor: str,
    person_id: int,
    handover_id: int,
    detail: str = "",
    now: datetime,
) -> None:
    """Write an act down, in the transaction of the act itself."""
    session.add(
        AuditRow(
            at=now,
            actor=actor[:120],
            action=action.value,
            person_id=person_id,
            handover_id=handover_id,
            detail=detail[:200],
        )
    )


def newest(session: Session, *, limit: int, before: int | None = None) -> list[Entry]:
    """Acts, newest first; older ones by `before`, an entry's id."""
    statement = (
        select(AuditRow, PersonRow.public_id, HandoverRow.public_id)
        .outerjoin(PersonRow, PersonRow.id == AuditRow.person_id)
        .outerjoin(HandoverRow, HandoverRow.id == AuditRow.handover_id)
        .order_by(AuditRow.id.desc())
        .limit(limit)
    )
    if before is not None:
        statement = statement.where(AuditRow.id < before)
    return [_entry(row, person, handover) for row, person, handover in session.execute(statement)]


def marks(
    session: Session, person_id: int, *, after: datetime, until: datetime | None, limit: int
) -> list[Entry]:
    """When humans came and left in a person's thread, oldest first.

    Args:
        after, until: from this moment on, and up to that one when there is one.
    """
    statement = (
        select(AuditRow, HandoverRow.public_id)
        .outerjoin(HandoverRow, HandoverRow.id == AuditRow.handover_id)
        .where(
            AuditRow.person_id == person_id,
            AuditRow.action.in_([each.value for each in MARKS]),
            AuditRow.at >= after,
        )
        .order_by(AuditRow.id.desc())
        .limit(limit)
    )
    if until is not None:
        statement = statement.where(AuditRow.at < until)
    found = [_entry(row, "", handover) for row, handover in session.execute(statement)]
    return list(reversed(found))


def _entry(row: AuditRow, person: str | None, handover: str | None) -> Entry:
    return Entry(
        id=row.id,
        at=row.at,
        actor=row.actor,
        action=row.action,
        person=person or "",
        handover=handover or "",
        detail=row.detail,
    )
