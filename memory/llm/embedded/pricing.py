"""What something costs is only answered with its own price: another thing's price is no answer."""

from __future__ import annotations

from collections.abc import Sequence

from memory.language import fold, terms
from memory.language import words as split_words
from memory.llm.embedded.evidence import card_language, card_text
from memory.llm.embedded.phrases import Phrases
from memory.llm.embedded.scene import Json
from memory.llm.embedded.topics import topics

_MONEY = "money"
_BEGINNING = (
    6  # letters that two compounds share when they speak of one thing: "Klavierstunde", "Klavierlehrer"
)


def own_price(text: str, cards: Sequence[Json], *, known: Phrases) -> tuple[Json, ...]:
    """The cards that may answer: all of them, unless the question asks for the price of a named thing.

    Then a card that has a price, and not one word or topic of that thing, is left out.
    """
    folded = fold(text)
    cue = known.cue("price_of", folded)
    thing = folded[cue.end() :] if cue is not None else ""
    if not terms(thing, known.language):
        return tuple(cards)
    named = any(_is_named(thing, card, known) for card in cards)
    return tuple(card for card in cards if not _is_anothers(thing, card, known, named=named))


def _is_named(thing: str, card: Json, known: Phrases) -> bool:
    """Whether a card holds a word of the thing, or a compound that begins like it."""
    text = card_text(card)
    stems, blob = set(terms(text, known.language)), fold(text)
    beginnings = {word[:_BEGINNING] for word in split_words(blob) if len(word) > _BEGINNING}
    return any(
        stem in stems or (len(stem) >= _BEGINNING - 1 and stem in blob) or stem[:_BEGINNING] in beginnings
        for stem in terms(thing, known.language)
    )


def _is_anothers(thing: str, card: Json, known: Phrases, *, named: bool) -> bool:
    """Whether a card tells the price of another thing; `named`: some card has a word of the one asked for."""
    held = topics(card_text(card), card_language(card, known))
    if _MONEY not in held or _is_named(thing, card, known):
        return False
    theme = topics(thing, known.language)
    # "Insurance" is a word of money itself: then money is all that a card need speak of.
    wanted = theme - {_MONEY} or (frozenset() if named else theme)
    return not wanted & held
