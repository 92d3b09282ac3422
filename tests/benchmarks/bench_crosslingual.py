"""Does a question find a fact that was told in another language? `make bench-crosslingual`

Meanings in five languages, facts and questions worded apart (data/meanings.toml, written
for this project). One person's store holds each meaning once, its language changing from
fact to fact; every question is asked in all five languages. Five such stores, so that each
fact stands once in each language. Questions to which no fact is an answer (data/unknowns.toml)
show how often the rule of relevance is wrong.
"""

from __future__ import annotations

import json
import os
import time
import tomllib
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from memory import cards
from memory.cards.recall import Angle, CardCache, Recalled, recall
from memory.config import LANGUAGES
from memory.embedding import Embedder
from memory.records import Category, NewCard, Person, Role
from memory.storage import people as people_rows
from memory.storage.engine import reading, transaction
from tests.benchmarks import stores

SEED = int(os.environ.get("SEED", "7"))  # nothing is drawn; named for the record
QUICK = os.environ.get("QUICK", "") == "1"
DATA = Path(__file__).parent / "data"
NOW = datetime(2026, 6, 8, 8, 0, tzinfo=UTC)


class Tally:
    """Hits of questions, by whether question and fact share a language, and by the question's language."""

    def __init__(self) -> None:
        self.seen: dict[str, list[bool]] = defaultdict(list)

    def add(self, name: str, hit: bool) -> None:
        """Count one question."""
        self.seen[name].append(hit)

    def share(self, name: str) -> float:
        """The share of hits."""
        return round(sum(self.seen[name]) / max(len(self.seen[name]), 1), 4)


def main() -> None:
    """Fill the stores, ask, print the shares."""
    began = time.perf_counter()
    meanings = tomllib.loads((DATA / "meanings.toml").read_text(encoding="utf-8"))
    unknowns = tomllib.loads((DATA / "unknowns.toml").read_text(encoding="utf-8"))
    embedder, tally = Embedder(cached_texts=10_000), Tally()
    rounds = range(2 if QUICK else len(LANGUAGES))
    with stores.fresh("sqlite") as (engine, _):
        for shift in rounds:
            print(f"store {shift + 1} of {len(rounds)}", flush=True)
            person, facts = _fill(engine, meanings, shift, embedder)
            _ask_known(engine, person, facts, meanings, embedder, tally)
            _ask_unknown(engine, person, unknowns, embedder, tally)
    result = _result(meanings, tally)
    for name, value in result.items():
        print(f"{name:24} {value}")
    print(
        json.dumps({**result, "quick": QUICK, "seed": SEED, "seconds": round(time.perf_counter() - began, 1)})
    )


def _result(meanings: dict[str, Any], tally: Tally) -> dict[str, Any]:
    return {
        "meanings": len(meanings),
        "same_hit1": tally.share("same"),
        "cross_hit1": tally.share("cross"),
        "same_relevant": tally.share("same relevant"),
        "cross_relevant": tally.share("cross relevant"),
        "unknown_quiet": tally.share("quiet"),
        "far_same_hit1": tally.share("far same"),
        "far_cross_hit1": tally.share("far cross"),
        "languages": {
            language: {"hit1": tally.share(language), "unknown_quiet": tally.share(f"quiet {language}")}
            for language in LANGUAGES
        },
    }


def _fill(
    engine: Engine, meanings: dict[str, Any], shift: int, embedder: Embedder
) -> tuple[Person, dict[str, tuple[int, str]]]:
    """One person's store: the person, and for each meaning its card's id and its language."""
    facts: dict[str, tuple[int, str]] = {}
    with transaction(engine) as session:
        person = people_rows.add(
            session,
            email=f"store-{shift}@example.org",
            name=f"store {shift}",
            password_hash="",
            role=Role.PERSON,
            language="en",
            zone="Europe/Lisbon",
            now=NOW,
        )
        for place, (name, told) in enumerate(meanings.items()):
            language = LANGUAGES[(place + shift) % len(LANGUAGES)]
            new = NewCard(category=Category.FACT, text=told[language][0], language=language)
            card = cards.remember(session, person, new, embedder=embedder, now=NOW).card
            facts[name] = (card.id, language)
    return person, facts


def _ask_known(
    engine: Engine,
    person: Person,
    facts: dict[str, tuple[int, str]],
    meanings: dict[str, Any],
    embedder: Embedder,
    tally: Tally,
) -> None:
    cache = CardCache(64)
    for name, told in meanings.items():
        card_id, stored_in = facts[name]
        for language in LANGUAGES:
            pair = "same" if language == stored_in else "cross"
            for prefix, question in zip(("", "far "), told[language][1:], strict=False):
                found = _asked(engine, person, question, language, embedder, cache).found
                hit = bool(found) and found[0].card.id == card_id
                tally.add(prefix + pair, hit)
                if not prefix:
                    tally.add(language, hit)
                    known = any(each.relevant and each.card.id == card_id for each in found)
                    tally.add(f"{pair} relevant", known)


def _ask_unknown(
    engine: Engine, person: Person, unknowns: dict[str, list[str]], embedder: Embedder, tally: Tally
) -> None:
    cache = CardCache(64)
    for language, questions in unknowns.items():
        for question in questions:
            found = _asked(engine, person, question, language, embedder, cache).found
            quiet = not any(each.relevant for each in found)
            tally.add("quiet", quiet)
            tally.add(f"quiet {language}", quiet)


def _asked(
    engine: Engine, person: Person, question: str, language: str, embedder: Embedder, cache: CardCache
) -> Recalled:
    with reading(engine) as session:
        return recall(
            session,
            person=person,
            angles=[Angle(kind="meaning", query=question)],
            now=NOW,
            embedder=embedder,
            cache=cache,
            language=language,
        )


if __name__ == "__main__":
    main()
