"""How far a person's worth is counted: what goes with no card of its own, and whether it still holds."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from memory.storage.tables import PersonRow, WorthLedgerRow


def read(session: Session, person_id: int) -> dict[str, Any]:
    """What is counted for kinds of requests; {} at first. Holds the person's row: one counts at a time."""
    session.execute(select(PersonRow.id).where(PersonRow.id == person_id).with_for_update())
    row = session.get(WorthLedgerRow, person_id, populate_existing=True)
    return {} if row is None else dict(row.state)


def save(session: Session, person_id: int, state: dict[str, Any], *, now: datetime) -> None:
    """Store what `read` gives."""
    row = session.get(WorthLedgerRow, person_id)
    if row is None:
        session.add(WorthLedgerRow(person_id=person_id, state=state, changed_at=now))
    else:
        row.state, row.changed_at = state, now
    session.flush()


def mark_stale(session: Session, person_ids: Collection[int]) -> None:
    """Say that something left these people's logs: their counters are due to be counted again."""
    if not person_ids:
        return
    session.execute(
        update(WorthLedgerRow)
        .where(WorthLedgerRow.person_id.in_(list(person_ids)))
        .values(state={"stale": True})
        .execution_options(synchronize_session=False)
    )


def stale(session: Session) -> list[int]:
    """Whose counters are due to be counted again."""
    found = session.execute(select(WorthLedgerRow.person_id, WorthLedgerRow.state))
    return [person_id for person_id, state in found if state.get("stale")]
