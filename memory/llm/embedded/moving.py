"""When something that exists is moved or put off: what the message does not say stays as it was."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, time, timedelta

from memory.language import TimeMention, find_span, find_times, fold, from_month, next_occurrence, numbers
from memory.listening.lexicon import lexicon
from memory.llm.embedded.scene import Json, Scene, when_of
from memory.records import When

_NOON = 12
_FAR, _NEAR = timedelta(days=14), timedelta(days=7)  # from the 28th, "the 2nd" is the next month's
_SNOOZE = timedelta(minutes=10)
_DENIES = 3  # words before a moment among which a "not" denies it
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_NTH_WEEKDAY = re.compile(r"([+-]?\d)(MO|TU|WE|TH|FR|SA|SU)")


def mention(scene: Scene) -> TimeMention | None:
    """The moment that the message names, if any; of two days, the one that something was moved to."""
    coming = find_times(scene.said, language=scene.language, now=scene.now, tense="future")
    led_to = [each for each in coming if each.target and (each.date is not None or each.same_time)]
    if led_to:  # "move it from Monday to Thursday", "the three o'clock to five"
        return led_to[-1]
    days = [each for each in coming if each.has_date and each.date is not None]
    if len(days) > 1 and scene.has("moved"):  # "it isn't on Thursday now, they put it on Friday"
        return days[-1]
    affirmed = [each for each in days if not _is_denied(scene, each)]
    if affirmed and len(affirmed) < len(days):  # "it isn't Wednesday, it's Thursday"
        return affirmed[0]
    if len(days) > 1 and any(
        each.same_time for each in coming
    ):  # "the wrong Friday: it's the 18th, same time"
        return replace(days[-1], same_time=True)
    mentions = find_times(scene.said, language=scene.language, now=scene.now)
    timed = [mention for mention in mentions if mention.time is not None]
    return next(iter(timed or mentions), None)


def _is_denied(scene: Scene, told: TimeMention) -> bool:
    """Whether a "not" stands right before a moment, with no comma between."""
    start = told.spans[0][0]
    before = re.split(r"[,;.:!?–—]", scene.said[:start])[-1]
    return bool(set(fold(before).split()[-_DENIES:]) & scene.phrases.voice.negation)


def bare_hour(scene: Scene) -> int | None:
    """The hour in a message that names a number and no moment ("make it ten"), else None."""
    told = numbers.find(scene.said, scene.language)
    if len(told) != 1 or not 0 < told[0].value <= 24:
        return None
    before = fold(scene.said[: told[0].span[0]]).split()
    if told[0].value == 1 and before and lexicon(scene.language).has("article", before[-1]):
        return None  # "that one" is no hour
    return told[0].value


def moved(scene: Scene, card: Json, *, verb: str) -> When | None:
    """The item's moment after the move, None when the message does not say.

    Args:
        verb: "snooze" puts off the next ring and leaves a series as it is.

    Returns:
        Without a rule where only the next ring of a series moves.
    """
    old = when_of(card.get("when"), scene.zone)
    told = mention(scene)
    after = scene.has("day_after") and told is not None and told.has_date and told.time is None
    if old is not None and (verb == "other_one" or (verb == "move" and after)):
        start = other_day(scene, old.start)
        if start is not None:
            return _starting(old, start)
    if verb == "snooze":
        return _put_off(scene, card, old, told)
    if told is None:
        later = find_span(scene.said, language=scene.language, now=scene.now)
        if later is not None:
            return _put_off(scene, card, old, None)
        bare = bare_hour(scene)
        return _at_hour(old, bare) if old is not None and bare is not None else None
    if old is None:
        return told.when(scene.zone)
    told = in_month_of(told, old, scene)
    step = told.relative_after or (-told.relative_before if told.relative_before else None)
    if told.date is None and step is not None:
        return _starting(old, old.start + step)
    day = told.date if told.has_date and told.date is not None else old.start.date()
    bare = _hour_beside(scene, told) if told.time is None else None
    if bare is not None:
        return _on(old, day, _at_hour(old, bare).start.time(), rrule=told.rrule)
    keeps_hour = told.time is None or told.same_time or scene.has("no_change")
    hour = old.start.time() if keeps_hour else _hour_near(scene, told, old, datetime.combine(day, time()))
    start = datetime.combine(day, hour)
    if told.time is not None and told.has_date and _is_one_of_many(old, told):
        return When(start=start, zone=scene.zone)  # "the tablets tomorrow at eight": that one only
    rrule = told.rrule or _on_weekday(old.rrule, start)
    if rrule and rrule != old.rrule and not told.rrule:
        start = _first_of(rrule, start, scene)
    return replace(_starting(old, start), all_day=keeps_hour and old.all_day, rrule=rrule)


def in_month_of(told: TimeMention, old: When, scene: Scene) -> TimeMention:
    """A day of the month told alone ("not the 12th, the 13th") in the month of what it is said of.

    The first such day from that month on that is not over; from the end of a month the next one's first days
    are meant.
    """
    if told.day_of_month is None:
        return told
    today = scene.now.date()
    first = from_month(told.day_of_month, old.start.date(), earliest=today)
    if first < old.start.date() - _FAR:
        later = from_month(told.day_of_month, old.start.date(), earliest=old.start.date())
        first = later if later - old.start.date() <= _NEAR else first
    return replace(told, date=first)


def other_day(scene: Scene, start: datetime) -> datetime | None:
    """The moment on the other day that was meant ("no, the other one"), None when no day was told.

    "The Tuesday after" is a week later. Else it is the second reading of what was said ("next Friday"), and
    where that had but one, the same weekday of the week after.
    """
    told = mention(scene)
    named = told is not None and told.has_date and told.date is not None
    if told is not None and told.date is not None and named and told.date != start.date():
        # The message itself says which.
        return datetime.combine(told.date, start.time()) if told.time is None else None
    week_later = start + timedelta(weeks=1)
    if scene.has("day_after") or named:
        return week_later
    before = find_times(scene.said_before, language=scene.language, now=scene.now, tense="future")
    days = [each for each in before if each.has_date and each.date is not None and not each.rrule]
    if not days or days[-1].granularity == "month":
        return None
    other = days[-1].other_date
    if other is None or other == start.date():
        return week_later
    return datetime.combine(other, start.time())


def says_other(scene: Scene, other: When, read_as: str) -> bool:
    """Whether the message names the other reading: its day, or of one day's two hours the half of the day."""
    told = mention(scene)
    same_day = read_as[:10] == other.start.date().isoformat()
    if told is None or (same_day and told.time is None):
        half = "in_morning" if other.start.hour < _NOON else "in_evening"
        return scene.has(half)
    if not told.has_date or told.date != other.start.date():
        return False
    return told.time is None or told.time == other.start.time()


def _is_one_of_many(old: When, told: TimeMention) -> bool:
    """Whether a day names one occurrence of a series that has several a week."""
    return bool(old.rrule) and not told.rrule and not _on_one_weekday(str(old.rrule))


def _on(old: When, day: date, hour: time, *, rrule: str | None) -> When:
    """The item on that day at that hour; of a series with several days a week, that occurrence only."""
    start = datetime.combine(day, hour)
    if old.rrule and not rrule and not _on_one_weekday(old.rrule):
        return When(start=start, zone=old.zone)
    return replace(_starting(old, start), all_day=False, rrule=rrule or _on_weekday(old.rrule, start))


def _hour_beside(scene: Scene, told: TimeMention) -> int | None:
    """A bare number beside a day: "tomorrow to eight"; none where it belongs to the day or a length."""
    if find_span(scene.said, language=scene.language, now=scene.now) is not None:
        return None
    moments = (told, *find_times(scene.said, language=scene.language, now=scene.now))
    spans = [span for moment in moments for span in moment.spans]
    others = [
        each
        for each in numbers.find(scene.said, scene.language)
        if not any(start <= each.span[0] < end for start, end in spans) and not each.ordinal
    ]
    return others[0].value if len(others) == 1 and 0 < others[0].value <= 24 else None


def _put_off(scene: Scene, card: Json, old: When | None, told: TimeMention | None) -> When:
    """So much later than now when it has rung, else than the moment at which it would ring."""
    span = find_span(scene.said, language=scene.language, now=scene.now)
    if told is not None and told.time is not None and told.local is not None:
        return When(start=told.local, zone=scene.zone)
    if told is not None and told.relative_after is not None:
        span = told.relative_after
    now = scene.now.replace(tzinfo=None, second=0, microsecond=0)
    waits = str(card.get("next") or "")
    begins = datetime.fromisoformat(waits) if waits else old.start if old is not None else now
    base = max(now, begins) if span is not None and not card.get("rang") else now
    if told is not None and told.date is not None and told.has_date and old is not None:
        return When(start=datetime.combine(told.date, old.start.time()), zone=scene.zone)
    return When(start=base + (span or _SNOOZE), zone=scene.zone)


def _starting(old: When, start: datetime) -> When:
    end = old.end + (start - old.start) if old.end is not None else None
    return replace(old, start=start, end=end)


def _hour_near(scene: Scene, told: TimeMention, old: When, day: datetime) -> time:
    """The hour of a move; of two readings of a bare one, that nearer to the hour it had."""
    hour = told.time or time()
    if told.alternative is None or told.has_date or old.all_day or told.alternative.time() == hour:
        return hour
    readings = [datetime.combine(day, each) for each in (hour, told.alternative.time())]
    coming = [each for each in readings if each > scene.now.replace(tzinfo=None)] or readings
    had = datetime.combine(day, old.start.time())
    return min(coming, key=lambda each: (abs(each - had), -each.hour)).time()


def _first_of(rrule: str, start: datetime, scene: Scene) -> datetime:
    """The first occurrence of a changed rule that is still to come."""
    today = datetime.combine(scene.now.date(), start.time())
    coming = next_occurrence(When(start=today, zone=scene.zone, rrule=rrule), after=scene.now)
    return start if coming is None else coming.replace(tzinfo=None)


def _at_hour(old: When, hour: int) -> When:
    """The same day at a bare hour, in the half of the day that lies nearer to the old one."""
    near = min((hour % 24, (hour + 12) % 24), key=lambda each: abs(each - old.start.hour))
    return replace(old, start=old.start.replace(hour=near, minute=0), all_day=False)


def _on_one_weekday(rrule: str) -> bool:
    days = dict(part.split("=", 1) for part in rrule.split(";") if "=" in part).get("BYDAY", "")
    return days in _WEEKDAYS or _NTH_WEEKDAY.fullmatch(days) is not None


def _on_weekday(rrule: str | None, start: datetime) -> str | None:
    """A rule on one day ("the first Monday of the month", "the 12th") follows its item to another one."""
    if not rrule:
        return None
    parts = dict(part.split("=", 1) for part in rrule.split(";") if "=" in part)
    if parts.get("BYMONTHDAY", "").isdigit() and "BYSETPOS" not in parts:
        return _on_monthday(parts, start)
    nth = _NTH_WEEKDAY.fullmatch(parts.get("BYDAY", ""))
    if nth is not None:
        parts["BYDAY"] = nth[1] + _WEEKDAYS[start.weekday()]
    if parts.get("BYDAY") in _WEEKDAYS:
        parts["BYDAY"] = _WEEKDAYS[start.weekday()]
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _on_monthday(parts: dict[str, str], start: datetime) -> str:
    """A rule on one day of the month, or of the year, follows its item to another one."""
    parts["BYMONTHDAY"] = str(start.day)
    if "BYMONTH" in parts:
        parts["BYMONTH"] = str(start.month)
    return ";".join(f"{name}={value}" for name, value in parts.items())


def undated(text: str, scene: Scene, old: When | None) -> str:
    """The words of a moved card without the day that it no longer has; "" when they name none.

    "Parents' evening on 18 November with Ms Kuhn" is "Parents' evening with Ms Kuhn".
    """
    if old is None:
        return ""
    told = find_times(text, language=scene.language, now=scene.now)
    stale = [t for t in told if t.has_date and not t.rrule and t.date == old.start.date()]
    if not stale:
        return ""
    for start, end in sorted((span for t in stale for span in t.spans), reverse=True):
        text = f"{text[:start].rstrip(' ,')} {text[end:].lstrip(' ,')}"
    return " ".join(text.split()).strip(" ,")
