"""Ranges: where a moment ends, told by its end or by its length."""

from __future__ import annotations

from datetime import date as Date
from datetime import datetime, timedelta
from datetime import time as Time

from dateutil.relativedelta import relativedelta

from memory.language.times.compose import Told, second_hour
from memory.language.times.context import Context
from memory.language.times.dates import Day
from memory.language.times.days import read_day
from memory.language.times.grammar import Values
from memory.language.times.hours import DAY, Hour, on_day, read_clock, read_part


def after_start(last: Date, first: Date) -> Date:
    """The end of a range of days, moved behind its start ("28 December to 3 January")."""
    if last >= first:
        return last
    behind = (first - last).days
    if behind < 7:
        return last + timedelta(days=7)
    if behind < 32:
        return last + relativedelta(months=1)
    return last + relativedelta(years=1)


def range_end(told: Told, start: datetime, day: Day, context: Context) -> datetime | None:
    """Naive end of a moment with an hour, if one was told."""
    if told.end_clock is not None or told.end_part is not None:
        return _end_hour(told, start, context)
    if told.clock is not None and "hour2" in told.clock.values:
        return _end_hour(told, start, context)
    if told.end_days:
        until = read_day(told.end_days, context)
        if until is None:
            return None
        part = next((str(piece.values["part"]) for piece in told.end_days if "part" in piece.values), "")
        last = after_start(until.first, start.date())
        return on_day(last, read_part(part).minute) if part else datetime.combine(last, Time())
    if told.duration is not None:
        return start + length(told.duration.values)
    return None


def _end_hour(told: Told, start: datetime, context: Context) -> datetime | None:
    """The end's hour: the first time after the start that fits its words."""
    if told.end_clock is not None:
        values: dict[str, object] = dict(told.end_clock.values)
    elif told.clock is not None and "hour2" in told.clock.values:
        values = second_hour(told.clock.values)
    else:
        values = {}
    part = str(told.end_part.values["part"]) if told.end_part is not None else ""
    day = start.date()
    if told.end_days and (until := read_day(told.end_days, context)) is not None:
        day = after_start(until.first, day)
    if not values:
        hour: Hour | None = read_part(part) if part else None
    else:
        hour = read_clock(values, part, context, dated=True)
    if hour is None:
        return None
    readings = [on_day(day, minute) for minute in (hour.minute, hour.other) if minute is not None]
    later = sorted(moment for moment in readings if moment > start)
    return later[0] if later else min(readings) + timedelta(days=1)


def length(values: Values) -> timedelta:
    """The length that an amount and a unit tell; a month counts as thirty days."""
    amount = float(values.get("num", values.get("count", 0))) + float(values.get("more", 0))
    minutes = {"minute": 1, "hour": 60, "day": DAY, "week": 7 * DAY, "fortnight": 14 * DAY, "month": 30 * DAY}
    beyond = float(values.get("minutes", 0)) + float(values.get("num2", 0))  # "two hours and twenty minutes"
    return timedelta(minutes=beyond + amount * minutes.get(str(values.get("unit")), 0))
