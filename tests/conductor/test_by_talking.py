"""Things to be done, talked about with the built-in model: put off, left out, moved, called off, listed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Engine

from memory.llm.embedded.model import EmbeddedModel
from memory.records import Card, Category
from tests.conductor.playing import EMBEDDER, Stage, stage
from tests.fakes import FakeClock

ZONES = {
    "en": "Europe/London",
    "de": "Europe/Berlin",
    "pt": "Europe/Lisbon",
    "fr": "Europe/Paris",
    "es": "Europe/Madrid",
}
NOW = "2026-06-10T09:00"  # a Wednesday

EVERY_DAY = {
    "en": "remind me every day at 7:15 to do my exercises",
    "de": "Erinnere mich jeden Tag um 7:15 an die Übungen",
    "pt": "lembra-me todos os dias às 7:15 de fazer os exercícios",
    "fr": "rappelle-moi tous les jours à 7h15 de faire mes exercices",
    "es": "recuérdame todos los días a las 7:15 hacer los ejercicios",
}
AT_ELEVEN = {
    "en": "remind me at 11 to call the garage",
    "de": "Erinnere mich um 11 an den Anruf in der Werkstatt",
    "pt": "lembra-me às 11 de ligar à oficina",
    "fr": "rappelle-moi à 11h d'appeler le garage",
    "es": "recuérdame a las 11 llamar al taller",
}


@pytest.fixture
def talk(
    request: pytest.FixtureRequest, sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> Iterator[Stage]:
    """A person who talks in the test's language."""
    language = request.getfixturevalue("language") if "language" in request.fixturenames else "en"
    clock.set(datetime.fromisoformat(NOW).replace(tzinfo=ZoneInfo(ZONES[language])))
    model = EmbeddedModel(EMBEDDER)
    with stage(sqlite_engine, clock, model=lambda: model, tmp=tmp_path, zone=ZONES[language]) as play:
        yield play


def say(talk: Stage, text: str, language: str = "en") -> str:
    return talk.say(text, language=language, zone=ZONES[language]).answer


def due(card: Card) -> str:
    assert card.due_at is not None
    assert card.when is not None
    return f"{card.due_at.astimezone(ZoneInfo(card.when.zone)):%m-%d %H:%M}"


@pytest.mark.parametrize("language", ZONES)
def test_a_series_that_begins_with_the_command_is_a_reminder(talk: Stage, language: str) -> None:
    say(talk, EVERY_DAY[language], language)
    (card,) = talk.cards()
    assert (card.category, due(card)) == (Category.REMINDER, "06-11 07:15")
    assert card.when is not None
    assert card.when.rrule == "FREQ=DAILY"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "skip the exercises this time"),
        ("en", "this time don't remind me about the exercises"),
        ("en", "cancel the exercises tomorrow"),
        ("de", "die Übungen diesmal nicht"),
        ("de", "lass die Übungen morgen aus"),
        ("de", "morgen die Übungen nicht"),
        ("pt", "desta vez não me lembres dos exercícios"),
        ("pt", "salta os exercícios de amanhã"),
        ("pt", "amanhã os exercícios não"),
        ("fr", "saute les exercices de demain"),
        ("fr", "annule les exercices de demain"),
        ("fr", "pas demain cette fois"),
        ("es", "sáltate los ejercicios de mañana"),
        ("es", "esta vez no me recuerdes los ejercicios"),
        ("es", "mañana los ejercicios no"),
    ],
)
def test_one_time_is_left_out_and_the_series_goes_on(talk: Stage, language: str, said: str) -> None:
    say(talk, EVERY_DAY[language], language)
    say(talk, said, language)
    (card,) = talk.cards()
    assert due(card) == "06-12 07:15"
    assert card.when is not None
    assert card.when.rrule == "FREQ=DAILY"


def test_a_day_further_on_is_left_out_and_named(talk: Stage) -> None:
    say(talk, EVERY_DAY["en"])
    answer = say(talk, "skip friday's exercises")
    (card,) = talk.cards()
    assert due(card) == "06-11 07:15"
    assert "12 June" in answer
    assert card.when is not None
    assert [f"{each:%m-%d}" for each in card.when.exdates] == ["06-12"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "snooze it for twenty minutes"),
        ("en", "push it back by 20 minutes"),
        ("de", "schieb das um zwanzig Minuten"),
        ("de", "noch zwanzig Minuten"),
        ("pt", "adia isso vinte minutos"),
        ("pt", "mais vinte minutos"),
        ("fr", "repousse ça de vingt minutes"),
        ("fr", "encore vingt minutes"),
        ("es", "pospón eso veinte minutos"),
        ("es", "veinte minutos más"),
    ],
)
def test_it_is_put_off_by_so_much(talk: Stage, language: str, said: str) -> None:
    say(talk, AT_ELEVEN[language], language)
    say(talk, said, language)
    (card,) = talk.cards()
    assert due(card) == "06-10 11:20"


@pytest.mark.parametrize(
    ("told", "hour", "at"),
    [
        ("remind me tonight to lock the shed", "at ten", "06-10 22:00"),
        ("remind me tomorrow evening to lock the shed", "half past eight", "06-11 20:30"),
    ],
)
def test_an_hour_after_a_part_of_the_day_lies_in_it(talk: Stage, told: str, hour: str, at: str) -> None:
    say(talk, told)
    say(talk, hour)
    (card,) = talk.cards()
    assert due(card) == at


def test_one_day_of_a_series_is_moved_alone(talk: Stage) -> None:
    say(talk, EVERY_DAY["en"])
    say(talk, "move the exercises tomorrow to eight")
    (card,) = talk.cards()
    assert due(card) == "06-11 08:00"
    assert card.when is not None
    assert (card.when.rrule, f"{card.when.start:%H:%M}") == ("FREQ=DAILY", "07:15")


def test_the_first_monday_becomes_the_first_tuesday(talk: Stage) -> None:
    say(talk, "remind me on the first monday of every month at ten to send the invoices")
    say(talk, "move the invoices to the first tuesday")
    (card,) = talk.cards()
    assert card.when is not None
    assert (card.when.rrule, due(card)) == ("FREQ=MONTHLY;BYDAY=1TU", "07-07 10:00")


def test_when_two_match_it_asks_and_takes_the_answer(talk: Stage) -> None:
    say(talk, "remind me on friday at 9:30 to call the dentist")
    say(talk, "dentist appointment on the 23rd at 2pm, remind me the day before")
    answer = say(talk, "cancel the dentist one")
    assert "Which" in answer
    assert len(talk.cards()) == 3
    say(talk, "the appointment")
    (left,) = talk.cards()
    assert left.text == "Call the dentist"


def test_an_event_moves_with_its_reminder(talk: Stage) -> None:
    say(talk, "dentist appointment on the 23rd at 2pm, remind me the day before")
    say(talk, "move the dentist appointment to the 25th")
    starts = {card.category: f"{card.when.start:%m-%d %H:%M}" for card in talk.cards() if card.when}
    assert starts == {Category.EVENT: "06-25 14:00", Category.REMINDER: "06-24 14:00"}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "never mind, I already called them this morning"),
        ("pt", "deixa estar, afinal já tratei disso hoje"),
    ],
)
def test_never_mind_it_is_done_ticks_what_was_spoken_of(talk: Stage, language: str, said: str) -> None:
    say(talk, AT_ELEVEN[language], language)
    say(talk, said, language)
    assert talk.cards() == []


def test_another_matter_on_the_same_day_is_not_the_other_reading(talk: Stage) -> None:
    say(talk, "remind me tomorrow at 9:00 to buy bread")
    say(talk, "remind me tomorrow at 10:00 to post the letter")
    say(talk, "what do I have tomorrow?")
    assert sorted(map(due, talk.cards())) == ["06-11 09:00", "06-11 10:00"]


def test_what_is_named_is_moved_and_not_what_was_spoken_of_last(talk: Stage) -> None:
    say(talk, AT_ELEVEN["de"], "de")
    say(talk, "Erinnere mich am Freitag um elf an den Zahnarzt", "de")
    say(talk, "den Zahnarzt eine Stunde später", "de")
    say(talk, "die Werkstatt eine Stunde später", "de")
    assert sorted(map(due, talk.cards())) == ["06-10 12:00", "06-12 12:00"]


@pytest.mark.parametrize(
    ("language", "asked"),
    [
        ("en", "what do I have tomorrow?"),
        ("de", "Was steht morgen an?"),
        ("pt", "o que tenho amanhã?"),
        ("fr", "qu'est-ce que j'ai demain ?"),
        ("es", "¿qué tengo mañana?"),
    ],
)
def test_the_agenda_knows_the_series_and_what_was_left_out(talk: Stage, language: str, asked: str) -> None:
    say(talk, EVERY_DAY[language], language)
    assert "7:15" in say(talk, asked, language).replace("7h15", "7:15")
    skipped = {
        "en": "skip the exercises this time",
        "de": "die Übungen diesmal nicht",
        "pt": "amanhã os exercícios não",
        "fr": "saute les exercices de demain",
        "es": "mañana los ejercicios no",
    }
    say(talk, skipped[language], language)
    assert "7:15" not in say(talk, asked, language).replace("7h15", "7:15")


def test_the_agenda_is_whole_however_many_cards_there_are(talk: Stage) -> None:
    what = ["bread", "stamps", "the lamp", "the ladder", "Ida", "the rent", "the boiler", "shoes", "the keys"]
    for hour, each in enumerate(what):
        say(talk, f"remind me tomorrow at {hour + 9}:00 to see about {each}")
    answer = say(talk, "what do I have tomorrow?").lower()
    assert [each for each in what if each.lower() not in answer] == []
