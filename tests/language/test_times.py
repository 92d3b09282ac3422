"""Dates and times: properties, and the readings that a table cannot hold."""

# ruff: noqa: DTZ001  # wall-clock times are naive, on purpose

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.config import LANGUAGES
from memory.language import TimeMention, find_times, numbers
from memory.language.times.grammar import grammar
from tests.benchmarks import bench_time

CASES = bench_time.read_table(Path(__file__).parent / "data" / "times.tsv")
WEDNESDAY = datetime(2026, 6, 10, 9, 0, tzinfo=ZoneInfo("Europe/London"))
FRIDAY = datetime(2026, 6, 12, 9, 0, tzinfo=ZoneInfo("Europe/London"))


def _one(text: str, *, language: str = "en", now: datetime = WEDNESDAY, **more: object) -> TimeMention:
    found = find_times(text, language=language, now=now, **more)  # type: ignore[arg-type]
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize("phrase", CASES, ids=lambda phrase: f"{phrase.language}: {phrase.text}")
def test_a_phrase_means_what_its_table_says(phrase: bench_time.Phrase) -> None:
    found = find_times(phrase.text, language=phrase.language, now=phrase.now)
    assert bench_time.is_right(found, phrase.meaning), found


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_rule_holds_what_its_kind_needs(language: str) -> None:
    needed = {
        "day": {"days"},
        "weekday": {"weekday"},
        "part": {"part"},
        "numeric": {"num", "num2"},
        "clock": {"hour", "base", "now"},
        "month": {"month"},
        "period": {"unit"},
        "holiday": {"holiday"},
        "nth": {"nth"},
        "monthday": {"day"},
    }
    for rule in grammar(language).rules:
        names = {name.rstrip("_") for name in rule.groups} | set(rule.constants)
        assert names & needed.get(rule.kind, names | {""}) or rule.kind not in needed, rule.pattern.pattern


def test_next_friday_said_on_a_friday_is_never_today() -> None:
    mention = _one("next Friday at noon", now=FRIDAY)
    assert mention.local == datetime(2026, 6, 19, 12)
    assert not mention.ambiguous


def test_next_friday_said_in_the_week_has_two_readings() -> None:
    mention = _one("next Friday at noon")
    assert mention.ambiguous
    assert {mention.local, mention.alternative} == {datetime(2026, 6, 12, 12), datetime(2026, 6, 19, 12)}


def test_a_bare_hour_is_the_next_sensible_one_and_says_that_it_is_not_sure() -> None:
    evening = _one("at eight")
    assert (evening.local, evening.ambiguous) == (datetime(2026, 6, 10, 20), True)
    assert evening.alternative == datetime(2026, 6, 11, 8)
    assert _one("at eight", now=WEDNESDAY.replace(hour=21)).local == datetime(2026, 6, 11, 8)
    assert _one("at eleven").local == datetime(2026, 6, 10, 11)
    assert not _one("at 19:30").ambiguous


def test_an_hour_that_answers_a_question_belongs_to_the_day_that_was_asked_about() -> None:
    mention = _one("say ten past nine in the morning", on=date(2026, 6, 15))
    assert mention.local == datetime(2026, 6, 15, 9, 10)
    assert not mention.has_date
    assert _one("midi dix", language="fr", on=date(2026, 6, 15)).local == datetime(2026, 6, 15, 12, 10)


def test_a_day_without_an_hour_says_so() -> None:
    mention = _one("need reminding on monday to ring the surgery")
    assert (mention.date, mention.time, mention.missing_time) == (date(2026, 6, 15), None, True)


@pytest.mark.parametrize(
    ("text", "language", "day"),
    [
        ("we were in Whitby on Saturday", "en", date(2026, 6, 6)),
        ("am samstag waren wir paddeln", "de", date(2026, 6, 6)),
        ("no sábado fomos à praia", "pt", date(2026, 6, 6)),
        ("samedi on a mangé des crêpes", "fr", date(2026, 6, 6)),
        ("el sábado estuvimos en la playa", "es", date(2026, 6, 6)),
        ("am Samstag sind wir gewandert", "de", date(2026, 6, 6)),
        ("am Samstag habe ich einen Termin", "de", date(2026, 6, 13)),
        ("remind me on Saturday about what we discussed", "en", date(2026, 6, 13)),
        ("samedi j'ai piscine", "fr", date(2026, 6, 13)),
        ("le déménagement est calé samedi", "fr", date(2026, 6, 13)),
        ("the tickets are booked for Saturday", "en", date(2026, 6, 13)),
        ("we've booked a table on Saturday", "en", date(2026, 6, 13)),
        ("finally got an appointment on Saturday", "en", date(2026, 6, 13)),
        ("on Saturday my brother fell off his bike", "en", date(2026, 6, 6)),
        ("wir haben endlich Karten bekommen, am Samstag", "de", date(2026, 6, 13)),
        ("die Feier ist auf Samstag verschoben worden", "de", date(2026, 6, 13)),
        ("am Samstag hat mein Bruder geheiratet", "de", date(2026, 6, 6)),
        ("Samstag gab es endlich wieder Spargel", "de", date(2026, 6, 6)),
        ("consegui finalmente consulta no sábado", "pt", date(2026, 6, 13)),
        ("mudaram a festa para sábado", "pt", date(2026, 6, 13)),
        ("no sábado levei a avó ao mercado", "pt", date(2026, 6, 6)),
        ("sábado o meu irmão caiu da bicicleta", "pt", date(2026, 6, 6)),
        ("on a pris rendez-vous samedi", "fr", date(2026, 6, 13)),
        ("samedi mon frère est tombé de vélo", "fr", date(2026, 6, 6)),
        ("me han dado cita el sábado", "es", date(2026, 6, 13)),
        ("el sábado mi hermano se cayó de la bici", "es", date(2026, 6, 6)),
    ],
)
def test_a_bare_weekday_follows_the_tense_of_its_sentence(text: str, language: str, day: date) -> None:
    found = find_times(text, language=language, now=WEDNESDAY)
    assert [mention.date for mention in found] == [day]
    assert found[0].past == (day < WEDNESDAY.date())


def test_the_caller_can_say_the_tense() -> None:
    assert _one("on Saturday", tense="past").date == date(2026, 6, 6)
    assert _one("we were there on Saturday", tense="future").date == date(2026, 6, 13)


def test_english_day_and_month_follow_the_zone_and_are_unsure_elsewhere() -> None:
    british = _one("due on 03/04")
    american = _one("due on 03/04", now=WEDNESDAY.astimezone(ZoneInfo("America/New_York")))
    canadian = _one("due on 03/04", now=WEDNESDAY.astimezone(ZoneInfo("America/Toronto")))
    assert (british.date, british.ambiguous) == (date(2027, 4, 3), False)
    assert (american.date, american.ambiguous) == (date(2027, 3, 4), False)
    assert canadian.ambiguous
    assert canadian.alternative is not None


def test_minutes_are_counted_in_real_time_over_a_clock_change() -> None:
    before = datetime(2026, 3, 29, 0, 30, tzinfo=ZoneInfo("Europe/London"))
    assert _one("in an hour", now=before).local == datetime(2026, 3, 29, 2, 30)
    twice = datetime(2026, 10, 25, 0, 30, tzinfo=ZoneInfo("Europe/London"))
    assert _one("in three hours", now=twice).local == datetime(2026, 10, 25, 2, 30)


def test_today_is_the_persons_day_not_the_servers() -> None:
    late = datetime(2026, 5, 1, 0, 40, tzinfo=UTC).astimezone(ZoneInfo("America/Sao_Paulo"))
    assert _one("me lembra hoje às onze da noite", language="pt", now=late).local == datetime(2026, 4, 30, 23)


@pytest.mark.parametrize(
    ("text", "language", "zone", "now", "wanted"),
    [
        (
            "Erinnere mich alle zwei Wochen dienstags um 19 Uhr an den Chor, das erste Mal morgen.",
            "de",
            "Europe/Berlin",
            datetime(2026, 6, 8, 10),
            (datetime(2026, 6, 9, 19), "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
        ),
        (
            "Rappelle-moi mardi à midi d'appeler la mairie.",
            "fr",
            "Europe/Paris",
            datetime(2026, 3, 2, 9),
            (datetime(2026, 3, 3, 12), None),
        ),
        (
            "Contrôle technique le 03/04 à 9h au garage Pélissier.",
            "fr",
            "Europe/Paris",
            datetime(2026, 3, 20, 10),
            (datetime(2026, 4, 3, 9), None),
        ),
        (
            "Remind me at eleven to phone Ida.",
            "en",
            "Europe/London",
            datetime(2026, 6, 8, 10, 59),
            (datetime(2026, 6, 8, 11), None),
        ),
        (
            "A las cuatro y media de la tarde.",
            "es",
            "Europe/Madrid",
            datetime(2026, 3, 10, 10),
            (datetime(2026, 3, 10, 16, 30), None),
        ),
        (
            "Cada día 5, a las diez menos cuarto de la mañana, avísame de lo de la cuota",
            "es",
            "Europe/Madrid",
            datetime(2026, 1, 5, 13),
            (datetime(2026, 2, 5, 9, 45), "FREQ=MONTHLY;BYMONTHDAY=5"),
        ),
    ],
)
def test_everyday_sentences(
    text: str, language: str, zone: str, now: datetime, wanted: tuple[datetime, str | None]
) -> None:
    mention = _one(text, language=language, now=now.replace(tzinfo=ZoneInfo(zone)))
    assert (mention.local, mention.rrule) == wanted


def test_an_event_and_how_long_before_to_be_reminded() -> None:
    text = "Am sechsten Neunten um siebzehn Uhr hab ich Probe, erinnere mich eine Stunde vorher."
    now = datetime(2026, 7, 20, 10, tzinfo=ZoneInfo("Europe/Berlin"))
    event, before = find_times(text, language="de", now=now)
    assert event.local == datetime(2026, 9, 6, 17)
    assert before.relative_before == timedelta(hours=1)


def test_words_between_a_day_and_its_hour_do_not_part_them() -> None:
    text = "On Friday I have the dentist, be there at 3pm"
    mention = _one(text)
    assert mention.local == datetime(2026, 6, 12, 15)
    assert [text[start:end] for start, end in mention.spans] == ["On Friday", "at 3pm"]


def test_two_appointments_in_one_sentence_stay_two() -> None:
    found = find_times("dentist on Friday at 3pm and the vet on Monday at 10am", language="en", now=WEDNESDAY)
    assert [mention.local for mention in found] == [datetime(2026, 6, 12, 15), datetime(2026, 6, 15, 10)]


def test_the_same_time_is_told_with_its_new_day() -> None:
    mention = _one("finalement samedi plutôt, même heure", language="fr")
    assert (mention.date, mention.same_time) == (date(2026, 6, 13), True)


@pytest.mark.parametrize(
    ("text", "language", "before", "after"),
    [
        ("half an hour before", "en", 30, None),
        ("push it back an hour", "en", None, 60),
        ("eine Stunde vorher", "de", 60, None),
        ("eine Viertelstunde später", "de", None, 15),
        ("com meia hora de antecedência", "pt", 30, None),
        ("uma hora mais tarde", "pt", None, 60),
        ("un quart d'heure avant", "fr", 15, None),
        ("une heure plus tard", "fr", None, 60),
        ("el día antes", "es", 1440, None),
        ("media hora más tarde", "es", None, 30),
    ],
)
def test_distances_to_another_moment(text: str, language: str, before: int | None, after: int | None) -> None:
    mention = _one(text, language=language)
    assert mention.local is None
    assert mention.relative_before == (timedelta(minutes=before) if before else None)
    assert mention.relative_after == (timedelta(minutes=after) if after else None)


@pytest.mark.parametrize(
    ("text", "language", "day"),
    [
        ("two days before Christmas", "en", date(2026, 12, 23)),
        ("eine Woche nach Ostern", "de", date(2027, 4, 4)),
        ("dois dias antes do Natal", "pt", date(2026, 12, 23)),
        ("deux jours avant Noël", "fr", date(2026, 12, 23)),
        ("dos días antes de Navidad", "es", date(2026, 12, 23)),
    ],
)
def test_a_distance_to_a_day_that_is_told_is_a_day(text: str, language: str, day: date) -> None:
    assert _one(text, language=language).date == day


def test_a_fallback_date_is_never_in_the_past() -> None:
    assert _one("due 12-Jul-2026").date == date(2026, 7, 12)
    assert find_times("due 12-Jul-1999", language="en", now=WEDNESDAY) == ()


@pytest.mark.parametrize(
    "words", ["twenty ", "at ten past ", "on the first and second of ", "every other ", "3/4 12:30 "]
)
def test_a_long_text_of_half_times_ends(words: str) -> None:
    # Each of these once took minutes, or could: reading must not grow with the square of the text.
    find_times(words * 3000, language="en", now=WEDNESDAY)
    numbers.find(words * 3000, "en")


def test_a_naive_now_is_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        find_times("tomorrow", language="en", now=datetime(2026, 6, 10))


WORDS = {
    "en": (
        "remind me to call Ann at eight on next Friday every other week tomorrow in ten days the 5th of "
        "May may noon half past quarter to six evening last ago before until 12:30 3/4 31 second one and "
        "starting except"
    ),
    "de": (
        "erinnere mich morgen um halb acht am nächsten Freitag alle zwei Wochen jeden vor nach im Mai "
        "ersten letzten bis ab außer Mitternacht Viertel in zehn Tagen 12.5. 18:30 Uhr abends früh heute "
        "dienstags Monat"
    ),
    "pt": (
        "lembra-me amanhã às oito e meia na próxima sexta todas as quartas daqui a dez dias dia 5 de maio "
        "meio-dia menos um quarto da noite até depois antes há duas semanas 12/5 18h30 segunda primeira "
        "última do mês"
    ),
    "fr": (
        "rappelle-moi demain à huit heures et demie vendredi prochain tous les mardis dans dix jours le 5 "
        "mai midi moins le quart du soir jusqu'à avant il y a deux semaines 12/05 18h30 premier dernier "
        "sauf sur deux"
    ),
    "es": (
        "recuérdame mañana a las ocho y media el próximo viernes todos los martes dentro de diez días el "
        "5 de mayo menos cuarto de la noche hasta antes hace dos semanas 12/5 18:30 primer último cada "
        "mes excepto"
    ),
}


@st.composite
def spoken(draw: st.DrawFn) -> tuple[str, str]:
    language = draw(st.sampled_from(LANGUAGES))
    words = draw(st.lists(st.sampled_from(WORDS[language].split()), min_size=1, max_size=9))
    return language, draw(st.sampled_from([" ", " ", ", ", ". "])).join(words)


moments = st.datetimes(datetime(2024, 1, 1), datetime(2031, 1, 1)).map(
    lambda moment: moment.replace(tzinfo=UTC).astimezone(ZoneInfo("Europe/Berlin"))
)


@settings(max_examples=150, deadline=None)
@given(spoken(), moments)
def test_whatever_is_said_spans_lie_in_the_text_and_nothing_is_silently_past(
    said: tuple[str, str], now: datetime
) -> None:
    language, text = said
    naive = now.replace(tzinfo=None)
    end = 0
    for mention in find_times(text, language=language, now=now, tense="future"):
        for start, stop in mention.spans:
            assert 0 <= start < stop <= len(text)
        assert mention.spans[0][0] >= 0
        assert list(mention.spans) == sorted(mention.spans)
        end = max(end, mention.span[1])
        if mention.local is None or mention.past:
            continue
        last = mention.end or mention.local
        assert last >= (naive if mention.time else naive.replace(hour=0, minute=0, second=0, microsecond=0))


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.sampled_from(LANGUAGES))
def test_any_text_is_read_without_an_error(text: str, language: str) -> None:
    for mention in find_times(text, language=language, now=WEDNESDAY):
        assert mention.span[1] <= len(text)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 23), st.integers(0, 59), moments)
def test_an_hour_in_figures_is_read_as_written(hour: int, minute: int, now: datetime) -> None:
    mention = _one(f"um {hour:02}:{minute:02} Uhr", language="de", now=now)
    assert mention.time == time(hour, minute)
    assert mention.local is not None
    assert timedelta() < mention.local - now.replace(tzinfo=None) <= timedelta(days=1)
