"""LoCoMo (Maharana et al., 2024) as this project measures with it: turns in order, questions with evidence.

The data is licensed for non-commercial use (CC BY-NC 4.0) and is no part of this
project: `DATA` names the file. One conversation is one person's store.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

TUNED_ON = 3  # the ranking's weights were set on the first three conversations; the others are reported
CATEGORIES = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
CUTS = (5, 10, 20)
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")  # as in "D8:6; D9:17", "D:11:26", "D30:05"


@dataclass(frozen=True, kw_only=True)
class Said:
    """One turn of a dialogue."""

    name: str  # "D3:11"
    speaker: str
    text: str  # with the photo's caption
    session: int
    at: datetime  # of its session, UTC

    @property
    def dated(self) -> str:
        """The text with its day, for stores that know nothing but text."""
        return f"{self.at.day} {self.at:%B %Y}, {self.speaker}: {self.text}"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One question, with the positions of the turns that hold its evidence."""

    text: str
    evidence: tuple[int, ...]
    category: int


@dataclass(frozen=True, kw_only=True)
class Dialogue:
    """One conversation: one person's store."""

    name: str
    speakers: tuple[str, str]
    turns: tuple[Said, ...]
    questions: tuple[Asked, ...]


def path() -> Path:
    """Where the data is, by the environment's `DATA`.

    Raises:
        SystemExit: it is not named or not there.
    """
    named = os.environ.get("DATA", "")
    if not named or not Path(named).is_file():
        raise SystemExit("Set DATA to the file locomo10.json (github.com/snap-research/locomo).")
    return Path(named)


def load(file: Path) -> list[Dialogue]:
    """All conversations of the file, in its order; questions without any usable evidence are left out."""
    return [_dialogue(each) for each in json.loads(file.read_text(encoding="utf-8"))]


def _dialogue(told: dict[str, Any]) -> Dialogue:
    talk = told["conversation"]
    turns: list[Said] = []
    for session in sorted(int(key.split("_")[1]) for key in talk if re.fullmatch(r"session_\d+", key)):
        told_at = talk[f"session_{session}_date_time"] + " +0000"
        at = datetime.strptime(told_at, "%I:%M %p on %d %B, %Y %z")
        for turn in talk[f"session_{session}"]:
            caption = f" [photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            turns.append(
                Said(
                    name=turn["dia_id"],
                    speaker=turn["speaker"],
                    text=turn["text"] + caption,
                    session=session,
                    at=at.astimezone(UTC),
                )
            )
    place = {turn.name: index for index, turn in enumerate(turns)}
    questions = []
    for question in told["qa"]:
        names = [
            f"D{int(day)}:{int(turn)}"
            for each in question.get("evidence", ())
            for day, turn in _EVIDENCE.findall(each)
        ]
        evidence = tuple(dict.fromkeys(place[name] for name in names if name in place))
        if evidence:
            questions.append(
                Asked(text=question["question"], evidence=evidence, category=question["category"])
            )
    return Dialogue(
        name=told["sample_id"],
        speakers=(talk["speaker_a"], talk["speaker_b"]),
        turns=tuple(turns),
        questions=tuple(questions),
    )


def figures(results: Sequence[tuple[Asked, Sequence[int]]]) -> dict[str, float]:
    """Evidence recall at each cut, all evidence in the first ten, and mean reciprocal rank.

    Args:
        results: questions, each with the positions of the turns found, best first.
    """
    if not results:
        return {}
    rows = [_row(question, found) for question, found in results]
    means = np.mean(rows, axis=0)
    names = [*(f"R@{cut}" for cut in CUTS), "all@10", "MRR"]
    return {name: round(float(mean), 4) for name, mean in zip(names, means, strict=True)}


def by_category(results: Sequence[tuple[Asked, Sequence[int]]]) -> dict[str, dict[str, float]]:
    """The same figures for each kind of question."""
    return {
        name: figures([pair for pair in results if pair[0].category == number])
        for number, name in CATEGORIES.items()
    }


def _row(question: Asked, found: Sequence[int]) -> list[float]:
    rank = {turn: place for place, turn in enumerate(found)}
    ranks = [rank.get(turn, 10**9) for turn in question.evidence]
    shares = [sum(each < cut for each in ranks) / len(ranks) for cut in CUTS]
    return [*shares, float(all(each < 10 for each in ranks)), 1.0 / (1 + min(ranks))]
