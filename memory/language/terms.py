"""Terms: the words of a text as search sees them."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cache

import Stemmer

from memory.language.folding import fold
from memory.language.tables import tables
from memory.language.tokens import words

_ALGORITHMS: Mapping[str, str] = {
    "en": "english",
    "de": "german",
    "pt": "portuguese",
    "fr": "french",
    "es": "spanish",
}
_own = threading.local()  # a Stemmer object must not be used by two threads at once


def _stemmer(language: str) -> Stemmer.Stemmer:
    held: dict[str, Stemmer.Stemmer] = _own.__dict__.setdefault("stemmers", {})
    stemmer = held.get(language)
    if stemmer is None:
        stemmer = held[language] = Stemmer.Stemmer(_ALGORITHMS[language])
    return stemmer


@cache
def stop_words(language: str) -> frozenset[str]:
    """Folded words without a meaning of their own, question words among them."""
    return frozenset(words(fold(tables(language)["words"]["stop"]))) | question_words(language)


@cache
def question_words(language: str) -> frozenset[str]:
    """Folded words that ask."""
    return frozenset(words(fold(tables(language)["words"]["question"])))


def surface_terms(text: str, language: str) -> tuple[str, ...]:
    """The folded words of `text` in order, stop words out, unstemmed."""
    stop = stop_words(language)
    return tuple(word for word in words(fold(text)) if word not in stop)


def terms(text: str, language: str) -> tuple[str, ...]:
    """The folded, stemmed words of `text` in order, stop words out; words with a digit stay as given.

    Folding comes first, so that "médico" and "medico" share a stem.

    >>> terms("The walls were painted 0042", "en")
    ('wall', 'paint', '0042')
    """
    plain = surface_terms(text, language)
    stemmer = _stemmer(language)
    return tuple(word if any(map(str.isdigit, word)) else stemmer.stemWord(word) for word in plain)
