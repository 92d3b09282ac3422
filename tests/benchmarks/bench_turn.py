"""`make bench-turn`: what a turn costs on the server, outside the model."""

from __future__ import annotations

import json
import os
import random
import tempfile
import threading
from datetime import timedelta
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from sqlalchemy import Engine, insert, select

from memory.cards.recall import CardCache
from memory.clock import system_clock
from memory.conductor.conductor import Conductor
from memory.conductor.parts import Parts
from memory.config import Settings
from memory.decisions.schema import load as load_keys
from memory.embedding import DIMENSIONS, Embedder
from memory.frames import Frames
from memory.llm.scripted import Say, ScriptedModel
from memory.records import Person, TurnContext
from memory.storage.engine import make_engine, reading, transaction
from memory.storage.migrate import upgrade
from memory.storage.tables import CardRow, ConversationRow, TurnRow, new_public_id
from tests import factories
from tests.fakes import FakeQueue

_WORDS = (
    "garden", "violin", "passport", "harbour", "kettle", "window", "bicycle", "dentist", "market", "winter",
    "ladder", "engine",
)  # fmt: skip


def fill(engine: Engine, owner: Person, *, cards: int, talks: int, lots: random.Random) -> None:
    """Give a person cards with synthetic unit vectors, and archived conversations of two turns each."""
    now = system_clock()
    noise = np.random.default_rng(lots.randrange(2**32))
    with transaction(engine) as session:
        for at in range(0, cards, 1000):
            rows = []
            for number in range(at, min(cards, at + 1000)):
                words = lots.sample(_WORDS, 4)
                vector = noise.standard_normal(DIMENSIONS).astype(np.float32)
                age = timedelta(days=lots.randrange(400))
                rows.append(
                    {
                        "public_id": new_public_id(),
                        "person_id": owner.id,
                        "category": "person" if number % 20 == 0 else "fact",
                        "text": f"The {words[0]} and the {words[1]} {number}",
                        "people": [f"Name{number}"] if number % 20 == 0 else [],
                        "language": "en",
                        "author": "owner",
                        "learned_at": now - age,
                        "mentioned_at": now - age,
                        "changed_at": now - age,
                        "terms": " ".join(words),
                        "surface_terms": " ".join(words),
                        "vector": vector / np.linalg.norm(vector),
                        "vector_version": "synthetic",
                    }
                )
            session.execute(insert(CardRow), rows)
        for at in range(0, talks, 500):
            moments = [now - timedelta(hours=2 * (each + 2)) for each in range(at, min(talks, at + 500))]
            session.execute(
                insert(ConversationRow),
                [
                    {
                        "public_id": new_public_id(),
                        "person_id": owner.id,
                        "opened_at": moment,
                        "last_exchange_at": moment,
                        "archived_at": moment,
                        "summarised_at": moment,
                        "summary": f"About the {lots.choice(_WORDS)}.",
                        "pending": {},
                    }
                    for moment in moments
                ],
            )
        ids = session.scalars(select(ConversationRow.id).where(ConversationRow.person_id == owner.id)).all()
        session.execute(
            insert(TurnRow),
            [
                {
                    "public_id": new_public_id(),
                    "conversation_id": each,
                    "person_id": owner.id,
                    "client_id": f"{each}-{side}",
                    "zone": "Europe/Berlin",
                    "language": "en",
                    "said": f"About the {lots.choice(_WORDS)}?",
                    "answer": "Yes.",
                    "state": "answered",
                    "created_at": now,
                    "answered_at": now,
                    "kept": [],
                    "trace": {},
                }
                for each in ids
                for side in (0, 1)
            ]
            or [],
        ) if ids else None


def conductor(engine: Engine, folder: Path) -> Conductor:
    """A conductor whose model says one sentence at once."""
    settings = Settings.from_env({"ASTERISM_VAR": str(folder / "var")}, root=folder)
    model = ScriptedModel(then=(Say("All right then."),))
    parts = Parts(
        settings=settings,
        clock=system_clock,
        engine=engine,
        frames=Frames(engine, None),
        queue=FakeQueue(),
        embedder=Embedder(),
        cache=CardCache(256),
        keys=load_keys(),
        model=lambda: model,
    )
    return Conductor(parts)


def talk(play: Conductor, owner: Person, turns: int, times: list[float]) -> None:
    """Say something `turns` times; collects milliseconds from the message to its stored answer."""
    context = TurnContext(screen="bench", device_id=None, zone="Europe/Berlin", language="en")
    for number in range(turns):
        started = perf_counter()
        text = f"something about the {_WORDS[number % len(_WORDS)]}"
        turn = play.accept(owner, text=text, client_id=f"bench-{number}", context=context)
        play.wait(turn.id, 60)
        times.append((perf_counter() - started) * 1000)


def percentile(values: list[float], share: float) -> float:
    """The value below which a share of the values lies."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1)


def assembly(engine: Engine, owner: Person) -> list[float]:
    """Milliseconds of context assembly, from the traces of a person's turns."""
    with reading(engine) as session:
        traces = session.scalars(
            select(TurnRow.trace).where(TurnRow.person_id == owner.id, TurnRow.client_id.like("bench-%"))
        ).all()
    return [trace["timings_ms"]["assembly"] for trace in traces if "timings_ms" in trace]


def main() -> None:
    """Measure, print a table, and one JSON object at the end."""
    started = perf_counter()
    quick = bool(os.environ.get("QUICK"))
    lots = random.Random(int(os.environ.get("SEED", "7")))
    turns = 15 if quick else 60
    result: dict[str, Any] = {
        "assembly_p50_ms": {},
        "assembly_p95_ms": {},
        "turn_p50_ms": {},
        "turn_p95_ms": {},
        "turn_cpu_ms": {},  # processor time: on a busy machine the other figures say more about the others
    }
    with tempfile.TemporaryDirectory() as folder:
        engine = make_engine(f"sqlite:///{folder}/bench.db")
        upgrade(engine)
        play = conductor(engine, Path(folder))
        for cards in (100, 1000, 10000):
            owner = factories.person(engine, name=f"Owner{cards}", now=system_clock())
            fill(engine, owner, cards=cards, talks=1000, lots=lots)
            talk(play, owner, 3, [])
            with transaction(engine) as session:
                session.query(TurnRow).filter(TurnRow.client_id.like("bench-%")).delete()
            busy = process_time()
            talk(play, owner, turns, [])
            result["turn_cpu_ms"][str(cards)] = round((process_time() - busy) / turns * 1000, 1)
            times = assembly(engine, owner)
            result["assembly_p50_ms"][str(cards)] = percentile(times, 0.5)
            result["assembly_p95_ms"][str(cards)] = percentile(times, 0.95)
            print(
                f"{cards} cards: assembly p50 {percentile(times, 0.5)} ms, p95 {percentile(times, 0.95)} ms"
            )
        for persons in (1, 10, 100):
            owners = [
                factories.person(engine, name=f"P{persons}x{each}", now=system_clock())
                for each in range(persons)
            ]
            for owner in owners:
                fill(engine, owner, cards=100, talks=10, lots=lots)
            collected: list[float] = []
            threads = [
                threading.Thread(target=talk, args=(play, owner, 3 if persons == 100 else 10, collected))
                for owner in owners
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            result["turn_p50_ms"][str(persons)] = percentile(collected, 0.5)
            result["turn_p95_ms"][str(persons)] = percentile(collected, 0.95)
            p50, p95 = percentile(collected, 0.5), percentile(collected, 0.95)
            print(f"{persons} persons at once: turn p50 {p50} ms, p95 {p95} ms")
        play.close(wait=True)
        engine.dispose()
    ratio = result["assembly_p95_ms"]["10000"] / result["assembly_p95_ms"]["100"]
    result |= {
        "assembly_ratio_10000_to_100": round(ratio, 2),
        "turns": turns,
        "archived_conversations": 1000,
        "synthetic_vectors": True,
        "database": "sqlite",
        "quick": quick,
        "seed": int(os.environ.get("SEED", "7")),
        "seconds": round(perf_counter() - started, 1),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
