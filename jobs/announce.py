"""Tell agents whose browser is closed that somebody waits for a human."""

from __future__ import annotations

from jobs.pushing import pusher
from jobs.wiring import wiring
from memory.notify.announcing import announce


def run() -> int:
    """Tell of what was not told of yet. Running it twice tells once.

    Returns:
        How many browsers were reached.
    """
    parts = wiring()
    return announce(parts.engine, pusher(parts.settings), now=parts.clock())
