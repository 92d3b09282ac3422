"""Puts the parts together for one process: web, worker or command. Nobody below imports it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from sqlalchemy import Engine

from memory.cards.ranking.names import name_words
from memory.cards.recall import CardCache
from memory.clock import Clock, choose_clock
from memory.conductor.conductor import Conductor
from memory.conductor.parts import Parts
from memory.config import Settings
from memory.decisions.schema import Keys
from memory.decisions.schema import load as load_keys
from memory.embedding import Embedder
from memory.frames import Frames
from memory.listening import durable
from memory.llm.embedded.topics import topics
from memory.llm.interface import Model
from memory.llm.models import ModelChooser
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
    cache: CardCache
    keys: Keys
    model: Callable[[], Model]
    conductor: Conductor


def build(
    settings: Settings, *, clock: Clock | None = None, model: Callable[[], Model] | None = None
) -> Wiring:
    """Connect lazily to everything the settings name; nothing is contacted before its first use.

    Args:
        clock: instead of the one the settings name.
        model: gives the model of each turn, instead of the one that is configured.
    """
    engine = make_engine(settings.database_url)
    redis = Redis.from_url(
        settings.redis_address,
        socket_timeout=5,
        socket_connect_timeout=2,
        health_check_interval=30,
        # By default a client tries for three seconds, and a turn would wait that long for a queue that is
        # down. One new connection is enough: the sweep finds what was not queued.
        retry=Retry(NoBackoff(), 1),
    )
    embedder = Embedder()
    cache = CardCache(settings.cache_mb, exact_most=settings.exact_search_most)
    frames = Frames(engine, redis)
    frames.on_drop(cache.drop)
    frames.on_drop(lambda _person_id: _forget_texts(embedder))
    parts = Parts(
        settings=settings,
        clock=clock or choose_clock(settings.clock_file),
        engine=engine,
        frames=frames,
        queue=JobQueue(redis),
        embedder=embedder,
        cache=cache,
        keys=load_keys(settings.keys_file),
        model=model or ModelChooser(settings, embedder),
    )
    return Wiring(
        settings=settings,
        clock=parts.clock,
        engine=engine,
        redis=redis,
        queue=parts.queue,
        frames=parts.frames,
        embedder=embedder,
        cache=parts.cache,
        keys=parts.keys,
        model=parts.model,
        conductor=Conductor(parts),
    )


def _forget_texts(embedder: Embedder) -> None:
    """Empty what is kept by its text to save time: whose it was cannot be told, so all of it."""
    embedder.forget()
    durable.forget()
    name_words.cache_clear()
    topics.cache_clear()
