"""Does recall find the turns that hold the answer? LoCoMo through the product's own storage and recall.

    make bench-recall DATA=locomo10.json

Each conversation is one person; each of its days is one conversation; each dialogue
turn is one stored turn with its speaker. Every question is one call of `recall`.
Reported are the conversations on which nothing was tuned. `QUICK=1` takes two of them.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from sqlalchemy import Engine

from memory.cards.indexing import indexed
from memory.cards.ranking import turns as ranking
from memory.cards.ranking.question import meaning, read
from memory.cards.ranking.weights import TURNS, TurnWeights
from memory.cards.recall import Angle, CardCache, recall
from memory.embedding import Embedder
from memory.records import Person, Role, TurnContext, TurnState
from memory.storage import conversations as conversation_rows
from memory.storage import people as people_rows
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction
from tests.benchmarks import locomo, stores

SEED = int(os.environ.get("SEED", "7"))
QUICK = os.environ.get("QUICK", "") == "1"
RESAMPLES = 1000
_CONTEXT = TurnContext(screen="bench", device_id=None, zone="UTC", language="en")


def main() -> None:
    """Measure on both databases, each in a process of its own, then the parts of the ranking."""
    if len(sys.argv) > 1:
        print(json.dumps(_measured(sys.argv[1])))
        return
    began = time.perf_counter()
    result: dict[str, Any] = {kind: _in_own_process(kind) for kind in stores.KINDS}
    same = result["sqlite"].pop("found") == result["postgresql"].pop("found")
    ablation = _ablation()
    _print_table(result, ablation)
    seconds = round(time.perf_counter() - began, 1)
    print(
        json.dumps(
            {
                **result,
                "same_results": same,
                "ablation": ablation,
                "quick": QUICK,
                "seed": SEED,
                "seconds": seconds,
            }
        )
    )


def _in_own_process(kind: str) -> dict[str, Any]:
    # A process each, so that the peak of memory is that of one.
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.bench_recall", kind],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def _dialogues() -> list[locomo.Dialogue]:
    reported = locomo.load(locomo.path())[locomo.TUNED_ON :]
    return reported[:2] if QUICK else reported


def _measured(kind: str) -> dict[str, Any]:
    embedder = Embedder()
    embedder.preload()
    cache = CardCache(256)
    answers: list[tuple[locomo.Asked, list[int]]] = []
    times: list[tuple[float, float]] = []
    stored_s, stored = 0.0, 0
    with stores.fresh(kind) as (engine, home):
        for dialogue in _dialogues():
            print(f"{kind}: {dialogue.name}", file=sys.stderr, flush=True)
            began = time.perf_counter()
            person, ids = store(engine, dialogue, embedder)
            stored_s += time.perf_counter() - began
            stored += len(ids)
            found, taken = ask(engine, person, ids, dialogue, embedder, cache)
            answers += found
            times += taken
        disk = stores.megabytes(home)
    wall, cpu = np.asarray(times).T * 1000
    scored = [pair for pair in answers if pair[0].category != 5]
    return {
        **locomo.figures(scored),
        "categories": locomo.by_category(answers),
        "questions": len(scored),
        "query_p50_ms": round(float(np.percentile(wall, 50)), 2),
        "query_p95_ms": round(float(np.percentile(wall, 95)), 2),
        "query_cpu_p50_ms": round(float(np.percentile(cpu, 50)), 2),
        "stored_per_s": round(stored / stored_s, 1),
        "turns": stored,
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "disk_mb": disk,
        "found": [found[:10] for _, found in answers],
    }


def store(engine: Engine, dialogue: locomo.Dialogue, embedder: Embedder) -> tuple[Person, dict[int, int]]:
    """Store a dialogue turn by turn; the person, and turn id -> position in the dialogue."""
    with transaction(engine) as session:
        person = people_rows.add(
            session,
            email=f"{dialogue.name}@example.org",
            name=dialogue.name,
            password_hash="",
            role=Role.PERSON,
            language="en",
            zone="UTC",
            now=dialogue.turns[0].at,
        )
    ids: dict[int, int] = {}
    conversation, day, now = None, 0, dialogue.turns[0].at
    for place, turn in enumerate(dialogue.turns):
        now = max(now + timedelta(seconds=1), turn.at)
        with transaction(engine) as session:
            if conversation is None or turn.session != day:
                if conversation is not None:
                    conversation_rows.close(session, conversation.id, now=now)
                conversation = conversation_rows.take_open(session, person.id, now=now, idle_s=1800.0)[0]
                day = turn.session
            written, _ = turn_rows.write(
                session,
                replace(conversation, speaker=turn.speaker),
                client_id=turn.name,
                text=turn.text,
                context=_CONTEXT,
                now=now,
                state=TurnState.ANSWERED,
            )
            kept = indexed(said=turn.text, speaker=turn.speaker, language="en", embedder=embedder)
            turn_rows.index(
                session, written.id, terms=kept.terms, vector=kept.vector, vector_version=kept.vector_version
            )
        ids[written.id] = place
    return person, ids


def ask(
    engine: Engine,
    person: Person,
    ids: dict[int, int],
    dialogue: locomo.Dialogue,
    embedder: Embedder,
    cache: CardCache,
) -> tuple[list[tuple[locomo.Asked, list[int]]], list[tuple[float, float]]]:
    """Ask every question once; what was found by position, and the seconds each took: wall, processor."""
    answers, times = [], []
    now = datetime(2024, 6, 1, tzinfo=UTC)
    with reading(engine) as session:  # a first search loads the store; people search in warm ones
        _recalled(session, person, "hello", embedder, cache, now)
    for question in dialogue.questions:
        began, busy = time.perf_counter(), time.process_time()
        with reading(engine) as session:
            found = _recalled(session, person, question.text, embedder, cache, now)
        times.append((time.perf_counter() - began, time.process_time() - busy))
        answers.append((question, [ids[hit.turn.id] for hit in found.talks]))
    return answers, times


def _recalled(
    session: Any, person: Person, text: str, embedder: Embedder, cache: CardCache, now: datetime
) -> Any:
    return recall(
        session,
        person=person,
        angles=[Angle(kind="meaning", query=text)],
        k=max(locomo.CUTS),
        now=now,
        embedder=embedder,
        cache=cache,
        language="en",
    )


def _ablation() -> dict[str, Any]:
    """What R@10 loses with each weight at nought, with a 95 % interval over questions (paired bootstrap)."""
    embedder = Embedder(cached_texts=20_000)
    full = _hits(embedder, TURNS)
    rng = np.random.default_rng(SEED)
    draws = rng.integers(0, full.size, (RESAMPLES, full.size))
    result: dict[str, Any] = {}
    for each in fields(TurnWeights):
        lost = full - _hits(embedder, replace(TURNS, **{each.name: 0.0}))
        low, high = np.percentile(lost[draws].mean(axis=1), [2.5, 97.5])
        result[each.name] = {
            "R@10_lost": round(float(lost.mean()), 4),
            "low": round(float(low), 4),
            "high": round(float(high), 4),
        }
    return result


_CACHED: list[tuple[Any, list[tuple[locomo.Asked, dict[str, Any]]]]] = []


def _hits(embedder: Embedder, weights: TurnWeights) -> np.ndarray:
    """Share of evidence among the first ten for each question of categories 1 to 4, with these weights."""
    if not _CACHED:
        _CACHED.extend(_featured(dialogue, embedder) for dialogue in _dialogues())
    shares = []
    for shelf, questions in _CACHED:
        for question, features in questions:
            scores = ranking.weigh(shelf, features, weights=weights)
            first = np.argsort(-scores, kind="stable")[:10]
            shares.append(float(np.isin(question.evidence, first).mean()))
    return np.asarray(shares)


def _featured(dialogue: locomo.Dialogue, embedder: Embedder) -> tuple[Any, list[Any]]:
    from memory.cards.ranking.cues import ASKS, TELLS
    from memory.cards.ranking.shelf import Entry, Shelf

    shelf = Shelf()
    for place, turn in enumerate(dialogue.turns):
        kept = indexed(said=turn.text, speaker=turn.speaker, language="en", embedder=embedder)
        every = kept.terms.split()
        shelf.put(
            [
                Entry(
                    id=place,
                    terms=tuple(term for term in every if term not in (ASKS, TELLS)),
                    vector=kept.vector,
                    names=(turn.speaker,),
                    columns={
                        "group": turn.session,
                        "year": turn.at.year,
                        "month": turn.at.month,
                        "day": turn.at.day,
                        "asks": ASKS in every,
                        "tells": TELLS in every,
                    },
                )
            ]
        )
    questions = []
    for question in dialogue.questions:
        if question.category == 5:
            continue
        asked = read(question.text, language="en")
        names = {word for key in shelf.asked_names(asked.words) for word in key}
        vector = embedder.encode_one(meaning(question.text, language="en", names=names))
        questions.append((question, ranking.features(shelf, asked, vector)))
    return shelf, questions


def _print_table(result: dict[str, Any], ablation: dict[str, Any]) -> None:
    columns = (
        "R@5",
        "R@10",
        "R@20",
        "all@10",
        "MRR",
        "query_p50_ms",
        "query_p95_ms",
        "stored_per_s",
        "peak_mb",
    )
    print(f"{'':12}" + "".join(f"{name:>14}" for name in columns))
    for kind in stores.KINDS:
        print(f"{kind:12}" + "".join(f"{result[kind][name]:>14}" for name in columns))
    for name, row in result["sqlite"]["categories"].items():
        print(f"  {name:14}" + "".join(f"{row.get(each, 0):>10}" for each in columns[:5]))
    print("what R@10 loses without each part (95 % interval):")
    for name, row in sorted(ablation.items(), key=lambda item: -float(item[1]["R@10_lost"])):
        print(f"  {name:10} {row['R@10_lost']:+.4f}  [{row['low']:+.4f}, {row['high']:+.4f}]")


if __name__ == "__main__":
    main()
