"""Make the weights of `durable` and `earnest`: `python -m memory.listening.train [--check]`.

`data/training/<language>.tsv` holds one clause a line: kind, hand (who wrote it) and clause;
`data/earnest/<language>.tsv` messages: e (in earnest) or u, hand and message. `--check` leaves out one hand
after the other and prints how much of theirs is told right.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.config import LANGUAGES
from memory.listening.durable import KINDS, WEIGHTS, inputs
from memory.listening.earnest import CLASSES
from memory.listening.fitting import Sample, fit
from memory.listening.network import grams

_DATA = Path(__file__).parent / "data"
_SEEDS = (5, 6)


class Line(NamedTuple):
    """One clause and what it is."""

    kind: str
    hand: str
    text: str
    language: str


def lines(folder: str) -> list[Line]:
    """The sentences of a folder of training data, in the order of their files."""
    told = []
    for language in LANGUAGES:
        for line in (_DATA / folder / f"{language}.tsv").read_text(encoding="utf-8").splitlines():
            kind, hand, text = line.split("\t")
            told.append(Line(kind, hand, text, language))
    return told


def messages() -> list[Line]:
    """What is in earnest and what is not: messages, and clauses, of which only the unreal ones are not."""
    clauses = [line._replace(kind="u" if line.kind == "h" else "e") for line in lines("training")]
    return sorted([*lines("earnest"), *clauses], key=lambda line: LANGUAGES.index(line.language))


def sample(told: list[Line], classes: tuple[str, ...]) -> Sample:
    """The sentences as a network reads them."""
    languages = np.array([LANGUAGES.index(line.language) for line in told])
    seen = [inputs([line.text for line in told if line.language == each], each) for each in LANGUAGES]
    return Sample(
        inputs=np.vstack(seen),  # they come language by language
        grams=grams([line.text for line in told]),
        classes=np.array([classes.index(line.kind) for line in told]),
        languages=languages,
    )


def check(told: list[Line], data: Sample, classes: tuple[str, ...]) -> None:
    """Print for each hand and language how much of it a network tells right that has not seen that hand."""
    hands = np.array([line.hand for line in told])
    for hand in sorted(set(hands)):
        network = fit(data, np.flatnonzero(hands != hand), classes, _SEEDS[:1])
        for number, language in enumerate(LANGUAGES):
            own = np.flatnonzero((hands == hand) & (data.languages == number))
            if not len(own):
                continue
            guess = network.logits(data.inputs[own], data.grams[own], language).argmax(axis=1)
            right, truth = guess == data.classes[own], data.classes[own]
            first = np.mean((guess == 0) == (truth == 0))
            share = f"right {right.mean():.3f}, {classes[0]} or not {first:.3f}"
            print(f"hand {hand}, {language}: {len(own)}, {share}")


def main() -> None:
    """Train and store, or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    stored: dict[str, NDArray[np.float16]] = {}
    for name, told, classes in (("kinds", lines("training"), KINDS), ("earnest", messages(), CLASSES)):
        data = sample(told, classes)
        if asked.check:
            check(told, data, classes)
            continue
        stored |= fit(data, np.arange(len(told)), classes, _SEEDS).stored(name)
        print(f"{name}: {len(told)} sentences")
    if stored:
        np.savez_compressed(WEIGHTS, **stored)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
