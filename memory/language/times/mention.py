"""What `find_times` answers: one moment as it was told, with everything that was left open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date as Date
from datetime import datetime, timedelta
from datetime import time as Time
from typing import Literal

from memory.records import When

Granularity = Literal["minute", "hour", "day", "week", "month", "year"]
Tense = Literal["future", "past", "auto"]


@dataclass(frozen=True, kw_only=True)
class TimeMention:
    """One moment, span of time or recurrence told in a text. Wall-clock values, without a zone."""

    spans: tuple[tuple[int, int], ...]  # offsets in the text, ascending; several when words lie between
    date: Date | None = None  # first day; None only when nothing but `relative_before` was told
    time: Time | None = None  # None: no hour was told, see `missing_time`
    end: datetime | None = None  # naive; end of a range, its last day's midnight when all day
    rrule: str | None = None  # RFC 5545 without DTSTART; `date` and `time` are then the first occurrence
    all_day: bool = False  # a date without an hour
    granularity: Granularity = "day"
    has_date: bool = True  # False: only an hour was told, and `date` is the next (or last) day that fits
    past: bool = False  # lies before `now`, as told ("yesterday", "this morning" said at noon)
    ambiguous: bool = False  # has two readings; say weekday and date in full
    alternative: datetime | None = None  # the other reading, naive
    other_date: Date | None = None  # the other day that the words may mean ("next Friday"), whatever the hour
    approximate: bool = False  # the hour stands for a part of the day ("in the evening")
    part: str = ""  # "morning", "noon", "afternoon", "evening", "night", "midnight" when told
    relative_before: timedelta | None = None  # "an hour before": distance to another moment, positive
    relative_after: timedelta | None = None  # "an hour later": how far what is known moves, positive
    missing_time: bool = False  # a day is known, its hour was not told
    same_time: bool = False  # "same time": the hour of what is being moved
    deadline: bool = False  # "by Friday"
    target: bool = False  # something is moved to it: "from Monday to Thursday"
    day_of_month: int | None = None  # told alone ("on the 13th"): the month is only the next one that fits

    @property
    def span(self) -> tuple[int, int]:
        """From the first word of the mention to its last; other words may lie between."""
        return self.spans[0][0], self.spans[-1][1]

    @property
    def local(self) -> datetime | None:
        """Naive start; midnight when no hour was told; None when no moment was told."""
        if self.date is None:
            return None
        return datetime.combine(self.date, self.time or Time())

    def when(self, zone: str) -> When | None:
        """The record that storage keeps, or None when no moment was told."""
        start = self.local
        if start is None:
            return None
        return When(start=start, zone=zone, all_day=self.time is None, end=self.end, rrule=self.rrule)
