"""What is still to be done or to come, whole: a list of it must not depend on how alike the words are."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from memory import language as lang
from memory.cards.reminders import following
from memory.records import Card, Category, When
from memory.storage import cards as card_rows
from memory.storage import deliveries

MOST = 100  # the next ones; nobody reads a longer list in a chat
RANG_WITHIN = timedelta(hours=12)  # what rang since may still be put off or ticked


def entries(
    session: Session, person_id: int, *, guest: bool, zone: str, language: str, now: datetime
) -> list[dict[str, Any]]:
    """Open tasks, reminders and events as `search_memory` gives cards, by their next moment.

    A guest sees nothing sensitive. `rang` says when a reminder last rang, if that was not
    long ago; `next` when it rings or happens next, in wall-clock time.
    """
    here = ZoneInfo(zone)
    open_ = [card for card in card_rows.to_do(session, person_id) if not (guest and card.sensitive)]
    rung = deliveries.last_of(session, person_id, [card.id for card in open_])
    found: list[tuple[datetime, dict[str, Any]]] = []
    for card in open_:
        last = rung.get(card.id)
        rang = None if last is None or now - last.claimed_at > RANG_WITHIN else last.claimed_at
        coming = _next(card, now=now)
        if coming is None and rang is None and card.category is not Category.TASK:
            continue
        entry = {
            "id": card.public_id,
            "short": "",
            "category": card.category.value,
            "text": card.text,
            "title": card.title,
            "people": list(card.people),
            "language": card.language,
            "when": when_data(card.when),
            "next": None if coming is None else _local(coming, here),
            "rang": None if rang is None else _local(rang, here),
            "learned": _local(card.learned_at, here),
            "ago": lang.ago(now - card.learned_at, language),
            "score": 0.0,
            "relevant": False,
        }
        found.append((coming or now + timedelta(days=36_500), entry))
    found.sort(key=lambda each: each[0])
    return [entry for _, entry in found[:MOST]]


def when_data(when: When | None) -> dict[str, Any] | None:
    """A moment as tools give it."""
    if when is None:
        return None
    return {
        "start": when.start.isoformat(timespec="minutes"),
        "zone": when.zone,
        "all_day": when.all_day,
        "end": None if when.end is None else when.end.isoformat(timespec="minutes"),
        "rrule": when.rrule,
        "exdates": [each.isoformat(timespec="minutes") for each in when.exdates],
    }


def _next(card: Card, *, now: datetime) -> datetime | None:
    """The next ring or occurrence; of a whole day, today counts."""
    if card.category is Category.REMINDER or card.when is None:
        return card.due_at
    begin = now - timedelta(days=1) if card.when.all_day else now
    if not card.when.rrule:
        start = lang.resolve(card.when.start, card.when.zone)
        last = start if card.when.end is None else lang.resolve(card.when.end, card.when.zone)
        return start if last > begin or card.category is Category.TASK else None
    try:
        return following(card.when, after=begin)
    except ValueError:
        return None  # a rule from elsewhere that cannot be read


def _local(moment: datetime, here: ZoneInfo) -> str:
    return moment.astimezone(here).replace(tzinfo=None).isoformat(timespec="minutes")
