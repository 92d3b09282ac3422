"""What a sentence leans to claim, and what a question leans to ask for: two small networks. Pure.

Words alone do not tell "we ring your bell on Friday" (a claim about the delivery) from
"your neighbour is out on Friday". Both networks read the sentence's vector, its word
sequences and what the guard's tables find in it, and give each shipped key its log odds
against "none of them". Their weights (`data/leaning.npz`) are made by
`python -m memory.decisions.train` from `data/training/<language>.tsv`; a key of another
file has none and is judged by words alone.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory import language as lang
from memory.config import LANGUAGES
from memory.decisions.naming import View, clause_of, named_among, speaks_to_them, table
from memory.decisions.schema import Keys, KeyType
from memory.decisions.schema import load as load_keys
from memory.decisions.stated import kinds
from memory.listening import durable

WEIGHTS = Path(__file__).parent / "data" / "leaning.npz"
GRAMS = 2048  # slots for word sequences; two that meet in one slot share a weight
_LONGEST = 3  # words of a sequence
_NOT_READ = ("units", "split")
VECTOR, SEQUENCES, FOUND = 8.0, 3.0, 0.5  # how loud the three kinds of input are

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Network:
    """A hidden layer that all languages share, and a straight way beside it for each language."""

    classes: tuple[str, ...]  # "none" first, then keys
    hidden: Floats  # (inputs, units)
    hidden_bias: Floats  # (units,)
    out: Floats  # (units, classes)
    straight: Mapping[str, Floats]  # by language: (inputs, classes)
    sequences: Mapping[str, Floats]  # by language: (GRAMS, classes)
    bias: Floats  # (classes,)

    def odds(self, inputs: Floats, grams: Floats, language: str) -> Floats:
        """Log odds of each key against none, shape (texts, classes - 1)."""
        known = language if language in self.straight else "en"
        raw = inputs @ self.straight[known] + grams @ self.sequences[known] + self.bias
        raw += np.tanh(inputs @ self.hidden + self.hidden_bias) @ self.out
        return raw[:, 1:] - raw[:, :1]


def claimed(sentence: str, view: View) -> Mapping[str, float]:
    """Log odds, by shipped key, that a sentence states a value of it as holding for the person."""
    return _by_key("claims", sentence, view)


def asked_for(question: str, view: View) -> Mapping[str, float]:
    """Log odds, by shipped key, that a message asks for the settled value of it, and for nothing else."""
    return _by_key("asks", question, view)


def _by_key(which: str, text: str, view: View) -> Mapping[str, float]:
    network = networks()[which]
    row = network.odds(inputs([text], [view]), grams([text], view.language), view.language)[0]
    told = dict(zip(network.classes[1:], map(float, row), strict=True))
    shipped = _shipped()
    return {
        name: odds
        for name, odds in told.items()
        if (key := view.keys.get(name)) is not None and key.type is shipped.by_name[name].type
    }


def inputs(texts: Sequence[str], views: Sequence[View]) -> Floats:
    """Vectors beside what the tables find, shape (texts, 512 + found)."""
    vectors = durable.vectors(texts) * VECTOR
    found = np.array([_found(*each) for each in zip(texts, views, strict=True)], np.float32) * FOUND
    return np.hstack([vectors, found]).astype(np.float32)


def grams(texts: Sequence[str], language: str) -> Floats:
    """Sequences of one to three words, each text's of one length together, shape (texts, GRAMS)."""
    rows = np.zeros((len(texts), GRAMS), np.float32)
    for row, text in zip(rows, texts, strict=True):
        words = ["<", *re.findall(r"\w+|[?!:]", re.sub(r"\d+", "0", lang.fold(text))), ">"]
        for length in range(1, _LONGEST + 1):
            for start in range(len(words) - length + 1):
                row[zlib.crc32(" ".join(words[start : start + length]).encode()) % GRAMS] = 1.0
        row *= SEQUENCES / np.sqrt(max(1.0, row.sum()))
    return rows


def _found(text: str, view: View) -> list[float]:
    """What the guard's tables find in a text, in a fixed order."""
    folded, words = lang.fold(text), table(view.language)
    keys = list(_shipped().by_name.values())
    named = named_among(keys, folded, view)
    told = kinds(clause_of(text, view), [key for key in keys if key.type is KeyType.CHOICE])
    hits = [bool(words[name].search(folded)) for name in sorted(words) if name not in _NOT_READ]
    hits += [speaks_to_them(text, view), text.rstrip().endswith("?")]
    hits += [key.name in named for key in keys]
    hits += [told[name] for name in sorted(told)]
    return [float(hit) for hit in hits]


@cache
def _shipped() -> Keys:
    return load_keys()


@cache
def networks() -> Mapping[str, Network]:
    """Both networks: "claims" and "asks"."""
    with np.load(WEIGHTS) as stored:
        told = {name: stored[name] for name in stored.files}
    classes = ("none", *sorted(_shipped().by_name))
    return {
        which: Network(
            classes=classes,
            hidden=_wide(told[f"{which}_hidden"]),
            hidden_bias=_wide(told[f"{which}_hidden_bias"]),
            out=_wide(told[f"{which}_out"]),
            straight={name: _wide(told[f"{which}_straight_{name}"]) for name in LANGUAGES},
            sequences={name: _wide(told[f"{which}_sequences_{name}"]) for name in LANGUAGES},
            bias=_wide(told[f"{which}_bias"]),
        )
        for which in ("claims", "asks")
    }


def _wide(stored: NDArray[np.float16]) -> Floats:
    return stored.astype(np.float32)
