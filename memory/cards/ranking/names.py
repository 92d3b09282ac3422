"""Which documents belong to which names, and which of the names a question asks about."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from memory.cards.ranking.postings import Floats, Ints
from memory.language import fold, words


@lru_cache(maxsize=8192)
def name_words(name: str) -> tuple[str, ...]:
    """The folded words of a name that can tell it from others (initials and particles of two letters cannot).

    >>> name_words("José da Muñoz")
    ('jose', 'munoz')
    """
    every = words(fold(name))
    return tuple(word for word in every if len(word) > 2) or tuple(every)


class NameIndex:
    """Name -> documents. Documents are numbered by the caller; not safe for threads."""

    def __init__(self) -> None:
        self._docs: dict[tuple[str, ...], array[int]] = {}
        self._by_word: dict[str, set[tuple[str, ...]]] = {}

    def add(self, doc: int, names: Iterable[str]) -> None:
        """Put a document under each of its names."""
        for key in {name_words(name) for name in names if name}:
            if key not in self._docs:
                self._docs[key] = array("i")
                for word in key:
                    self._by_word.setdefault(word, set()).add(key)
            self._docs[key].append(doc)

    def asked(self, question_words: Iterable[str], position: Ints) -> dict[tuple[str, ...], float]:
        """The names of living documents in a question, each with the share of its words there, 0..1.

        When a name is there whole, namesakes of it that are there in part are not
        meant: "Anna Voss" does not ask for Anna Brandt.
        """
        said = set(question_words)
        shares: dict[tuple[str, ...], float] = {}
        for word in said & self._by_word.keys():
            for key in self._by_word[word]:
                if self._is_alive(key, position):
                    shares[key] = len(said.intersection(key)) / len(set(key))
        whole = {word for key, share in shares.items() if share == 1.0 and len(key) > 1 for word in key}
        return {key: share for key, share in shares.items() if share == 1.0 or not whole.intersection(key)}

    def closeness(self, shares: dict[tuple[str, ...], float], position: Ints, count: int) -> Floats:
        """For each living document how surely it is about an asked name, 0..1; shape (count,)."""
        result = np.zeros(count, np.float32)
        for key, share in shares.items():
            at = position[np.frombuffer(self._docs[key], dtype=np.int32)]
            at = at[at >= 0]
            result[at] = np.maximum(result[at], share)
        return result

    def _is_alive(self, key: tuple[str, ...], position: Ints) -> bool:
        return any(position[doc] >= 0 for doc in reversed(self._docs[key]))
