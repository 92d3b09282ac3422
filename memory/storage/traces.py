"""Traces of turns, for the pages that show them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from memory.records import Card
from memory.storage import cards
from memory.storage.tables import CardRow, RetrievalRow, TurnRow


@dataclass(frozen=True, kw_only=True)
class Trace:
    """What is noted of one turn, without its words and without whose it is."""

    turn: str  # public id
    turn_id: int  # as it stands in the log
    state: str
    created_at: datetime
    noted: dict[str, Any]


def recent(session: Session, *, before: int | None = None, only: str = "", limit: int = 50) -> list[Trace]:
    """The newest turns of everybody, newest first: ids and counts, no text and no name.

    Args:
        before: only turns with a smaller id.
        only: one turn, by its public id.
    """
    statement = (
        select(TurnRow.public_id, TurnRow.id, TurnRow.state, TurnRow.created_at, TurnRow.trace)
        .where(TurnRow.deleted_at.is_(None))
        .order_by(TurnRow.id.desc())
        .limit(limit)
    )
    if before is not None:
        statement = statement.where(TurnRow.id < before)
    if only:
        statement = statement.where(TurnRow.public_id == only)
    return [
        Trace(turn=public_id, turn_id=turn_id, state=state, created_at=created_at, noted=dict(noted or {}))
        for public_id, turn_id, state, created_at, noted in session.execute(statement)
    ]


def retrieved(session: Session, person_id: int, turn_id: int) -> list[tuple[Card, bool | None]]:
    """The cards that a turn's searches brought and that are still there, best first, each with its use."""
    rows = session.execute(
        select(CardRow, RetrievalRow.used)
        .join(RetrievalRow, RetrievalRow.card_id == CardRow.id)
        .where(
            RetrievalRow.turn_id == turn_id,
            CardRow.person_id == person_id,
            CardRow.status != "forgotten",
            RetrievalRow.shown,
        )
        .order_by(RetrievalRow.score.desc(), RetrievalRow.id)
    )
    return [(cards.to_record(row), used) for row, used in rows]
