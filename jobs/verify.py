"""Second pass over a turn: add the facts and persons that were not kept, and index its words."""

from __future__ import annotations

from jobs.again import note_turn
from jobs.wiring import wiring
from memory.cards.verifier import verify
from memory.llm.choose import load_connection
from memory.llm.verifying import proposer
from memory.overview.archive import index_turn


def run(*, turn_id: int, again: bool = False) -> int:
    """Verify a turn and index it for recall. Running it twice changes nothing.

    Args:
        again: the sweep asked for it, after it was left undone.

    Returns:
        How many facts and persons were added.
    """
    parts = wiring()
    if again:
        note_turn(parts, turn_id)
    index_turn(parts.engine, parts.embedder, turn_id)
    now = parts.clock()
    propose = None
    if load_connection(parts.settings) is not None:
        propose = proposer(parts.model(), now=now)
    outcome = verify(parts.engine, parts.embedder, turn_id, now=now, propose=propose, keys=parts.keys)
    return 0 if outcome is None else outcome.recovered
