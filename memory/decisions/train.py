"""Make the weights of `leaning`: `python -m memory.decisions.train [--check]`.

`data/training/<language>.tsv` holds one sentence a line: group (`wrong` states a value as holding for
the person, `fine` names one legitimately, `ask` asks for what is settled, `other` asks for something
else), key, hand (who wrote it) and text. Adam from a seeded start on one thread: the same sentences give
the same weights. `--check` leaves out one hand after the other and prints what is found of theirs.
"""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from memory.config import LANGUAGES
from memory.decisions.leaning import WEIGHTS, inputs, odds_of
from memory.decisions.naming import Settled, View
from memory.decisions.schema import load
from memory.listening.fitting import Sample, fit
from memory.listening.network import grams

TRAINING = Path(__file__).parent / "data" / "training"
_NOW = datetime(2026, 3, 2, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))  # the day the sentences speak from
NONE = "none"


class Line(NamedTuple):
    """One sentence and what it is."""

    group: str
    key: str
    hand: str
    text: str
    language: str


def lines(*groups: str) -> list[Line]:
    """The training sentences of these groups, in the order of their files."""
    told = []
    for language in LANGUAGES:
        for line in (TRAINING / f"{language}.tsv").read_text(encoding="utf-8").splitlines():
            group, key, hand, text = line.split("\t")
            if group in groups:
                told.append(Line(group, key, hand, text, language))
    return told


def sample(told: list[Line], classes: tuple[str, ...]) -> Sample:
    """The sentences as a network reads them; `fine` and `other` ones are of no key."""
    keys = load()
    views = [
        View(keys=keys, settled=Settled(), said="", language=line.language, now=_NOW, zone="Europe/Berlin")
        for line in told
    ]
    return Sample(
        inputs=inputs([line.text for line in told], views),
        grams=grams([line.text for line in told]),
        classes=np.array(
            [classes.index(line.key if line.group in ("wrong", "ask") else NONE) for line in told]
        ),
        languages=np.array([LANGUAGES.index(line.language) for line in told]),
    )


def check(told: list[Line], data: Sample, classes: tuple[str, ...]) -> NDArray[np.float32]:
    """Log odds of each sentence's own key against none, by a network that has not seen its hand."""
    odds = np.zeros(len(told), np.float32)
    hands = np.array([line.hand for line in told])
    keys = np.array([classes.index(line.key) if line.key in classes else 0 for line in told])
    for hand in sorted(set(hands)):
        left, others = np.flatnonzero(hands == hand), np.flatnonzero(hands != hand)
        network = fit(data, others, classes)
        for number, language in enumerate(LANGUAGES):
            own = left[data.languages[left] == number]
            if not len(own):
                continue
            found = odds_of(network, data.inputs[own], data.grams[own], language)
            at = np.maximum(keys[own] - 1, 0)
            # A question of no key counts with the one it comes closest to.
            odds[own] = np.where(keys[own] > 0, found[np.arange(len(own)), at], found.max(axis=1))
    return odds


def main() -> None:
    """Train and store, or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    classes = (NONE, *sorted(load().by_name))
    stored: dict[str, NDArray[np.float16]] = {}
    for which, groups in (("claims", ("wrong", "fine")), ("asks", ("ask", "other"))):
        told = lines(*groups)
        data = sample(told, classes)
        if asked.check:
            odds = check(told, data, classes)
            own = np.array([line.group in ("wrong", "ask") for line in told])
            for alarm in (0.005, 0.01, 0.02, 0.05):
                bound = np.quantile(odds[~own], 1 - alarm)
                print(
                    f"{which}: bound {bound:.2f}, false {alarm:.3f}, found {np.mean(odds[own] > bound):.3f}"
                )
            continue
        network = fit(data, np.arange(len(told)), classes)
        stored |= network.stored(which)
        print(f"{which}: {len(told)} sentences")
    if stored:
        np.savez_compressed(WEIGHTS, **stored)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
