"""The agenda as a calendar file (RFC 5545), and a calendar file as cards. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from dateutil.rrule import rrulestr
from icalendar import Calendar, Component, Event, Todo, vRecur

from memory import language as lang
from memory.errors import InvalidInput
from memory.records import Author, Card, CardStatus, Category, NewCard, When

MOST_ENTRIES = 500
MOST_BYTES = 1_000_000
MOST_CHARS = 1000  # of one entry's text
_RING = timedelta(minutes=15)  # a reminder needs some length to be seen in a calendar
_MOST_RULE = 300
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
MOST_LEFT_OUT = 400  # occurrences of one series


@dataclass(frozen=True, kw_only=True)
class Read:
    """What a calendar file holds."""

    cards: tuple[NewCard, ...]
    skipped: int  # entries without a title or a day, or with a rule that cannot be read


def to_ics(cards: Iterable[Card], *, now: datetime, name: str, private: str) -> bytes:
    """The visible cards that have a moment, as a calendar.

    Args:
        name: how calendar programs call it.
        private: what stands for the words of a sensitive card: the file goes to other programs.
    """
    calendar = Calendar()
    calendar.add("prodid", "-//Asterism//Agenda//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", name)
    for card in cards:
        if card.visible and card.when is not None and card.status is CardStatus.ACTIVE:
            entry = _entry(card, card.when, now=now, private=private)
            if entry is not None:
                calendar.add_component(entry)
    calendar.add_missing_timezones()
    return bytes(calendar.to_ical())


def _entry(card: Card, when: When, *, now: datetime, private: str) -> Component | None:
    is_task = card.category is Category.TASK
    entry = Todo() if is_task else Event()
    entry.add("uid", f"{card.public_id}@asterism")
    entry.add("dtstamp", now)
    entry.add("created", card.learned_at)
    entry.add("sequence", card.version - 1)
    entry.add("summary", private if card.sensitive else _printable(card.title or card.text))
    if card.title and card.text != card.title and not card.sensitive:
        entry.add("description", _printable(card.text))
    start, end = _span(card, when)
    entry.add("dtstart", start)
    if is_task:
        entry.add("due", end)
        entry.add("status", "NEEDS-ACTION")
    else:
        entry.add("dtend", end)
    if when.rrule:
        try:
            entry.add("rrule", vRecur.from_ical(_with_aware_until(when)))
        except ValueError:
            return None
        left_out = [_start(when, each) for each in when.exdates]
        if left_out:
            entry.add("exdate", left_out)
    return entry


def _printable(text: str) -> str:
    """Text without the control characters that no line may hold (RFC 5545, 3.1)."""
    return _CONTROL.sub(" ", text)


def _span(card: Card, when: When) -> tuple[date, date]:
    """Start and end as the file wants them: the end is the first moment that no longer belongs to it."""
    if when.all_day:
        last = when.end.date() if when.end is not None else when.start.date()
        return when.start.date(), last + timedelta(days=1)
    place = ZoneInfo(when.zone)
    start = _start(when, when.start)
    if when.end is not None and when.end > when.start:
        return start, when.end.replace(tzinfo=place)
    # In UTC and back, so that a change of the clock in between does not shorten it.
    length = _RING if card.category is not Category.EVENT else timedelta(hours=1)
    return start, (lang.resolve(when.start, when.zone) + length).astimezone(place)


def _start(when: When, start: datetime) -> date:
    """A start as the file wants it: a day, or a time in the zone."""
    return start.date() if when.all_day else start.replace(tzinfo=ZoneInfo(when.zone))


def _with_aware_until(when: When) -> str:
    """The rule with its end in the form that its start demands (RFC 5545, 3.3.10)."""
    parts = [part.partition("=") for part in (when.rrule or "").split(";") if part]
    told = {name.upper(): value for name, _, value in parts}
    if "UNTIL" in told:
        until = told["UNTIL"]
        day = date(int(until[:4]), int(until[4:6]), int(until[6:8]))
        if when.all_day:
            told["UNTIL"] = day.strftime("%Y%m%d")
        elif not until.endswith("Z"):
            hour = time(int(until[9:11]), int(until[11:13])) if "T" in until else time(23, 59, 59)
            last = lang.resolve(datetime.combine(day, hour), when.zone)
            told["UNTIL"] = last.astimezone(ZoneInfo("UTC")).strftime("%Y%m%dT%H%M%SZ")
    return ";".join(f"{name}={value}" for name, value in told.items())


def from_ics(data: bytes, *, zone: str, language: str) -> Read:
    """The entries of a calendar file as cards to be kept: events, and tasks with or without a day.

    Args:
        zone: for times that name none.

    Raises:
        InvalidInput: it is no calendar file, or it is too large.
    """
    if len(data) > MOST_BYTES:
        raise InvalidInput("This calendar file is too large: at most one megabyte.")
    try:
        calendars = Calendar.from_ical(data, multiple=True)
        entries = [each for one in calendars for each in one.walk() if each.name in ("VEVENT", "VTODO")]
    # Broad on purpose: a parser meets every kind of broken file, and each means the same to the person.
    except Exception:
        raise InvalidInput("This is no calendar file that can be read.") from None
    if not calendars:
        raise InvalidInput("This is no calendar file that can be read.")
    if len(entries) > MOST_ENTRIES:
        raise InvalidInput("This calendar holds more than %(most)s entries.", most=MOST_ENTRIES)
    found, skipped = [], 0
    replaced = _replaced(entries)
    for entry in entries:
        try:
            card = _card(entry, replaced.get(str(entry.get("UID", "")), ()), zone=zone, language=language)
        # Broad on purpose: as above, for one entry.
        except Exception:
            card = None
        if card is None:
            skipped += 1
        else:
            found.append(card)
    return Read(cards=tuple(found), skipped=skipped)


def _card(entry: Any, replaced: Iterable[date], *, zone: str, language: str) -> NewCard | None:
    title = " ".join(str(entry.get("SUMMARY", "")).split())[:MOST_CHARS]
    is_task = entry.name == "VTODO"
    if not title or str(entry.get("STATUS", "")).upper() in ("CANCELLED", "COMPLETED"):
        return None
    when = _when(entry, "DUE" if is_task and "DUE" in entry else "DTSTART", replaced, zone=zone)
    if when is None and not is_task:
        return None
    place = " ".join(str(entry.get("LOCATION", "")).split())[:MOST_CHARS]
    return NewCard(
        category=Category.TASK if is_task else Category.EVENT,
        text=f"{title} ({place})" if place and not is_task else title,
        language=language,
        author=Author.IMPORT,
        when=when,
        consult=True,  # a past event that was brought in is meant to be looked up
    )


def _when(entry: Any, name: str, replaced: Iterable[date], *, zone: str) -> When | None:
    if name not in entry:
        return None
    start = entry.decoded(name)
    rule = entry.get("RRULE")
    rrule = rule.to_ical().decode() if rule is not None else None
    all_day = not isinstance(start, datetime)
    local, own_zone = _local(start, zone)
    end = entry.decoded("DTEND") if "DTEND" in entry and name == "DTSTART" else None
    if end is None and "DURATION" in entry and name == "DTSTART":
        end = start + entry.decoded("DURATION")
    last = None if end is None else _local(end, own_zone, to=own_zone)[0]
    if all_day and last is not None:
        last -= timedelta(days=1)  # the file's end is the first day that is free again
    if rrule is not None:
        if len(rrule) > _MOST_RULE:
            return None
        rrulestr(rrule, dtstart=local, ignoretz=True)  # raises when it cannot be read
    return When(
        start=local,
        zone=own_zone,
        all_day=all_day,
        end=last if last is not None and last > local else None,
        rrule=rrule,
        exdates=_left_out(entry, replaced, own_zone) if rrule is not None else (),
    )


def _left_out(entry: Any, replaced: Iterable[date], zone: str) -> tuple[datetime, ...]:
    """The starts of occurrences that a file excludes, or replaces by entries of their own."""
    told = entry.get("EXDATE", [])
    listed = [each.dt for one in (told if isinstance(told, list) else [told]) for each in one.dts]
    return tuple(sorted({_local(each, zone, to=zone)[0] for each in (*listed, *replaced)}))[-MOST_LEFT_OUT:]


def _replaced(entries: Iterable[Any]) -> dict[str, list[date]]:
    """By the name of a series: which of its occurrences other entries of the file replace or call off."""
    found: dict[str, list[date]] = {}
    for entry in entries:
        if "RECURRENCE-ID" in entry:
            with suppress(ValueError, TypeError):
                found.setdefault(str(entry.get("UID", "")), []).append(entry.decoded("RECURRENCE-ID"))
    return found


def _local(value: date, zone: str, *, to: str = "") -> tuple[datetime, str]:
    """Wall-clock time and zone of a date or time in a file; UTC and unknown zones become the person's."""
    if not isinstance(value, datetime):
        return datetime.combine(value, time()), zone
    if value.tzinfo is None:
        return value.replace(second=0, microsecond=0), zone
    named = to or str(getattr(value.tzinfo, "key", ""))
    place = named if named in available_timezones() and named not in ("UTC", "Etc/UTC") else zone
    shown = value.astimezone(ZoneInfo(place)).replace(tzinfo=None)
    return shown.replace(second=0, microsecond=0), place
