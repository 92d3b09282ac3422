"""Hours: what "half past six", "at eight" and "in the evening" mean on a given day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date as Date
from datetime import datetime, timedelta
from datetime import time as Time

from memory.language.times.context import Context
from memory.language.times.grammar import Values

HALF_DAY = 12 * 60
DAY = 24 * 60
# Where the hour stands that a part of the day is given when none was told.
PART_TIMES = {
    "early": Time(6),
    "morning": Time(9),
    "noon": Time(12),
    "afternoon": Time(15),
    "late_afternoon": Time(17),
    "evening": Time(19),
    "night": Time(21),
    "midnight": Time(0),
}
FIRST_WAKING_MINUTE = 6 * 60  # a bare hour is not read as one before it, unless it is night now
LATEST_START = 11 * 60  # on a clock of twelve hours: from here on choirs and clubs don't begin at night
FIRST_MORNING_MINUTE = 7 * 60  # on another day a bare hour before it is in the afternoon


@dataclass(frozen=True, kw_only=True)
class Hour:
    """An hour of the day, in minutes from the day's midnight; 24 h and more lie in the next day."""

    minute: int
    other: int | None = None  # the second reading
    exact: bool = True  # False: stands for a part of the day
    part: str = ""


def read_part(part: str) -> Hour:
    """The hour that stands for a part of the day."""
    time = PART_TIMES[part]
    minute = time.hour * 60 + time.minute
    return Hour(minute=DAY if part == "midnight" else minute, exact=part in ("noon", "midnight"), part=part)


def read_clock(values: Values, part: str, context: Context, *, dated: bool) -> Hour | None:
    """The hour that a clock piece tells, on a day that is given (`dated`) or not.

    Args:
        values: of a "clock" piece.
        part: part of the day told beside it, or "".
        dated: whether the day is another than today, or recurs: then no hour has passed yet.
    """
    if values.get("now"):  # "this time tomorrow"
        return Hour(minute=_minute_of(context.now), part=part)
    told = _minutes(values)
    if told is None:
        return None
    hour, offset = told
    part = str(values.get("part", part))
    total = hour * 60 + offset
    if "base" in values:
        return Hour(minute=total, part=part)
    first = total % HALF_DAY
    ampm = values.get("ampm") or _half_of_range(hour, values)
    if ampm is not None and hour <= 12:
        return Hour(minute=first + (HALF_DAY if ampm == "pm" else 0), part=part)
    if hour >= 13 or hour == 0 or values.get("leading_zero"):
        night_shift = DAY if hour == 24 or (hour == 0 and part in ("night", "midnight")) else 0
        return Hour(minute=total % DAY + night_shift, part=part)
    if "hour2" in values:
        dated = True  # "from nine to five" is said of days, not of the next nine
    if part:
        return Hour(minute=_in_part(first, hour, offset, part, context), part=part)
    return _bare(first, values, context, dated=dated)


def _minutes(values: Values) -> tuple[int, int] | None:
    """Hour and offset in minutes as told, or None when the piece holds no clock time."""
    hour = values.get("base", values.get("hour", values.get("hourword")))
    if hour is None or not 0 <= int(hour) <= 24:
        return None
    minutes = values.get("min", values.get("minword", values.get("digits2", values.get("quarter", 0))))
    if int(minutes) > 59:
        return None
    return int(hour), int(minutes) * int(values.get("sign", 1)) + int(values.get("add", 0))


def _half_of_range(hour: int, values: Values) -> str | None:
    """The half of the day of a range's start, when only its end has one ("3 to 5 pm", "11 to 1 pm")."""
    half, last = values.get("ampm2"), values.get("hour2")
    if half is None or last is None:
        return None
    crosses_noon = hour % 12 > int(last) % 12
    return ("am" if half == "pm" else "pm") if crosses_noon else str(half)


def _in_part(first: int, hour: int, offset: int, part: str, context: Context) -> int:
    """Minute of the day for a twelve-hour time (0..719) in a part of the day."""
    if part in ("early", "morning"):
        at_noon = hour == 12 and offset >= 0 and context.grammar.settings.get("noon_is_morning")
        return first + HALF_DAY if at_noon and part == "morning" else first
    if part == "noon":
        return first if first >= 10 * 60 else first + HALF_DAY
    if part in ("afternoon", "late_afternoon"):
        return first + HALF_DAY
    if part == "evening":
        return first + HALF_DAY if first >= 3 * 60 else first + DAY
    if part in ("night", "midnight"):
        return first + HALF_DAY if first >= 5 * 60 else first + DAY
    return first


def _bare(first: int, values: Values, context: Context, *, dated: bool) -> Hour:
    """A time without a half of the day: the next sensible one of the two."""
    morning, evening = first, first + HALF_DAY
    after_hour = "digits2" in values or ("min" in values and values.get("direct"))
    with_minutes = values.get("figures") and after_hour
    if with_minutes and context.grammar.settings.get("literal_24h"):
        # Written with minutes where 24 hours are the rule: "8:30" is in the morning, "12:30" at noon.
        return Hour(minute=evening if first < 60 else morning)
    in_evening = context.evening or (context.before_eleven and first < LATEST_START)
    if in_evening != context.morning and not (in_evening and first < 4 * 60):
        chosen = evening if in_evening else morning
    elif dated or context.past:
        chosen = morning if first >= FIRST_MORNING_MINUTE else evening
        if context.past and not dated and chosen > _minute_of(context.now):
            chosen = morning
    else:
        chosen = _next(morning, evening, context)
    if values.get("figures") and context.grammar.settings.get("literal_24h") and dated and chosen == morning:
        return Hour(minute=chosen)  # "am 15. um 10 Uhr"
    if dated and chosen == HALF_DAY:
        return Hour(minute=chosen)  # "on Friday at twelve" is noon: nobody says the day's first minute so
    other = evening if chosen % DAY == morning else morning
    return Hour(minute=chosen, other=other)


def _next(morning: int, evening: int, context: Context) -> int:
    """The next of the two that is still to come; tomorrow's as minutes beyond the day."""
    at = _minute_of(context.now)
    earliest = 0 if at < 5 * 60 else FIRST_WAKING_MINUTE
    candidates = [m for m in (morning, evening) if m > at and m >= earliest]
    if candidates:
        return candidates[0]
    return min(m for m in (morning, evening) if m >= FIRST_WAKING_MINUTE)


def _minute_of(moment: datetime) -> int:
    return moment.hour * 60 + moment.minute


def on_day(day: Date, minute: int) -> datetime:
    """Naive wall clock: so many minutes after the day's midnight, as the clock on the wall counts."""
    return datetime.combine(day, Time()) + timedelta(minutes=minute)
