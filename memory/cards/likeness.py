"""Which cards are alike: similar links, and pairs that may say the same. Pure.

A cosine alone never says that two cards are the same: one digit, a "not" or a word
of kinship makes another fact. What differs in these stays linked, more loosely.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from memory import language as lang
from memory.cards.identity import polarity, subject_key
from memory.embedding import Vectors
from memory.records import Card, Link, LinkKind
from memory.storage.tidying import NEARLY_THE_SAME

MOST = 4  # similar links of one card
_ALIKE = 0.5  # the cosine from which two cards get a thread
_THE_SAME = 0.78  # ... from which the person is asked whether they are one
_WEIGHT = 0.5  # a resemblance weighs less than a name
_DIFFERS = 0.5  # ... and less again when a number, a "not" or a kinship differs


def similar(cards: Sequence[Card], vectors: Vectors) -> list[Link]:
    """Links between the most similar cards, heaviest first, at most `MOST` a card.

    The order of the cards does not matter.

    Args:
        vectors: one unit vector a card.
    """
    if len(cards) < 2:
        return []
    alike = vectors @ vectors.T
    np.fill_diagonal(alike, -1.0)
    reach = min(2 * MOST, len(cards) - 1)
    nearest = np.argpartition(-alike, reach - 1, axis=1)[:, :reach]
    pairs = {
        (min(at, int(other)), max(at, int(other)))
        for at in range(len(cards))
        for other in nearest[at]
        if alike[at, other] >= _ALIKE
    }
    found = [_link(cards[a], cards[b], float(alike[a, b])) for a, b in pairs]
    found.sort(key=lambda link: (-link.weight, link.a_id, link.b_id))
    held: Counter[int] = Counter()
    kept = []
    for link in found:
        if held[link.a_id] < MOST and held[link.b_id] < MOST:
            held.update((link.a_id, link.b_id))
            kept.append(link)
    return kept


def agree(one: Card, other: Card) -> bool:
    """Whether two cards hold the same numbers and kinship words, and both deny or both do not."""
    return _facts(one) == _facts(other)


def may_be_one(one: Card, other: Card) -> bool:
    """Whether two cards that mean nearly the same may be one, so that the person is asked."""
    return (
        one.category is other.category
        and agree(one, other)
        and one.when == other.when
        and _called(one) == _called(other)
        and subject_key(one.subject) == subject_key(other.subject)
        and {subject_key(name) for name in one.people} == {subject_key(name) for name in other.people}
    )


def _link(one: Card, other: Card, cosine: float) -> Link:
    same = cosine >= _THE_SAME and may_be_one(one, other)
    factor = _WEIGHT if agree(one, other) else _WEIGHT * _DIFFERS
    return Link(
        a_id=min(one.id, other.id),
        b_id=max(one.id, other.id),
        kind=LinkKind.SIMILAR,
        weight=round(min(cosine, 1.0) * factor, 3),
        reason=NEARLY_THE_SAME if same else "close in meaning",
    )


def _called(card: Card) -> frozenset[str]:
    """What a card calls by name: names, and titles in quotation marks. Another book is another fact."""
    named = (each.name for each in lang.names.find_names(card.text, card.language))
    quoted = re.findall(r"[“„\"«‚‘]([^“”„\"»«’‘]+)[”“\"»’‘]", card.text)
    return frozenset(lang.fold(each).strip() for each in (*named, *quoted))


def _facts(card: Card) -> tuple[frozenset[str], frozenset[str], bool]:
    folded = lang.fold(card.text)
    kin = lang.names.relation_words(card.language)
    numbers = {str(number.value) for number in lang.numbers.find(card.text, card.language)}
    written = set(re.findall(r"\w*\d\w*", folded))  # codes, and numbers in figures
    words = lang.words(folded)
    return (
        frozenset(numbers | written),
        frozenset(kin[word] for word in words if word in kin),
        polarity(card.text, card.language),
    )
