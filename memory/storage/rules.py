"""Personal rules as rows, in the person's own words."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from memory.errors import NotFound
from memory.records import Rule
from memory.storage.tables import RuleRow


def add(session: Session, person_id: int, text: str, *, now: datetime, turn_id: int | None = None) -> Rule:
    """Store a rule; one that stands there already, word for word, is given back instead."""
    known = session.scalar(select(RuleRow).where(RuleRow.person_id == person_id, RuleRow.text == text))
    if known is not None:
        return _record(known)
    row = RuleRow(person_id=person_id, text=text, turn_id=turn_id, created_at=now)
    session.add(row)
    session.flush()
    return _record(row)


def of_person(session: Session, person_id: int) -> list[Rule]:
    """A person's rules, oldest first."""
    rows = session.scalars(select(RuleRow).where(RuleRow.person_id == person_id).order_by(RuleRow.id))
    return [_record(row) for row in rows]


def by_public_id(session: Session, person_id: int, public_id: str) -> Rule:
    """One of the person's own rules.

    Raises:
        NotFound: there is none, or it is someone else's.
    """
    return _record(_row(session, person_id, public_id))


def change(session: Session, person_id: int, public_id: str, text: str) -> Rule:
    """Replace a rule's words.

    Raises:
        NotFound: there is none, or it is someone else's.
    """
    row = _row(session, person_id, public_id)
    row.text = text
    session.flush()
    return _record(row)


def remove(session: Session, person_id: int, public_id: str) -> None:
    """Take a rule away.

    Raises:
        NotFound: there is none, or it is someone else's.
    """
    gone = session.scalar(
        delete(RuleRow)
        .where(RuleRow.person_id == person_id, RuleRow.public_id == public_id)
        .execution_options(synchronize_session=False)
        .returning(RuleRow.id)
    )
    if gone is None:
        raise NotFound("rule", public_id)


def _row(session: Session, person_id: int, public_id: str) -> RuleRow:
    row = session.scalar(
        select(RuleRow).where(RuleRow.person_id == person_id, RuleRow.public_id == public_id)
    )
    if row is None:
        raise NotFound("rule", public_id)
    return row


def _record(row: RuleRow) -> Rule:
    return Rule(
        id=row.id,
        public_id=row.public_id,
        person_id=row.person_id,
        text=row.text,
        created_at=row.created_at,
        turn_id=row.turn_id,
    )
