"""Dates of the calendar: what "the sixth of May", "3/4" and "Easter" mean on a given day."""

from __future__ import annotations

import calendar
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date as Date
from datetime import datetime, timedelta

from dateutil.relativedelta import relativedelta

from memory.language.times.context import Context, country
from memory.language.times.grammar import Values
from memory.language.times.holidays import feast
from memory.language.times.mention import Granularity

WORKDAYS = range(5)
STEPS = {"next": 1, "coming": 1, "this": 0, "last": -1}


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


def read_date(values: Values, context: Context) -> Day | None:
    """The day of a date in words, or None when there is no such day."""
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


def date_on(day: Day, weekday: int) -> Day:
    """A date whose weekday does not fit this time: the weekday may be the slip, so both readings are kept."""
    nearest = day.first + timedelta(days=(weekday - day.first.weekday() + 3) % 7 - 3)
    return Day(first=day.first, other=nearest)


def read_numeric(values: Values, context: Context) -> Day | None:
    """The day of a date in figures, in the order of the language and zone, or None."""
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


def read_monthday(values: Values, context: Context) -> Day | None:
    """The next (in a tale the last) day of the month with that number."""
    day = int(values["day"])
    if "weekday" in values:
        return monthday_on(day, int(values["weekday"]), context)
    today = context.today
    shift = values.get("shift")
    if shift in ("next", "this", "last"):
        start = today.replace(day=1) + relativedelta(months={"next": 1, "this": 0, "last": -1}[str(shift)])
        return _full(start.year, start.month, day)
    anchor = context.anchor.at
    if anchor is not None and not context.past:  # "on 28 April, and again on the 3rd"
        return Day(
            first=from_month(day, anchor.date(), earliest=today if context.anchor.denied else anchor.date())
        )
    for months in range(12):
        start = today.replace(day=1) + relativedelta(months=-months if context.past else months)
        if day > calendar.monthrange(start.year, start.month)[1]:
            continue
        first = start.replace(day=day)
        if first == today or (first < today) == context.past:
            return Day(first=first, backward=context.past and first < today)
    return None


def from_month(day: int, month: Date, *, earliest: Date) -> Date:
    """The first day of that number from the month of `month` on that exists and is not before `earliest`."""
    for months in range(24):
        start = month.replace(day=1) + relativedelta(months=months)
        if day <= calendar.monthrange(start.year, start.month)[1] and start.replace(day=day) >= earliest:
            return start.replace(day=day)
    raise ValueError(f"no month has a day {day}")


def monthday_on(day: int, weekday: int, context: Context) -> Day | None:
    """The next "Friday the 13th": a day of the month that falls on the weekday told beside it."""
    for months in range(30):
        start = context.today.replace(day=1) + relativedelta(months=-months if context.past else months)
        if day > calendar.monthrange(start.year, start.month)[1]:
            continue
        first = start.replace(day=day)
        if first.weekday() == weekday and (first == context.today or (first < context.today) == context.past):
            return Day(first=first, backward=context.past)
    return None


def read_month(values: Values, context: Context) -> Day | None:
    """A month, or its start, middle, end or last week."""
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
    return within(
        first, "month", str(values.get("where", "")), context, backward=first < today.replace(day=1)
    )


def within(first: Date, unit: str, where: str, context: Context, *, backward: bool) -> Day:
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


def nth_weekday(year: int, month: int, nth: int, weekdays: Collection[int]) -> Date | None:
    """The nth (from 1; -1 is the last) day of a month that is one of these weekdays, or None."""
    days = [
        day
        for day in range(1, calendar.monthrange(year, month)[1] + 1)
        if Date(year, month, day).weekday() in weekdays
    ]
    try:
        return Date(year, month, days[nth - 1 if nth > 0 else nth])
    except IndexError:
        return None


def read_nth(values: Values, context: Context) -> Day | None:
    """The "first Monday in May", or None when there is none."""
    nth = int(values["nth"])
    weekdays = WORKDAYS if values.get("workdays") else (int(values["weekday"]),)
    today = context.today
    if "month" in values:
        year = values.get("year")
        years = (
            [int(year)] if year is not None else [today.year + (-n if context.past else n) for n in range(3)]
        )
        starts = [Date(each, int(values["month"]), 1) for each in years]
    else:
        step = STEPS[str(values.get("shift", "this"))]
        first = today.replace(day=1) + relativedelta(months=step)
        starts = [first, first + relativedelta(months=1)] if "shift" not in values else [first]
    for start in starts:
        found = nth_weekday(start.year, start.month, nth, weekdays)
        if found is not None and (found >= today) != context.past:
            return Day(first=found, backward=context.past, fixed=True)
    last = nth_weekday(starts[0].year, starts[0].month, nth, weekdays)
    return Day(first=last, backward=last < today, fixed=True) if last is not None else None


def read_holiday(values: Values, context: Context) -> Day | None:
    """The next (in a tale the last) feast of that name, or the day before it."""
    name = str(values["holiday"])
    step = timedelta(days=-1 if values.get("eve") else 0)
    year = values.get("year")
    years = (
        [int(year)]
        if year is not None
        else [context.today.year + (-n if context.past else n) for n in (0, 1)]
    )
    for each in years:
        first = feast(name, each, country(context.instant)) + step
        if year is not None or first == context.today or (first < context.today) == context.past:
            return Day(first=first, backward=context.past and year is None, fixed=year is not None)
    return None


def read_year(values: Values, context: Context) -> Day | None:
    """A year, or its end."""
    first = Date(int(values["year"]), 1, 1)
    past = int(values["year"]) < context.today.year
    return within(first, "year", str(values.get("where", "")), context, backward=past)
