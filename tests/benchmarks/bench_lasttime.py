"""`make bench-lasttime`: questions about past talks, answered from the transcript or honestly not at all.

Each question comes to a person who has an archived talk of a while ago with a thin
summary, an older talk, and a fact that looks like a summary. The whole conductor
answers with the built-in model. Then once more with the transcript source failing.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
import tomllib
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest.mock import patch

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory import cards
from memory import language as lang
from memory.conductor import assembly
from memory.llm.embedded import EmbeddedModel
from memory.overview.archive import index_turn
from memory.overview.blocks import RECENT
from memory.overview.sources import sources_for
from memory.records import Category, NewCard
from memory.storage.engine import make_engine, transaction
from memory.storage.migrate import upgrade
from tests import factories
from tests.conductor.playing import EMBEDDER, Stage, stage
from tests.fakes import FakeClock

DATA = Path(__file__).parent / "data" / "lasttime.toml"
NOW = datetime(2026, 6, 8, 10, 0, tzinfo=UTC)  # a Monday
OLDER = datetime(2026, 3, 10, 18, 0, tzinfo=UTC)
_AGES = (timedelta(minutes=42), timedelta(hours=5), timedelta(days=1), timedelta(days=9))


def ask(
    engine: Engine, told: dict[str, Any], language: str, question: str, *, about: str, age: timedelta
) -> tuple[bool, str]:
    """One question to a person of its own: whether the answer has the words and the age, and the answer."""
    with tempfile.TemporaryDirectory() as folder:
        clock = FakeClock(NOW)
        model = EmbeddedModel(EMBEDDER)
        with stage(engine, clock, model=lambda: model, tmp=Path(folder), zone=told["zone"]) as play:
            furnish(play, told, language, age=age)
            turn = play.say(question, language=language)
    moment, said, answer = (
        (NOW - age, told["said"], told["answer"])
        if about == "last"
        else (OLDER, told["older_said"], told["older_answer"])
    )
    words = (said.rstrip(".?"), answer.rstrip("."), lang.ago(NOW - moment, language))
    right = all(each in turn.answer for each in words) and told["tempting"] not in turn.answer
    return right, turn.answer


def furnish(play: Stage, told: dict[str, Any], language: str, *, age: timedelta) -> None:
    """Give the person of a stage two archived talks and the tempting fact."""
    fact = NewCard(category=Category.FACT, text=told["fact"], language=language)
    with transaction(play.engine) as session:
        cards.remember(session, play.person, fact, embedder=EMBEDDER, now=NOW - timedelta(days=2))
    for moment, said, answer, summary in (
        (OLDER, told["older_said"], told["older_answer"], ""),
        (NOW - age, told["said"], told["answer"], told["summary"]),
    ):
        thread = factories.conversation(
            play.engine,
            play.person,
            opened_at=moment,
            archived_at=moment + timedelta(minutes=31),
            summary=summary,
            summarised_at=moment + timedelta(minutes=31),
        )
        turn_id = factories.turn(
            play.engine, play.person, thread, said=said, answer=answer, created_at=moment
        )
        index_turn(play.engine, EMBEDDER, turn_id)


def fails(session: Session) -> Any:
    """A transcript that cannot be read."""
    raise RuntimeError("the transcript cannot be read")


def without_transcript(*told: Any, **more: Any) -> dict[str, Any]:
    """The sources of an overview with a transcript that fails."""
    return {**sources_for(*told, **more), RECENT: fails}


def main() -> None:
    """Ask everything twice, print what was wrong, a table, and one JSON object at the end."""
    started = perf_counter()
    seed = int(os.environ.get("SEED", "7"))
    lots = random.Random(seed)
    tables = tomllib.loads(DATA.read_text(encoding="utf-8"))
    right: Counter[str] = Counter()
    honest: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        engine = make_engine(f"sqlite:///{folder}/bench.db")
        upgrade(engine)
        for language, told in tables.items():
            for about in ("last", "older"):
                for question in told[about]:
                    age = lots.choice(_AGES)
                    asked[language] += 1
                    is_right, answer = ask(engine, told, language, question, about=about, age=age)
                    right[language] += is_right
                    if not is_right:
                        print(f"wrong   {language} {question!r} -> {answer!r}")
                    with patch.object(assembly, "sources_for", without_transcript):
                        is_found, answer = ask(engine, told, language, question, about=about, age=age)
                    is_honest = (is_found or told["cannot"] in answer) and told["never"] not in answer
                    honest[language] += is_honest
                    if not is_honest:
                        print(f"untrue  {language} {question!r} -> {answer!r}")
        engine.dispose()
    for language in tables:
        print(f"{language}: {right[language]} of {asked[language]} right, {honest[language]} honest without")
    result = {
        "questions": asked.total(),
        "right": right.total(),
        "right_with_source_failing": honest.total(),
        "languages": {language: right[language] for language in tables},
        "seed": seed,
        "seconds": round(perf_counter() - started, 1),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
