"""One language's knowledge for the listener, read from `data/<language>.toml`.

The format of the files is described in docs/listening.md.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from memory.language import names
from memory.listening.spelling import Spelling
from memory.listening.tokens import Token, capitals, tokenize
from memory.listening.vocabulary import Prefixed, any_of, verb_forms

_DATA = Path(__file__).parent / "data"
_MACRO = re.compile(r"(?<!\?P)<([a-z_]+)>")


@dataclass(frozen=True)
class AttributeRule:
    """Says which stable key a statement is about, so that a newer one can supersede it."""

    key: str  # "home", "allergy:{x}"; {x} is the pattern's group x
    pattern: re.Pattern[str]
    value: str  # "{v}" or fixed: "yes"
    about: str  # whom it fits: "self", "person", "thing" or "any"
    sensitive: bool


@dataclass(frozen=True)
class Lexicon:
    """Word sets, verbs and patterns of one language. Patterns match `Piece.norm`."""

    language: str
    suffixes: tuple[str, ...]
    prefixes: tuple[str, ...]
    distinct: frozenset[str]  # those of `keep` that patterns see with their accent
    keep: frozenset[str]  # words whose accent decides: "é" is not "e"
    words: Mapping[str, frozenset[str]]
    verbs: frozenset[str]  # finite forms, any person
    first_verbs: frozenset[str]  # finite forms that say "I" or "we" by themselves
    past_verbs: frozenset[str]
    patterns: Mapping[str, re.Pattern[str]]
    attributes: tuple[AttributeRule, ...]
    relations: Mapping[str, str]  # folded words (one or several) -> stable key
    relation_starts: Mapping[str, tuple[tuple[str, ...], ...]]  # first word -> whole words, longest first
    templates: Mapping[str, str]  # sentences made by the listener, with {name} and {age}
    common: frozenset[str]  # every word the tables know: never a name in lower case
    formal: frozenset[str]  # words that address the hearer when they have a capital: "Sie"
    nouns: bool  # nouns have capitals: a capital word inside a sentence is no verb
    digraphs: tuple[str, ...]  # how letters with a mark are written without it: "ue"
    spelling: Spelling  # what quick typing leaves out: "im", "dont", "w"

    def tokens(self, text: str) -> tuple[Token, ...]:
        """Words, numbers and signs of a text, cut as this language cuts them."""
        found = tokenize(
            text, suffixes=self.suffixes, prefixes=self.prefixes, keep=self.keep, distinct=self.distinct
        )
        read = self.spelling.read([self._umlauts(token) for token in found], self)
        return capitals(read, formal=self.formal, verbs=self._only_verbs) if self.nouns else read

    def _umlauts(self, token: Token) -> Token:
        """A word that is only known without its second letter: "fuer", "koennen"."""
        if not self.digraphs or not any(pair in token.folded for pair in self.digraphs):
            return token
        if token.folded in self.common or self.has("first_name", token.folded):
            return token
        plain = token.folded
        for pair in self.digraphs:
            plain = plain.replace(pair, pair[0])
        return replace(token, folded=plain) if plain in self.common else token

    def _only_verbs(self, word: str) -> bool:
        """Whether a word is in the tables as a verb and not as a name or a relation."""
        return word in self.verbs and not self.has("first_name", word) and word not in self.relation_starts

    def has(self, kind: str, word: str) -> bool:
        """Whether a folded word belongs to a word set."""
        return word in self.words.get(kind, frozenset())

    def search(self, name: str, norm: str) -> re.Match[str] | None:
        """First match of a pattern list anywhere, or None. A list the file lacks never matches."""
        pattern = self.patterns.get(name)
        return pattern.search(norm) if pattern else None

    def begins(self, name: str, norm: str) -> re.Match[str] | None:
        """Match of a pattern list at the beginning, or None."""
        pattern = self.patterns.get(name)
        return pattern.match(norm) if pattern else None


@cache
def lexicon(language: str) -> Lexicon:
    """The tables of one language; English ones when the language has no file."""
    path = _DATA / f"{language}.toml"
    if not path.exists():
        path = _DATA / "en.toml"
    return _build(tomllib.loads(path.read_text(encoding="utf-8")))


def _build(data: Mapping[str, Any]) -> Lexicon:
    language = str(data["language"])
    words = {name: frozenset(text.split()) for name, text in data["words"].items()}
    relations = {key.replace("-", " "): value for key, value in names.relation_words(language).items()}
    relations |= dict(names.relation_words(language))
    relations |= data.get("relations", {})
    words["first_name"] = frozenset((_DATA / "first_names.txt").read_text(encoding="utf-8").split())
    words["title"] = words.get("title", frozenset()) | names.titles(language)
    verbs, first, past = verb_forms(data["verbs"])
    verbs -= words.get("never_verb", frozenset())
    macros = {name: any_of(group) for name, group in words.items()}
    macros["relation"] = any_of(relations)
    macros["verb"] = any_of(verbs)
    macros["first_verb"] = any_of(first)
    macros["past_verb"] = any_of(past)
    macros["conditional"] = any_of(_conditionals(data["verbs"]))
    before = tuple(data["verbs"].get("separable", "").split())
    macros |= {name: "(?:" + "|".join(parts) + ")" for name, parts in data.get("macros", {}).items()}
    patterns = {name: _compile(parts, macros) for name, parts in data["patterns"].items()}
    attributes = tuple(_attribute(entry, macros) for entry in data.get("attributes", ()))
    starts: dict[str, list[tuple[str, ...]]] = {}
    for relation in relations:
        parts = tuple(relation.split())
        starts.setdefault(parts[0], []).append(parts)
    known = (group for name, group in words.items() if name != "first_name")
    common = frozenset().union(verbs, past, *known) | {
        part for relation in relations for part in relation.split()
    }
    return Lexicon(
        language=language,
        suffixes=tuple(data.get("suffixes", ())),
        prefixes=tuple(data.get("prefixes", ())),
        keep=frozenset(data.get("keep", ())),
        distinct=frozenset(data.get("distinct", ())),
        words=words | {"ambiguous": Prefixed(words.get("ambiguous", frozenset()), before)},
        verbs=Prefixed(verbs, before),
        first_verbs=first,
        past_verbs=past,
        patterns=patterns,
        attributes=attributes,
        relations=relations,
        relation_starts={key: tuple(sorted(v, key=len, reverse=True)) for key, v in starts.items()},
        templates=data.get("templates", {}),
        common=Prefixed(common, before, verbs),
        formal=frozenset(data.get("formal", ())),
        nouns=bool(data.get("noun_capitals", False)),
        digraphs=tuple(data.get("digraphs", ())),
        spelling=Spelling.of(data.get("spelling", {})),
    )


def _fill(pattern: str, macros: Mapping[str, str]) -> str:
    for _ in range(3):  # macros may hold macros
        pattern = _MACRO.sub(lambda match: macros[match.group(1)], pattern)
    return pattern


def _compile(parts: list[str], macros: Mapping[str, str]) -> re.Pattern[str]:
    body = "|".join(_fill(part, macros) for part in parts)
    return re.compile(rf"(?<![^ ])(?:{body})(?:(?![^ ])|(?<= ))")


def _attribute(entry: Mapping[str, Any], macros: Mapping[str, str]) -> AttributeRule:
    return AttributeRule(
        key=entry["key"],
        pattern=_compile([entry["pattern"]], macros),
        value=entry.get("value", "{v}"),
        about=entry.get("about", "any"),
        sensitive=bool(entry.get("sensitive", False)),
    )


def _conditionals(data: Mapping[str, Any]) -> set[str]:
    """Forms that say "would": those listed, and infinitive and ending of each regular verb."""
    endings = data.get("conditional_endings", "").split()
    regular = (word for group in data.get("classes", ()) for word in group["words"].split())
    forms = set(data.get("conditional", "").split()) | {word + end for word in regular for end in endings}
    return forms - set(data.get("not_conditional", "").split())  # "bateria": a noun
