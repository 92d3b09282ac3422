"""How long a text says: "twenty minutes", "half an hour"."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from memory.language.times.find import find_times
from memory.language.times.grammar import grammar

MOST_WORDS = 16  # a longer text tells more than a length of time


def find_span(text: str, *, language: str, now: datetime) -> timedelta | None:
    """The first length of time that a short text tells, or None; see `locate_span`."""
    found = locate_span(text, language=language, now=now)
    return found[0] if found else None


def locate_span(text: str, *, language: str, now: datetime) -> tuple[timedelta, int, int] | None:
    """The first length of time that a short text tells, with its start and end in the text, or None.

    It is read as the same words after "in": what they would then mean is so far from now.

    Args:
        now: aware.
    """
    starts = [match.start() for match in re.finditer(r"\S+", text)]
    if len(starts) > MOST_WORDS:
        return None
    lead = str(grammar(language).settings["span_lead"])
    for start in starts:
        said = f"{lead} {text[start:]}"
        for mention in find_times(said, language=language, now=now, tense="future"):
            is_moment = mention.spans[0][0] == 0 and mention.granularity == "minute"
            if is_moment and mention.local is not None and mention.span[1] > len(lead) + 1:
                distance = _from(now, mention.local)
                shift = start - len(lead) - 1
                return (distance, start, mention.span[1] + shift) if distance else None
    return None


def _from(now: datetime, local: datetime) -> timedelta | None:
    """The distance on the wall clock, to the minute; None when it is none."""
    span = local - now.replace(tzinfo=None, second=0, microsecond=0)
    return span if span > timedelta(0) else None
