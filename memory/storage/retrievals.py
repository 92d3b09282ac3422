"""What each turn's searches brought: append-only, from the first search on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.orm import Session

from memory.records import Found
from memory.storage.tables import RetrievalRow


def log(session: Session, person_id: int, turn_id: int, found: Iterable[Found], *, now: datetime) -> None:
    """Write down what a search brought; a card that the turn found before keeps its first row."""
    rows = [
        {
            "person_id": person_id,
            "turn_id": turn_id,
            "card_id": hit.card.id,
            "angle": (hit.angles or ("meaning",))[0],
            "score": hit.score,
            "weight": 1.0,
            "propensity": hit.propensity,
            "context": hit.context,
            "shown": not hit.withheld,
            "used": None,
            "protected": hit.protected,
            "created_at": now,
        }
        for hit in found
    ]
    if not rows:
        return
    insert = sqlite_insert if session.get_bind().dialect.name == "sqlite" else postgresql_insert
    session.execute(
        insert(RetrievalRow).values(rows).on_conflict_do_nothing(index_elements=["turn_id", "card_id"])
    )


def mark_used(session: Session, turn_id: int, card_ids: Sequence[int]) -> None:
    """Note which of the shown cards the answer used; the rest of the turn's were not."""
    session.execute(
        update(RetrievalRow)
        .where(RetrievalRow.turn_id == turn_id, RetrievalRow.shown)
        .values(used=RetrievalRow.card_id.in_(card_ids))
    )


def lots_of_turn(session: Session, turn_id: int) -> dict[int, tuple[bool, float]]:
    """Over which cards earlier searches of this turn drew a lot: whether it was shown, and its chance."""
    found = session.execute(
        select(RetrievalRow.card_id, RetrievalRow.shown, RetrievalRow.propensity).where(
            RetrievalRow.turn_id == turn_id, RetrievalRow.propensity < 1.0
        )
    )
    return {card_id: (shown, propensity) for card_id, shown, propensity in found}


def of_turn(session: Session, turn_id: int) -> list[int]:
    """Ids of the cards that a turn's searches showed, best first."""
    return list(
        session.scalars(
            select(RetrievalRow.card_id)
            .where(RetrievalRow.turn_id == turn_id, RetrievalRow.shown)
            .order_by(RetrievalRow.score.desc(), RetrievalRow.id)
        )
    )
