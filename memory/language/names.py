"""Names of people in a text, and words for what people are to each other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from memory.language.folding import fold
from memory.language.tables import tables
from memory.language.terms import stop_words

_TOKEN = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*\.?", re.UNICODE)
_SENTENCE_END = re.compile(r"[.!?…:\n]\s*[\"'“”„«»(]*\s*$")


@dataclass(frozen=True, kw_only=True)
class NameSpan:
    """A run of words that looks like a name."""

    span: tuple[int, int]  # offsets in the text, the title inside
    name: str  # as written, without the title
    title: str = ""  # as written
    starts_sentence: bool = False  # its capital may be the sentence's


@cache
def titles(language: str) -> frozenset[str]:
    """Folded words that stand before a name, without a dot."""
    return frozenset(fold(word) for word in tables(language)["names"]["titles"])


@cache
def particles(language: str) -> frozenset[str]:
    """Folded words that stand inside a name in lower case."""
    return frozenset(fold(word) for word in tables(language)["names"]["particles"])


@cache
def not_names(language: str) -> frozenset[str]:
    """Folded words that have a capital without being a person's name."""
    return frozenset(fold(tables(language)["names"]["not_names"]).split())


@cache
def relation_words(language: str) -> Mapping[str, str]:
    """Folded word or words -> canonical relation ("wife", "mother-in-law"), for one person.

    The words of two or more (such as "best friend") are keys with blanks and hyphens as written.
    """
    return MappingProxyType(_by_word(tables(language)["relations"]))


@cache
def plural_relation_words(language: str) -> Mapping[str, str]:
    """Folded word -> canonical relation, for several persons ("sons" -> "son", "parents" -> "parent")."""
    return MappingProxyType(_by_word(tables(language)["plurals"]))


def relation_word(canonical: str, language: str) -> str:
    """The plainest word for a relation, as written; the key itself when the language has none.

    >>> relation_word("wife", "pt")
    'mulher'
    """
    known = tables(language)["relations"].get(canonical)
    return str(known[0]) if known else canonical


def _by_word(table: Mapping[str, list[str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for canonical, forms in table.items():
        for form in forms:
            found.setdefault(fold(form), canonical)
    return found


def find_names(text: str, language: str) -> tuple[NameSpan, ...]:
    """Runs of capitalised words that can be a name, with title and particles, in order.

    German nouns have capitals too: there a caller needs a second sign (a title, a
    relation, a known name). A run at the start of a sentence is marked as such,
    and left out when its only word is a function word of the language.
    """
    tokens = list(_TOKEN.finditer(text))
    found: list[NameSpan] = []
    index = 0
    while index < len(tokens):
        run, title = _run(text, tokens, index, language)
        if not run:
            index += 1
            continue
        first = tokens[index]
        start, end = first.start(), run[-1].end()
        name_start = run[0].start()
        name = text[name_start:end].rstrip(".")
        end = name_start + len(name)
        found.append(
            NameSpan(
                span=(start, end),
                name=name,
                title=title,
                starts_sentence=start == 0 or bool(_SENTENCE_END.search(text[:start])),
            )
        )
        while index < len(tokens) and tokens[index].start() < end:
            index += 1
    return tuple(found)


def _run(
    text: str, tokens: list[re.Match[str]], index: int, language: str
) -> tuple[list[re.Match[str]], str]:
    """The name that starts at token `index` (a title first, perhaps), or an empty list."""
    title = ""
    leading: list[re.Match[str]] = []
    word = tokens[index].group()
    if word[:1].isupper() and fold(word).rstrip(".") in titles(language):
        start = _after_title(text, tokens, index, language)
        if start is not None:
            title = word
            index += 1
            leading = tokens[index:start]
            index = start
    run: list[re.Match[str]] = []
    pending: list[re.Match[str]] = []
    for token in tokens[index:]:
        before = run[-1:] + pending
        if before and text[before[-1].end() : token.start()].strip(" ") != "":
            break
        if before and before[-1].group().endswith(".") and len(before[-1].group()) > 3:
            break
        if _is_name_word(token.group(), language):
            run += [*pending, token]
            pending = []
        elif run and fold(token.group()) in particles(language) and len(pending) < 2:
            pending.append(token)
        else:
            break
    return (leading + run, title) if run else ([], "")


def _after_title(text: str, tokens: list[re.Match[str]], index: int, language: str) -> int | None:
    """The token that starts the name behind a title, particles skipped ("Frau von der Heide")."""
    for following in range(index + 1, min(index + 4, len(tokens))):
        if text[tokens[following - 1].end() : tokens[following].start()].strip(" "):
            return None
        if _is_name_word(tokens[following].group(), language):
            return following
        if fold(tokens[following].group()) not in particles(language):
            return None
    return None


def _is_name_word(word: str, language: str) -> bool:
    bare = word.rstrip(".")
    folded = fold(bare)
    if not bare[:1].isupper() or folded in not_names(language):
        return False
    if tables(language)["names"].get("capital_nouns") and folded not in titles(language):
        kin = folded in relation_words(language) or folded in plural_relation_words(language)
        return not kin and folded not in stop_words(language)
    return folded not in stop_words(language)
