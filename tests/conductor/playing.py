"""A conductor on real parts with a model that plays a script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from redis import Redis
from sqlalchemy import Engine

from memory.cards.recall import CardCache
from memory.conductor.conductor import Conductor
from memory.conductor.gate import Check
from memory.conductor.parts import Parts
from memory.config import Settings
from memory.decisions.schema import load as load_keys
from memory.embedding import Embedder
from memory.frames import Frame, Frames
from memory.llm.interface import Model
from memory.llm.scripted import ScriptedModel, Step
from memory.records import Card, Person, Turn, TurnContext
from memory.storage import cards as card_rows
from memory.storage.engine import reading
from tests import factories
from tests.fakes import FakeClock, FakeQueue

EMBEDDER = Embedder()  # the weights are loaded once for all tests


@dataclass
class Stage:
    """One person who talks to a conductor."""

    engine: Engine
    clock: FakeClock
    queue: FakeQueue
    conductor: Conductor
    model: ScriptedModel
    person: Person
    frames: Frames
    parts: Parts
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(1_000_000)))

    def context(self, **more: Any) -> TurnContext:
        told = {"screen": "screen-1", "device_id": None, "zone": self.person.zone, "language": "en", **more}
        return TurnContext(**told)

    def say(self, text: str, *, client_id: str = "", **context: Any) -> Turn:
        """Send a message and wait for its end."""
        turn = self.send(text, client_id=client_id, **context)
        return self.conductor.wait(turn.id, 20)

    def send(self, text: str, *, client_id: str = "", **context: Any) -> Turn:
        """Send a message without waiting."""
        name = client_id or f"client-{next(self.numbers)}"
        return self.conductor.accept(self.person, text=text, client_id=name, context=self.context(**context))

    def seen(self, screen: str = "screen-1", after: int = 0) -> list[Frame]:
        """The frames that a screen gets."""
        return list(self.frames.since(self.person.id, after, screen=screen))

    def until(self, kind: str, *, turn: str = "") -> Frame:
        """The first frame of a kind (of one turn), once it is there."""
        number = 0
        for _ in range(100):
            for frame in self.seen():
                if frame.kind == kind and turn in ("", frame.turn):
                    return frame
                number = frame.number
            with self.frames.following(self.person.id) as news:
                if self.frames.latest(self.person.id) == number:
                    news.wait(0.2)
        raise AssertionError(f"no {kind!r} frame came; there are {[each.kind for each in self.seen()]}")

    def cards(self) -> list[Card]:
        """Active cards, oldest first."""
        with reading(self.engine) as session:
            return list(reversed(card_rows.active(session, self.person.id)))


@contextmanager
def stage(
    engine: Engine,
    clock: FakeClock,
    *,
    steps: Iterable[Step] = (),
    model: Callable[[], Model] | None = None,
    checks: Iterable[Check] = (),
    env: dict[str, str] | None = None,
    tmp: Path,
    zone: str = "Europe/Berlin",
    redis: Redis | None = None,
) -> Iterator[Stage]:
    """A person, and a conductor whose model plays `steps`."""
    settings = Settings.from_env(
        {
            "ASTERISM_VAR": str(tmp / "var"),
            "ASTERISM_RETRY_PAUSE": "0",
            "ASTERISM_OVERVIEW_DEADLINE": "20",  # a busy machine must not make a source late
            **(env or {}),
        },
        root=tmp,
    )
    scripted = ScriptedModel(steps)
    queue = FakeQueue()
    frames = Frames(engine, redis)
    parts = Parts(
        settings=settings,
        clock=clock,
        engine=engine,
        frames=frames,
        queue=queue,
        embedder=EMBEDDER,
        cache=CardCache(64),
        keys=load_keys(),
        model=model or (lambda: scripted),
    )
    conductor = Conductor(parts, checks=tuple(checks))
    person = factories.person(engine, zone=zone, now=clock())
    try:
        yield Stage(
            engine=engine,
            clock=clock,
            queue=queue,
            conductor=conductor,
            model=scripted,
            person=person,
            frames=frames,
            parts=parts,
        )
    finally:
        conductor.close(wait=True)
