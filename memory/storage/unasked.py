"""Cards that are offered unasked: who is known, what was mentioned lately, a sample of the rest.

The cost of each is bounded however many cards there are. The statements are built
once: to build one takes longer than to run it.
"""

from __future__ import annotations

import random
from datetime import datetime
from functools import cache
from typing import Any, cast

from sqlalchemy import CompoundSelect, Select, bindparam, func, literal, select, union_all
from sqlalchemy.orm import Session

from memory.records import Card
from memory.storage.cards import to_record
from memory.storage.tables import CardRow


def known_people(session: Session, person_id: int, *, limit: int = 200) -> list[tuple[str, str]]:
    """Names and relations of the people on person cards, last mentioned first."""
    rows = session.execute(_known_people(), {"person": person_id, "most": limit})
    return [(names[0], relation) for names, relation in rows if names]


def lately(session: Session, person_id: int, *, since: datetime, limit: int) -> list[Card]:
    """Active cards mentioned since a moment, last mentioned first; themes left out."""
    rows = session.execute(_lately(), {"person": person_id, "since": since, "most": limit})
    return [to_record(cast(CardRow, row)) for row in rows]


def sample(session: Session, person_id: int, *, lots: random.Random, limit: int) -> list[Card]:
    """Some active cards, pinned ones first, without reading the whole store.

    Random places in the range of ids are looked up one by one, so that the cost
    does not grow with the number of cards.
    """
    pinned = session.execute(_pinned(), {"person": person_id, "most": limit})
    chosen = dict.fromkeys(card_id for card_id, status in pinned if status == "active")
    low, high = session.execute(_range(), {"person": person_id}).one()
    if low is None or high is None:
        return []
    places = {f"place{number}": lots.randint(low, high) for number in range(limit)}
    # Status and category are looked at here: asked for in the query, they would make SQLite
    # walk the whole store by another index.
    for _, card_id, status, category in sorted(
        session.execute(_near(limit), {"person": person_id, **places})
    ):
        if status == "active" and category != "theme" and len(chosen) < limit:
            chosen[card_id] = None
    rows = session.execute(_of_ids(), {"ids": list(chosen)})
    found = {row.id: to_record(cast(CardRow, row)) for row in rows}
    return [found[card_id] for card_id in chosen if card_id in found]


# Columns instead of rows where many are read and none is changed: half the time. What only search needs is
# left out.
_COLUMNS = [
    each
    for each in CardRow.__table__.columns
    if each.key not in ("terms", "surface_terms", "vector", "vector_version", "x", "y")
]


@cache
def _known_people() -> Select[list[str], str]:
    return (
        select(CardRow.people, CardRow.relation)
        .where(
            CardRow.person_id == bindparam("person"),
            CardRow.status == "active",
            CardRow.category == "person",
        )
        .order_by(CardRow.mentioned_at.desc())
        .limit(bindparam("most"))
    )


@cache
def _lately() -> Select[Any]:
    return (
        select(*_COLUMNS)
        .where(
            CardRow.person_id == bindparam("person"),
            CardRow.status == "active",
            CardRow.mentioned_at >= bindparam("since"),
            CardRow.category != "theme",
        )
        .order_by(CardRow.mentioned_at.desc(), CardRow.id.desc())
        .limit(bindparam("most"))
    )


@cache
def _pinned() -> Select[int, str]:
    return (
        select(CardRow.id, CardRow.status)
        .where(CardRow.person_id == bindparam("person"), CardRow.pinned)
        .order_by(CardRow.id)
        .limit(bindparam("most"))
    )


@cache
def _range() -> Select[Any]:
    # Two questions in one: asked for together, SQLite would walk all cards of the person.
    low = select(func.min(CardRow.id)).where(CardRow.person_id == bindparam("person"))
    high = select(func.max(CardRow.id)).where(CardRow.person_id == bindparam("person"))
    return select(low.scalar_subquery(), high.scalar_subquery())


@cache
def _of_ids() -> Select[Any]:
    return select(*_COLUMNS).where(CardRow.id.in_(bindparam("ids", expanding=True)))


@cache
def _near(places: int) -> CompoundSelect[int, int, str, str]:
    """Three cards of a person from each of some places on, in one statement that is built once."""
    return union_all(
        *(
            select(
                select(literal(number).label("place"), CardRow.id, CardRow.status, CardRow.category)
                .where(CardRow.person_id == bindparam("person"), CardRow.id >= bindparam(f"place{number}"))
                .order_by(CardRow.id)
                .limit(3)
                .subquery()
            )
            for number in range(places)
        )
    )
