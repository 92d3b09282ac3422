"""After an erasure: clean the database file, when somebody was reading at that moment."""

from __future__ import annotations

import threading

from jobs.wiring import wiring
from memory.queue import JobName
from memory.storage.engine import scrub

TRIES = 20
PAUSE_S = 3.0


def run() -> bool:
    """Leave no trace of deleted rows. Running it twice does no harm; what cannot be cleaned is queued again.

    Returns:
        Whether the file is clean now.
    """
    parts, pause = wiring(), threading.Event()
    for _ in range(TRIES):
        if scrub(parts.engine):
            return True
        pause.wait(PAUSE_S)
    parts.queue.enqueue(JobName.ERASE, unique="scrub")
    return False
