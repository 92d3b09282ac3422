"""Tool calls that happened. The key makes a repeated call give its first result."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from memory.storage.tables import ToolCallRow


def result_of(session: Session, turn_id: int, call_id: str) -> dict[str, Any] | None:
    """What a call of this turn gave when it first ran; None when it has not."""
    return session.scalar(
        select(ToolCallRow.result).where(ToolCallRow.turn_id == turn_id, ToolCallRow.call_id == call_id)
    )


def save(
    session: Session, turn_id: int, call_id: str, *, name: str, result: dict[str, Any], now: datetime
) -> None:
    """Remember that a call ran, in the transaction of its effect."""
    session.add(ToolCallRow(turn_id=turn_id, call_id=call_id, name=name, result=result, created_at=now))
    session.flush()


def of_turn(session: Session, turn_id: int) -> list[tuple[str, dict[str, Any]]]:
    """Names and results of the calls of a turn that did happen, in order."""
    rows = session.scalars(select(ToolCallRow).where(ToolCallRow.turn_id == turn_id).order_by(ToolCallRow.id))
    return [(row.name, row.result) for row in rows]
