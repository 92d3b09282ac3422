"""What was told in one language and is asked for in another; names written in other letters."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Engine

from tests.cases.talking import talk
from tests.fakes import FakeClock

ACROSS = [
    ("en", "My daughter is allergic to peanuts.", "es", "¿A qué es alérgica mi hija?", "peanuts"),
    (
        "de",
        "Meine Tochter ist gegen Erdnüsse allergisch.",
        "en",
        "What is my daughter allergic to?",
        "Erdnüsse",
    ),
    (
        "pt",
        "A minha filha é alérgica a amendoins.",
        "de",
        "Wogegen ist meine Tochter allergisch?",
        "amendoins",
    ),
    ("de", "Mein Bruder arbeitet bei der Post.", "fr", "Où travaille mon frère ?", "Post"),
    ("fr", "Ma voisine s'appelle Odile.", "en", "What's my neighbour called?", "Odile"),
    ("en", "My boss's birthday is on 3 March.", "pt", "Quando faz anos a minha chefe?", "3 March"),
]


def test_a_relation_is_met_in_every_language(sqlite_engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        for told_in, told, asked_in, question, answer in ACROSS:
            play.someone_else(told_in)
            play.say(told)
            play.language = asked_in
            assert answer in play.say(question), question


def test_umlauts_may_be_two_letters(sqlite_engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with talk(sqlite_engine, clock, tmp_path, "de") as play:
        play.say("Mein Kollege heißt Jörg Müller.")
        play.say("Joerg Mueller mag Kaffee.")
        assert {name for card in play.kept() for name in card.people} == {"Jörg Müller"}
        assert "Kaffee" in play.say("Was mag Joerg Mueller?")
