"""Forgetting when several things are meant: asked which, and only what is picked goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine

from memory.records import Category
from tests.cases.talking import talk
from tests.fakes import FakeClock

TWO = ("2026-03-05T09:00", "2026-09-03T09:00")


@pytest.mark.parametrize(
    ("language", "what", "forget", "taken_back"),
    [
        ("de", "Zahnarzt", "Vergiss den Zahnarzt.", "Ach, lass mal, alles behalten."),
        ("en", "Choir", "Forget the choir.", "No, keep them all."),
        ("pt", "Dentista", "Esquece o dentista.", "Afinal não, deixa estar tudo."),
        ("fr", "Dentiste", "Oublie le dentiste.", "Non, garde tout."),
        ("es", "Dentista", "Olvida el dentista.", "No, mejor déjalo todo como está."),
    ],
)
def test_keep_them_all_takes_it_back(
    sqlite_engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    language: str,
    what: str,
    forget: str,
    taken_back: str,
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        for day in TWO:
            play.knows(what, category=Category.EVENT, on=day)
        assert play.say(forget).endswith("?")
        play.say(taken_back)
        assert len(play.kept()) == len(TWO)


@pytest.mark.parametrize(
    ("language", "what", "forget", "picked", "left"),
    [
        ("fr", "Dentiste", "Oublie le dentiste.", "Les deux.", 0),
        ("en", "Choir", "Forget the choir.", "No, just the second one.", 1),
        ("pt", "Dentista", "Esquece o dentista.", "Só o de setembro.", 1),
    ],
)
def test_what_is_picked_goes_and_nothing_else(
    sqlite_engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    language: str,
    what: str,
    forget: str,
    picked: str,
    left: int,
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        for day in TWO:
            play.knows(what, category=Category.EVENT, on=day)
        play.say(forget)
        play.say(picked)
        kept = play.kept()
        assert len(kept) == left
        assert all(card.when is not None and card.when.start.month == 3 for card in kept)


@pytest.mark.parametrize(
    ("language", "cards", "forget", "asks"),
    [
        (
            "en",
            ("Left Milo in spring", "Milo works at the bakery"),
            "Forget what I said about Milo.",
            "and where does Milo work?",
        ),
        (
            "de",
            ("Getrennt von Milo seit Mai", "Milo arbeitet beim Bäcker"),
            "Vergiss, was ich über Milo gesagt habe.",
            "und wo arbeitet Milo?",
        ),
    ],
)
def test_a_question_chooses_nothing_to_forget(
    sqlite_engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    language: str,
    cards: tuple[str, str],
    forget: str,
    asks: str,
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        for text in cards:
            play.knows(text)
        assert play.say(forget).endswith("?")
        play.say(asks)
        assert sorted(card.text for card in play.kept()) == sorted(cards)
