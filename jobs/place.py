"""Give new cards their place in the constellation."""

from __future__ import annotations

from jobs.wiring import wiring
from memory.constellation.sky import settle


def run(*, person_id: int) -> int:
    """Place a person's cards that have no place yet; running it twice changes nothing.

    Returns:
        How many places were stored.
    """
    parts = wiring()
    return settle(parts.engine, person_id)
