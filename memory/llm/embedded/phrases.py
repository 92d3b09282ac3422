"""One language's phrases and cues for the built-in model, read from `data/<language>.toml`.

The format of the files is described in docs/embedded-model.md.
"""

from __future__ import annotations

import re
import tomllib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from memory.language import fold

_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Voice:
    """How a person's own words are said back to them, and how lists are joined."""

    join: str
    last_join: str
    quote_open: str
    quote_close: str
    swap: Mapping[str, str]  # folded word or words -> what stands in their place
    subjects: frozenset[str]  # folded words that begin a statement with its own subject
    first: frozenset[str]  # folded words that show the first person and cannot be turned
    pronouns: frozenset[str]  # the folded "I" whose verb must be turned; none where the swap is enough
    genitive: str  # folded ending of a word that owns something, left off to know the word
    skipped: frozenset[str]  # folded words that may stand between such a pronoun and its verb
    possessives: frozenset[str]  # folded words for "my" that stand before a subject
    articles: frozenset[str]  # folded articles that may stand before such a possessive
    verbs: Mapping[str, str]  # folded first-person form -> second-person form
    endings: tuple[tuple[str, str], ...]  # ending of a first-person form -> of the second
    ordinals: tuple[frozenset[str], ...]  # words that pick the first, second ... of several
    last: frozenset[str]
    all: frozenset[str]
    none: frozenset[str]
    categories: Mapping[str, frozenset[str]]  # category -> folded words a person uses for it
    negation: frozenset[str]  # folded words that deny
    pointing: frozenset[str]  # folded words that only point at a thing: "that one"
    talk_words: frozenset[str]  # folded words for talking itself, which name no topic
    diet_query: str  # what to search for before a meal is spoken of
    job_query: str  # what to search for when a signature names the employer


@dataclass(frozen=True)
class Phrases:
    """What can be said in one language, and the cues that tell requests apart."""

    language: str
    says: Mapping[str, tuple[str, ...]]  # "react.any" -> variants
    voice: Voice
    cues: Mapping[str, re.Pattern[str]]
    asks: Mapping[str, re.Pattern[str]]  # kind of value -> how a question asks for it
    evidence: Mapping[str, re.Pattern[str]]  # kind of value -> how a card shows that it has one

    def say(self, key: str, *, seed: str, **slots: str) -> str:
        """One variant of a phrase, filled. The same seed gives the same variant.

        Raises:
            KeyError: no such phrase, or a slot of it was not given.
        """
        variants = self.says[key]
        return variants[zlib.crc32(f"{key}|{seed}".encode()) % len(variants)].format(**slots)

    def cue(self, name: str, folded: str) -> re.Match[str] | None:
        """First match of a cue on folded text."""
        return self.cues[name].search(folded)

    def asked(self, folded: str) -> tuple[str, ...]:
        """Kinds of value that a folded question asks for, in the order of the file."""
        return tuple(kind for kind, pattern in self.asks.items() if pattern.search(folded))

    def listed(self, items: Sequence[str]) -> str:
        """Items as one enumeration: "a, b and c"."""
        if len(items) < 2:
            return "".join(items)
        return self.voice.join.join(items[:-1]) + self.voice.last_join + items[-1]

    def quoted(self, text: str) -> str:
        """`text` in the language's quotation marks."""
        return f"{self.voice.quote_open}{text}{self.voice.quote_close}"


@cache
def phrases(language: str) -> Phrases:
    """The phrases of a language; English ones when it has no file."""
    path = _DATA / f"{language}.toml"
    if not path.exists():
        path = _DATA / "en.toml"
    return _build(tomllib.loads(path.read_text(encoding="utf-8")))


def _build(data: Mapping[str, Any]) -> Phrases:
    says = {
        f"{group}.{name}": tuple(variants)
        for group, entries in data["phrases"].items()
        for name, variants in entries.items()
    }
    return Phrases(
        language=data["language"],
        says=says,
        voice=_voice(data["voice"]),
        cues=_patterns(data["cues"]),
        asks=_patterns(data["asks"]),
        evidence=_patterns(data["evidence"]),
    )


def _voice(data: Mapping[str, Any]) -> Voice:
    return Voice(
        join=data["join"],
        last_join=data["last_join"],
        quote_open=data["quote_open"],
        quote_close=data["quote_close"],
        swap={fold(word): said for word, said in data["swap"].items()},
        subjects=_words(data["subjects"]),
        first=_words(data["first"]),
        pronouns=_words(data["pronouns"]),
        genitive=fold(data["genitive"]),
        skipped=_words(data["skipped"]),
        possessives=_words(data["possessives"]),
        articles=_words(data["articles"]),
        verbs={fold(word): said for word, said in data["verbs"].items()},
        endings=tuple((old, new) for old, new in data["endings"]),
        ordinals=tuple(frozenset(map(fold, words)) for words in data["ordinals"]),
        last=frozenset(map(fold, data["last"])),
        all=frozenset(map(fold, data["all"])),
        none=frozenset(map(fold, data["none"])),
        categories={name: _words(text) for name, text in data["categories"].items()},
        negation=_words(data["negation"]),
        pointing=_words(data.get("pointing", "")),
        talk_words=_words(data["talk_words"]),
        diet_query=data["diet_query"],
        job_query=data["job_query"],
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(fold(text).split())


def _patterns(table: Mapping[str, Sequence[str]]) -> dict[str, re.Pattern[str]]:
    return {name: re.compile("|".join(f"(?:{part})" for part in parts)) for name, parts in table.items()}
