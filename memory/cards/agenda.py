"""What is to be done, in the order of a day: late, today, coming, some time, done. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from memory import language as lang
from memory.records import Card, CardStatus, Category, When
from memory.storage.deliveries import Delivery

MISSED_FOR = timedelta(days=7)  # what rang and nobody saw stays in sight that long


class Shelf(StrEnum):
    """Where an item stands on the page."""

    LATE = "late"
    TODAY = "today"
    COMING = "coming"
    SOME_TIME = "some_time"  # tasks without a day
    DONE = "done"


@dataclass(frozen=True, kw_only=True)
class Item:
    """One thing on the agenda."""

    card: Card
    shelf: Shelf
    at: datetime | None  # aware, in the person's zone
    day: date | None
    has_time: bool
    rang: bool = False  # it has rung and was not ticked
    snoozed: bool = False


def arrange(
    found: Iterable[Card], rung: Mapping[int, Delivery], *, now: datetime, zone: str
) -> dict[Shelf, list[Item]]:
    """Every shelf with its items, by their moment; what is done last comes first.

    Args:
        found: tasks, reminders and dated events, open or ended.
        rung: the newest firing of each card that fired.
        zone: where the person is.
    """
    shelves: dict[Shelf, list[Item]] = {shelf: [] for shelf in Shelf}
    for card in found:
        item = _item(card, rung.get(card.id), now=now, zone=zone)
        if item is not None:
            shelves[item.shelf].append(item)
    end_of_time = now + timedelta(days=100_000)
    for shelf, items in shelves.items():
        # Whole days stand before the hours of their day.
        items.sort(
            key=lambda each: (each.day or date.max, each.has_time, each.at or end_of_time, each.card.id)
        )
        if shelf is Shelf.DONE:
            items.reverse()
    return shelves


def _item(card: Card, rung: Delivery | None, *, now: datetime, zone: str) -> Item | None:
    place = ZoneInfo(zone)
    if card.status is not CardStatus.ACTIVE:
        at = _moment(card, now=now)
        return _placed(card, Shelf.DONE, None if at is None else at.astimezone(place))
    if card.category is Category.REMINDER:
        return _reminder(card, rung, now=now, place=place)
    at = _moment(card, now=now)
    if at is None:
        return _placed(card, Shelf.SOME_TIME, None) if card.category is Category.TASK else None
    assert card.when is not None  # noqa: S101 (it has a moment)
    # A whole day is that day wherever one is; an hour is an instant.
    at = at if card.when.all_day else at.astimezone(place)
    today = now.astimezone(place).date()
    if card.category is Category.TASK:
        is_late = at.date() < today or (not card.when.all_day and at < now)
        return _placed(card, Shelf.LATE if is_late else _by_day(at.date(), today), at)
    last = _last_day(card.when, at)
    if last < today:
        return None
    return _placed(card, Shelf.TODAY if at.date() <= today else Shelf.COMING, at)


def _reminder(card: Card, rung: Delivery | None, *, now: datetime, place: ZoneInfo) -> Item:
    today = now.astimezone(place).date()
    is_unseen = rung is not None and rung.acknowledged_at is None
    if card.due_at is not None:
        at = card.due_at.astimezone(place)
        shelf = Shelf.LATE if at < now else _by_day(at.date(), today)
        return _placed(card, shelf, at, rang=is_unseen, snoozed=_is_snoozed(card))
    last = rung.due_at if rung is not None else _moment(card, now=now)
    at = now.astimezone(place) if last is None else last.astimezone(place)
    if rung is not None and at.date() == today:  # seen is not done: it stays until the day is over
        return _placed(card, Shelf.TODAY, at, rang=True)
    is_missed = is_unseen and now - at < MISSED_FOR
    return _placed(card, Shelf.LATE if is_missed else Shelf.DONE, at, rang=is_missed)


def _placed(
    card: Card, shelf: Shelf, at: datetime | None, *, rang: bool = False, snoozed: bool = False
) -> Item:
    return Item(
        card=card,
        shelf=shelf,
        at=at,
        day=None if at is None else at.date(),
        has_time=card.when is not None and not card.when.all_day,
        rang=rang,
        snoozed=snoozed,
    )


def _by_day(day: date, today: date) -> Shelf:
    return Shelf.TODAY if day <= today else Shelf.COMING


def _moment(card: Card, *, now: datetime) -> datetime | None:
    """When a card happens: of what recurs, the occurrence of today or the next one."""
    when = card.when
    if when is None:
        return None
    start = lang.resolve(when.start, when.zone)
    if not when.rrule or card.category is Category.TASK:
        return start
    today = now.astimezone(ZoneInfo(when.zone)).replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        return lang.next_occurrence(when, after=today - timedelta(microseconds=1)) or start
    except ValueError:
        return start  # a rule from elsewhere that cannot be read


def _last_day(when: When, at: datetime) -> date:
    if when.end is None:
        return at.date()
    return at.date() + (when.end.date() - when.start.date())


def _is_snoozed(card: Card) -> bool:
    """Whether it rings at another moment than it is written for."""
    when = card.when
    if when is None or card.due_at is None:
        return False
    due_at = card.due_at.replace(second=0, microsecond=0)
    if not when.rrule:
        return lang.resolve(when.start, when.zone) != due_at
    try:
        return lang.next_occurrence(when, after=due_at - timedelta(microseconds=1)) != due_at
    except ValueError:
        return False
