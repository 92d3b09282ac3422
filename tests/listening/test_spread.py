"""What was once missed, cut short or invented: a sentence of each kind, and all that it holds."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memory.language import fold
from memory.listening import Candidate, listen

_ZONES = {"en": "Europe/London", "pt": "Europe/Lisbon"}
_ROWS = [
    line.split("\t")
    for line in (Path(__file__).parent / "data" / "spread.tsv").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def _holds(candidate: Candidate, wanted: str) -> bool:
    """Whether a candidate is what a cell such as "event: zoo @2026-04-17" says."""
    category, _, rest = wanted.partition(":")
    words, _, moment = rest.partition("@")
    start = candidate.when.start.isoformat() if candidate.when else ""
    everything = fold(f"{candidate.text} {candidate.title} {' '.join(candidate.people)}")
    return (
        candidate.category.value in category.strip().split("|")
        and all(fold(word.strip()) in everything for word in words.split("+"))
        and (start.startswith(moment.strip()) if moment.strip() else True)
    )


@pytest.mark.parametrize(("language", "text", "expected"), _ROWS)
def test_all_that_a_sentence_holds_is_heard_and_nothing_else(language: str, text: str, expected: str) -> None:
    zone = _ZONES.get(language, "Europe/Berlin")
    now = datetime(2026, 4, 14, 10, 0, tzinfo=ZoneInfo(zone))  # a Tuesday
    before, _, said = text.rpartition(" || ")
    found = list(listen(said, language=language, now=now, zone=zone, previous=before).candidates)
    wanted = [] if expected == "-" else expected.split(" ;; ")
    heard = [(c.category.value, c.text, c.when) for c in found]
    for each in wanted:
        assert any(_holds(c, each) for c in found), (each, heard)
    assert len(found) == len(wanted), heard
