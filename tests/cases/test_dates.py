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


OTHER_FRIDAY = [
    ("en", "Remind me next Friday at noon to send the contract.", "No, I meant the other one."),
    ("en", "Remind me next Friday at noon to send it off.", "not that one, the other Friday"),
    ("de", "Erinner mich nächsten Freitag um zwölf an den Vertrag.", "Nein, ich meinte den anderen."),
    ("de", "Erinner mich Freitag um zwölf an den Vertrag.", "Nee, den Freitag drauf meinte ich."),
    ("pt", "Lembra-me na próxima sexta ao meio-dia do contrato.", "Não, quis dizer a outra."),
    ("pt", "Lembra-me sexta às doze horas do contrato.", "A sexta seguinte, aliás."),
    ("fr", "Rappelle-moi vendredi à midi d'envoyer le contrat.", "Pas ce vendredi, celui d'après."),
    ("es", "Recuérdame el próximo viernes a mediodía el contrato.", "No, me refería al otro."),
    ("es", "Recuérdame el viernes a mediodía el contrato.", "no, el viernes siguiente"),
]


def test_next_friday_is_one_reminder_and_the_other_friday_after_a_word(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        for language, asked, other in OTHER_FRIDAY:
            clock.set(WEDNESDAY.replace(tzinfo=ZoneInfo(ZONES[language])))
            play.someone_else(language)
            play.say(asked)
            (first,) = play.kept()
            play.say(other)
            (second,) = play.kept()
            assert first.category is second.category is Category.REMINDER
            assert first.when is not None
            assert second.when is not None
            assert {first.when.start.day, second.when.start.day} == FRIDAYS, other
            assert first.when.start.hour == second.when.start.hour == 12, other


def test_the_half_of_the_day_alone_takes_the_other_hour(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    clock.set(WEDNESDAY.replace(tzinfo=ZoneInfo(ZONES["de"])))
    with talk(sqlite_engine, clock, tmp_path, "de") as play:
        play.say("Erinner mich um acht an die Wäsche")
        play.say("nein, morgens")
        (card,) = play.kept()
    assert card.when is not None
    assert (card.when.start.day, card.when.start.hour) == (11, 8)


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
