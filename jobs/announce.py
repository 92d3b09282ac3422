"""Tell agents whose browser is closed that somebody waits for a human."""

from __future__ import annotations

from jobs.wiring import wiring
from memory.notify.announcing import announce
from memory.notify.push import Pusher
from memory.notify.vapid import load_key


def run() -> int:
    """Tell of what was not told of yet. Running it twice tells once.

    Returns:
        How many browsers were reached.
    """
    parts = wiring()
    settings = parts.settings
    pusher = Pusher(
        key=load_key(settings.var, settings.secret_key),
        contact=settings.vapid_contact,
        may_reach_this_network=not settings.is_public and not settings.url,
    )
    return announce(parts.engine, pusher, now=parts.clock())
