"""An inverted index of one person's texts, in memory, and BM25 over it.

BM25 is Robertson's, with the idf of Lucene (never negative). Scores are given as
a share of the best that a text could reach for the question, so that they mean
the same for short and long questions, in small and large stores.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

K1 = 1.2  # how soon more of the same word stops counting
B = 0.75  # how much a long text is held back


class Postings:
    """Term -> documents with counts. Documents are numbered by the caller, rising.

    Not safe for threads: the owner of the shelf holds its lock. A document that
    is gone stays in the lists; the caller's `position` says who is alive.
    """

    def __init__(self) -> None:
        self._docs: dict[str, array[int]] = {}
        self._counts: dict[str, array[float]] = {}
        self.entries = 0

    def add(self, doc: int, terms: Iterable[str]) -> None:
        """Add the terms of a new document."""
        for term, count in Counter(terms).items():
            docs = self._docs.get(term)
            if docs is None:
                docs = self._docs[term] = array("i")
                self._counts[term] = array("f")
            docs.append(doc)
            self._counts[term].append(count)
            self.entries += 1

    def find(self, alternatives: Sequence[str], position: Ints) -> tuple[Ints, Floats]:
        """Positions of living documents that hold one of `alternatives`, and how often.

        Args:
            alternatives: forms of one word (its stems in several languages); counts
                of one document are not added up, the largest is taken.
            position: for each document its position among the living, or -1.
        """
        found = [term for term in alternatives if term in self._docs]
        if not found:
            return np.empty(0, np.int32), np.empty(0, np.float32)
        docs = np.concatenate([np.frombuffer(self._docs[term], dtype=np.int32) for term in found])
        counts = np.concatenate([np.frombuffer(self._counts[term], dtype=np.float32) for term in found])
        at = position[docs]
        alive = at >= 0
        at, counts = at[alive], counts[alive]
        if len(found) > 1 and at.size:
            at, groups = np.unique(at, return_inverse=True)
            largest = np.zeros(at.size, np.float32)
            np.maximum.at(largest, groups, counts)
            counts = largest
        return at.astype(np.int32), counts

    @property
    def bytes(self) -> int:
        """Roughly what the index takes in memory."""
        return self.entries * 8 + len(self._docs) * 300


def idf(count: int, total: int) -> float:
    """How much a word tells that `count` of `total` texts hold."""
    return float(np.log1p((total - count + 0.5) / (count + 0.5)))


def norm(lengths: Floats) -> Floats:
    """What BM25 holds against each of the texts of these lengths, beside their average."""
    return np.asarray(K1 * (1.0 - B + B * lengths / max(float(lengths.mean()), 1e-9)), dtype=np.float32)


def saturated(counts: Floats, norms: Floats) -> Floats:
    """BM25's share of a word's weight, 0..1, for its counts in texts with these norms."""
    return np.asarray(counts / (counts + norms), dtype=np.float32)
