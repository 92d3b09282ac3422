"""Words for what people are to each other, the same in every language: "Schwester" finds "irmã"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from memory.config import LANGUAGES
from memory.language import plural_relation_words, relation_words

MARK = "@"
_LONGEST = 3  # words in a relation such as "mother in law"


def kin_terms(folded_words: Sequence[str], language: str) -> tuple[str, ...]:
    """A term for each relation that is named, the same in all languages.

    >>> kin_terms(["minha", "irma"], "pt"), kin_terms(["my", "sister"], "en")
    (('@sister',), ('@sister',))
    """
    known = _relations(language)
    found: list[str] = []
    index = 0
    while index < len(folded_words):
        for size in range(min(_LONGEST, len(folded_words) - index), 0, -1):
            canonical = known.get(tuple(folded_words[index : index + size]))
            if canonical is not None:
                found.append(MARK + canonical)
                index += size
                break
        else:
            index += 1
    return tuple(found)


@cache
def _relations(language: str) -> dict[tuple[str, ...], str]:
    if language not in LANGUAGES:
        return {}
    every = {**plural_relation_words(language), **relation_words(language)}
    return {
        tuple(form.replace("-", " ").replace("'", " ").split()): canonical
        for form, canonical in every.items()
    }
