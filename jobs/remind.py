"""Carry one due reminder to a browser that has no page open."""

from __future__ import annotations

import os
import socket
from datetime import datetime

from jobs.pushing import pusher
from jobs.wiring import wiring
from memory.cards.firing import said_moment
from memory.cards.reminders import LATE_AFTER
from memory.notify.delivery import deliver
from memory.records import Card


def run(*, delivery_id: int) -> int:
    """Send one firing. Running it twice sends it once.

    Returns:
        How many browsers were reached.
    """
    parts = wiring()
    now = parts.clock()

    def said(card: Card, due_at: datetime, language: str) -> str:
        return said_moment(card, due_at, language, now=now)

    return deliver(
        parts.engine,
        pusher(parts.settings),
        delivery_id,
        worker=f"{socket.gethostname()}:{os.getpid()}",
        now=now,
        late_after=LATE_AFTER,
        said=said,
    )
