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
_OTHERS = 0.35  # weight of a sentence of another language


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


Fitted = tuple[NDArray[np.float32], NDArray[np.float32]]


def fit(x: NDArray[np.float32], y: NDArray[np.int64], own: NDArray[np.bool_]) -> Fitted:
    """Weights (512, 6) and bias (6,) of a multinomial logistic regression with equal weight a kind.

    Args:
        x: unit vectors, shape (n, 512).
        y: kinds, index in KINDS, shape (n,).
        own: which of the sentences are of the language itself, shape (n,).
    """
    counts = np.where(own, 1.0, _OTHERS).astype(np.float32)[:, None]
    target = np.eye(len(KINDS), dtype=np.float32)[y]
    share = np.sqrt(counts.sum() / (len(KINDS) * (target * counts).sum(axis=0)))
    each = (target * share).sum(axis=1, keepdims=True) * counts / counts.sum()
    weight = np.zeros((x.shape[1], len(KINDS)), dtype=np.float32)
    bias = np.zeros(len(KINDS), dtype=np.float32)
    for _ in range(_STEPS):
        logits = x @ weight + bias
        logits -= logits.max(axis=1, keepdims=True)
        odds = np.exp(logits)
        odds /= odds.sum(axis=1, keepdims=True)
        slope = (odds - target) * each
        weight -= _RATE * (x.T @ slope + _DECAY * weight)
        bias -= _RATE * slope.sum(axis=0)
    return weight, bias


def main() -> None:
    """Train and store the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--language", help="only this one; the others' weights stay as they are")
    arguments = parser.parse_args()
    check = arguments.check
    texts, kinds, languages = sentences()
    x, y, spoken = vectors(texts), np.asarray(kinds), np.asarray(languages)
    stored: dict[str, NDArray[np.float16]] = {}
    if arguments.language:
        with np.load(WEIGHTS) as before:
            stored = {name: before[name] for name in before.files}
    for language in [arguments.language] if arguments.language else sorted(set(languages)):
        own = spoken == language
        if check:
            held = np.arange(len(y)) % 5 == 2
            weight, bias = fit(x[~held], y[~held], own[~held])
            mine = held & own
            guess = (x[mine] @ weight + bias).argmax(axis=1)
            right, lasting = np.mean(guess == y[mine]), np.mean((guess == 0) == (y[mine] == 0))
            print(f"{language}: all kinds {right:.3f}, lasting or not {lasting:.3f}", flush=True)
        weight, bias = fit(x, y, own)
        stored[f"weight_{language}"] = weight.astype(np.float16)
        stored[f"bias_{language}"] = bias.astype(np.float16)
    np.savez_compressed(WEIGHTS, **stored)  # type: ignore[arg-type]
    print(f"{len(texts)} sentences -> {WEIGHTS.name}")


if __name__ == "__main__":
    main()
