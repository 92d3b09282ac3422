"""Does search stay fast as a store, or the number of persons, grows? `make bench-scale`

Stored cards are synthetic (random unit vectors, words drawn by Zipf's law): embedding a
million sentences would measure the embedding. Queries are real sentences and include
their embedding. A person's first search loads the store; it is reported apart.
`QUICK=1` stops at 10,000 cards and 100 persons.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sqlalchemy import Engine, insert, select

from memory.cards.recall import Angle, CardCache, recall
from memory.embedding import DIMENSIONS, Embedder
from memory.records import Person, Role
from memory.storage import people as people_rows
from memory.storage.engine import reading, transaction
from memory.storage.tables import CardRow, PersonRow, new_public_id
from tests.benchmarks import stores

SEED = int(os.environ.get("SEED", "7"))
QUICK = os.environ.get("QUICK", "") == "1"
NOW = datetime(2026, 6, 8, 8, 0, tzinfo=UTC)
SIZES = (100, 1_000, 10_000) if QUICK else (100, 1_000, 10_000, 100_000)
CROWDS = ((10, 300), (100, 300)) if QUICK else ((10, 300), (100, 300), (1_000, 300), (10_000, 30))
QUERIES = 60
_WORDS = 20_000
_BATCH = 2_000
_ASKED = (
    "Where is the spare key for the garden gate?",
    "What does my sister play on Saturdays?",
    "Which colour did we choose for the kitchen wall?",
    "When does the train to the coast leave?",
    "Who looks after the cat while we are away?",
    "How much did the repair of the roof cost?",
)


def main() -> None:
    """Measure one growing store, then a growing crowd."""
    began = time.perf_counter()
    embedder = Embedder()
    embedder.preload()
    fill_s = [0.0]
    cards = _sizes(embedder, fill_s)
    persons = _crowds(embedder, fill_s)
    ratio = cards["10000"]["p50_ms"] / cards["100"]["p50_ms"]
    crowd = [persons[str(count)]["p50_ms"] for count, each in CROWDS if each == CROWDS[0][1]]
    for name, row in (*cards.items(), *persons.items()):
        print(f"{name:>8} {row}")
    print(
        json.dumps(
            {
                "cards": cards,
                "persons": persons,
                "ratio_10000_to_100": round(ratio, 2),
                "ratio_persons": round(max(crowd) / crowd[0], 2),
                "fill_seconds": round(fill_s[0], 1),
                "synthetic_vectors": True,
                "quick": QUICK,
                "seed": SEED,
                "seconds": round(time.perf_counter() - began, 1),
            }
        )
    )


def _sizes(embedder: Embedder, fill_s: list[float]) -> dict[str, dict[str, float]]:
    """One person for each size, asked in turns, so that other load on the machine hits all sizes alike."""
    with stores.fresh("sqlite") as (engine, _):
        people = []
        for size in SIZES:
            print(f"one person with {size} cards", flush=True)
            people.append(filled(engine, [size], fill_s)[0])
        caches = [CardCache(1_000) for _ in SIZES]
        cold = [
            _timed(engine, who, "hello", embedder, cache) for who, cache in zip(people, caches, strict=True)
        ]
        times: list[list[tuple[float, float]]] = [[] for _ in SIZES]
        for number in range(QUERIES):
            for at, (who, cache) in enumerate(zip(people, caches, strict=True)):
                times[at].append(_timed(engine, who, _question(number), embedder, cache))
    return {
        str(size): {
            **_figures(times[at]),
            "mb": round(caches[at].bytes / 1e6, 1),
            "first_ms": round(cold[at][0] * 1000, 1),
        }
        for at, size in enumerate(SIZES)
    }


def _crowds(embedder: Embedder, fill_s: list[float]) -> dict[str, dict[str, float]]:
    """Many persons; twenty of them, spread over all, ask. Their first search is reported apart."""
    result = {}
    for each in sorted({each for _, each in CROWDS}, reverse=True):
        with stores.fresh("sqlite") as (engine, _):
            people: list[Person] = []
            for count in (count for count, size in CROWDS if size == each):
                print(f"{count} persons with {each} cards", flush=True)
                people += filled(engine, [each] * (count - len(people)), fill_s)
                result[str(count)] = _crowd(engine, people, embedder)
    return result


def _crowd(engine: Engine, people: list[Person], embedder: Embedder) -> dict[str, float]:
    cache = CardCache(256)
    asking = people[:: max(len(people) // 20, 1)][:20]
    first = [_timed(engine, who, "hello", embedder, cache) for who in asking]
    times = [
        _timed(engine, who, _question(number * 7 + place), embedder, cache)
        for number in range(6)
        for place, who in enumerate(asking)
    ]
    return {
        **_figures(times),
        "first_ms": _figures(first)["p50_ms"],
    }


def _question(number: int) -> str:
    # A number of its own keeps the embedder's cache out of the figure.
    return f"{_ASKED[number % len(_ASKED)]} {number}"


def _timed(
    engine: Engine, person: Person, text: str, embedder: Embedder, cache: CardCache
) -> tuple[float, float]:
    """Seconds one search took: on the wall, and of the processor, which other load moves less."""
    began, busy = time.perf_counter(), time.process_time()
    with reading(engine) as session:
        recall(
            session,
            person=person,
            angles=[Angle(kind="meaning", query=text)],
            now=NOW,
            embedder=embedder,
            cache=cache,
            language="en",
        )
    taken = time.perf_counter() - began, time.process_time() - busy
    embedder.forget()
    return taken


def _figures(times: list[tuple[float, float]]) -> dict[str, float]:
    wall, cpu = np.asarray(times).T * 1000
    return {
        "p50_ms": round(float(np.percentile(wall, 50)), 2),
        "p95_ms": round(float(np.percentile(wall, 95)), 2),
        "cpu_p50_ms": round(float(np.percentile(cpu, 50)), 2),
    }


def filled(engine: Engine, sizes: list[int], fill_s: list[float]) -> list[Person]:
    """New persons with so many cards each."""
    began = time.perf_counter()
    with transaction(engine) as session:
        known = len(list(session.scalars(select(PersonRow.id))))
        people = [
            people_rows.add(
                session,
                email=f"p{known + number}@example.org",
                name=f"p{known + number}",
                password_hash="",
                role=Role.PERSON,
                language="en",
                zone="UTC",
                now=NOW,
            )
            for number in range(len(sizes))
        ]
    rng = np.random.default_rng((SEED, known, len(sizes)))
    owners = [person.id for person, size in zip(people, sizes, strict=True) for _ in range(size)]
    for rows in _rows(owners, rng):
        with transaction(engine) as session:
            session.execute(insert(CardRow), rows)
    fill_s[0] += time.perf_counter() - began
    return people


def _rows(owners: list[int], rng: np.random.Generator) -> Iterator[list[dict[str, Any]]]:
    weights = 1.0 / np.arange(1, _WORDS + 1)
    weights /= weights.sum()
    for start in range(0, len(owners), _BATCH):
        batch = owners[start : start + _BATCH]
        vectors = rng.standard_normal((len(batch), DIMENSIONS)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        words = rng.choice(_WORDS, (len(batch), 12), p=weights)
        yield [
            _row(owner, " ".join(f"w{word}" for word in words[at]), vectors[at])
            for at, owner in enumerate(batch)
        ]


def _row(owner: int, terms: str, vector: Any) -> dict[str, Any]:
    return {
        "public_id": new_public_id(),
        "person_id": owner,
        "category": "fact",
        "text": terms,
        "language": "en",
        "author": "owner",
        "people": [],
        "learned_at": NOW,
        "mentioned_at": NOW,
        "changed_at": NOW,
        "terms": terms,
        "surface_terms": terms,
        "vector": vector,
        "vector_version": Embedder.version,
    }


if __name__ == "__main__":
    main()
