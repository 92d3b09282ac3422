"""Days: what "next Friday", "in ten days" and "the sixth of May" mean on a given day."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from datetime import date as Date

from dateutil.easter import easter
from dateutil.relativedelta import relativedelta

from memory.language.times.context import Context
from memory.language.times.grammar import Piece, Values
from memory.language.times.mention import Granularity

WEEK_UNITS = ("week", "fortnight")
CLOCK_UNITS = ("minute", "hour")
FIXED_HOLIDAYS = {
    "new_year": (1, 1),
    "epiphany": (1, 6),
    "valentine": (2, 14),
    "labour_day": (5, 1),
    "assumption": (8, 15),
    "halloween": (10, 31),
    "all_saints": (11, 1),
    "german_unity": (10, 3),
    "st_nicholas": (12, 6),
    "christmas_eve": (12, 24),
    "christmas": (12, 25),
    "boxing_day": (12, 26),
    "new_years_eve": (12, 31),
}
EASTER_HOLIDAYS = {
    "carnival": -47,
    "ash_wednesday": -46,
    "palm_sunday": -7,
    "maundy_thursday": -3,
    "good_friday": -2,
    "easter_saturday": -1,
    "easter": 0,
    "easter_monday": 1,
    "ascension": 39,
    "pentecost": 49,
    "whit_monday": 50,
    "corpus_christi": 60,
}


@dataclass(frozen=True, kw_only=True)
class Day:
    """A day or longer, as told."""

    first: Date
    last: Date | None = None  # of a week, month, year or range
    granularity: Granularity = "day"
    other: Date | None = None  # the second reading
    instant: datetime | None = None  # naive; set when minutes or hours from now were told
    backward: bool = False  # told by words that look back ("yesterday", "ago", "last")
    fixed: bool = False  # told so that a passed hour cannot move it ("today", "this morning", a full date)


def read_day(pieces: Sequence[Piece], context: Context) -> Day | None:
    """The day that one or two pieces tell together, or None when there is no such day ("31 June").

    Two pieces: a weekday beside a date only repeats it; beside a week it picks the day of that week.
    """
    kinds = {piece.kind: piece for piece in pieces}
    if set(kinds) == {"period", "monthday"}:
        return _read_monthday(
            {**kinds["monthday"].values, "shift": kinds["period"].values.get("shift")}, context
        )
    weekday = kinds.get("weekday")
    rest = [piece for piece in pieces if piece.kind != "weekday"]
    if weekday is None or not rest:
        return _read(pieces[0], context) if pieces else None
    day = _read(rest[0], context)
    if day is None:
        return _read(weekday, context)
    wanted = int(weekday.values["weekday"])
    if day.granularity == "week" or _counts_weeks(rest[0]):
        monday = day.first - timedelta(days=day.first.weekday())
        return Day(first=monday + timedelta(days=wanted), backward=day.backward, fixed=True)
    if day.first.weekday() != wanted and rest[0].kind == "monthday":
        return _monthday_on(int(rest[0].values["day"]), wanted, context) or day
    if day.first.weekday() != wanted and rest[0].kind in ("date", "numeric") and "year" not in rest[0].values:
        return _date_on(day, wanted, context)
    return day


def _counts_weeks(piece: Piece) -> bool:
    return piece.kind == "distance" and piece.values.get("unit") in WEEK_UNITS


def _read(piece: Piece, context: Context) -> Day | None:
    return _READERS[piece.kind](piece.values, context)


def _read_offset(values: Values, context: Context) -> Day:
    days = int(values["days"])
    return Day(first=context.today + timedelta(days=days), backward=days < 0, fixed=True)


def _read_weekday(values: Values, context: Context) -> Day:
    wanted, shift = int(values["weekday"]), values.get("shift", "")
    today = context.today
    ahead = (wanted - today.weekday()) % 7
    behind = (today.weekday() - wanted) % 7 or 7
    weeks = int(values.get("weeks", 0))
    if shift == "last" or (context.past and shift in ("", "this")):
        return Day(first=today - timedelta(days=behind), backward=True)
    if "in_week" in values:
        monday = today - timedelta(days=today.weekday())
        return Day(first=monday + timedelta(weeks=int(values["in_week"]), days=wanted), fixed=True)
    if weeks or values.get("count"):
        extra = weeks or int(values["count"])
        base = (
            (ahead or 7) if values.get("after_next") else ahead
        )  # "Tuesday week" said on a Tuesday: in a week
        return Day(first=today + timedelta(days=base + 7 * extra), fixed=True)
    if shift == "this" and ahead == 0:
        return Day(first=today)
    coming = today + timedelta(days=ahead or 7)
    if shift == "next":
        of_next_week = today + timedelta(days=7 - today.weekday() + wanted)
        if of_next_week == coming:
            return Day(first=coming, fixed=True)
        if context.grammar.settings["next_weekday"] == "next_week":
            return Day(first=of_next_week, other=coming, fixed=True)
        return Day(first=coming, other=of_next_week, fixed=True)
    return Day(first=coming, other=today if ahead == 0 else None, fixed=True)


def _read_distance(values: Values, context: Context) -> Day | None:
    sign = int(values.get("sign", 1))
    unit = str(values.get("unit", "minute"))
    if sign > 0 and context.past:
        return None  # "I ran it in fifty minutes"
    amount = float(values.get("count", values.get("num", 0)))
    amount += float(values.get("more", 0))
    minutes = float(values.get("minutes", 0)) + float(values.get("num2", 0)) * (1 if unit == "hour" else 0)
    if unit in CLOCK_UNITS:
        minutes += amount * (60 if unit == "hour" else 1)
        moved = _later(context.instant, sign * minutes)
        return Day(first=moved.date(), instant=moved, backward=sign < 0, granularity="minute", fixed=True)
    if unit == "fortnight":
        unit, amount = "week", amount * 2
    whole = int(amount)
    step = {
        "day": relativedelta(days=whole),
        "week": relativedelta(days=round(amount * 7)),
        "month": relativedelta(months=whole, days=15 if amount % 1 else 0),
        "year": relativedelta(years=whole, months=6 if amount % 1 else 0),
    }.get(unit)
    if step is None:
        return None
    try:
        first = context.today + step if sign > 0 else context.today - step
    except (ValueError, OverflowError):
        return None
    granularity: Granularity = "year" if unit == "year" and sign < 0 else "day"
    return Day(first=first, backward=sign < 0, granularity=granularity, fixed=True)


def _later(instant: datetime, minutes: float) -> datetime:
    """Naive wall clock so many minutes later, counted in real time over clock changes; seconds dropped."""
    moved = instant.astimezone(UTC) + timedelta(minutes=minutes)
    return moved.astimezone(instant.tzinfo).replace(tzinfo=None, second=0, microsecond=0)


def _read_date(values: Values, context: Context) -> Day | None:
    day, month = int(values["day"]), int(values.get("month", values.get("num", 0)))
    if not 1 <= month <= 12:
        return None
    year = values.get("year", values.get("yy"))
    read = _full(int(year), month, day) if year is not None else _yearless(month, day, context)
    if read is None or "day2" not in values:
        return read
    until = _full(read.first.year, month, int(values["day2"]))
    return replace(read, last=until.first) if until is not None and until.first > read.first else read


def _full(year: int, month: int, day: int) -> Day | None:
    try:
        return Day(first=Date(year, month, day), fixed=True)
    except ValueError:
        return None


def _yearless(month: int, day: int, context: Context) -> Day | None:
    """The next such day (today counts), or in a tale the last one."""
    years = range(
        context.today.year, context.today.year + (-9 if context.past else 9), -1 if context.past else 1
    )
    for year in years:
        try:
            first = Date(year, month, day)
        except ValueError:
            continue
        if first == context.today or (first < context.today) == context.past:
            return Day(first=first, backward=context.past and first < context.today)
    return None


def _date_on(day: Day, weekday: int, context: Context) -> Day:
    """A date whose weekday does not fit this time: the weekday may be the slip, so both readings are kept."""
    del context
    nearest = day.first + timedelta(days=(weekday - day.first.weekday() + 3) % 7 - 3)
    return Day(first=day.first, other=nearest)


def _read_numeric(values: Values, context: Context) -> Day | None:
    left, right = int(values["num"]), int(values["num2"])
    year = values.get("year", values.get("yy"))
    orders = [(right, left), (left, right)]  # (month, day)
    if context.month_first:
        orders.reverse()
    read = [
        _full(int(year), month, day) if year is not None else _yearless(month, day, context)
        for month, day in orders
        if 1 <= month <= 12 and 1 <= day <= 31
    ]
    days = [day for day in read if day is not None]
    if not days:
        return None
    if context.grammar.settings["order"] != "region" and not (1 <= right <= 12):
        return None  # only English is written in both orders
    if len(days) == 2 and days[0].first != days[1].first and not context.order_is_sure:
        return Day(first=days[0].first, other=days[1].first, backward=days[0].backward, fixed=days[0].fixed)
    return days[0]


def _read_monthday(values: Values, context: Context) -> Day | None:
    day = int(values["day"])
    if "weekday" in values:
        return _monthday_on(day, int(values["weekday"]), context)
    today = context.today
    shift = values.get("shift")
    if shift in ("next", "this", "last"):
        start = today.replace(day=1) + relativedelta(months={"next": 1, "this": 0, "last": -1}[str(shift)])
        return _full(start.year, start.month, day)
    for months in range(12):
        start = today.replace(day=1) + relativedelta(months=-months if context.past else months)
        if day > calendar.monthrange(start.year, start.month)[1]:
            continue
        first = start.replace(day=day)
        if first == today or (first < today) == context.past:
            return Day(first=first, backward=context.past and first < today)
    return None


def _monthday_on(day: int, weekday: int, context: Context) -> Day | None:
    """The next "Friday the 13th": a day of the month that falls on the weekday told beside it."""
    for months in range(30):
        start = context.today.replace(day=1) + relativedelta(months=-months if context.past else months)
        if day > calendar.monthrange(start.year, start.month)[1]:
            continue
        first = start.replace(day=day)
        if first.weekday() == weekday and (first == context.today or (first < context.today) == context.past):
            return Day(first=first, backward=context.past)
    return None


def _read_month(values: Values, context: Context) -> Day | None:
    month, today = int(values["month"]), context.today
    year = values.get("year", values.get("yy"))
    shift = values.get("shift")
    if year is not None:
        first = Date(int(year), month, 1)
    elif shift == "last" or (context.past and shift not in ("next", "coming")):
        first = Date(today.year - (month >= today.month), month, 1)
        if context.past and shift is None and month == today.month:
            first = Date(today.year, month, 1)
    else:
        later = month < today.month or (shift == "next" and month == today.month)
        first = Date(today.year + later, month, 1)
    return _within(
        first, "month", str(values.get("where", "")), context, backward=first < today.replace(day=1)
    )


def _within(first: Date, unit: str, where: str, context: Context, *, backward: bool) -> Day:
    """A whole month or year, or the start, middle or end of it; a running one starts today for plans."""
    last = (
        first + (relativedelta(months=1) if unit == "month" else relativedelta(years=1)) - timedelta(days=1)
    )
    granularity: Granularity = "month" if unit == "month" else "year"
    if where == "end":
        return Day(first=last, backward=backward, fixed=True)
    if where == "middle":
        middle = first.replace(day=15) if unit == "month" else first.replace(month=7)
        return Day(first=middle, granularity="week", backward=backward)
    if where == "start":
        return Day(first=first, granularity="week", backward=backward)
    if where == "last_week":
        return Day(first=last - timedelta(days=6), last=last, granularity="week", backward=backward)
    if first <= context.today <= last and not context.past:
        first = context.today
    return Day(first=first, last=last, granularity=granularity, backward=backward)


_STEPS = {"next": 1, "coming": 1, "this": 0, "last": -1}


def _read_period(values: Values, context: Context) -> Day | None:
    unit, step = str(values.get("unit", "week")), _STEPS[str(values.get("shift", "this"))]
    today = context.today
    if "count" in values or "num" in values:
        step *= int(values.get("count", values.get("num", 1)))
    monday = today - timedelta(days=today.weekday())
    where = str(values.get("where", ""))
    if where == "start" and step == 0 and not context.past:
        step = 1  # the start of the running one has passed
    if unit == "day":
        return Day(first=today + timedelta(days=step), backward=step < 0, fixed=True)
    if unit == "weekend":
        return _weekend(monday, step, context)
    if unit in WEEK_UNITS:
        first = monday + timedelta(weeks=step)
        last = first + timedelta(days=6)
        if where == "start":
            return Day(first=first, fixed=True, backward=step < 0)
        if where == "end":
            return Day(first=first + timedelta(days=4), fixed=True, backward=step < 0)
        if where == "middle":
            return Day(first=first + timedelta(days=2), fixed=True, backward=step < 0)
        if step == 0 and not context.past:
            first = today
        return Day(first=first, last=last, granularity="week", backward=step < 0)
    if unit == "month":
        start = today.replace(day=1) + relativedelta(months=step)
        return _within(start, "month", where, context, backward=step < 0)
    if unit == "year":
        return _within(Date(today.year + step, 1, 1), "year", where, context, backward=step < 0)
    return None


def _weekend(monday: Date, step: int, context: Context) -> Day:
    saturday = monday + timedelta(days=5, weeks=step)
    if step == 0 and context.past and saturday > context.today:
        saturday -= timedelta(weeks=1)
    first = max(saturday, context.today) if step == 0 and not context.past else saturday
    last = saturday + timedelta(days=1)
    other = saturday - timedelta(weeks=1) if step > 0 and context.today.weekday() < 5 else None
    return Day(first=first, last=last, granularity="day", other=other, backward=step < 0)


def nth_weekday(year: int, month: int, nth: int, weekday: int) -> Date | None:
    """The nth (from 1; -1 is the last) weekday of a month, or None when there is none."""
    days = [
        day
        for day in range(1, calendar.monthrange(year, month)[1] + 1)
        if Date(year, month, day).weekday() == weekday
    ]
    try:
        return Date(year, month, days[nth - 1 if nth > 0 else nth])
    except IndexError:
        return None


def _read_nth(values: Values, context: Context) -> Day | None:
    nth, weekday = int(values["nth"]), int(values["weekday"])
    today = context.today
    if "month" in values:
        year = values.get("year")
        years = (
            [int(year)] if year is not None else [today.year + (-n if context.past else n) for n in range(3)]
        )
        starts = [Date(each, int(values["month"]), 1) for each in years]
    else:
        step = _STEPS[str(values.get("shift", "this"))]
        first = today.replace(day=1) + relativedelta(months=step)
        starts = [first, first + relativedelta(months=1)] if "shift" not in values else [first]
    for start in starts:
        found = nth_weekday(start.year, start.month, nth, weekday)
        if found is not None and (found >= today) != context.past:
            return Day(first=found, backward=context.past, fixed=True)
    last = nth_weekday(starts[0].year, starts[0].month, nth, weekday)
    return Day(first=last, backward=last < today, fixed=True) if last is not None else None


def _read_holiday(values: Values, context: Context) -> Day | None:
    name = str(values["holiday"])
    year = values.get("year")
    if name in FIXED_HOLIDAYS:
        month, day = FIXED_HOLIDAYS[name]
        return _full(int(year), month, day) if year is not None else _yearless(month, day, context)
    years = (
        [int(year)]
        if year is not None
        else [context.today.year + (-n if context.past else n) for n in (0, 1)]
    )
    for each in years:
        first = easter(each) + timedelta(days=EASTER_HOLIDAYS[name])
        if year is not None or first == context.today or (first < context.today) == context.past:
            return Day(first=first, backward=context.past)
    return None


def _read_year(values: Values, context: Context) -> Day | None:
    first = Date(int(values["year"]), 1, 1)
    past = int(values["year"]) < context.today.year
    return _within(first, "year", str(values.get("where", "")), context, backward=past)


_READERS = {
    "day": _read_offset,
    "weekday": _read_weekday,
    "distance": _read_distance,
    "date": _read_date,
    "numeric": _read_numeric,
    "monthday": _read_monthday,
    "month": _read_month,
    "period": _read_period,
    "nth": _read_nth,
    "holiday": _read_holiday,
    "year": _read_year,
}
DAY_KINDS = frozenset(_READERS)
