"""Putting something off by talking: a snooze, or the next occurrence left out."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from memory import cards
from memory.records import Card


def put_off(
    session: Session,
    card: Card,
    *,
    minutes: int | None,
    zone: str,
    now: datetime,
    day: date | None = None,
) -> tuple[Card, dict[str, Any]]:
    """Snooze an item for some minutes, or skip its next occurrence (that of `day`) when none are given.

    Returns:
        The card, and what the model is told: when it rings next, in wall-clock time.

    Raises:
        InvalidInput, Conflict: it cannot be put off; the message says why.
    """
    if minutes is None:
        changed = cards.skip(session, card, now=now, day=day)
    else:
        changed = cards.snooze(session, card, until=now + timedelta(minutes=minutes), now=now)
    rings = None
    if changed.due_at is not None:
        local = changed.due_at.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
        rings = local.isoformat(timespec="minutes")
    return changed, {"ok": True, "card": changed.public_id, "text": changed.text, "rings": rings}
