"""Does a clause tell something lasting? A small classifier over sentence vectors.

Six kinds: lasting, transient, past, plan, unreal (hypothetical, joke, boast) and
request. Multinomial logistic regression on the multilingual vectors, one a language that
learns from the sentences of the others as well, at a lower weight; its weights
(`data/durable.npz`) are made by `python -m memory.listening.train` from
`data/training/<language>.tsv`, deterministic and in seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.embedding import Embedder

KINDS = ("d", "t", "p", "f", "h", "r")
WEIGHTS = Path(__file__).parent / "data" / "durable.npz"


@dataclass(frozen=True)
class Leaning:
    """Probabilities of the six kinds for one clause; they add up to 1."""

    lasting: float
    transient: float
    past: float
    plan: float
    unreal: float
    request: float


_embedder = Embedder()  # the model is loaded by the first sentence, not here


def vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors, shape (len(texts), 512)."""
    return _embedder.encode(texts)


def preload(languages: Sequence[str]) -> None:
    """Load the classifier of each language and the encoder now."""
    for language in languages:
        _weights(language)
    _embedder.preload()


def forget() -> None:
    """Empty the cache of texts: what a person erased stays in no process."""
    _embedder.forget()


@cache
def _weights(language: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Weights (512, 6) and bias (6,) of a language; English ones when it has none."""
    with np.load(WEIGHTS) as stored:
        known = language if f"weight_{language}" in stored.files else "en"
        return stored[f"weight_{known}"].astype(np.float32), stored[f"bias_{known}"].astype(np.float32)


def leanings(clauses: Sequence[str], language: str) -> list[Leaning]:
    """What each clause leans to, in the order given. Same clauses, same answer."""
    if not clauses:
        return []
    weight, bias = _weights(language)
    logits = vectors([clause.lower() for clause in clauses]) @ weight + bias
    logits -= logits.max(axis=1, keepdims=True)
    odds = np.exp(logits)
    odds /= odds.sum(axis=1, keepdims=True)
    return [Leaning(*map(float, row)) for row in odds]
