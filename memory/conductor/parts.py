"""What the conductor works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Engine

from memory.cards.recall import CardCache
from memory.clock import Clock
from memory.config import Settings
from memory.decisions.schema import Keys
from memory.embedding import Embedder
from memory.frames import Frames
from memory.llm.interface import Model
from memory.queue import JobQueue


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The parts that every turn shares."""

    settings: Settings
    clock: Clock
    engine: Engine
    frames: Frames
    queue: JobQueue
    embedder: Embedder
    cache: CardCache
    keys: Keys
    model: Callable[[], Model]  # asked anew each turn, so that a connected model holds from the next one
