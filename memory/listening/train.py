"""Make the weights of `durable`: `python -m memory.listening.train [--check]`.

Full-batch gradient descent from zero: the same sentences give the same weights.
`--check` prints the accuracy on every fifth sentence, which is left out.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.listening.durable import KINDS, WEIGHTS, vectors

TRAINING = Path(__file__).parent / "data" / "training"
_STEPS = 1500
_RATE = 4.0
_DECAY = 2e-4


def sentences() -> tuple[list[str], list[int], list[str]]:
    """Training sentences, their kinds (index in KINDS) and their languages."""
    texts, kinds, languages = [], [], []
    for path in sorted(TRAINING.glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            kind, _, text = line.partition("\t")
            texts.append(text.lower())
            kinds.append(KINDS.index(kind))
            languages.append(path.stem)
    return texts, kinds, languages


def fit(x: NDArray[np.float32], y: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Weights (512, 6) and bias (6,) of a multinomial logistic regression with equal weight a kind."""
    target = np.eye(len(KINDS), dtype=np.float32)[y]
    share = np.sqrt(len(y) / (len(KINDS) * target.sum(axis=0)))
    each = (target * share).sum(axis=1, keepdims=True)
    weight = np.zeros((x.shape[1], len(KINDS)), dtype=np.float32)
    bias = np.zeros(len(KINDS), dtype=np.float32)
    for _ in range(_STEPS):
        logits = x @ weight + bias
        logits -= logits.max(axis=1, keepdims=True)
        odds = np.exp(logits)
        odds /= odds.sum(axis=1, keepdims=True)
        slope = (odds - target) * each / len(y)
        weight -= _RATE * (x.T @ slope + _DECAY * weight)
        bias -= _RATE * slope.sum(axis=0)
    return weight, bias


def main() -> None:
    """Train and store the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    texts, kinds, languages = sentences()
    x, y = vectors(texts), np.asarray(kinds)
    if check:
        held = np.arange(len(y)) % 5 == 2
        weight, bias = fit(x[~held], y[~held])
        guess = (x[held] @ weight + bias).argmax(axis=1)
        right = np.mean(guess == y[held])
        lasting = np.mean((guess == 0) == (y[held] == 0))
        print(f"all kinds {right:.3f}, lasting or not {lasting:.3f}")
        for language in sorted(set(languages)):
            here = np.asarray([each == language for each in languages])[held]
            print(language, f"{np.mean((guess == 0)[here] == (y[held] == 0)[here]):.3f}")
    weight, bias = fit(x, y)
    np.savez_compressed(WEIGHTS, weight=weight.astype(np.float16), bias=bias.astype(np.float16))
    print(f"{len(texts)} sentences -> {WEIGHTS.name}")


if __name__ == "__main__":
    main()
