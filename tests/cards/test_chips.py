"""Chips say a moment as precisely as it was said."""

from __future__ import annotations

from datetime import datetime

import pytest

from memory.cards.chips import moment
from memory.records import When


@pytest.mark.parametrize(
    ("start", "end", "all_day", "said"),
    [
        ("2027-07-01T00:00", "2027-07-31T00:00", True, "2027-07"),
        ("2027-07-01T00:00", "2027-08-01T00:00", True, "2027-07"),  # a model's end may be the day after
        ("2027-02-01T00:00", "2027-02-28T00:00", True, "2027-02"),
        ("2028-02-01T00:00", "2028-02-28T00:00", True, "2028-02-01"),  # a day is missing
        ("2027-07-01T00:00", "2027-07-14T00:00", True, "2027-07-01"),
        ("2027-07-01T00:00", "2027-08-31T00:00", True, "2027-07-01"),
        ("2027-07-01T00:00", None, True, "2027-07-01"),
        ("2027-07-01T00:00", None, False, "2027-07-01T00:00"),  # midnight, to the minute
        ("2027-07-01T17:00", "2027-07-31T00:00", False, "2027-07-01T17:00"),
    ],
)
def test_a_month_a_day_or_a_minute(start: str, end: str | None, all_day: bool, said: str) -> None:
    when = When(
        start=datetime.fromisoformat(start),
        zone="Europe/Berlin",
        all_day=all_day,
        end=datetime.fromisoformat(end) if end else None,
    )
    assert moment(when) == said
