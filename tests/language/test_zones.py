"""Wall-clock time and instants, over clock changes and journeys."""

# ruff: noqa: DTZ001  # wall-clock times are naive, on purpose

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.language import next_occurrence, resolve
from memory.records import When

BERLIN = ZoneInfo("Europe/Berlin")
RULES = [
    "FREQ=DAILY",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
    "FREQ=MONTHLY;BYDAY=-1FR",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
    "FREQ=HOURLY;INTERVAL=2",
]


def test_a_skipped_hour_moves_forward() -> None:
    assert resolve(datetime(2026, 3, 29, 2, 30), "Europe/Berlin").replace(tzinfo=None) == datetime(
        2026, 3, 29, 3, 30
    )


def test_of_an_hour_that_comes_twice_the_first_is_taken() -> None:
    moment = resolve(datetime(2026, 10, 25, 2, 30), "Europe/Berlin")
    assert moment.astimezone(UTC) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


def test_a_daily_hour_stays_on_the_wall_over_a_clock_change_and_a_journey() -> None:
    daily = When(start=datetime(2026, 3, 1, 7, 15), zone="Europe/Lisbon", rrule="FREQ=DAILY")
    saturday = datetime(2026, 3, 28, 12, tzinfo=UTC)
    first = next_occurrence(daily, after=saturday)
    assert first == datetime(2026, 3, 29, 6, 15, tzinfo=UTC)
    abroad = next_occurrence(daily, after=datetime(2026, 6, 10, 12, tzinfo=UTC), zone="America/Toronto")
    assert abroad == datetime(2026, 6, 11, 11, 15, tzinfo=UTC)


def test_a_recurrence_that_falls_into_the_gap_fires_once_that_day() -> None:
    nightly = When(start=datetime(2026, 3, 1, 2, 30), zone="Europe/Berlin", rrule="FREQ=DAILY")
    first = next_occurrence(nightly, after=datetime(2026, 3, 29, 0, 0, tzinfo=UTC))
    assert first == datetime(2026, 3, 29, 3, 30, tzinfo=BERLIN)
    second = next_occurrence(nightly, after=datetime(2026, 3, 29, 3, 30, tzinfo=BERLIN))
    assert second == datetime(2026, 3, 30, 2, 30, tzinfo=BERLIN)


def test_one_moment_comes_once_and_a_finished_rule_ends() -> None:
    once = When(start=datetime(2026, 6, 10, 9), zone="Europe/Berlin")
    assert next_occurrence(once, after=datetime(2026, 6, 1, tzinfo=UTC)) == datetime(
        2026, 6, 10, 9, tzinfo=BERLIN
    )
    assert next_occurrence(once, after=datetime(2026, 6, 10, 9, tzinfo=BERLIN)) is None
    ended = When(
        start=datetime(2026, 6, 1, 9), zone="Europe/Berlin", rrule="FREQ=DAILY;UNTIL=20260603T235959"
    )
    assert next_occurrence(ended, after=datetime(2026, 6, 3, 12, tzinfo=BERLIN)) is None


@settings(max_examples=120, deadline=None)
@given(
    st.datetimes(datetime(2024, 1, 1), datetime(2027, 1, 1)).map(
        lambda at: at.replace(second=0, microsecond=0)
    ),
    st.sampled_from(RULES),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"]),
    st.timedeltas(timedelta(), timedelta(days=700)),
)
def test_occurrences_come_after_and_in_order(start: datetime, rule: str, zone: str, gone: timedelta) -> None:
    when = When(start=start, zone=zone, rrule=rule)
    after = start.replace(tzinfo=UTC) + gone
    for _ in range(3):
        following = next_occurrence(when, after=after)
        assert following is not None
        assert following > after
        after = following
