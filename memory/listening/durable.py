"""Does a clause tell something lasting? A small network over sentence vectors, words and the tables.

Seven kinds: lasting, transient, past, plan, unreal (hypothetical, joke, boast), request
and errand. Its weights (`data/durable.npz`) are made by `python -m memory.listening.train`
from `data/training/<language>.tsv`, deterministic and in a minute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.embedding import Embedder
from memory.listening.lexicon import Lexicon, lexicon
from memory.listening.network import Floats, Network, grams, read
from memory.listening.network import inputs as beside
from memory.listening.tokens import Piece

KINDS = ("d", "t", "p", "f", "h", "r", "o")
WEIGHTS = Path(__file__).parent / "data" / "durable.npz"
_SHORT, _LONG = 4, 8  # words
# What of the tables is shown to the network. Changed, it has to be trained again.
_WORDS = (
    "self", "possessive", "of_third", "negation", "it", "question_word", "copula", "third", "article",
    "adverb", "demonstrative", "and", "preposition", "comment", "month", "first_name",
)  # fmt: skip
_PATTERNS = (
    "habitual", "hypothetical", "state", "unsure", "joke_word", "speech", "plan", "obligation", "no_longer",
    "was_once", "meta", "naming", "intro", "question", "request", "errand", "service", "birthday", "remind",
    "task", "comment_clause", "always", "opener", "because",
)  # fmt: skip


@dataclass(frozen=True)
class Leaning:
    """Probabilities of the kinds for one clause; they add up to 1."""

    lasting: float
    transient: float
    past: float
    plan: float
    unreal: float
    request: float
    errand: float = 0.0

    @property
    def other(self) -> float:
        """The likeliest kind beside lasting."""
        return max(self.transient, self.past, self.plan, self.unreal, self.request, self.errand)


_embedder = Embedder()  # the model is loaded by the first sentence, not here


def vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors, shape (len(texts), 512)."""
    return _embedder.encode(texts)


def preload() -> None:
    """Load the network and the encoder now."""
    _network()
    _embedder.preload()


def forget() -> None:
    """Empty the cache of texts: what a person erased stays in no process."""
    _embedder.forget()


@cache
def _network() -> Network:
    return read(WEIGHTS, "kinds", KINDS)


def leanings(clauses: Sequence[str], language: str) -> list[Leaning]:
    """What each clause leans to, in the order given. Same clauses, same answer."""
    if not clauses:
        return []
    logits = _network().logits(inputs(clauses, language), grams(clauses), language)
    logits -= logits.max(axis=1, keepdims=True)
    odds = np.exp(logits)
    odds /= odds.sum(axis=1, keepdims=True)
    return [Leaning(*map(float, row)) for row in odds]


def inputs(clauses: Sequence[str], language: str) -> Floats:
    """What the network reads of clauses beside their words, shape (clauses, inputs)."""
    lex = lexicon(language)
    lowered = [clause.lower() for clause in clauses]
    return beside(vectors(lowered), [_found(clause, lex) for clause in clauses])


def _found(clause: str, lex: Lexicon) -> list[float]:
    """What the tables find in a clause, in a fixed order."""
    piece = Piece(list(lex.tokens(clause)))
    norm, words = piece.norm, piece.folded
    hits = [any(lex.has(name, word) for word in words) for name in _WORDS]
    hits += [lex.search(name, norm) is not None for name in _PATTERNS]
    hits += [
        any(word in lex.first_verbs for word in words),
        any(word in lex.past_verbs for word in words),
        any(word in lex.verbs for word in words),
        any(word in lex.relation_starts for word in words),
        any(rule.pattern.search(norm) for rule in lex.attributes),
        any(char.isdigit() for char in clause),
        clause.rstrip().endswith("?"),
        clause.rstrip().endswith("!"),
        len(words) < _SHORT,
        len(words) > _LONG,
    ]
    return [float(hit) for hit in hits]
