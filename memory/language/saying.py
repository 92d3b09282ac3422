"""How moments are said to a person, in their language."""

from __future__ import annotations

from datetime import date as Date
from datetime import datetime, timedelta
from datetime import time as Time

from memory.records import When


def say_time(time: Time, *, language: str) -> str:
    """An hour as the language writes it: "17:00", "17:00 Uhr", "17h00"."""
    return f"{time:%H:%M}"


def say_date(day: Date, *, language: str, now: datetime) -> str:
    """Weekday and date in full, the year only when it is not this one: "Thursday 12 March"."""
    return f"{day:%A} {day.day} {day:%B}"


def say_when(when: When, *, language: str, now: datetime) -> str:
    """A moment or recurrence in words: "Thursday 12 March at 17:00", "every second Tuesday at 19:00"."""
    return say_date(when.start.date(), language=language, now=now) + (
        "" if when.all_day else f" {say_time(when.start.time(), language=language)}"
    )


def ago(delta: timedelta, language: str) -> str:
    """How long ago, short: "12 min ago", "vor 12 Min.", "há 12 min"."""
    return f"{int(delta.total_seconds() // 60)} min"
