"""Category decides nature; nature and case decide visibility. Code, whatever a model wishes."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from memory.records import NATURE, Category, Nature, When

# Chips and cards never name these, in any frame, count or id.
SILENT = frozenset(category for category, nature in NATURE.items() if nature in (Nature.KNOWN, Nature.THEME))


def is_visible(category: Category, *, when: When | None, consult: bool, now: datetime) -> bool:
    """Whether a creation is shown to the person.

    Facts, persons and themes never; memos, tasks and reminders always; an event when
    it is still to come, or when the person clearly wants to look it up later.
    """
    if category in SILENT:
        return False
    if category is Category.EVENT:
        return consult or (when is not None and is_coming(when, now=now))
    return True


def is_coming(when: When, *, now: datetime) -> bool:
    """Whether a moment lies ahead; a whole day counts until it is over, a recurring one always."""
    if when.rrule:
        return True
    here = now.astimezone(ZoneInfo(when.zone)).replace(tzinfo=None)
    end = when.end or when.start
    return end.date() >= here.date() if when.all_day else end >= here
