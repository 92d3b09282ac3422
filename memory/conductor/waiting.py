"""A store that is busy for a moment costs an answer time, never the answer itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

from memory.errors import Unavailable

PATIENCE_S = 60.0
_PAUSE_S = 0.25

Result = TypeVar("Result")


def patiently(act: Callable[[bool], Result], *, patience_s: float = PATIENCE_S) -> Result:
    """What `act` gives, tried again while the store is away for up to `patience_s` real seconds.

    `act` is told whether this is not the first try: then the last one may have been
    stored although its word was lost. It must be safe to repeat.

    Raises:
        Unavailable: the store was away for longer.
    """
    started = perf_counter()
    again = False
    while True:
        try:
            return act(again)
        except Unavailable:
            if perf_counter() - started > patience_s:
                raise
            again = True
            threading.Event().wait(_PAUSE_S)
