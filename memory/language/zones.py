"""Wall-clock time and instants: what a person's clock shows, and when that is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

from memory.records import When

# Rules that look the same from any of their periods on.
_PERIODS = {
    "MINUTELY": timedelta(minutes=1),
    "HOURLY": timedelta(hours=1),
    "DAILY": timedelta(days=1),
    "WEEKLY": timedelta(weeks=1),
}


def resolve(local: datetime, zone: str) -> datetime:
    """The instant at which a clock in `zone` shows `local`: aware, in that zone.

    A time that the clock skips in spring is moved forward by the width of the gap
    (02:30 becomes 03:30); of a time that comes twice in autumn the first is taken.

    Args:
        local: naive wall-clock time.
        zone: IANA name.

    Raises:
        ZoneInfoNotFoundError: no such zone.
    """
    place = ZoneInfo(zone)
    instant = local.replace(tzinfo=place, fold=0).astimezone(UTC)
    # PEP 495: fold=0 inside a gap uses the offset before it, so the round trip lands after the gap.
    return instant.astimezone(place)


def next_occurrence(when: When, *, after: datetime, zone: str | None = None) -> datetime | None:
    """The first instant strictly after `after` at which `when` happens, or None when it is over.

    Recurrence runs over wall-clock time, so "every day at 7:15" stays at 7:15
    over clock changes and, with `zone`, after a journey.

    Args:
        when: one moment or a recurring one.
        after: aware.
        zone: the zone to read the wall clock in, instead of `when.zone`.

    Returns:
        Aware, in `zone`.

    Raises:
        ValueError: the recurrence rule cannot be read.
    """
    place = zone or when.zone
    if when.rrule is None:
        instant = resolve(when.start, place)
        return instant if instant > after else None
    # A day back: a gap moves an occurrence forward past `after` though its wall-clock time lies before.
    probe = after.astimezone(ZoneInfo(place)).replace(tzinfo=None) - timedelta(days=1)
    rule = rrulestr(when.rrule, dtstart=_nearer(when.start, when.rrule, probe), ignoretz=True)
    local = rule.after(probe, inc=True)
    while local is not None:
        instant = resolve(local, place)
        if instant > after and local not in when.exdates:
            return instant
        local = rule.after(local)
    return None


def _nearer(start: datetime, rule: str, probe: datetime) -> datetime:
    """A start of the same rule closer to `probe`, so that past years are not counted through."""
    parts = dict(part.split("=", 1) for part in rule.split(";") if "=" in part)
    period = _PERIODS.get(parts.get("FREQ", ""))
    if period is None or "COUNT" in parts or probe <= start:
        return start
    period *= int(parts.get("INTERVAL", 1))
    return start + period * ((probe - start) // period)
