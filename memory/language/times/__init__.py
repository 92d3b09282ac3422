"""Dates and times in a text, in five languages. Pure: `now` is handed in."""

from memory.language.times.dates import from_month
from memory.language.times.find import find_times, preload
from memory.language.times.mention import Granularity, Tense, TimeMention
from memory.language.times.spans import find_span, locate_span

__all__ = [
    "Granularity",
    "Tense",
    "TimeMention",
    "find_span",
    "find_times",
    "from_month",
    "locate_span",
    "preload",
]
