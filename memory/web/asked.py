"""What an address or a form asks for, as values that every database takes; nonsense is not there."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from flask import request

BIGGEST = 2**62  # of ids


def whole(name: str, otherwise: int, *, least: int = 0, most: int = 1_000_000) -> int:
    """A whole number from the address, within bounds."""
    return min(max(least, request.args.get(name, otherwise, type=int)), most)


def moment(text: str) -> datetime | None:
    """A moment with its zone, in UTC; None for anything else.

    >>> moment("2026-06-08T10:00:00+01:00")
    datetime.datetime(2026, 6, 8, 9, 0, tzinfo=datetime.timezone.utc)
    >>> moment("2026-06-08T10:00:00"), moment("0001-01-01T00:00:00+14:00"), moment("soon")
    (None, None, None)
    """
    try:
        found = datetime.fromisoformat(text)
        return None if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def midnight(text: str, zone: str, *, after: bool = False) -> datetime | None:
    """The moment a day begins in a zone, or ends; None for what is no day.

    >>> midnight("2026-06-08", "Europe/Berlin", after=True)
    datetime.datetime(2026, 6, 8, 22, 0, tzinfo=datetime.timezone.utc)
    >>> midnight("9999-12-31", "Europe/Berlin", after=True), midnight("0001-01-01", "Europe/Berlin")
    (None, None)
    """
    try:
        day = date.fromisoformat(text) + timedelta(days=1 if after else 0)
        return datetime.combine(day, time(), ZoneInfo(zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
