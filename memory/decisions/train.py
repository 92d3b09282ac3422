"""Make the weights of `leaning`: `python -m memory.decisions.train [--check]`.

`data/training/<language>.tsv` holds one sentence a line: group (`wrong` states a value as holding for
the person, `fine` names one legitimately, `ask` asks for what is settled, `other` asks for something
else), key, hand (who wrote it) and text. Adam from a seeded start on one thread: the same sentences give
the same weights. `--check` leaves out one hand after the other and prints what is found of theirs.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from memory.config import LANGUAGES
from memory.decisions.leaning import WEIGHTS, Floats, Network, grams, inputs
from memory.decisions.naming import Settled, View
from memory.decisions.schema import load

TRAINING = Path(__file__).parent / "data" / "training"
_NOW = datetime(2026, 3, 2, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))  # the day the sentences speak from
_UNITS = 96
_ROUNDS = 50
_RATE = 0.004
_DROPPED = 0.35  # share of the inputs that a step does not see
_DECAY = 0.5
_BATCH = 200
_SEEDS = (5, 6, 7)  # three networks side by side are surer than one
NONE = "none"


class Line(NamedTuple):
    """One sentence and what it is."""

    group: str
    key: str
    hand: str
    text: str
    language: str


@dataclass(frozen=True)
class Sample:
    """Sentences as a network reads them."""

    inputs: Floats
    grams: Floats
    classes: NDArray[np.int64]
    languages: NDArray[np.int64]  # index in LANGUAGES


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
        grams=np.vstack([grams([line.text], line.language) for line in told]),
        classes=np.array(
            [classes.index(line.key if line.group in ("wrong", "ask") else NONE) for line in told]
        ),
        languages=np.array([LANGUAGES.index(line.language) for line in told]),
    )


def fit(data: Sample, chosen: NDArray[np.int64], classes: tuple[str, ...]) -> Network:
    """Three networks trained on the chosen sentences, as one that gives their mean."""
    parts = [_fit(data, chosen, classes, np.random.default_rng(seed)) for seed in _SEEDS]
    many = len(parts)

    def mean(rows: list[Floats]) -> Floats:
        return np.asarray(sum(rows[1:], rows[0]) / many, np.float32)

    return Network(
        classes=classes,
        hidden=np.hstack([part.hidden for part in parts]),
        hidden_bias=np.hstack([part.hidden_bias for part in parts]),
        out=np.vstack([part.out / many for part in parts]),
        straight={name: mean([part.straight[name] for part in parts]) for name in LANGUAGES},
        sequences={name: mean([part.sequences[name] for part in parts]) for name in LANGUAGES},
        bias=mean([part.bias for part in parts]),
    )


def _fit(
    data: Sample, chosen: NDArray[np.int64], classes: tuple[str, ...], lots: np.random.Generator
) -> Network:
    width, many = data.inputs.shape[1], len(classes)
    weights = {
        "hidden": (lots.standard_normal((width, _UNITS)) / np.sqrt(width)).astype(np.float32),
        "hidden_bias": np.zeros(_UNITS, np.float32),
        "out": (lots.standard_normal((_UNITS, many)) / np.sqrt(_UNITS)).astype(np.float32),
        "shared": np.zeros((width, many), np.float32),
        "bias": np.zeros(many, np.float32),
    }
    for name in LANGUAGES:
        weights[f"straight {name}"] = np.zeros((width, many), np.float32)
        weights[f"sequences {name}"] = np.zeros((data.grams.shape[1], many), np.float32)
    first = {name: np.zeros_like(each) for name, each in weights.items()}
    second = {name: np.zeros_like(each) for name, each in weights.items()}
    step = 0
    for turn in range(_ROUNDS):
        rate = _RATE * (1 - turn / _ROUNDS) + 1e-4
        for language, batch in _batches(data, chosen, lots):
            step += 1
            for name, slope in _slopes(weights, data, batch, LANGUAGES[language], lots).items():
                first[name] += 0.1 * (slope - first[name])
                second[name] += 0.001 * (slope * slope - second[name])
                move = first[name] / (1 - 0.9**step) / (np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8)
                weights[name] -= rate * (move + (0 if name == "bias" else _DECAY) * weights[name])
    return Network(
        classes=classes,
        hidden=weights["hidden"],
        hidden_bias=weights["hidden_bias"],
        out=weights["out"],
        straight={name: weights["shared"] + weights[f"straight {name}"] for name in LANGUAGES},
        sequences={name: weights[f"sequences {name}"] for name in LANGUAGES},
        bias=weights["bias"],
    )


def _batches(
    data: Sample, chosen: NDArray[np.int64], lots: np.random.Generator
) -> list[tuple[int, NDArray[np.int64]]]:
    """Batches of one language each, in another order every time."""
    told = []
    for language in range(len(LANGUAGES)):
        own = chosen[data.languages[chosen] == language]
        if len(own):
            parts = np.array_split(lots.permutation(own), max(1, len(own) // _BATCH))
            told += [(language, part) for part in parts]
    return [told[at] for at in lots.permutation(len(told))]


def _slopes(
    weights: dict[str, Floats],
    data: Sample,
    batch: NDArray[np.int64],
    language: str,
    lots: np.random.Generator,
) -> dict[str, Floats]:
    """How the loss grows with each weight that a batch touches."""
    seen = _dropped(data.inputs[batch], lots)
    words = _dropped(data.grams[batch], lots)
    hidden = np.tanh(seen @ weights["hidden"] + weights["hidden_bias"])
    straight = weights["shared"] + weights[f"straight {language}"]
    raw = (
        seen @ straight + words @ weights[f"sequences {language}"] + hidden @ weights["out"] + weights["bias"]
    )
    raw -= raw.max(axis=1, keepdims=True)
    odds = np.exp(raw)
    odds /= odds.sum(axis=1, keepdims=True)
    odds[np.arange(len(batch)), data.classes[batch]] -= 1
    error = (odds / len(batch)).astype(np.float32)
    back = (error @ weights["out"].T) * (1 - hidden * hidden)
    slope = seen.T @ error
    return {
        "hidden": seen.T @ back,
        "hidden_bias": back.sum(axis=0),
        "out": hidden.T @ error,
        "shared": slope,
        "bias": error.sum(axis=0),
        f"straight {language}": slope,
        f"sequences {language}": words.T @ error,
    }


def _dropped(rows: Floats, lots: np.random.Generator) -> Floats:
    kept = lots.random(rows.shape, dtype=np.float32) >= _DROPPED
    return (rows * kept / (1 - _DROPPED)).astype(np.float32)


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
            found = network.odds(data.inputs[own], data.grams[own], language)
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
        stored |= _stored(which, network)
        print(f"{which}: {len(told)} sentences")
    if stored:
        np.savez_compressed(WEIGHTS, **stored)  # type: ignore[arg-type]


def _stored(which: str, network: Network) -> dict[str, NDArray[np.float16]]:
    parts: dict[str, Floats] = {
        "hidden": network.hidden,
        "hidden_bias": network.hidden_bias,
        "out": network.out,
        "bias": network.bias,
    }
    parts |= {f"straight_{name}": each for name, each in network.straight.items()}
    parts |= {f"sequences_{name}": each for name, each in network.sequences.items()}
    return {f"{which}_{name}": each.astype(np.float16) for name, each in parts.items()}


if __name__ == "__main__":
    main()
