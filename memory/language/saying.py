"""How moments are said to a person, in their language.

`[say]` in `data/<language>.toml` holds the templates: `weekdays`, `months`, `time`, `date`,
`date_year`, `day_month`, `at` (`at_one` where one o'clock takes another word), `range`, `days`; for
recurrences `daily`, `days_n`, `each` and `each_more` (the first weekday of a list, and the others),
`on` (weekdays after an interval; else `each_more`), `workdays`, `weekend`, `two_weeks`, `weeks_n`,
`month_day`, `month_last_day`, `months_n`, `months_n_last_day`, `nth` and `nth_weekday` (their
`_feminine` forms for the weekdays in `feminine`), `yearly`, `hours_n`, `minutes_n`, `other`,
`at_recurring`, `range_recurring`, `first`, `until`; `just_now`, `ago`, `units`; `numbers` in words.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date as Date
from datetime import datetime, timedelta
from datetime import time as Time
from typing import Any

from memory.language.tables import tables
from memory.records import When

CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_DAY_S = 86400
# unit, seconds from which it is used, its own seconds
_AGO = (
    ("year", 365 * _DAY_S, 365 * _DAY_S),
    ("month", 60 * _DAY_S, 30 * _DAY_S),
    ("week", 14 * _DAY_S, 7 * _DAY_S),
    ("day", _DAY_S, _DAY_S),
    ("hour", 3600, 3600),
    ("minute", 60, 60),
)
WORKDAYS = ("MO", "TU", "WE", "TH", "FR")


def say_time(time: Time, *, language: str) -> str:
    """An hour as the language writes it: "17:00", "17:00 Uhr", "17h00"."""
    return _fill(_say(language)["time"], h=time.hour, m=f"{time.minute:02}")


def say_date(day: Date, *, language: str, now: datetime) -> str:
    """Weekday and date in full, the year only when it is not this one.

    >>> say_date(Date(2026, 3, 12), language="pt", now=datetime(2026, 1, 1))
    'quinta-feira, 12 de março'
    """
    words = _say(language)
    template = words["date"] if day.year == now.year else words["date_year"]
    return _fill(
        template,
        weekday=words["weekdays"][day.weekday()],
        day=_day(day.day, words),
        month=words["months"][day.month - 1],
        year=day.year,
    )


def say_when(when: When, *, language: str, now: datetime, with_first: bool = True) -> str:
    """A moment or a recurrence in words.

    "Thursday 12 March at 17:00", "quinta-feira, 12 de março, às 17:00",
    "alle zwei Wochen dienstags um 19:00 Uhr, das erste Mal am Dienstag, 9. Juni".

    Args:
        now: decides whether the year is said.
        with_first: whether of an interval the first day is said too.
    """
    if when.rrule:
        return _say_recurring(when, language=language, now=now, with_first=with_first)
    words = _say(language)
    if when.is_month:
        template = words["month"] if when.start.year == now.year else words["month_year"]
        return _fill(template, month=words["months"][when.start.month - 1], year=when.start.year)
    date = say_date(when.start.date(), language=language, now=now)
    if when.all_day:
        if when.end is None or when.end.date() <= when.start.date():
            return date
        return _fill(words["days"], date=date, end=say_date(when.end.date(), language=language, now=now))
    time = say_time(when.start.time(), language=language)
    if when.end is not None and when.end.date() == when.start.date():
        return _fill(words["range"], date=date, time=time, end=say_time(when.end.time(), language=language))
    return _fill(_at("at", when.start.hour, words), date=date, time=time)


def ago(delta: timedelta, language: str) -> str:
    """How long ago, short and rounded down: "12 min ago", "vor 12 Min.", "há 12 min"."""
    words = _say(language)
    seconds = max(0.0, delta.total_seconds())
    if seconds < 60:
        return str(words["just_now"])
    unit, size = next((unit, size) for unit, least, size in _AGO if seconds >= least)
    amount = int(seconds // size)
    return _fill(words["ago"], n=amount, unit=words["units"][unit][amount != 1])


def _say(language: str) -> Mapping[str, Any]:
    words: Mapping[str, Any] = tables(language)["say"]
    return words


def _fill(template: str, **values: object) -> str:
    return template.format(**values)


def _day(day: int, words: Mapping[str, Any]) -> str:
    return str(words["first_day"]) if day == 1 and "first_day" in words else str(day)


def _ordinal(day: int) -> str:
    suffix = "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{suffix}"


def _at(name: str, hour: int, words: Mapping[str, Any]) -> str:
    return str(words[f"{name}_one"] if hour == 1 and f"{name}_one" in words else words[name])


def _number(n: int, words: Mapping[str, Any]) -> str:
    return str(words["numbers"].get(str(n), n))


def _say_recurring(when: When, *, language: str, now: datetime, with_first: bool) -> str:
    words = _say(language)
    rule = dict(part.split("=", 1) for part in str(when.rrule).split(";") if "=" in part)
    interval = int(rule.get("INTERVAL", 1))
    every = _every(rule, interval, when.start, words)
    if not when.all_day and rule.get("FREQ") not in ("HOURLY", "MINUTELY"):
        time = say_time(when.start.time(), language=language)
        if when.end is not None and when.end.date() == when.start.date():
            end = say_time(when.end.time(), language=language)
            every = _fill(words["range_recurring"], every=every, time=time, end=end)
        else:
            every = _fill(_at("at_recurring", when.start.hour, words), every=every, time=time)
    if with_first and interval > 1 and rule.get("FREQ") not in ("HOURLY", "MINUTELY"):
        first = say_date(when.start.date(), language=language, now=now)
        every = _fill(words["first"], every=every, date=first)
    if until := rule.get("UNTIL"):
        last = datetime.strptime(until[:8], "%Y%m%d").date()  # noqa: DTZ007  # a day, without a zone
        every = _fill(words["until"], every=every, date=say_date(last, language=language, now=now))
    return every


def _every(rule: Mapping[str, str], interval: int, start: datetime, words: Mapping[str, Any]) -> str:
    frequency = rule.get("FREQ", "")
    n = _number(interval, words)
    if frequency == "WEEKLY" or (frequency == "DAILY" and "BYDAY" in rule and interval == 1):
        return _weekly(rule.get("BYDAY", CODES[start.weekday()]).split(","), interval, words)
    if frequency == "DAILY":
        return _fill(words["daily"] if interval == 1 else words["days_n"], n=n)
    if frequency == "MONTHLY":
        return _monthly(rule, interval, start, words)
    if frequency == "YEARLY" and "BYDAY" not in rule:
        date = _fill(words["day_month"], day=_day(start.day, words), month=words["months"][start.month - 1])
        return _fill(words["yearly"], date=date)
    if frequency in ("HOURLY", "MINUTELY"):
        forms = words["hours_n" if frequency == "HOURLY" else "minutes_n"]
        return _fill(forms["1" if interval == 1 else "0"], n=n)
    return str(words["other"])


def _weekly(codes: list[str], interval: int, words: Mapping[str, Any]) -> str:
    days = sorted(CODES.index(code[-2:]) for code in codes)
    if interval == 1:
        if tuple(CODES[day] for day in days) == WORKDAYS:
            return str(words["workdays"])
        if days == [5, 6]:
            return str(words["weekend"])
        return _list([words["each"][days[0]], *(words["each_more"][day] for day in days[1:])], words)
    more = _list([words.get("on", words["each_more"])[day] for day in days], words)
    return _fill(
        words["two_weeks"] if interval == 2 else words["weeks_n"], n=_number(interval, words), more=more
    )


def _monthly(rule: Mapping[str, str], interval: int, start: datetime, words: Mapping[str, Any]) -> str:
    n = _number(interval, words)
    codes = rule.get("BYDAY", "").split(",")
    if tuple(codes) == WORKDAYS and "BYSETPOS" in rule:
        position = rule["BYSETPOS"]
        return _fill(words["nth_workday"], nth=words["nth"].get(position, position))
    if len(codes[0]) > 2:
        day = CODES.index(codes[0][-2:])
        form = "_feminine" if day in words.get("feminine", []) else ""
        nth = _list([words[f"nth{form}"].get(code[:-2].lstrip("+"), code[:-2]) for code in codes], words)
        return _fill(words[f"nth_weekday{form}"], nth=nth, weekday=words["weekdays"][day])
    days = rule.get("BYMONTHDAY", str(start.day)).split(",")
    if days[-1] == "-1":
        return _fill(words["month_last_day"] if interval == 1 else words["months_n_last_day"], n=n)
    told = [int(days[-1])] if "BYSETPOS" in rule else [int(day) for day in days]
    template = words["month_day"] if interval == 1 else words["months_n"]
    return _fill(
        template,
        n=n,
        day=_list([_day(day, words) for day in told], words),
        dotted=_list([f"{day}." for day in told], words),
        ordinal=_list([_ordinal(day) for day in told], words),
    )


def _list(parts: list[str], words: Mapping[str, Any]) -> str:
    if len(parts) == 1:
        return parts[0]
    return ", ".join(parts[:-1]) + f" {words['and']} {parts[-1]}"
