"""Days: what "next Friday", "in ten days" and "next month" mean on a given day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from datetime import date as Date

from dateutil.relativedelta import relativedelta

from memory.language.times.context import Context
from memory.language.times.dates import (
    STEPS,
    Day,
    date_on,
    monthday_on,
    read_date,
    read_holiday,
    read_month,
    read_monthday,
    read_nth,
    read_numeric,
    read_year,
    within,
)
from memory.language.times.grammar import Piece, Values
from memory.language.times.mention import Granularity

WEEK_UNITS = ("week", "fortnight")
DAYS_OF_WEEKS = (7, 8, 14, 15)  # "acht Tage", "quinze jours"
CLOCK_UNITS = ("minute", "hour")


def read_day(pieces: Sequence[Piece], context: Context) -> Day | None:
    """The day that one or two pieces tell together, or None when there is no such day ("31 June").

    Two pieces: a weekday beside a date only repeats it; beside a week it picks the day of that week.
    """
    kinds = {piece.kind: piece for piece in pieces}
    if set(kinds) == {"period", "monthday"}:
        return read_monthday(
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
    beside = weekday.values.get("beside_day")
    if beside is not None:  # "the Wednesday after Easter"
        ahead = (wanted - day.first.weekday()) % 7
        step = (ahead or 7) if beside == "after" else (ahead - 7)
        return Day(first=day.first + timedelta(days=step), backward=day.backward, fixed=True)
    if day.granularity == "week" or (rest[0].kind == "distance" and counts_weeks(rest[0])):
        monday = day.first - timedelta(days=day.first.weekday())
        return Day(first=monday + timedelta(days=wanted), backward=day.backward, fixed=True)
    if day.first.weekday() != wanted and rest[0].kind == "monthday":
        return monthday_on(int(rest[0].values["day"]), wanted, context) or day
    if day.first.weekday() != wanted and rest[0].kind in ("date", "numeric") and "year" not in rest[0].values:
        return date_on(day, wanted)
    return day


def counts_weeks(piece: Piece) -> bool:
    """Whether a piece is told in weeks, or in the days that stand for them ("quinze jours")."""
    days = piece.kind == "distance" and piece.values.get("count") in DAYS_OF_WEEKS
    return piece.values.get("unit") in WEEK_UNITS or (days and piece.values.get("unit") == "day")


def _read(piece: Piece, context: Context) -> Day | None:
    return _READERS[piece.kind](piece.values, context)


def _read_offset(values: Values, context: Context) -> Day:
    days = int(values["days"])
    return Day(first=context.today + timedelta(days=days), backward=days < 0, fixed=True)


def _read_weekday(values: Values, context: Context) -> Day:
    wanted, shift = int(values["weekday"]), values.get("shift", "")
    if values.get("following"):
        this = _read_weekday({key: value for key, value in values.items() if key != "following"}, context)
        return Day(first=this.first + timedelta(weeks=1), fixed=True)
    today = context.today
    told = context.anchor.at
    if values.get("after_told") and told is not None:  # "from Monday to the Thursday after"
        return Day(first=told.date() + timedelta(days=(wanted - told.weekday()) % 7 or 7), fixed=True)
    ahead = (wanted - today.weekday()) % 7
    behind = (today.weekday() - wanted) % 7 or 7
    weeks = int(values.get("weeks", 0))
    ahead_told = weeks or "count" in values or "in_week" in values  # "Thursday week" never looks back
    if shift == "last" or (context.past and shift in ("", "this") and not ahead_told):
        return Day(
            first=today - timedelta(days=behind, weeks=int(values.get("weeks_back", 0))), backward=True
        )
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
    start = context.today + timedelta(days=int(values.get("from_day", 0)))  # "three weeks tomorrow"
    try:
        first = start + step if sign > 0 else start - step
    except (ValueError, OverflowError):
        return None
    granularity: Granularity = "year" if unit == "year" and sign < 0 else "day"
    return Day(first=first, backward=sign < 0, granularity=granularity, fixed=True)


def _later(instant: datetime, minutes: float) -> datetime:
    """Naive wall clock so many minutes later, counted in real time over clock changes; seconds dropped."""
    moved = instant.astimezone(UTC) + timedelta(minutes=minutes)
    return moved.astimezone(instant.tzinfo).replace(tzinfo=None, second=0, microsecond=0)


def _read_period(values: Values, context: Context) -> Day | None:
    unit, step = str(values.get("unit", "week")), STEPS[str(values.get("shift", "this"))]
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
        return within(start, "month", where, context, backward=step < 0)
    if unit == "year":
        return within(Date(today.year + step, 1, 1), "year", where, context, backward=step < 0)
    return None


def _weekend(monday: Date, step: int, context: Context) -> Day:
    saturday = monday + timedelta(days=5, weeks=step)
    if step == 0 and context.past and saturday > context.today:
        saturday -= timedelta(weeks=1)
    first = max(saturday, context.today) if step == 0 and not context.past else saturday
    last = saturday + timedelta(days=1)
    other = saturday - timedelta(weeks=1) if step > 0 and context.today.weekday() < 5 else None
    return Day(first=first, last=last, granularity="day", other=other, backward=step < 0)


_READERS = {
    "day": _read_offset,
    "weekday": _read_weekday,
    "distance": _read_distance,
    "date": read_date,
    "numeric": read_numeric,
    "monthday": read_monthday,
    "month": read_month,
    "period": _read_period,
    "nth": read_nth,
    "holiday": read_holiday,
    "year": read_year,
}
DAY_KINDS = frozenset(_READERS)
