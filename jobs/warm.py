"""After a search: keep what it found, and what surrounds it, warm."""

from __future__ import annotations

from jobs.again import note_turn
from jobs.wiring import wiring
from memory.cards.warming import warm


def run(*, turn_id: int, again: bool = False) -> int:
    """Renew the last-mention date of at most nine cards, once for a turn.

    Args:
        again: the sweep asked for it, after it was left undone.

    Returns:
        How many cards were warmed; 0 when it was done already.
    """
    parts = wiring()
    if again:
        note_turn(parts, turn_id)
    return warm(parts.engine, turn_id, now=parts.clock())
