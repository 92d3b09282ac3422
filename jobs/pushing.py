"""What sends to closed browsers, as the settings say."""

from __future__ import annotations

from memory.config import Settings
from memory.notify.push import Pusher
from memory.notify.vapid import load_key


def pusher(settings: Settings) -> Pusher:
    """Sends with the house's own key; into the own network only from a house that is not public."""
    return Pusher(
        key=load_key(settings.var, settings.secret_key),
        contact=settings.vapid_contact,
        may_reach_this_network=not settings.is_public and not settings.url,
    )
