"""What is known of each language: one file `data/<language>.toml` a language.

A further language is a new file with these tables, its code in config.LANGUAGES
and a test file; no code. All words are written as people write them (with
accents and capitals) and compared folded (`folding.fold`).

[words]      stop: words without a meaning of their own; question: words that ask. Separated by blanks.
[numbers]    zero, ones, teens, tens, hundreds, scales: word = value ("fünf" = 5). `tens_join` is a pattern
             between tens and ones ("twenty-one", "vinte e um"); `ones_first` the word between ones and tens
             where ones come first and all is one word ("zweiundzwanzig"); `tens_take_teens` tens that
             teens are added to ("soixante-dix"); `join` words inside a number ("and"); `article` words that
             count as 1 before a unit; `not_alone` words that alone are something else as a rule ("uma");
             `ordinals` word = value, with `ordinal_endings` a pattern of endings; `ordinal_digits`
             a pattern for ordinals in figures.
[names]      titles (before a name), particles (inside one, lower case), not_names (capitalised, yet none);
             `capital_nouns = true` where nouns have a capital, so that "Töchter" beside a name is none.
[relations]  canonical key = words for one such person, the plainest first, all genders and inflections.
[plurals]    canonical key = words for several such persons.
[times]      dates and times: see `times/grammar.py`.
[say]        how dates and times are said: see `saying.py`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from memory.config import LANGUAGES

_DATA = Path(__file__).parent / "data"


@cache
def tables(language: str) -> Mapping[str, Any]:
    """The tables of a language, read once. Not to be changed.

    Raises:
        ValueError: the language is not one of config.LANGUAGES.
    """
    if language not in LANGUAGES:
        raise ValueError(f"no such language: {language!r}")
    return MappingProxyType(tomllib.loads((_DATA / f"{language}.toml").read_text(encoding="utf-8")))
