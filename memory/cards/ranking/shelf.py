"""One layer of one person's store in arrays: the cards, or the turns of their talks.

A shelf grows in place: a new or changed document is appended, its older state
marked dead. What the ranking reads is the living ones in the order of their ids,
so that a shelf that grew gives the same results as one that was just loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from memory.cards.ranking.names import NameIndex
from memory.cards.ranking.postings import Floats, Ints, Postings
from memory.config import LANGUAGES
from memory.embedding import DIMENSIONS

T = TypeVar("T")

MAX_DEAD_SHARE = 0.3  # above it a shelf is built anew, so that a long life does not bloat it

FIELDS = np.dtype(
    [
        ("id", np.int64),
        ("group", np.int64),  # conversation of a turn; 0 for cards
        ("year", np.int16),  # of the day it stands for; 0: none
        ("month", np.int8),
        ("day", np.int8),
        ("length", np.float32),  # in terms
        ("language", np.int8),  # as `language_code` gives it; 0: not known, or several
        ("topics", np.int8),  # how many topics it speaks of
        ("asks", np.bool_),  # what was said is itself a question
        ("tells", np.bool_),  # it places something in time
        ("sensitive", np.bool_),
        ("guest", np.bool_),  # a guest said it
    ]
)


def language_code(language: str) -> int:
    """A number for a language in FIELDS: its place among LANGUAGES from 1, or 0 for another one."""
    return LANGUAGES.index(language) + 1 if language in LANGUAGES else 0


def topic_term(topic: str) -> str:
    """The term under which a topic stands among the postings; no word of a text looks like it."""
    return f"#{topic}"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What the ranking needs of one card or turn."""

    id: int
    terms: tuple[str, ...]  # stemmed; of cards the unstemmed ones too
    vector: NDArray[np.float32] | None  # unit length; None: not embedded yet, found by words only
    names: tuple[str, ...] = ()  # a turn's speaker; a card's subject and people
    topics: tuple[str, ...] = ()  # what it speaks of, in other words too; of cards
    columns: dict[str, Any] = field(default_factory=dict)  # fields of FIELDS that are not zero


class Shelf:
    """The entries of one layer. Not safe for threads: whoever holds it holds its lock."""

    def __init__(self) -> None:
        self.postings = Postings()
        self.names = NameIndex()
        self._rows = np.zeros(16, FIELDS)
        self._vectors = np.zeros((16, DIMENSIONS), np.float32)
        self._latest: dict[int, int] = {}  # id -> document
        self._count = 0
        self._settled = False
        self._order = np.empty(0, np.int64)
        self._position = np.empty(0, np.int32)
        self._fields = np.empty(0, FIELDS)
        self._in_order = False
        self._derived: dict[str, Any] = {}

    def __len__(self) -> int:
        return len(self._latest)

    def ids(self) -> set[int]:
        """Ids of the living entries."""
        return set(self._latest)

    def put(self, entries: Iterable[Entry]) -> None:
        """Add entries, or replace those with the same id."""
        for entry in entries:
            self._append(entry)
        self._settled = False

    def discard(self, ids: Iterable[int]) -> None:
        """Take entries out; unknown ids are nothing to do."""
        for each in ids:
            self._latest.pop(each, None)
        self._settled = False

    @property
    def is_bloated(self) -> bool:
        """Whether so much of the shelf is dead that it should be built anew."""
        return self._count > 256 and len(self._latest) < (1.0 - MAX_DEAD_SHARE) * self._count

    @property
    def bytes(self) -> int:
        """Roughly what the shelf takes in memory."""
        return int(self._vectors.nbytes + self._rows.nbytes) + self.postings.bytes + 200 * self._count

    @property
    def position(self) -> Ints:
        """For each document its position among the living, or -1."""
        self._settle()
        return self._position

    @property
    def fields(self) -> NDArray[Any]:
        """FIELDS of the living entries in the order of their ids."""
        self._settle()
        return self._fields

    def derived(self, name: str, make: Callable[[NDArray[Any]], T]) -> T:
        """What `make` makes of `fields`: made once, and again when the living entries are others."""
        rows = self.fields
        if name not in self._derived:
            self._derived[name] = make(rows)
        told: T = self._derived[name]
        return told

    def asked_names(self, words: Iterable[str]) -> dict[tuple[str, ...], float]:
        """The living entries' names that stand among a question's words, with the share that does."""
        return self.names.asked(words, self.position)

    def cosines(self, query: NDArray[np.float32]) -> Floats:
        """Similarity of each living entry with a unit vector; shape (len(self),)."""
        self._settle()
        every: Floats = self._vectors[: self._count] @ query
        return every if self._in_order else every[self._order]

    def counts(self, alternatives: Sequence[str]) -> tuple[Ints, Floats]:
        """Positions of living entries with one of these forms of a word, and how often."""
        return self.postings.find(alternatives, self.position)

    def _append(self, entry: Entry) -> None:
        doc = self._count
        if doc == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros(doc, FIELDS)])
            self._vectors = np.concatenate([self._vectors, np.zeros((doc, DIMENSIONS), np.float32)])
        row = self._rows[doc : doc + 1]
        row["id"] = entry.id
        row["length"] = len(entry.terms)
        row["topics"] = len(entry.topics)
        for name, value in entry.columns.items():
            row[name] = value
        if entry.vector is not None:
            self._vectors[doc] = entry.vector
        self.postings.add(doc, (*entry.terms, *(topic_term(topic) for topic in entry.topics)))
        self.names.add(doc, entry.names)
        self._latest[entry.id] = doc
        self._count += 1

    def _settle(self) -> None:
        if self._settled:
            return
        docs = np.fromiter(self._latest.values(), dtype=np.int64, count=len(self._latest))
        docs = docs[np.argsort(self._rows["id"][docs], kind="stable")]
        position = np.full(self._count, -1, np.int32)
        position[docs] = np.arange(docs.size, dtype=np.int32)
        self._order, self._position = docs, position
        self._fields = self._rows[docs]
        self._in_order = docs.size == self._count and bool((docs == np.arange(docs.size)).all())
        self._derived.clear()
        self._settled = True
