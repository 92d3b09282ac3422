"""Dates in forms that the grammar does not know, read by dateparser and trusted with little."""

from __future__ import annotations

import re
from datetime import datetime
from datetime import time as Time

from memory.language.times.mention import TimeMention

# Only what can be nothing but a written date is shown to dateparser: it reads dates into anything.
_WRITTEN = re.compile(
    r"(?<![\w/.-])(?:\d{4}[/.]\d{1,2}[/.]\d{1,2}|\d{1,2}-[^\W\d_]{3,9}-\d{2,4}|\d{8}T\d{4,6}Z?)"
    r"(?:[ T]\d{1,2}:\d{2})?(?![\w/])"
)


def find_written(text: str, *, language: str, now: datetime) -> list[TimeMention]:
    """Mentions of written dates that lie in the future; dateparser is never trusted with the past."""
    matches = list(_WRITTEN.finditer(text))
    if not matches:
        return []
    import dateparser  # takes a third of a second to load, and is rarely needed

    naive = now.replace(tzinfo=None)
    found: list[TimeMention] = []
    for match in matches:
        read = dateparser.parse(
            match.group(),
            languages=[language],
            settings={"RELATIVE_BASE": naive, "PREFER_DATES_FROM": "future", "DATE_ORDER": "DMY"},
        )
        if read is None or read.replace(tzinfo=None) <= naive:
            continue
        timed = ":" in match.group() or "T" in match.group()
        found.append(
            TimeMention(
                spans=(match.span(),),
                date=read.date(),
                time=Time(read.hour, read.minute) if timed else None,
                all_day=not timed,
                granularity="minute" if timed else "day",
                missing_time=not timed,
            )
        )
    return found
