"""After a search: keep what it found, and what surrounds it, warm."""

from __future__ import annotations

from jobs.wiring import wiring
from memory.cards.warming import warm


def run(*, turn_id: int) -> int:
    """Renew the last-mention date of at most nine cards, once for a turn.

    Returns:
        How many cards were warmed; 0 when it was done already.
    """
    parts = wiring()
    return warm(parts.engine, turn_id, now=parts.clock())
