"""Whether a card has a value of the kind that was asked for, and whom it speaks of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.config import LANGUAGES
from memory.language import (
    detect,
    find_names,
    find_times,
    fold,
    numbers,
    plural_relation_words,
    relation_words,
)
from memory.listening.lexicon import lexicon
from memory.llm.embedded.phrases import Phrases, phrases
from memory.llm.embedded.scene import Json

_PHONE = re.compile(r"(?:\d[\s\-/.()]*){5,}")
_DIGITS = re.compile(r"\d+")
_DIGIT = re.compile(r"\d")
_NOT_WORD = re.compile(r"[^\w\-]+")


@dataclass(frozen=True)
class Asked:
    """A question, taken apart for matching."""

    text: str
    terms: frozenset[str]  # stemmed content words, without names
    before: frozenset[str]  # content words of the message before
    names: frozenset[str]  # folded words of names
    people: tuple[frozenset[str], ...]  # the words of each name
    relations: frozenset[str]  # stable keys: "sister"
    kinds: tuple[str, ...]  # kinds of value asked for
    topics: frozenset[str]  # what it speaks of, in other words too
    is_chain: bool  # one relation of another: "my boss's wife"
    is_double: bool  # asks two things at once ("who is coming, and what must I leave out?")


def card_text(card: Json) -> str:
    """All words of a card that a question may meet."""
    parts = [str(card.get(key) or "") for key in ("title", "text", "relation", "subject")]
    return " ".join([*parts, *map(str, card.get("people") or ())])


def card_language(card: Json, known: Phrases) -> str:
    """The language of a card's text; the asked one for short texts."""
    text = str(card.get("text") or "")
    return str(card.get("language") or detect(text, hint=known.language))


def relations_in(card: Json, blob: str, known: Phrases) -> frozenset[str]:
    """Stable keys of the relations that a card speaks of."""
    keys: dict[str, str] = {}
    for language in (card_language(card, known), known.language):
        keys |= {**plural_relation_words(language), **relation_words(language)}
    padded = f" {_NOT_WORD.sub(' ', blob)} "
    found = {key for word, key in keys.items() if f" {word} " in padded}
    subject = str(card.get("subject") or "")
    return frozenset(found | ({subject} if subject in keys.values() else set()))


def entities(card: Json, known: Phrases) -> frozenset[str]:
    """Folded names in a card, and whom it is about."""
    text = str(card.get("text") or "")
    spans = find_names(text, known.language)
    names = [span.name for span in spans] + [str(name) for name in card.get("people") or ()]
    subject = str(card.get("subject") or "")
    return frozenset(fold(name) for name in [*names, subject] if name)


def holds_kind(kind: str, question: Asked, card: Json, known: Phrases, now: datetime) -> bool:
    """Whether a card has a value of the kind that was asked for, in its language or in the question's."""
    own = card_language(card, known)
    if own != known.language and own in LANGUAGES and _holds(kind, question, card, phrases(own), now):
        return True
    return _holds(kind, question, card, known, now)


def _holds(kind: str, question: Asked, card: Json, known: Phrases, now: datetime) -> bool:
    text = card_text(card)
    attribute = str(card.get("attribute") or "")
    if attribute and attribute.split(":")[0] == kind:
        return True
    pattern, check = known.evidence.get(kind), _CHECKS.get(kind)
    if pattern is None and check is None:
        return True
    if pattern is not None and pattern.search(fold(text)):
        return True
    return check is not None and bool(check(question, card, text, known, now))


def _has_number(question: Asked, card: Json, text: str, known: Phrases, now: datetime) -> bool:
    # "one" in words is mostly an article.
    words = (number for number in numbers.find(text, known.language) if number.value != 1)
    return bool(_DIGIT.search(text)) or any(words)


def _has_amount(question: Asked, card: Json, text: str, known: Phrases, now: datetime) -> bool:
    """A number that is no part of a day or an hour: the rent is due "on the 5th", it is not 5."""
    spans = [span for m in find_times(text, language=known.language, now=now) for span in m.spans]
    said = [n.span for n in numbers.find(text, known.language) if n.value != 1]
    said += [match.span() for match in _DIGITS.finditer(text)]
    return any(not any(a < end and start < b for a, b in spans) for start, end in said)


def _has_phone(question: Asked, card: Json, text: str, known: Phrases, now: datetime) -> bool:
    return bool(_PHONE.search(text))


def _has_moment(question: Asked, card: Json, text: str, known: Phrases, now: datetime) -> bool:
    if card.get("when") or _DIGIT.search(text):
        return True
    return bool(find_times(text, language=known.language, now=now))


def _opening(card: Json, text: str, known: Phrases) -> set[str]:
    """The capital word that only begins a card's sentence ("Shed key hangs ..."): it names nobody."""
    first, _, rest = text.strip().partition(" ")
    named = bool(card.get("people") or card.get("subject")) or card.get("category") == "person"
    given = lexicon(known.language).has("first_name", fold(first))
    return set() if named or given or not rest[:1].islower() else {fold(first)}


def _has_person(question: Asked, card: Json, text: str, known: Phrases, now: datetime) -> bool:
    others = {part for name in entities(card, known) for part in name.split()} - _opening(card, text, known)
    if bool(others - question.names) or card.get("category") == "person" or bool(card.get("relation")):
        return True
    return bool(relations_in(card, fold(text), known) - question.relations)


def _has_name(question: Asked, card: Json, text: str, known: Phrases, now: datetime) -> bool:
    others = {part for name in entities(card, known) for part in name.split()}
    return bool(others - question.names)


_CHECKS: Mapping[str, Any] = {
    "age": _has_number,
    "count": _has_number,
    "number": _has_number,
    "pay": _has_amount,
    "phone": _has_phone,
    "when": _has_moment,
    "who": _has_person,
    "name": _has_name,
}
