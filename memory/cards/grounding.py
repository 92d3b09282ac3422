"""Does a statement rest on what the person said? Pure.

Whatever a model proposes, its names, numbers and codes must stand in the person's own
words, and so must most of the words that carry meaning: nothing is invented, translated
or taken from an assistant's guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory import language as lang

_ENOUGH = 0.5  # share of a statement's stems that the person used
_DIGITS = re.compile(r"(?:[A-Z]+[-/.])*\w*\d[\w.:/+-]*")


def is_grounded(
    text: str, *, said: Iterable[str], language: str, names: Iterable[str] = (), moment_words: bool = False
) -> bool:
    """Whether a statement rests on the person's words.

    Args:
        said: the person's messages that it may rest on, without pasted text.
        names: names that are known already and may be used.
        moment_words: the statement holds an absolute date that was said as a relative
            one; its numbers are then not looked for.
    """
    sources = " \n ".join(said)
    folded = lang.fold(sources)
    known = {word for name in names for word in lang.words(lang.fold(name))}
    if not moment_words and not all(
        _has_number(number, folded, sources, language) for number in _DIGITS.findall(text)
    ):
        return False
    heard = set(lang.words(folded)) | known
    if any(word not in heard and f"{word}s" not in heard for word in _name_words(text)):
        return False
    stems = set(lang.terms(text, language))
    held = set(lang.terms(sources, language)) | {lang.fold(word) for word in known}
    values = {number.value for number in lang.numbers.find(sources, language)}
    strangers = [stem for stem in stems if stem not in held and not _is_value(stem, values)]
    return len(strangers) <= len(stems) * (1 - _ENOUGH)


def _has_number(number: str, folded: str, sources: str, language: str) -> bool:
    """Whether a number or code was said: digit by digit, or as a number in words."""
    bare = number.strip(".:/+-")
    if re.search(rf"(?<!\w){re.escape(lang.fold(bare))}(?!\w)", folded):
        return True
    return bare.isdigit() and any(
        each.in_words and str(each.value) == bare for each in lang.numbers.find(sources, language)
    )


def _is_value(stem: str, values: set[int]) -> bool:
    return stem.isdigit() and int(stem) in values


def _name_words(text: str) -> list[str]:
    """Folded capitalised words inside a text, its first word apart; a German noun is one too, if said."""
    found = re.findall(r"(?<=[^.!?:\n] )[A-ZÀ-ÖØ-Þ][\w'’-]+", text)
    names = [each for each in found if not any(sign.isdigit() for sign in each)]  # a code is looked for whole
    return [word for each in names for word in lang.words(lang.fold(each))]
