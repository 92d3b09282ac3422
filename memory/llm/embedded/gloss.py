"""Single words from one language to another, by a small lexicon of everyday things.

It translates no sentences. A card in another language is quoted, and the words
that the lexicon has stand beside it.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from memory.config import LANGUAGES
from memory.language import terms

_FILE = Path(__file__).parent / "data" / "lexicon.toml"
_INSIDE = 5  # a shorter word is not looked for inside a compound


@cache
def _rows() -> tuple[dict[str, tuple[str, ...]], ...]:
    """One row a concept: language -> its words, the plainest first."""
    with _FILE.open("rb") as file:
        rows = tomllib.load(file)["words"]
    return tuple(
        {
            language: tuple(word.strip() for word in cell.split(","))
            for language, cell in zip(LANGUAGES, row, strict=True)
        }
        for row in rows
    )


@cache
def _index(source: str) -> dict[str, int]:
    """Stem in the source language -> row."""
    index: dict[str, int] = {}
    for at, row in enumerate(_rows()):
        for word in row[source]:
            stems = terms(word, source)
            if len(stems) == 1:
                index.setdefault(stems[0], at)
    return index


def gloss(text: str, *, source: str, target: str) -> list[str]:
    """The words of `text` that the lexicon has, in the target language and in their order.

    A compound gives its parts ("Ersatzschlüssel": spare, key). Names and numbers
    are left out: they need no translation.
    """
    index = _index(source)
    found: dict[int, None] = {}
    for stem in terms(text, source):
        if stem in index:
            found.setdefault(index[stem])
            continue
        inside = sorted(
            (stem.find(part), at) for part, at in index.items() if len(part) >= _INSIDE and part in stem
        )
        for _, at in inside:
            found.setdefault(at)
    return [_rows()[at][target][0] for at in found]
