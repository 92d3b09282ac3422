"""Tells two failures with one symptom apart: memory was empty, or it was full and misread. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from memory.overview.blocks import LATELY, RECENT, SAMPLE, WARM

_MEMORY = (RECENT, WARM, LATELY, SAMPLE)


class Verdict(StrEnum):
    """What a turn's model had before it."""

    UNKNOWN = "unknown"  # the turn never came to ask its memory
    EMPTY = "empty"  # all sources answered, and there was nothing
    INCOMPLETE = "incomplete"  # at least one source failed or was late
    FULL = "full"  # memory was given; a wrong answer misread it


def verdict(trace: Mapping[str, Any]) -> Verdict:
    """The verdict on one turn, from the counts in its trace.

    >>> verdict({"sources": {"recent": 0, "warm": 2}, "missing": {}})
    <Verdict.FULL: 'full'>
    """
    if "sources" not in trace:
        return Verdict.UNKNOWN
    if trace.get("missing"):
        return Verdict.INCOMPLETE
    given = sum(trace["sources"].get(name, 0) for name in _MEMORY) + trace.get("found", 0)
    return Verdict.FULL if given else Verdict.EMPTY
