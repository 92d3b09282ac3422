"""When a reminder is due, and what a person does with something that is to be done.

A recurring reminder is a wall-clock time: it follows its owner into another zone
and over changes of the clock. A single one is an instant and stays where it was set.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr
from sqlalchemy.orm import Session

from memory import language as lang
from memory.cards.nature import is_coming
from memory.errors import Conflict, InvalidInput
from memory.records import Card, CardStatus, Category, When
from memory.storage import cards as rows
from memory.storage import deliveries

LATE_AFTER = timedelta(minutes=1)  # a reminder that comes later than this says so
SNOOZE = timedelta(minutes=10)
MOST_SNOOZE = timedelta(days=366)
_KEPT_FOR = timedelta(days=400)  # what was left out longer ago no calendar asks for
_BY_THE_CLOCK = ("HOURLY", "MINUTELY", "SECONDLY")  # these count time passed: no journey changes them


def first_due(category: Category, when: When | None, *, now: datetime) -> datetime | None:
    """The next firing of a reminder; None for everything else and for what is past."""
    if category is not Category.REMINDER or when is None or not is_coming(when, now=now):
        return None
    return lang.next_occurrence(when, after=now)


def following(when: When | None, *, after: datetime) -> datetime | None:
    """The firing after `after` of a recurring reminder; None when there is no further one."""
    if when is None or not when.rrule:
        return None
    return lang.next_occurrence(when, after=after)


def in_zone(when: When, due_at: datetime, zone: str) -> datetime:
    """When the occurrence that is due at `due_at` happens for someone who is in `zone` now.

    The occurrence that waits keeps its wall-clock time, so that each fires exactly
    once wherever its owner travels: going east its moment may lie in the past, and it
    is then late. What was snoozed is an instant and stays.
    """
    if not when.rrule or any(f"FREQ={each}" in when.rrule for each in _BY_THE_CLOCK):
        return due_at
    shown = due_at.astimezone(ZoneInfo(when.zone)).replace(tzinfo=None)
    # A gap of the clock moves an occurrence forward: the one that is due may be written earlier.
    written = rrulestr(when.rrule, dtstart=when.start, ignoretz=True).before(shown, inc=True)
    if written is None or lang.resolve(written, when.zone) != due_at:
        return due_at
    return lang.resolve(written, zone)


def snooze(session: Session, card: Card, *, until: datetime, now: datetime) -> Card:
    """Put something off: a reminder rings at `until` instead, a task is due then.

    Raises:
        InvalidInput: the moment has passed, or is more than a year away.
        Conflict: it is over, or it is nothing that could be put off.
    """
    _only_open(card)
    if not now < until <= now + MOST_SNOOZE:
        raise InvalidInput("Choose a moment that is still to come, within a year.")
    deliveries.acknowledge(session, card.person_id, [card.id], now=now)
    if card.category is Category.REMINDER:
        return rows.change(session, card.id, now=now, due_at=until, **_brought_forward(card, until))
    if card.category is not Category.TASK or card.when is None:
        raise Conflict("Only reminders and tasks with a day can be put off.")
    start = until.astimezone(ZoneInfo(card.when.zone)).replace(tzinfo=None, second=0, microsecond=0)
    if card.when.all_day:
        start = datetime.combine(start.date(), datetime.min.time())
    return rows.change(session, card.id, now=now, **rows.when_columns(_starting(card.when, start)))


def _brought_forward(card: Card, until: datetime) -> dict[str, object]:
    """What keeps an occurrence that rings earlier, only this time, from ringing at its own hour too."""
    when = card.when
    if when is None or not when.rrule or card.due_at is None or until >= card.due_at:
        return {}
    own = card.due_at.astimezone(ZoneInfo(when.zone)).replace(tzinfo=None, second=0, microsecond=0)
    return rows.when_columns(replace(when, exdates=tuple(sorted({*when.exdates, own}))))


def skip(session: Session, card: Card, *, now: datetime, day: date | None = None) -> Card:
    """Leave the next occurrence of a recurring item out, or that of a day; the series goes on.

    Args:
        day: in the item's zone.

    Raises:
        Conflict: it is over, it does not recur, or nothing of it falls on that day.
    """
    _only_open(card)
    when = card.when
    if when is None or not when.rrule:
        raise Conflict("This does not repeat, so nothing of it can be skipped.")
    if card.category is Category.REMINDER and card.due_at is None:
        raise Conflict("This does not ring again, so nothing of it can be skipped.")
    deliveries.acknowledge(session, card.person_id, [card.id], now=now)
    left_out = _occurrence(when, card, day=day, now=now)
    if left_out is None:
        if day is not None or card.category is Category.REMINDER:  # it was put off: that ring is left out
            return _passed_over(session, card, when, now=now) if day is None else _nothing_then()
        _done(session, card, now=now)
        return card
    if card.category is Category.TASK and left_out <= when.start:
        return _passed_over(session, card, when, now=now)
    kept = [each for each in when.exdates if each > left_out - _KEPT_FOR]
    when = replace(when, exdates=tuple(sorted({*kept, left_out})))
    columns = rows.when_columns(when)
    if card.due_at is not None and card.due_at == lang.resolve(left_out, when.zone):
        columns["due_at"] = following(when, after=max(now, card.due_at))
    return rows.change(session, card.id, now=now, **columns)


def _occurrence(when: When, card: Card, *, day: date | None, now: datetime) -> datetime | None:
    """The wall-clock start of the occurrence that is to be left out; None when there is none."""
    if day is not None:
        after = lang.resolve(datetime.combine(day, time()), when.zone) - timedelta(microseconds=1)
    elif card.due_at is not None:
        after = card.due_at - timedelta(microseconds=1)
    elif card.category is Category.TASK:
        return when.start
    else:
        after = now - timedelta(days=1) if when.all_day else now
    coming = following(when, after=after)
    if coming is None or (day is not None and coming.date() != day):
        return None
    if day is None and card.due_at is not None and coming != card.due_at:
        return None
    return coming.replace(tzinfo=None, second=0, microsecond=0)


def _nothing_then() -> Card:
    raise Conflict("Nothing of this falls on that day.")


def _passed_over(session: Session, card: Card, when: When, *, now: datetime) -> Card:
    """Go on to the next occurrence: this one is done, or was put off and is not wanted any more."""
    if card.category is Category.REMINDER and card.due_at is not None:
        return rows.change(session, card.id, now=now, due_at=following(when, after=max(now, card.due_at)))
    here = lang.resolve(when.start, when.zone)
    coming = following(when, after=max(here, now - timedelta(days=1) if when.all_day else now))
    if coming is None:
        _done(session, card, now=now)
        return card
    start = coming.astimezone(ZoneInfo(when.zone)).replace(tzinfo=None)
    return rows.change(session, card.id, now=now, **rows.when_columns(_starting(when, start)))


def tick(session: Session, card: Card, *, now: datetime) -> bool:
    """Note that something is done; of what recurs, today's occurrence only. False when it was over.

    To end a whole series, call it off (`remember.complete` with CANCELLED).
    """
    if card.status is not CardStatus.ACTIVE:
        return False
    deliveries.acknowledge(session, card.person_id, [card.id], now=now)
    if card.when is None or not card.when.rrule:
        return _done(session, card, now=now)
    if card.category is Category.REMINDER:
        if card.due_at is not None and _same_day(card.due_at, now, card.when.zone):
            _passed_over(session, card, card.when, now=now)
        elif card.due_at is None:
            return _done(session, card, now=now)
        return True
    _passed_over(session, card, card.when, now=now)
    return True


def reopen(session: Session, card: Card, *, now: datetime) -> bool:
    """Take "done" or "called off" back; it rings again when its moment is still to come."""
    if card.status not in (CardStatus.DONE, CardStatus.CANCELLED):
        return False
    if rows.set_status(session, [card.id], CardStatus.ACTIVE, now=now, was=card.status) != 1:
        return False
    if card.due_at is None or card.due_at <= now:
        rows.change(session, card.id, now=now, due_at=first_due(card.category, card.when, now=now))
    return True


def _done(session: Session, card: Card, *, now: datetime) -> bool:
    return rows.set_status(session, [card.id], CardStatus.DONE, now=now, was=CardStatus.ACTIVE) == 1


def _only_open(card: Card) -> None:
    if card.status is not CardStatus.ACTIVE:
        raise Conflict("This is over already.")


def _same_day(one: datetime, other: datetime, zone: str) -> bool:
    place = ZoneInfo(zone)
    return one.astimezone(place).date() == other.astimezone(place).date()


def _starting(when: When, start: datetime) -> When:
    end = None if when.end is None else when.end + (start - when.start)
    return replace(when, start=start, end=end)
