"""Train a `network`: Adam from a seeded start on one thread; the same sentences give the same weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.config import LANGUAGES
from memory.listening.network import Floats, Network

_UNITS = 96
_ROUNDS = 50
_RATE = 0.004
_DROPPED = 0.35  # share of the inputs that a step does not see
_DECAY = 0.5
_BATCH = 200
_SEEDS = (5, 6, 7)  # three networks side by side are surer than one


@dataclass(frozen=True)
class Sample:
    """Sentences as a network reads them."""

    inputs: Floats
    grams: Floats
    classes: NDArray[np.int64]
    languages: NDArray[np.int64]  # index in LANGUAGES


def fit(
    data: Sample, chosen: NDArray[np.int64], classes: tuple[str, ...], seeds: Sequence[int] = _SEEDS
) -> Network:
    """One network a seed trained on the chosen sentences, as one that gives their mean."""
    parts = [_fit(data, chosen, classes, np.random.default_rng(seed)) for seed in seeds]
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
