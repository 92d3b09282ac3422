"""find_times: every moment that a text tells."""

from __future__ import annotations

from datetime import date as Date
from datetime import datetime

from memory.language.times.mention import Tense, TimeMention


def find_times(
    text: str,
    *,
    language: str,
    now: datetime,
    tense: Tense = "auto",
    on: Date | None = None,
) -> tuple[TimeMention, ...]:
    """Every moment, range and recurrence that `text` tells, in order of appearance.

    Args:
        text: what the person said, as said.
        language: one of config.LANGUAGES.
        now: aware, in the person's zone (the zone also decides the order of day and month in English).
        tense: "future" for plans (a bare weekday is the coming one, nothing lies in the past unless
            the words say so), "past" for what happened (a bare weekday is the last one); "auto" reads
            it from the words around.
        on: the day that an hour without a day belongs to, e.g. when it answers "at what time?".
    """
    return tuple(_by_dateparser(text, language, now))


def _by_dateparser(text: str, language: str, now: datetime) -> list[TimeMention]:
    """Stand-in until the grammar is here."""
    from dateparser.search import search_dates

    naive = now.replace(tzinfo=None)
    settings = {"RELATIVE_BASE": naive, "PREFER_DATES_FROM": "future", "DATE_ORDER": "DMY"}
    found: list[TimeMention] = []
    at = 0
    for words, value in search_dates(text, languages=[language], settings=settings) or ():
        start = text.find(words, at)
        if start < 0:
            continue
        at = start + len(words)
        has_time = ":" in words or "h" in words
        found.append(
            TimeMention(
                spans=((start, at),),
                date=value.date(),
                time=value.time() if has_time else None,
                all_day=not has_time,
                missing_time=not has_time,
                past=value < naive,
            )
        )
    return found
