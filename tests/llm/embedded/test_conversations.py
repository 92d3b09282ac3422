"""Whole conversations in five languages over a small memory: `data/talks.jsonl`, one a line.

`has`: each string (`a|b` is either) is in the answer; `has_not`: none is. Compared folded.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory.conductor.announcements import announces
from memory.language import fold
from tests.llm.embedded.memories import Talk, card

ZONES = {
    "en": "Europe/London",
    "de": "Europe/Berlin",
    "pt": "Europe/Lisbon",
    "fr": "Europe/Paris",
    "es": "Europe/Madrid",
}
TALKS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "talks.jsonl").read_text(encoding="utf-8").splitlines()
]


def holds(text: str, wanted: str) -> bool:
    return any(fold(each) in fold(text) for each in wanted.split("|"))


@pytest.mark.parametrize("talk", TALKS, ids=lambda talk: f"{talk['lang']}-{talk['kind']}")
def test_conversation(talk: dict[str, Any]) -> None:
    played = Talk(language=talk["lang"], zone=ZONES[talk["lang"]])
    played.memory.add(card(category, text) for category, text in talk["setup"])
    for turn in talk["turns"]:
        answer = played.say(turn["user"])
        missing = [wanted for wanted in turn["has"] if not holds(answer, wanted)]
        wrong = [wanted for wanted in turn["has_not"] if holds(answer, wanted)]
        assert not missing, answer
        assert not wrong, answer
        assert not announces(answer)
