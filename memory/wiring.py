"""Puts the parts together for one process: web, worker or command. Nobody below imports it."""

from __future__ import annotations

from dataclasses import dataclass

from redis import Redis
from sqlalchemy import Engine

from memory.clock import Clock, choose_clock
from memory.config import Settings
from memory.embedding import Embedder
from memory.frames import Frames
from memory.queue import JobQueue
from memory.storage.engine import make_engine


@dataclass(frozen=True, kw_only=True)
class Wiring:
    """The parts one process works with."""

    settings: Settings
    clock: Clock
    engine: Engine
    redis: Redis
    queue: JobQueue
    frames: Frames
    embedder: Embedder


def build(settings: Settings, *, clock: Clock | None = None) -> Wiring:
    """Connect lazily to everything the settings name; nothing is contacted before its first use."""
    engine = make_engine(settings.database_url)
    redis = Redis.from_url(
        settings.redis_address, socket_timeout=5, socket_connect_timeout=2, health_check_interval=30
    )
    return Wiring(
        settings=settings,
        clock=clock or choose_clock(settings.clock_file),
        engine=engine,
        redis=redis,
        queue=JobQueue(redis),
        frames=Frames(engine, redis),
        embedder=Embedder(),
    )
