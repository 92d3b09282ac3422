"""Links as rows: stored once, read from both ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import Select, or_, select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.orm import Session

from memory.records import Link, LinkKind
from memory.storage.tables import CardRow, LinkRow


def to_record(row: LinkRow) -> Link:
    """The link as the rest of the product knows it."""
    return Link(a_id=row.a_id, b_id=row.b_id, kind=LinkKind(row.kind), weight=row.weight, reason=row.reason)


def add(session: Session, person_id: int, links: Iterable[Link], *, now: datetime) -> None:
    """Store links; one that exists gets the new weight and reason."""
    rows = [
        {
            "person_id": person_id,
            "a_id": min(link.a_id, link.b_id),
            "b_id": max(link.a_id, link.b_id),
            "kind": link.kind.value,
            "weight": link.weight,
            "reason": link.reason,
            "created_at": now,
        }
        for link in links
        if link.a_id != link.b_id
    ]
    if not rows:
        return
    insert = sqlite_insert if session.get_bind().dialect.name == "sqlite" else postgresql_insert
    statement = insert(LinkRow).values(rows)
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["a_id", "b_id", "kind"],
            set_={"weight": statement.excluded.weight, "reason": statement.excluded.reason},
        )
    )


def of_cards(session: Session, person_id: int, card_ids: Sequence[int]) -> list[Link]:
    """Links with one end in `card_ids` whose both ends are active, heaviest first."""
    active = _active_ids(person_id)
    rows = session.scalars(
        select(LinkRow)
        .where(
            LinkRow.person_id == person_id,
            or_(LinkRow.a_id.in_(card_ids), LinkRow.b_id.in_(card_ids)),
            LinkRow.a_id.in_(active),
            LinkRow.b_id.in_(active),
        )
        .order_by(LinkRow.weight.desc(), LinkRow.id)
    )
    return [to_record(row) for row in rows]


def of_person(session: Session, person_id: int) -> list[Link]:
    """All links of a person whose both ends are active."""
    active = _active_ids(person_id)
    rows = session.scalars(
        select(LinkRow).where(
            LinkRow.person_id == person_id, LinkRow.a_id.in_(active), LinkRow.b_id.in_(active)
        )
    )
    return [to_record(row) for row in rows]


def _active_ids(person_id: int) -> Select[int]:
    return select(CardRow.id).where(CardRow.person_id == person_id, CardRow.status == "active")
