"""What search keeps of a turn: its words, its marks and its meaning. The same for every writer of turns."""

from __future__ import annotations

from dataclasses import dataclass

from memory.cards.ranking.cues import marks
from memory.embedding import Embedder, Vectors
from memory.language import terms

MAX_CHARS = 2000  # of a text that is embedded and of an answer; a paste is known by its beginning
MAX_TERMS = 4000


@dataclass(frozen=True, kw_only=True)
class Indexed:
    """The columns of a turn that search reads."""

    terms: str  # stemmed, separated by blanks, with marks
    vector: Vectors  # shape (DIMENSIONS,)
    vector_version: str


def indexed(*, said: str, answer: str = "", speaker: str = "", language: str, embedder: Embedder) -> Indexed:
    """What search keeps of one exchange.

    The words of the answer can be found too; the meaning is that of what the person
    said, with the speaker before it when a guest or another named person spoke.
    """
    every = (*marks(said, language), *terms(said, language), *terms(answer[:MAX_CHARS], language))
    spoken = f"{speaker}: {said}" if speaker else said
    return Indexed(
        terms=" ".join(every[:MAX_TERMS]),
        vector=embedder.encode_one(spoken[:MAX_CHARS]),
        vector_version=embedder.version,
    )
