"""A question about what is coming is answered from memory, with an honest word when nothing is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine

from memory.llm.embedded.phrases import phrases
from memory.records import Category
from tests.cases.talking import talk
from tests.fakes import FakeClock


@pytest.mark.parametrize(
    ("language", "what", "question", "other"),
    [
        ("en", "Dentist", "Hi, is the dentist this week?", "Is the plumber coming this week?"),
        ("de", "Zahnarzt", "Hi, ist der Zahnarzt diese Woche?", "Kommt der Klempner diese Woche?"),
        ("pt", "Dentista", "Olá, o dentista é esta semana?", "O canalizador vem esta semana?"),
    ],
)
def test_is_it_this_week(
    sqlite_engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    language: str,
    what: str,
    question: str,
    other: str,
) -> None:
    said = phrases(language).says
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        assert play.say(question) not in said["request.any"]
        play.knows(what, category=Category.EVENT, on="2026-03-05T09:00")
        answer = play.say(question)
        assert "9:00" in answer
        assert what in answer
        assert not any(answer.startswith(no) for no in said["request.any"])
        assert play.say(other) not in said["request.any"]
