"""Dates and reminders as they are asked for, and as they are said back."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Engine

from memory.llm.embedded.phrases import phrases
from memory.llm.embedded.voice import turned
from memory.records import Category
from tests.cases.talking import ZONES, talk
from tests.fakes import FakeClock

WEDNESDAY = datetime(2026, 6, 10, 9, 0, tzinfo=ZoneInfo("Europe/London"))
FRIDAYS = {12, 19}


@pytest.mark.parametrize(
    ("language", "asked", "other"),
    [
        ("en", "Remind me next Friday at noon to send the contract.", "No, I meant the other one."),
    ],
)
def test_next_friday_is_one_reminder_and_the_other_friday_after_a_word(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, language: str, asked: str, other: str
) -> None:
    clock.set(WEDNESDAY.replace(tzinfo=ZoneInfo(ZONES[language])))
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        play.say(asked)
        (first,) = play.kept()
        play.say(other)
        (second,) = play.kept()
    assert first.category is second.category is Category.REMINDER
    assert first.when is not None
    assert second.when is not None
    assert {first.when.start.day, second.when.start.day} == FRIDAYS
    assert first.when.start.hour == second.when.start.hour == 12


@pytest.mark.parametrize(
    ("said", "back"),
    [
        ("Hab ich Probe", "Hast du Probe"),
        ("Morgen habe ich Chorprobe", "Morgen hast du Chorprobe"),
        ("Am Montag singe ich Lieder", "Am Montag singst du Lieder"),
        ("Ich koche gern", "Du kochst gern"),
    ],
)
def test_a_noun_is_no_verb_when_words_are_said_back(said: str, back: str) -> None:
    assert turned(said, phrases("de")) == back
