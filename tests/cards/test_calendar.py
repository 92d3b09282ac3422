"""The feed is valid and says the same as the cards; what is brought in says the same as the file."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st
from icalendar import Calendar

from memory.cards.calendar import from_ics, to_ics
from memory.errors import InvalidInput
from memory.records import Card, CardStatus, Category, When
from tests import rfc5545
from tests.fakes import T0

wall = datetime.fromisoformat  # what a clock on the wall shows
NEW_YEAR = wall("2026-01-01T00:00")


def card(when: When | None, **more: Any) -> Card:
    told: dict[str, Any] = {"category": Category.EVENT, "text": "Choir", "visible": True, **more}
    return Card(id=1, public_id="abc", person_id=1, when=when, learned_at=T0, mentioned_at=T0, **told)


def feed(*cards: Card) -> Calendar:
    data = to_ics(cards, now=T0, name="Asterism", private="Private")
    assert rfc5545.faults(data) == []
    return Calendar.from_ical(data)


def entry(calendar: Calendar) -> Any:
    (only,) = [each for each in calendar.walk() if each.name in ("VEVENT", "VTODO")]
    return only


def test_a_recurring_event_carries_its_zone_with_the_zones_rules() -> None:
    when = When(
        start=wall("2026-03-05T20:00"), zone="Europe/Lisbon", rrule="FREQ=WEEKLY;UNTIL=20260601T200000"
    )
    calendar = feed(card(when))
    event = entry(calendar)
    assert event["DTSTART"].params["TZID"] == "Europe/Lisbon"
    assert "Europe/Lisbon" in [each["TZID"] for each in calendar.walk("VTIMEZONE")]
    # With a zoned start the rule's end must be in UTC (RFC 5545, 3.3.10).
    assert event["RRULE"].to_ical() == b"FREQ=WEEKLY;UNTIL=20260601T190000Z"


def test_whole_days_end_on_the_first_day_that_is_free() -> None:
    when = When(
        start=wall("2026-03-10T00:00"), zone="Europe/Lisbon", all_day=True, end=wall("2026-03-11T00:00")
    )
    event = entry(feed(card(when)))
    assert (str(event.decoded("DTSTART")), str(event.decoded("DTEND"))) == ("2026-03-10", "2026-03-12")


@pytest.mark.parametrize(
    "hidden",
    [
        card(None),
        card(When(start=NEW_YEAR, zone="UTC"), visible=False),
        card(When(start=NEW_YEAR, zone="UTC"), status=CardStatus.CANCELLED),
    ],
)
def test_what_is_silent_over_or_without_a_moment_is_not_in_it(hidden: Card) -> None:
    assert [each for each in feed(hidden).walk() if each.name == "VEVENT"] == []


def test_sensitive_words_do_not_leave() -> None:
    secret = card(When(start=NEW_YEAR, zone="UTC"), sensitive=True, text="Clinic", title="Clinic at nine")
    data = to_ics([secret], now=T0, name="Asterism", private="Private")
    assert b"Clinic" not in data
    assert b"SUMMARY:Private" in data


def test_words_cannot_break_out_of_their_line() -> None:
    text = "a\r\nBEGIN:VALARM\nEND:VALARM;,\\"
    event = entry(feed(card(When(start=NEW_YEAR, zone="UTC"), text=text)))
    assert event.subcomponents == []
    assert str(event["SUMMARY"]).split() == ["a", "BEGIN:VALARM", "END:VALARM;,\\"]


def _when(days: int, minutes: int, zone: str, all_day: bool, rule: str | None, left_out: int) -> When:
    start = NEW_YEAR + timedelta(days=days, minutes=0 if all_day else minutes)
    exdates = tuple(islice(rrulestr(rule, dtstart=start), 1, 1 + left_out)) if rule else ()
    return When(start=start, zone=zone, all_day=all_day, rrule=rule, exdates=exdates)


whens = st.builds(
    _when,
    st.integers(0, 700),
    st.integers(0, 1439),
    st.sampled_from(["Europe/Lisbon", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]),
    st.booleans(),
    st.sampled_from(
        [None, "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=MONTHLY;BYDAY=-1FR", "FREQ=YEARLY"]
    ),
    st.integers(0, 2),
)


@settings(max_examples=20, deadline=None)
@given(
    when=whens,
    text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300),
    category=st.sampled_from([Category.EVENT, Category.TASK, Category.REMINDER]),
)
def test_the_file_holds_to_the_standard_whatever_is_in_it(when: When, text: str, category: Category) -> None:
    entries = [card(when, text=text, title=text[:20], category=category)]
    assert rfc5545.faults(to_ics(entries, now=T0, name="Asterism", private="Private")) == []


@settings(max_examples=20, deadline=None)
@given(when=whens, text=st.text(min_size=1, max_size=300).filter(lambda text: text.split()))
def test_out_and_back_an_event_is_the_same(when: When, text: str) -> None:
    text = "".join(sign for sign in text if sign.isprintable()).strip() or "Choir"
    data = to_ics([card(when, text=text)], now=T0, name="Asterism", private="Private")
    (back,) = from_ics(data, zone=when.zone, language="en").cards
    assert back.when is not None
    assert (back.when.start, back.when.zone, back.when.all_day) == (when.start, when.zone, when.all_day)
    assert back.text == " ".join(text.split())
    assert back.when.exdates == when.exdates
    if when.rrule:
        mine, theirs = (rrulestr(rule, dtstart=when.start) for rule in (when.rrule, str(back.when.rrule)))
        assert mine[:3] == theirs[:3]


def ics(*lines: str) -> bytes:
    body = "\r\n".join(("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", *lines, "END:VCALENDAR", ""))
    return body.encode()


def event(*lines: str) -> bytes:
    return ics("BEGIN:VEVENT", "UID:1", "DTSTAMP:20260301T000000Z", *lines, "END:VEVENT")


def test_utc_times_become_the_persons_own() -> None:
    (card_,) = from_ics(
        event("SUMMARY:Call", "DTSTART:20260610T120000Z", "DURATION:PT30M"),
        zone="Europe/Berlin",
        language="en",
    ).cards
    assert card_.when == When(
        start=wall("2026-06-10T14:00"), zone="Europe/Berlin", end=wall("2026-06-10T14:30")
    )


def test_a_zone_nobody_knows_becomes_the_persons_own() -> None:
    (card_,) = from_ics(
        event("SUMMARY:Call", "DTSTART;TZID=Nowhere/Land:20260610T120000"),
        zone="Europe/Berlin",
        language="en",
    ).cards
    assert card_.when is not None
    assert (card_.when.start, card_.when.zone) == (wall("2026-06-10T12:00"), "Europe/Berlin")


@pytest.mark.parametrize(
    "lines",
    [
        ("DTSTART:20260610T120000Z",),
        ("SUMMARY:No day",),
        ("SUMMARY:Off", "STATUS:CANCELLED", "DTSTART:20260610T120000Z"),
        ("SUMMARY:Rule", "RRULE:FREQ=SOMETIMES", "DTSTART:20260610T120000Z"),
    ],
)
def test_an_entry_that_cannot_be_kept_is_counted_and_left_out(lines: tuple[str, ...]) -> None:
    read = from_ics(event(*lines), zone="Europe/Berlin", language="en")
    assert (read.cards, read.skipped) == ((), 1)


def test_a_task_keeps_its_day() -> None:
    data = ics("BEGIN:VTODO", "UID:1", "SUMMARY:Tax", "DUE;VALUE=DATE:20260531", "END:VTODO")
    (card_,) = from_ics(data, zone="Europe/Berlin", language="en").cards
    assert card_.category is Category.TASK
    assert card_.when is not None
    assert card_.when.start == wall("2026-05-31T00:00")


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.binary(max_size=300), st.text(max_size=300).map(lambda text: ics(text))))
def test_no_file_does_more_than_be_refused(data: bytes) -> None:
    with suppress(InvalidInput):
        from_ics(data, zone="Europe/Berlin", language="en")


def test_the_first_and_a_later_occurrence_are_the_instants_that_ring() -> None:
    """Read by another program's rules, the feed means what we fire."""
    when = When(start=wall("2026-03-27T07:15"), zone="Europe/Berlin", rrule="FREQ=DAILY")
    event_ = entry(feed(card(when, category=Category.REMINDER)))
    start = event_.decoded("DTSTART")
    later = rrulestr(event_["RRULE"].to_ical().decode(), dtstart=start.replace(tzinfo=None))[3]
    assert later.replace(tzinfo=ZoneInfo("Europe/Berlin")).astimezone(UTC) == datetime(
        2026, 3, 30, 5, 15, tzinfo=UTC
    )


def test_an_occurrence_that_was_left_out_is_not_in_the_feed() -> None:
    when = When(
        start=wall("2026-03-02T07:15"),
        zone="Europe/Berlin",
        rrule="FREQ=DAILY",
        exdates=(wall("2026-03-04T07:15"), wall("2026-03-29T07:15")),
    )
    left_out = entry(feed(card(when)))["EXDATE"]
    assert [each.dt.isoformat() for each in left_out.dts] == [
        "2026-03-04T07:15:00+01:00",
        "2026-03-29T07:15:00+02:00",
    ]


def test_what_another_program_left_out_or_moved_does_not_happen_twice() -> None:
    series = event(
        "SUMMARY:Choir",
        "DTSTART;TZID=Europe/Lisbon:20260302T200000",
        "RRULE:FREQ=WEEKLY",
        "EXDATE;TZID=Europe/Lisbon:20260309T200000,20260316T200000",
        "EXDATE:20260330T190000Z",
        "END:VEVENT",
        "BEGIN:VEVENT",
        "UID:1",
        "DTSTAMP:20260301T000000Z",
        "RECURRENCE-ID;TZID=Europe/Lisbon:20260406T200000",
        "SUMMARY:Choir in the church",
        "DTSTART;TZID=Europe/Lisbon:20260407T200000",
        "END:VEVENT",
        "BEGIN:VEVENT",
        "UID:1",
        "DTSTAMP:20260301T000000Z",
        "RECURRENCE-ID;TZID=Europe/Lisbon:20260413T200000",
        "SUMMARY:Choir",
        "STATUS:CANCELLED",
        "DTSTART;TZID=Europe/Lisbon:20260413T200000",
    )
    choir, church = from_ics(series, zone="Europe/Lisbon", language="en").cards
    assert choir.when is not None
    assert [f"{each:%m-%d}" for each in choir.when.exdates] == ["03-09", "03-16", "03-30", "04-06", "04-13"]
    assert church.when is not None
    assert church.when.start == wall("2026-04-07T20:00")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("SUMMARY:" + "a" * 70, "a line of 78 octets"),
        ("SUMMARY:a, b", "SUMMARY is not escaped"),
        ("DTEND;VALUE=DATE:20260310", "DTEND is of another kind than DTSTART"),
        ("DTEND;TZID=Europe/Lisbon:20260305T190000", "DTEND is not after DTSTART"),
        (
            "RRULE:FREQ=WEEKLY;UNTIL=20260601T200000",
            "UNTIL 20260601T200000 with a start that is zone Europe/Lisbon",
        ),
        ("EXDATE:20260601T200000Z", "EXDATE 20260601T200000Z (utc) with a start that is zone Europe/Lisbon"),
        ("UID:2", "VEVENT has 2 UID"),
        ("STATUS:NEEDS-ACTION", "VEVENT with STATUS NEEDS-ACTION"),
        ("SUMMARY:a\x07b", "a control character"),
    ],
)
def test_the_strict_reader_sees_what_is_wrong(line: str, fault: str) -> None:
    data = event("DTSTART;TZID=Europe/Lisbon:20260305T200000", line)
    assert fault in rfc5545.faults(data)
    assert "no VTIMEZONE for Europe/Lisbon" in rfc5545.faults(data)
