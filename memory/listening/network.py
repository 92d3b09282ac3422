"""A small network that reads sentences in several languages: what it weighs, and how it is stored. Pure.

It reads three things side by side: the sentence's vector, word sequences, and what tables
found in it. One hidden layer is shared by all languages; beside it each language has a
straight way of its own. `fitting` makes the weights.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.config import LANGUAGES
from memory.language import fold

GRAMS = 2048  # slots for word sequences; two that meet in one slot share a weight
VECTOR, SEQUENCES, FOUND = 8.0, 3.0, 0.5  # how loud the three kinds of input are
_LONGEST = 3  # words of a sequence

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Network:
    """Weights that give each class of a sentence its log odds."""

    classes: tuple[str, ...]
    hidden: Floats  # (inputs, units)
    hidden_bias: Floats  # (units,)
    out: Floats  # (units, classes)
    straight: Mapping[str, Floats]  # by language: (inputs, classes)
    sequences: Mapping[str, Floats]  # by language: (GRAMS, classes)
    bias: Floats  # (classes,)

    def logits(self, inputs: Floats, grams: Floats, language: str) -> Floats:
        """Unnormalised log probabilities, shape (texts, classes); English ways for an unknown language."""
        known = language if language in self.straight else "en"
        raw = inputs @ self.straight[known] + grams @ self.sequences[known] + self.bias
        raw += np.tanh(inputs @ self.hidden + self.hidden_bias) @ self.out
        return raw

    def stored(self, prefix: str) -> dict[str, NDArray[np.float16]]:
        """The weights by name, half as precise, for `numpy.savez`."""
        parts = {
            "hidden": self.hidden,
            "hidden_bias": self.hidden_bias,
            "out": self.out,
            "bias": self.bias,
        }
        parts |= {f"straight_{name}": each for name, each in self.straight.items()}
        parts |= {f"sequences_{name}": each for name, each in self.sequences.items()}
        return {f"{prefix}_{name}": each.astype(np.float16) for name, each in parts.items()}


def read(path: Path, prefix: str, classes: tuple[str, ...]) -> Network:
    """The network that was `stored` under this prefix in a file of weights."""
    with np.load(path) as stored:
        parts = {name: stored[name].astype(np.float32) for name in stored.files if name.startswith(prefix)}
    return Network(
        classes=classes,
        hidden=parts[f"{prefix}_hidden"],
        hidden_bias=parts[f"{prefix}_hidden_bias"],
        out=parts[f"{prefix}_out"],
        straight={name: parts[f"{prefix}_straight_{name}"] for name in LANGUAGES},
        sequences={name: parts[f"{prefix}_sequences_{name}"] for name in LANGUAGES},
        bias=parts[f"{prefix}_bias"],
    )


def inputs(vectors: Floats, found: Sequence[Sequence[float]]) -> Floats:
    """Unit vectors beside what tables found, shape (texts, dimensions + found)."""
    return np.hstack([vectors * VECTOR, np.array(found, np.float32) * FOUND]).astype(np.float32)


def grams(texts: Sequence[str]) -> Floats:
    """Sequences of one to three words, each text's of one length together, shape (texts, GRAMS)."""
    rows = np.zeros((len(texts), GRAMS), np.float32)
    for row, text in zip(rows, texts, strict=True):
        words = ["<", *re.findall(r"\w+|[?!:]", re.sub(r"\d+", "0", fold(text))), ">"]
        for length in range(1, _LONGEST + 1):
            for start in range(len(words) - length + 1):
                row[zlib.crc32(" ".join(words[start : start + length]).encode()) % GRAMS] = 1.0
        row *= SEQUENCES / np.sqrt(max(1.0, row.sum()))
    return rows
