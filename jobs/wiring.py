"""The parts of a worker's process, made once, before it forks for its first job."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory.config import Settings
from memory.wiring import Wiring, build

_ROOT = Path(__file__).parent.parent
_made: list[Wiring] = []  # at most one


def wiring() -> Wiring:
    """The parts, built from the environment at the first call.

    Raises:
        ConfigError: a setting cannot be used.
    """
    if not _made:
        use(build(Settings.from_env(os.environ, root=_ROOT)))
    return _made[0]


def use(parts: Wiring) -> None:
    """Work with these parts from now on."""
    _made[:] = [parts]


@contextmanager
def using(parts: Wiring) -> Iterator[None]:
    """Work with these parts for a while; for tests."""
    before = list(_made)
    use(parts)
    try:
        yield
    finally:
        _made[:] = before


def _leave_parents_connections() -> None:
    # A forked child must not talk on its parent's database connections; it opens its own.
    for parts in _made:
        parts.engine.dispose(close=False)


os.register_at_fork(after_in_child=_leave_parents_connections)
