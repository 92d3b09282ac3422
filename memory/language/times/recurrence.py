"""Recurrence: what "every other Tuesday" and "am letzten Freitag im Monat" mean, as an RFC 5545 rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date as Date
from datetime import datetime, timedelta
from datetime import time as Time
from typing import Any

from dateutil.rrule import rrulestr

from memory.language.times.grammar import Piece
from memory.language.times.holidays import FIXED

CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
WORKDAYS = CODES[:5]
_FREQUENCY = {
    "minute": "MINUTELY",
    "hour": "HOURLY",
    "day": "DAILY",
    "week": "WEEKLY",
    "fortnight": "WEEKLY",
    "weekend": "WEEKLY",
    "month": "MONTHLY",
    "year": "YEARLY",
}
SHORTEST_MONTH = 28  # days beyond it do not come every month: there the month's last day is meant


def gather(every: Sequence[Piece], days: Sequence[Piece], excepted: Sequence[Piece]) -> dict[str, Any]:
    """One table of all that was told of a recurrence, from its pieces and the days told beside them."""
    told: dict[str, Any] = {}
    for piece in every:
        told.update(piece.values)
    starts = tuple(piece for piece in days if starts_only(piece, every))
    for piece in days:
        if piece in starts:
            continue
        keys = {
            "weekday": ("weekday",),
            "monthday": ("day",),
            "date": ("day", "month"),
            "nth": ("nth", "weekday", "month"),
            "month": ("month",),
            "period": ("where",),
        }.get(piece.kind, ())
        told.update({key: piece.values[key] for key in keys if key in piece.values and key not in told})
        if piece.kind == "holiday" and piece.values["holiday"] in FIXED:
            told["month"], told["day"] = FIXED[piece.values["holiday"]]
        if piece.kind == "numeric":
            told.setdefault("day", piece.values["num"])
            told.setdefault("month", piece.values["num2"])
    told["except"] = tuple(index for piece in excepted for index in _weekdays(piece.values))
    return told


def starts_only(day: Piece, every: Sequence[Piece]) -> bool:
    """Whether a date beside a rule only says from when it holds: "every Friday from the 27th"."""
    if day.kind not in ("monthday", "date", "numeric", "holiday"):
        return False
    return any(
        (_weekdays(piece.values) and "nth" not in piece.values)
        or piece.values.get("unit") in ("minute", "hour", "day", "week", "fortnight", "weekend")
        for piece in every
    )


def _weekdays(values: Mapping[str, Any]) -> tuple[int, ...]:
    if "from" in values and "upto" in values:
        first, last = int(values["from"]), int(values["upto"])
        return tuple((first + step) % 7 for step in range((last - first) % 7 + 1))
    listed = tuple(int(index) for index in values.get("list", values.get("plurals", ())))
    return listed or ((int(values["weekday"]),) if "weekday" in values else ())


def rule(told: Mapping[str, Any]) -> str | None:
    """The RFC 5545 rule, without DTSTART and without an end, or None when nothing recurs."""
    unit = str(told.get("unit", ""))
    if not unit and "part" in told:
        unit = "day"  # "every evening"
    interval = int(told.get("interval", told.get("num", told.get("count", 1))))
    if unit == "fortnight":
        interval *= 2
    weekdays = tuple(index for index in _weekdays(told) if index not in told["except"])
    parts: list[str] = []
    frequency = _FREQUENCY.get(unit, "WEEKLY")
    if "nth" in told and told.get("workdays"):
        frequency = "MONTHLY"
        parts += ["BYDAY=" + ",".join(WORKDAYS), f"BYSETPOS={int(told['nth'])}"]
    elif "nth" in told and weekdays:
        frequency = "YEARLY" if "month" in told else "MONTHLY"
        if frequency == "YEARLY":
            parts.append(f"BYMONTH={int(told['month'])}")
        counted = [int(told[name]) for name in ("nth", "nth2") if name in told]
        parts.append("BYDAY=" + ",".join(f"{n}{CODES[index]}" for n in counted for index in sorted(weekdays)))
    elif "monthdays" in told:
        frequency = "MONTHLY"
        days = sorted({-1 if day >= 31 else int(day) for day in told["monthdays"]}, key=lambda day: day % 32)
        parts.append("BYMONTHDAY=" + ",".join(map(str, days)))
    elif "day" in told:
        frequency = "YEARLY" if "month" in told else "MONTHLY"
        if frequency == "YEARLY":
            parts.append(f"BYMONTH={int(told['month'])}")
        parts += _month_day(int(told["day"]), yearly=frequency == "YEARLY")
    elif told.get("where") in ("start", "end") and unit in ("", "month"):
        frequency = "MONTHLY"
        parts.append("BYMONTHDAY=" + ("1" if told["where"] == "start" else "-1"))
    elif weekdays:
        frequency = "WEEKLY"
        parts.append("BYDAY=" + ",".join(CODES[index] for index in sorted(weekdays)))
    elif unit == "weekend":
        parts.append("BYDAY=SA,SU")
    elif not unit:
        return None
    elif told["except"] and frequency == "DAILY" and interval == 1:
        frequency = "WEEKLY"
        left = [CODES[index] for index in range(7) if index not in told["except"]]
        parts.append("BYDAY=" + ",".join(left))
    step = [f"INTERVAL={interval}"] if interval > 1 else []
    return ";".join([f"FREQ={frequency}", *step, *parts])


def _month_day(day: int, *, yearly: bool) -> list[str]:
    if yearly or day <= SHORTEST_MONTH:
        return [f"BYMONTHDAY={day}"]
    if day >= 31:
        return ["BYMONTHDAY=-1"]
    return ["BYMONTHDAY=" + ",".join(map(str, range(SHORTEST_MONTH, day + 1))), "BYSETPOS=-1"]


def settle(text: str, first: Date) -> str:
    """The rule with the day it leaves open taken from its first occurrence ("every week", "every month")."""
    if text.startswith("FREQ=WEEKLY") and "BYDAY" not in text:
        return f"{text};BYDAY={CODES[first.weekday()]}"
    if text.startswith("FREQ=MONTHLY") and "BY" not in text:
        return ";".join([text, *_month_day(first.day, yearly=False)])
    return text


def first_occurrence(text: str, *, anchor: datetime, after: datetime, time: Time | None) -> datetime | None:
    """The first occurrence from `anchor` on that lies after `after` (for whole days: not before it).

    The interval is not counted yet: it starts with what is found here.
    """
    open_day = settle(text, anchor.date()) == text
    plain = ";".join(part for part in text.split(";") if not part.startswith("INTERVAL="))
    start = datetime.combine(anchor.date(), time or Time())
    if text.startswith(("FREQ=HOURLY", "FREQ=MINUTELY")):
        unit = timedelta(hours=1) if text.startswith("FREQ=HOURLY") else timedelta(minutes=1)
        if time is not None and start > after:
            return start
        interval = next(
            (int(p.removeprefix("INTERVAL=")) for p in text.split(";") if p.startswith("INTERVAL=")), 1
        )
        if time is not None:  # the series goes on from the hour that has passed
            while start <= after:
                start += unit * interval
            return start
        return (after + unit * interval).replace(second=0, microsecond=0)
    if not open_day and start <= after and time is not None:
        # "every week" with its day open starts tomorrow when today's hour has passed.
        start += timedelta(days=1)
        return start
    found = rrulestr(plain, dtstart=start)
    if time is None:
        return found.after(datetime.combine(after.date(), Time()), inc=True)
    return found.after(after)
