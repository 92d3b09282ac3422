"""Moments said in words."""

# ruff: noqa: DTZ001  # wall-clock times are naive, on purpose

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memory.config import LANGUAGES
from memory.language import ago, find_times, say_date, say_when
from memory.records import When

NOW = datetime(2026, 6, 8, 10)
RULES = [
    "FREQ=DAILY",
    "FREQ=WEEKLY;BYDAY=WE,FR",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "FREQ=WEEKLY;BYDAY=SA,SU",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU",
    "FREQ=MONTHLY;BYDAY=-1FR",
    "FREQ=MONTHLY;BYDAY=1MO",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=MONTHLY;BYMONTHDAY=5",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
    "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3",
]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Thursday 12 March at 17:00"),
        ("de", "Donnerstag, 12. März, um 17:00 Uhr"),
        ("pt", "quinta-feira, 12 de março, às 17:00"),
        ("fr", "jeudi 12 mars à 17h00"),
        ("es", "jueves 12 de marzo a las 17:00"),
    ],
)
def test_a_moment_has_weekday_date_and_hour(language: str, words: str) -> None:
    when = When(start=datetime(2026, 3, 12, 17), zone="Europe/Berlin")
    assert say_when(when, language=language, now=NOW) == words


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "every second Tuesday at 19:00, first on Tuesday 9 June"),
        ("de", "alle zwei Wochen dienstags um 19:00 Uhr, das erste Mal am Dienstag, 9. Juni"),
        ("pt", "de duas em duas semanas, à terça-feira às 19:00, a primeira vez: terça-feira, 9 de junho"),
        ("fr", "toutes les deux semaines, le mardi à 19h00, la première fois le mardi 9 juin"),
        ("es", "cada dos semanas, el martes a las 19:00, la primera vez el martes 9 de junio"),
    ],
)
def test_an_interval_says_when_it_starts(language: str, words: str) -> None:
    when = When(start=datetime(2026, 6, 9, 19), zone="Europe/Berlin", rrule="FREQ=WEEKLY;INTERVAL=2;BYDAY=TU")
    assert say_when(when, language=language, now=NOW) == words


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("FREQ=MONTHLY;BYDAY=2TU,4TU", "on the second and fourth Tuesday of every month at 19:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,15", "on the 1st and 15th of every month at 19:00"),
        ("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR", "every weekday at 19:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1", "on the 30th of every month at 19:00"),
    ],
)
def test_several_days_are_all_said(rule: str, words: str) -> None:
    when = When(start=datetime(2026, 6, 9, 19), zone="Europe/Berlin", rrule=rule)
    assert say_when(when, language="en", now=NOW) == words


def test_the_year_is_said_when_it_is_another() -> None:
    assert say_date(datetime(2027, 1, 1).date(), language="fr", now=NOW) == "vendredi 1er janvier 2027"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rule", RULES)
def test_what_is_said_is_read_back_as_the_same(language: str, rule: str) -> None:
    now = datetime(2026, 6, 8, 10, tzinfo=ZoneInfo("Europe/Berlin"))
    first = {
        "FREQ=DAILY": datetime(2026, 6, 8, 17),
        "FREQ=WEEKLY;BYDAY=WE,FR": datetime(2026, 6, 10, 17),
        "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR": datetime(2026, 6, 8, 17),
        "FREQ=WEEKLY;BYDAY=SA,SU": datetime(2026, 6, 13, 17),
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU": datetime(2026, 6, 9, 17),
        "FREQ=MONTHLY;BYDAY=-1FR": datetime(2026, 6, 26, 17),
        "FREQ=MONTHLY;BYDAY=1MO": datetime(2026, 7, 6, 17),
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1": datetime(2026, 6, 30, 17),
        "FREQ=MONTHLY;BYMONTHDAY=5": datetime(2026, 7, 5, 17),
        "FREQ=MONTHLY;BYMONTHDAY=-1": datetime(2026, 6, 30, 17),
        "FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3": datetime(2027, 5, 3, 17),
    }[rule]
    said = say_when(When(start=first, zone="Europe/Berlin", rrule=rule), language=language, now=now)
    (mention,) = find_times(said, language=language, now=now)
    assert (mention.local, mention.rrule) == (first, rule), said


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_day_of_a_year_is_read_back(language: str) -> None:
    now = datetime(2026, 1, 1, 0, 1, tzinfo=ZoneInfo("Europe/Berlin"))
    for step in range(1, 365, 3):
        when = When(
            start=datetime(2026, 1, 1, 8, 5) + timedelta(days=step, minutes=97 * step % 600), zone="UTC"
        )
        said = say_when(when, language=language, now=now)
        (mention,) = find_times(said, language=language, now=now)
        assert mention.local == when.start, said


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        (timedelta(seconds=20), ["just now", "gerade eben", "agora mesmo", "à l'instant", "ahora mismo"]),
        (timedelta(minutes=12), ["12 min ago", "vor 12 Min.", "há 12 min", "il y a 12 min", "hace 12 min"]),
        (timedelta(days=1), ["1 day ago", "vor 1 Tag", "há 1 dia", "il y a 1 jour", "hace 1 día"]),
        (
            timedelta(days=90),
            ["3 months ago", "vor 3 Monaten", "há 3 meses", "il y a 3 mois", "hace 3 meses"],
        ),
    ],
)
def test_distances_are_short(delta: timedelta, words: list[str]) -> None:
    assert [ago(delta, language) for language in LANGUAGES] == words


@pytest.mark.parametrize(
    ("language", "this_year", "next_year"),
    [
        ("en", "July", "July 2027"),
        ("de", "Juli", "Juli 2027"),
        ("pt", "julho", "julho de 2027"),
        ("fr", "juillet", "juillet 2027"),
        ("es", "julio", "julio de 2027"),
    ],
)
def test_a_whole_month_is_said_as_one(language: str, this_year: str, next_year: str) -> None:
    for year, said in ((2026, this_year), (2027, next_year)):
        month = When(
            start=datetime(year, 7, 1), zone="Europe/Berlin", all_day=True, end=datetime(year, 7, 31)
        )
        assert say_when(month, language=language, now=NOW) == said
