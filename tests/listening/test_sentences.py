"""The everyday sentences of each language: how many of their cards are heard, and how many that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory.config import LANGUAGES
from tests.benchmarks.listen_candidates import Score, heard_of, judge

DATA = Path(__file__).parent / "data"
RECALL = 0.90
PRECISION = 0.95


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_is_heard_and_nothing_else(language: str) -> None:
    score = Score()
    for line in (DATA / f"{language}.jsonl").read_text(encoding="utf-8").splitlines():
        sentence = json.loads(line)
        judge(sentence, heard_of(sentence), score)
    assert score.turns >= 40
    assert score.found / score.wanted >= RECALL, "\n".join(score.problems)
    assert 1 - score.spurious / score.kept >= PRECISION, "\n".join(score.problems)


@pytest.mark.parametrize("language", LANGUAGES)
def test_dialogues_by_another_hand_are_heard(language: str) -> None:
    score = Score()
    for path in sorted(DATA.glob(f"other-*-{language}.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            dialogue = json.loads(line)
            judge(dialogue, heard_of(dialogue), score)
    assert score.turns >= 10
    assert score.found / score.wanted >= RECALL, "\n".join(score.problems)
    assert 1 - score.spurious / score.kept >= PRECISION, "\n".join(score.problems)
