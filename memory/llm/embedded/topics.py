"""What a text speaks of, by a small thesaurus: so that other words for the same thing still meet."""

from __future__ import annotations

import tomllib
from functools import cache, lru_cache
from pathlib import Path

from memory.config import LANGUAGES
from memory.language import fold, question_words
from memory.language import words as split_words

_FILE = Path(__file__).parent / "data" / "topics.toml"
_SHORTEST_PREFIX = 4  # a shorter word must be met whole
_WHOLE = "."  # ... and one with this sign behind it


@cache
def _index(language: str) -> dict[str, frozenset[str]]:
    """Word or beginning of a word -> topics."""
    column = LANGUAGES.index(language)
    found: dict[str, set[str]] = {}
    with _FILE.open("rb") as file:
        for topic, cells in tomllib.load(file)["topics"].items():
            for word in fold(cells[column]).split():
                found.setdefault(word, set()).add(topic)
    return {word: frozenset(topics) for word, topics in found.items()}


@lru_cache(maxsize=4096)
def topics(text: str, language: str) -> frozenset[str]:
    """The topics that words of `text` belong to."""
    index = _index(language)
    asking = question_words(language)
    found: set[str] = set()
    for word in split_words(fold(text)):
        if word in asking and word not in index:
            continue
        found |= index.get(word, frozenset())
        for end in range(_SHORTEST_PREFIX, len(word)):
            found |= index.get(word[:end], frozenset())
        found |= index.get(word + _WHOLE, frozenset())
    return frozenset(found)
