"""Matters and the decision log as rows: append-only, one current value for a matter and key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from memory.errors import Conflict
from memory.records import Decision
from memory.storage.tables import DecisionRow, MatterRow


@dataclass(frozen=True, kw_only=True)
class Matter:
    """What decisions belong to."""

    id: int
    person_id: int
    name: str
    conversation_id: int | None
    opened_at: datetime
    ends_at: datetime | None
    closed_at: datetime | None

    def is_open(self, now: datetime) -> bool:
        """Whether its decisions still stand."""
        return self.closed_at is None and (self.ends_at is None or self.ends_at > now)


def _matter(row: MatterRow) -> Matter:
    return Matter(
        id=row.id,
        person_id=row.person_id,
        name=row.name,
        conversation_id=row.conversation_id,
        opened_at=row.opened_at,
        ends_at=row.ends_at,
        closed_at=row.closed_at,
    )


def _record(row: DecisionRow, matter: str) -> Decision:
    return Decision(
        id=row.id,
        person_id=row.person_id,
        matter=matter,
        key=row.key,
        value=row.value,
        decided_at=row.decided_at,
        turn_id=row.turn_id,
        decided_by=row.decided_by,
        active=row.active,
        supersedes_id=row.supersedes_id,
        withdrawn_at=row.withdrawn_at,
    )


def take_matter(
    session: Session, person_id: int, name: str, *, conversation_id: int | None, now: datetime
) -> Matter:
    """The person's matter of that name, made when there is none; one that was closed is opened again."""
    row = session.scalar(select(MatterRow).where(MatterRow.person_id == person_id, MatterRow.name == name))
    if row is None:
        try:
            with session.begin_nested():
                row = MatterRow(
                    person_id=person_id, name=name, conversation_id=conversation_id, opened_at=now
                )
                session.add(row)
                session.flush()
        except IntegrityError:  # another process made it just now
            row = session.scalars(
                select(MatterRow).where(MatterRow.person_id == person_id, MatterRow.name == name)
            ).one()
    elif row.closed_at is not None:
        row.closed_at = None
        session.flush()
    return _matter(row)


def matters(session: Session, person_id: int) -> list[Matter]:
    """All matters of a person, newest first."""
    rows = session.scalars(
        select(MatterRow).where(MatterRow.person_id == person_id).order_by(MatterRow.id.desc())
    )
    return [_matter(row) for row in rows]


def set_end(session: Session, matter_id: int, ends_at: datetime | None) -> None:
    """The matter closes by itself when this moment has passed."""
    session.execute(update(MatterRow).where(MatterRow.id == matter_id).values(ends_at=ends_at))


def close_matter(session: Session, person_id: int, name: str, *, now: datetime) -> bool:
    """Close a matter by word; it stays readable. False when there is no open one."""
    changed = session.scalar(
        update(MatterRow)
        .where(MatterRow.person_id == person_id, MatterRow.name == name, MatterRow.closed_at.is_(None))
        .values(closed_at=now)
        .execution_options(synchronize_session=False)
        .returning(MatterRow.id)
    )
    return changed is not None


def record(
    session: Session,
    matter: Matter,
    *,
    key: str,
    value: str,
    turn_id: int | None,
    decided_by: str,
    now: datetime,
) -> Decision:
    """Append an entry and make it the current one; the entry before it stays in the history.

    An equal current value is left as it is and returned.

    Raises:
        Conflict: another process decided the same key at this instant; reading again tells what holds.
    """
    current = _current(session, matter.id, key)
    if current is not None and current.value == value:
        return _record(current, matter.name)
    if current is not None:
        current.active = False
        session.flush()
    row = DecisionRow(
        person_id=matter.person_id,
        matter_id=matter.id,
        key=key,
        value=value,
        decided_at=now,
        turn_id=turn_id,
        decided_by=decided_by,
        active=True,
        supersedes_id=None if current is None else current.id,
    )
    try:
        with session.begin_nested():
            session.add(row)
            session.flush()
    except IntegrityError as error:
        raise Conflict("This was decided elsewhere just now. Please look again.") from error
    return _record(row, matter.name)


def withdraw(session: Session, matter: Matter, *, key: str, now: datetime) -> Decision | None:
    """Take the current value back, so that none holds; None when none did."""
    current = _current(session, matter.id, key)
    if current is None:
        return None
    current.active, current.withdrawn_at = False, now
    session.flush()
    return _record(current, matter.name)


def current(session: Session, person_id: int, *, now: datetime) -> list[Decision]:
    """What holds in the person's open matters, by matter and key."""
    rows = session.execute(
        select(DecisionRow, MatterRow)
        .join(MatterRow, MatterRow.id == DecisionRow.matter_id)
        .where(DecisionRow.person_id == person_id, DecisionRow.active)
        .order_by(MatterRow.id, DecisionRow.key)
    )
    return [_record(row, matter.name) for row, matter in rows if _matter(matter).is_open(now)]


def history(
    session: Session, person_id: int, *, matter: str | None = None, key: str | None = None
) -> list[Decision]:
    """All entries, oldest first, of one matter and key when given."""
    statement = (
        select(DecisionRow, MatterRow.name)
        .join(MatterRow, MatterRow.id == DecisionRow.matter_id)
        .where(DecisionRow.person_id == person_id)
        .order_by(DecisionRow.id)
    )
    if matter is not None:
        statement = statement.where(MatterRow.name == matter)
    if key is not None:
        statement = statement.where(DecisionRow.key == key)
    return [_record(row, name) for row, name in session.execute(statement)]


def of_turns(session: Session, turn_ids: Sequence[int]) -> list[Decision]:
    """Entries that these turns made, oldest first."""
    rows = session.execute(
        select(DecisionRow, MatterRow.name)
        .join(MatterRow, MatterRow.id == DecisionRow.matter_id)
        .where(DecisionRow.turn_id.in_(turn_ids))
        .order_by(DecisionRow.id)
    )
    return [_record(row, name) for row, name in rows]


def _current(session: Session, matter_id: int, key: str) -> DecisionRow | None:
    return session.scalar(
        select(DecisionRow)
        .where(DecisionRow.matter_id == matter_id, DecisionRow.key == key, DecisionRow.active)
        .with_for_update()
    )
