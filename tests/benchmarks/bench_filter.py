"""What does searching a very large store in part lose, and cost? `make bench-filter`

On PostgreSQL with pgvector. The meanings of bench_crosslingual, in all five languages, stand
among synthetic cards (random unit vectors, words by Zipf's law). Every question is asked
twice: of the whole store in memory, and of the candidates that the database's indexes bring.
`QUICK=1` takes 10,000 cards.
"""

from __future__ import annotations

import json
import os
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Engine

from memory import cards
from memory.cards.recall import Angle, CardCache, recall
from memory.config import LANGUAGES
from memory.embedding import Embedder
from memory.records import Category, NewCard, Person
from memory.storage import nearest
from memory.storage.engine import reading, transaction
from tests.benchmarks import stores
from tests.benchmarks.bench_scale import NOW, SEED, filled

QUICK = os.environ.get("QUICK", "") == "1"
CARDS = int(os.environ.get("CARDS", "10000" if QUICK else "100000"))
DATA = Path(__file__).parent / "data"
K = 8


def main() -> None:
    """Fill one store, ask every question both ways, print what differs."""
    began = time.perf_counter()
    meanings = tomllib.loads((DATA / "meanings.toml").read_text(encoding="utf-8"))
    embedder = Embedder(cached_texts=10_000)
    with stores.fresh("postgresql") as (engine, _):
        person = filled(engine, [CARDS], [0.0])[0]
        _tell(engine, person, meanings, embedder)
        started = time.perf_counter()
        assert nearest.tend(engine, person.id, most=0), "pgvector is missing"
        built_s = time.perf_counter() - started
        print(f"{CARDS} cards, indexes in {built_s:.0f} s", flush=True)
        result = _compare(engine, person, meanings, embedder)
    result |= {"cards": CARDS, "index_seconds": round(built_s, 1), "quick": QUICK, "seed": SEED}
    for name, value in result.items():
        print(f"{name:24} {value}")
    print(json.dumps({**result, "seconds": round(time.perf_counter() - began, 1)}))


def _tell(engine: Engine, person: Person, meanings: dict[str, Any], embedder: Embedder) -> None:
    with transaction(engine) as session:
        for place, told in enumerate(meanings.values()):
            language = LANGUAGES[place % len(LANGUAGES)]
            new = NewCard(category=Category.FACT, text=told[language][0], language=language)
            cards.remember(session, person, new, embedder=embedder, now=NOW)


def _compare(engine: Engine, person: Person, meanings: dict[str, Any], embedder: Embedder) -> dict[str, Any]:
    whole, part = CardCache(4_000, exact_most=10**9), CardCache(64, exact_most=0)
    same_first: list[bool] = []
    kept: list[float] = []
    times: dict[str, list[float]] = {"whole": [], "part": []}
    for told in meanings.values():
        for language in LANGUAGES:
            lists = {}
            for name, cache in (("whole", whole), ("part", part)):
                started = time.perf_counter()
                with reading(engine) as session:
                    found = recall(
                        session,
                        person=person,
                        angles=[Angle(kind="meaning", query=told[language][1])],
                        k=K,
                        now=NOW,
                        embedder=embedder,
                        cache=cache,
                        language=language,
                    ).found
                times[name].append(time.perf_counter() - started)
                lists[name] = [each.card.id for each in found]
            same_first.append(lists["whole"][:1] == lists["part"][:1])
            kept.append(len(set(lists["whole"]) & set(lists["part"])) / max(len(lists["whole"]), 1))
    return {
        "questions": len(kept),
        "same_first": round(float(np.mean(same_first)), 4),
        f"kept_of_{K}": round(float(np.mean(kept)), 4),
        "whole_first_ms": round(times["whole"][0] * 1000),
        **{f"{name}_p50_ms": round(float(np.median(each[1:])) * 1000, 1) for name, each in times.items()},
        **{
            f"{name}_p95_ms": round(float(np.percentile(each[1:], 95)) * 1000, 1)
            for name, each in times.items()
        },
        "whole_mb": round(whole.bytes / 1e6, 1),
        "part_mb": round(part.bytes / 1e6, 1),
    }


if __name__ == "__main__":
    main()
