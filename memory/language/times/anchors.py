"""What is told from a moment before it in the sentence: "... and two hours later", "the day after at six"."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from datetime import time as Time

from memory.language.tables import tables
from memory.language.times.compose import WHOLE_DAYS, Told
from memory.language.times.context import NO_ANCHOR, Anchor, Context
from memory.language.times.grammar import Grammar
from memory.language.times.hours import Hour, on_day, read_clock, read_part
from memory.language.times.mention import TimeMention

__all__ = ["NO_ANCHOR", "anchored", "placed"]
_LATE, _EARLY = 20, 10  # hours between which a night lies: "from ten at night ... and off at six"
_DENIES = 3  # words before a moment among which a "not" denies it


def anchored(mention: TimeMention, told: Told, folded: str, known: Grammar) -> Anchor | None:
    """The moment that what follows in the sentence may count from; None when it tells no day."""
    local = mention.local
    if local is None or mention.rrule or mention.past:
        return None
    before = re.split(r"[,;:]", folded[: told.pieces[0].start])[-1].split()[-_DENIES:]
    denied = bool(set(before) & set(tables(known.language)["words"]["negation"].split()))
    supposed = mention.day_of_month is not None
    return Anchor(local, mention.time is not None, denied, told.sentence, supposed)


def placed(mention: TimeMention | None, told: Told, anchor: Anchor, context: Context) -> TimeMention | None:
    """A distance to the moment before it in the sentence as a moment of its own; the distance stays told.

    Where no moment stands before it only the distance is known, and the hour of "the day before at six".
    """
    if mention is not None and told.follows:
        return _next_morning(mention, anchor)
    keeps = mention is not None and told.same_time is not None and mention.time is None
    if mention is not None and keeps and mention.date is not None and anchor.at is not None and anchor.timed:
        return replace(mention, time=anchor.at.time(), all_day=False, missing_time=False)
    if mention is None or told.before is None or mention.date is not None:
        return mention
    whole_days = told.before.values.get("unit") in WHOLE_DAYS
    hour = _hour(told, context) if whole_days else None
    time = on_day(context.today, hour.minute).time() if hour is not None else None
    if told.clock is not None:
        mention = replace(mention, time=time)
    if anchor.at is None or not (whole_days or anchor.timed):
        return mention
    start = anchor.at + (mention.relative_after or -(mention.relative_before or timedelta()))
    if whole_days:
        start = datetime.combine(start.date(), time or Time())
    timed = time is not None or not whole_days
    return replace(
        mention,
        date=start.date(),
        time=start.time() if timed else None,
        all_day=not timed,
        has_date=True,
        missing_time=not timed,
        approximate=hour is not None and not hour.exact,
    )


def _next_morning(mention: TimeMention, anchor: Anchor) -> TimeMention:
    """An hour of the morning told after one of the late evening lies in the next day."""
    if anchor.at is None or mention.local is None or mention.rrule or mention.date is None:
        return mention
    late = anchor.timed and anchor.at.hour >= _LATE and mention.local.hour <= _EARLY
    if not late or mention.local > anchor.at:
        return mention
    return replace(mention, date=mention.date + timedelta(days=1), ambiguous=False, alternative=None)


def _hour(told: Told, context: Context) -> Hour | None:
    part = _part(told)
    if told.clock is not None:
        return read_clock(told.clock.values, part, context, dated=True)
    return read_part(part) if part else None


def _part(told: Told) -> str:
    named = (
        told.part.values if told.part is not None else told.before.values if told.before is not None else {}
    )
    return str(named.get("part", ""))
