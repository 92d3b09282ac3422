"""Did the turn go well? From its vote, or from what the person said next."""

from __future__ import annotations

from jobs.again import note_turn
from jobs.wiring import wiring
from memory.judge import judge
from memory.llm.choose import load_connection
from memory.llm.judging import hearer


def run(*, turn_id: int, again: bool = False) -> int:
    """Judge a turn and the one before it, and count what follows. Running it twice counts once.

    Args:
        again: the sweep asked for it, after it was left undone.

    Returns:
        How many outcomes are new, changed, or gone.
    """
    parts = wiring()
    if again:
        note_turn(parts, turn_id)
    now = parts.clock()
    hears = hearer(parts.model(), now=now) if load_connection(parts.settings) is not None else None
    return judge(parts.engine, turn_id, now=now, hears=hears)
