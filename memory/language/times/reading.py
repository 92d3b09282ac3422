"""Reading: from the pieces of one moment to the mention that a caller gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date as Date
from datetime import datetime, timedelta
from datetime import time as Time

from memory.language.times import recurrence
from memory.language.times.compose import WHOLE_DAYS, Told, is_instant
from memory.language.times.context import Context
from memory.language.times.dates import Day
from memory.language.times.days import read_day
from memory.language.times.grammar import Piece
from memory.language.times.hours import DAY, Hour, on_day, read_clock, read_part
from memory.language.times.mention import Granularity, TimeMention
from memory.language.times.ranges import after_start, length, range_end

NO_SPANS: tuple[tuple[int, int], ...] = ()


def read(told: Told, context: Context) -> TimeMention | None:
    """The mention that the pieces make (its spans are still empty), or None when there is no such day."""
    if told.before is not None:
        return _read_beside(told, told.before, context) if told.days else _read_before(told, told.before)
    if told.every:
        mention = _read_recurring(told, context)
        if mention is not None:
            return mention
    if told.days or told.start_days:
        mention = _read_dated(told, context)
        return replace(mention, day_of_month=_lone_day(told, context)) if mention is not None else None
    if told.end_days and not told.has_hour:
        return _read_deadline(told, context)
    if told.clock is None and told.part is not None and told.part.values.get("beside"):
        return None  # "abends" alone tells a habit
    if told.has_hour or told.end_clock:
        return _read_undated(told, context)
    if told.same_time is not None:
        return TimeMention(spans=NO_SPANS, same_time=True, has_date=False)
    return None


def _lone_day(told: Told, context: Context) -> int | None:
    """The day of the month where a moment names nothing else, so that its month was only supposed."""
    days = told.days or told.start_days
    monthdays = [piece for piece in days if piece.kind == "monthday" and "shift" not in piece.values]
    if not monthdays or len(days) > 1 or "weekday" in monthdays[0].values:
        return None
    known = context.anchor.at is not None and not context.anchor.supposed
    return None if known else int(monthdays[0].values["day"])


def _read_beside(told: Told, distance: Piece, context: Context) -> TimeMention | None:
    """A day so far before or after a day told beside it ("two days before Christmas")."""
    day = read_day(told.days, context)
    if day is None:
        return None
    gap = length({"count": 1, **distance.values})
    first = day.first - gap if distance.kind == "before" else day.first + gap
    read = _read_all_day(Told(told.sentence), Day(first=first, fixed=True), context)
    part = str(distance.values.get("part", "")) or _part(told)
    hour = read_part(part) if part else None  # "the evening before 20 June"
    if told.clock is not None:
        hour = read_clock(told.clock.values, part, context, dated=True)
    if hour is None:
        return read
    start = on_day(first, hour.minute)
    return replace(
        read,
        date=start.date(),
        time=start.time(),
        all_day=False,
        granularity=_granularity(hour, "day"),
        approximate=not hour.exact,
        part=part,
        missing_time=False,
        ambiguous=False,
        alternative=None,
    )


def _read_before(told: Told, piece: Piece) -> TimeMention:
    distance = length({"count": 1, **piece.values}) if "minutes" not in piece.values else length(piece.values)
    return TimeMention(
        spans=NO_SPANS,
        relative_before=distance if piece.kind == "before" else None,
        relative_after=distance if piece.kind == "after" else None,
        has_date=False,
        part=str(piece.values.get("part", "")) or _part(told),
        granularity="day" if piece.values.get("unit") in WHOLE_DAYS else "minute",
    )


def _hour(told: Told, context: Context, *, dated: bool) -> Hour | None:
    """The hour of a moment, if one was told."""
    part = _part(told)
    if told.clock is not None:
        return read_clock(told.clock.values, part, context, dated=dated)
    return read_part(part) if part else None


def _part(told: Told) -> str:
    return _part_of(told.part, (*told.days, *told.start_days, *told.every))


def _part_of(part: Piece | None, pieces: Sequence[Piece]) -> str:
    """The part of the day told for itself, or with a day ("tonight")."""
    if part is not None:
        return str(part.values["part"])
    for piece in pieces:
        if "part" in piece.values:
            return str(piece.values["part"])
    return ""


def _granularity(hour: Hour | None, day: Granularity) -> Granularity:
    if hour is None:
        return day
    return "minute" if hour.exact else "hour"


def _read_dated(told: Told, context: Context) -> TimeMention | None:
    day = read_day(told.days or told.start_days, context)
    if day is None:
        return None
    deadline = told.clock is None and told.end_clock is not None
    if deadline:  # "by six tomorrow"
        told.clock, told.end_clock = told.end_clock, None
    if day.instant is not None:
        return _read_instant(told, day, context)
    if _has_passed(told, day, context):
        later = replace(context, now=datetime.combine(context.today + timedelta(days=1), Time()))
        day = read_day(told.days or told.start_days, later) or day
    dated = day.first != context.today
    hour = _hour(told, context, dated=dated)
    if hour is None:
        return _read_all_day(told, day, context)
    minute = hour.minute
    if minute >= DAY and told.clock is not None and "base" not in told.clock.values and _is_dated(told):
        minute -= DAY  # "on 29 March at half past two at night" is that date
    start = on_day(day.first, minute)
    other = on_day(day.first, hour.other) if hour.other is not None else None
    if start <= context.now and not day.backward and not context.past:
        start, other = _not_yet(start, other, hour, day, context)
    alternative = other
    if alternative is None and day.other is not None:
        alternative = on_day(day.other, minute)
    if alternative is not None and alternative <= context.now < start:
        alternative = None  # a plan's other reading is no reading when it has passed
    end = range_end(told, start, day, context)
    return TimeMention(
        spans=NO_SPANS,
        date=start.date(),
        time=start.time(),
        end=end,
        granularity=_granularity(hour, "day"),
        past=start < context.now or (context.past and not hour.exact and start.date() <= context.today),
        ambiguous=alternative is not None,
        alternative=alternative,
        other_date=day.other,
        approximate=not hour.exact,
        part=hour.part,
        same_time=told.same_time is not None,
        deadline=deadline,
    )


def _is_dated(told: Told) -> bool:
    return any(piece.kind in ("date", "numeric", "monthday") for piece in (*told.days, *told.start_days))


def _has_passed(told: Told, day: Day, context: Context) -> bool:
    """Whether a day that could be today or a later one ("the tenth") can't be today, for its hour is gone."""
    if day.fixed or day.backward or context.past or day.first != context.today or day.granularity != "day":
        return False
    hour = _hour(told, context, dated=False)
    return hour is not None and hour.exact and on_day(day.first, hour.minute) <= context.now


def _not_yet(
    start: datetime, other: datetime | None, hour: Hour, day: Day, context: Context
) -> tuple[datetime, datetime | None]:
    """A plan's moment moved out of the past where the words allow another reading."""
    if other is not None and other > context.now:
        return other, None
    if not hour.exact and start.date() == context.today:
        # "this evening" said late in the evening: what is left of it.
        soon = context.now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
        return (soon, None) if soon.date() == context.today else (start, None)
    return start, other


def _read_instant(told: Told, day: Day, context: Context) -> TimeMention:
    instant = day.instant or context.now
    return TimeMention(
        spans=NO_SPANS,
        date=instant.date(),
        time=instant.time(),
        granularity="minute",
        past=day.backward,
        same_time=told.same_time is not None,
    )


def _read_all_day(told: Told, day: Day, context: Context) -> TimeMention:
    last = day.last
    if told.end_days:
        until = read_day(told.end_days, context)
        years = {
            key: told.end_days[-1].values[key] for key in ("year", "yy") if key in told.end_days[-1].values
        }
        if years and not {"year", "yy"} & set(told.days[0].values if told.days else {"year"}):
            # "14.10. to 15.10.2028": the year is the whole range's
            dated = [replace(piece, values={**piece.values, **years}) for piece in told.days]
            day = read_day(dated, context) or day
        if until is not None:
            last = after_start(until.first, day.first)
    end = datetime.combine(last, Time()) if last is not None else None
    if told.duration is not None and end is None:
        end = datetime.combine(day.first, Time()) + length(told.duration.values)
    return TimeMention(
        spans=NO_SPANS,
        date=day.first,
        end=end,
        all_day=True,
        granularity=day.granularity,
        past=(last or day.first) < context.today,
        ambiguous=day.other is not None,
        alternative=datetime.combine(day.other, Time()) if day.other is not None else None,
        other_date=day.other,
        missing_time=True,
        same_time=told.same_time is not None,
    )


def _read_deadline(told: Told, context: Context) -> TimeMention | None:
    day = read_day(told.end_days, context)
    if day is None:
        return None
    if day.granularity in ("week", "month", "year") and day.last is not None:
        day = Day(first=day.first, last=day.last, granularity=day.granularity, backward=day.backward)
    part = _part_of(told.end_part, told.end_days)
    hour = read_part(part) if part else None
    if told.end_clock is not None:
        hour = read_clock(told.end_clock.values, part, context, dated=day.first != context.today)
    start = on_day(day.first, hour.minute) if hour is not None else None
    return TimeMention(
        spans=NO_SPANS,
        date=start.date() if start is not None else day.first,
        time=start.time() if start is not None else None,
        end=datetime.combine(day.last, Time()) if day.last is not None else None,
        all_day=hour is None,
        granularity=_granularity(hour, day.granularity),
        past=start < context.now if start is not None else (day.last or day.first) < context.today,
        ambiguous=day.other is not None,
        alternative=datetime.combine(day.other, Time()) if day.other is not None else None,
        approximate=hour is not None and not hour.exact,
        part=part,
        missing_time=hour is None,
        deadline=True,
    )


def _read_undated(told: Told, context: Context) -> TimeMention | None:
    """An hour without a day: on the day that was asked about, else the next (or last) one that fits."""
    on = context.on
    deadline = told.clock is None and told.end_clock is not None
    if deadline:
        told.clock, told.end_clock = told.end_clock, None
        told.part = told.part or told.end_part
    hour = _hour(told, context, dated=on is not None and on != context.today)
    if hour is None:
        return None
    day = on or context.today
    start = on_day(day, hour.minute)
    if on is None:
        start = _nearest(start, hour, context)
    other = None
    if hour.other is not None:
        other = on_day(start.date(), hour.other % DAY)
        if other <= context.now and not context.past and on is None:
            other += timedelta(days=1)
    return TimeMention(
        spans=NO_SPANS,
        date=start.date(),
        time=start.time(),
        end=range_end(told, start, Day(first=start.date()), context),
        granularity=_granularity(hour, "day"),
        has_date=False,
        past=start < context.now,
        ambiguous=other is not None,
        alternative=other,
        approximate=not hour.exact,
        part=hour.part,
        same_time=told.same_time is not None,
        deadline=deadline,
    )


def _nearest(start: datetime, hour: Hour, context: Context) -> datetime:
    if context.past:
        while start > context.now:
            start -= timedelta(days=1)
        return start
    if hour.minute >= DAY and start - timedelta(days=1) > context.now:
        return start - timedelta(days=1)  # "two at night" said at one
    while start <= context.now:
        start += timedelta(days=1)
    return start


def _read_recurring(told: Told, context: Context) -> TimeMention | None:
    """A recurrence with its first occurrence, or None when its pieces make no rule."""
    facts = recurrence.gather(told.every, told.days, told.excepted)
    text = recurrence.rule(facts)
    if text is None:
        return None
    if told.clock is None and told.end_clock is not None:  # "every other Tuesday by seven"
        told.clock, told.end_clock = told.end_clock, None
    hour = _hour(told, context, dated=True)
    time = on_day(context.today, hour.minute).time() if hour is not None else None
    anchor = _anchor(told, context)
    after = max(context.now, datetime.combine(anchor, Time()) - timedelta(microseconds=1))
    first = recurrence.first_occurrence(text, anchor=datetime.combine(anchor, Time()), after=after, time=time)
    if first is None:
        return None
    text = recurrence.settle(text, first.date())
    text += _until(told, first, context)
    timed = time is not None or text.startswith(("FREQ=HOURLY", "FREQ=MINUTELY"))
    other = hour.other if hour is not None else None
    return TimeMention(
        spans=NO_SPANS,
        date=first.date(),
        time=first.time() if timed else None,
        end=_end_of_each(told, first, context) if timed else None,
        rrule=text,
        all_day=not timed,
        granularity=_granularity(hour, "day"),
        ambiguous=other is not None,
        alternative=on_day(first.date(), other % DAY) if other is not None else None,
        approximate=hour is not None and not hour.exact,
        part=hour.part if hour is not None else "",
        missing_time=not timed,
    )


def _end_of_each(told: Told, first: datetime, context: Context) -> datetime | None:
    """Where each occurrence ends; days told as an end are those of the whole series."""
    if told.end_days and told.end_clock is None and "hour2" not in (told.clock.values if told.clock else {}):
        return None
    return range_end(replace(told, end_days=[]), first, Day(first=first.date()), context)


def _anchor(told: Told, context: Context) -> Date:
    """The day a recurrence starts from: told ("starting Monday"), or today."""
    days = told.start_days
    if not days:
        # "every day at seven, tomorrow first": a day beside the rule that is none of its parts
        days = [
            piece
            for piece in told.days
            if (piece.kind in ("day", "period", "distance") and not is_instant(piece))
            or recurrence.starts_only(piece, told.every)
        ]
        days = [piece for piece in days if "where" not in piece.values]
    if not days:
        return context.today
    day = read_day(days, context)
    return day.first if day is not None and day.first >= context.today else context.today


def _until(told: Told, first: datetime, context: Context) -> str:
    if told.end_days:
        day = read_day(told.end_days, context)
        if day is not None:
            last = day.last or day.first
            while last < first.date():
                last = after_start(last, first.date())
            return f";UNTIL={last:%Y%m%d}T235959"
    if told.duration is not None and told.duration.values.get("unit") not in ("minute", "hour"):
        last = first.date() + length(told.duration.values) - timedelta(days=1)
        return f";UNTIL={last:%Y%m%d}T235959"
    return ""
