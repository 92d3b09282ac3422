"""When are two statements the same, and when does one replace the other? Pure.

Similarity alone never decides: one digit, a "not" or a kinship word makes another
fact. What is compared is subject, attribute and value, and else the words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cache

from memory import language as lang
from memory.records import Card, Category, NewCard

# Attributes of which a subject has one value at a time: another value replaces the old.
_SINGLE = frozenset(
    {"name", "age", "home", "job", "employer", "birthday", "email", "address", "landlord", "size", "due"}
)
_SINGLE_PREFIXES = (
    "code:", "phone:", "likes:", "allergy:", "diet:", "name:", "number:", "size:", "price:", "place:",
    "hours:", "status:", "count:", "colour:", "has:", "does:", "password:", "wifi:", "address:", "age:",
)  # fmt: skip


class Match(StrEnum):
    """How a new statement stands to a known one."""

    SAME = "same"
    REPLACES = "replaces"
    OTHER = "other"


def subject_key(subject: str) -> str:
    """A subject as it is compared: folded, without outer blanks."""
    return " ".join(lang.fold(subject).split())


def is_single(attribute: str) -> bool:
    """Whether a subject has one value at a time for this attribute."""
    return attribute in _SINGLE or attribute.startswith(_SINGLE_PREFIXES)


def statement_key(text: str, language: str) -> str:
    """A digest that two texts share when they say the same in the same words, order and filler apart."""
    told = " ".join((*_bag(text, language), "not" if polarity(text, language) else ""))
    return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()


def polarity(text: str, language: str) -> bool:
    """Whether a statement denies something."""
    return not _negations(language).isdisjoint(lang.words(lang.fold(text)))


@cache
def _negations(language: str) -> frozenset[str]:
    return frozenset(lang.tables(language)["words"]["negation"].split())


def compare(new: NewCard, known: Card) -> Match:
    """How `new` stands to `known`, an active card of the same person."""
    if not _may_meet(new, known):
        return Match.OTHER
    if new.category is Category.PERSON and known.category is Category.PERSON:
        return _compare_persons(new, known)
    if (
        new.attribute
        and new.attribute == known.attribute
        and subject_key(new.subject) == subject_key(known.subject)
    ):
        if _value(new.value, new.language) == _value(known.value, known.language):
            same_words = polarity(new.text, new.language) == polarity(known.text, known.language)
            return Match.SAME if same_words else Match.REPLACES
        if is_single(new.attribute):
            return Match.REPLACES
        return Match.OTHER
    return Match.SAME if same_statement(new.text, new.language, known.text, known.language) else Match.OTHER


def same_statement(one: str, one_language: str, other: str, other_language: str) -> bool:
    """Whether two texts say the same in the same words, order and filler apart.

    Numbers and codes, negation and every word that carries meaning must agree.
    """
    if one_language != other_language:
        return lang.fold(one) == lang.fold(other)
    if polarity(one, one_language) != polarity(other, other_language):
        return False
    return _bag(one, one_language) == _bag(other, other_language)


def covered(new: NewCard, known: Iterable[Card]) -> bool:
    """Whether what `new` says already stands in one of the cards, or in several together.

    Used for what one turn kept: there, a card that holds all the words that carry
    meaning (names and numbers among them) covers the statement, however it is cut.
    """
    words = set(_bag(f"{new.text} {new.value}", new.language))
    if not words:
        return True
    for card in known:
        if compare(new, card) is Match.SAME:
            return True
        held = set(
            _bag(
                f"{card.text} {card.title} {card.relation} {card.value} {' '.join(card.people)}",
                card.language,
            )
        )
        if words <= held and polarity(new.text, new.language) == polarity(card.text, card.language):
            return True
    return False


def _compare_persons(new: NewCard, known: Card) -> Match:
    mine, theirs = _names(new.people, new.text), _names(known.people, known.text)
    if not mine or not theirs or mine[0] != theirs[0]:
        return Match.OTHER
    one, other = subject_key(new.relation), subject_key(known.relation)
    if one and other and one != other and not (one in other or other in one):
        return Match.OTHER  # two people of one name stay two
    return Match.SAME


def _names(people: Sequence[str], text: str) -> list[str]:
    names = [subject_key(name) for name in people if name.strip()]
    return names or [subject_key(text.split(",")[0])]


def _may_meet(new: NewCard, known: Card) -> bool:
    """Facts meet facts, and persons persons; what is to be done meets its own category at the same moment."""
    if new.category is not known.category:
        return False
    if new.category in (Category.FACT, Category.PERSON, Category.MEMO):
        return True
    return new.when == known.when or new.when is None or known.when is None


def _value(value: str, language: str) -> str:
    number = lang.numbers.value(value, language) if value else None
    return str(number) if number is not None else subject_key(value)


def _bag(text: str, language: str) -> tuple[str, ...]:
    return tuple(sorted(lang.terms(text, language)))
