"""The one event loop that the providers' libraries need, in a thread of its own."""

from __future__ import annotations

import asyncio
import os
import threading

_lock = threading.Lock()
_running: asyncio.AbstractEventLoop | None = None


def event_loop() -> asyncio.AbstractEventLoop:
    """The loop of this process, started at the first call. A forked child starts its own."""
    global _running
    with _lock:
        if _running is None:
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="llm", daemon=True).start()
            _running = loop
        return _running


def _forget() -> None:
    # A child of fork has the loop's memory but not its thread, and maybe the lock as another thread held it.
    global _lock, _running
    _lock, _running = threading.Lock(), None


os.register_at_fork(after_in_child=_forget)
