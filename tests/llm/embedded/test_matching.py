"""What is near is not yet an answer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory.llm.embedded.matching import answering, asked
from memory.llm.embedded.phrases import phrases
from tests.llm.embedded.memories import MONDAY, card, embedder


def found(
    question: str,
    *texts: str,
    language: str = "en",
    names: Sequence[str] = (),
    relations: Sequence[str] = (),
    before: str = "",
) -> list[str]:
    """Texts that answer when search vouches for all of them."""
    known = phrases(language)
    cards = [card("fact", text) | {"id": text, "relevant": True} for text in texts]
    taken = asked(question, names, relations, before=before, known=known)
    fits = answering(taken, cards, known=known, embedder=embedder(), now=MONDAY)
    return [str(fit.card["text"]) for fit in fits]


def test_a_card_about_somebody_else_does_not_answer() -> None:
    cards = ("Bea, aunt, lives in Hull", "Earns a living repairing clocks")
    assert found("What does Bea do for a living?", *cards, names=["Bea"]) == []


def test_a_namesake_does_not_answer() -> None:
    cards = ("Anna Brandt hat am 3. Oktober Geburtstag", "Anna Voss, Zahnärztin")
    assert found("Wann hat Anna Voss Geburtstag?", *cards, language="de", names=["Anna Voss"]) == []


@pytest.mark.parametrize(
    ("question", "text", "language", "name"),
    [
        ("How old is Bea?", "Bea, aunt, lives in Hull", "en", "Bea"),
        ("Wie alt ist Bernd?", "Bernd, Onkel, hat eine Katze", "de", "Bernd"),
        ("De que cor é o carro da Rita?", "Rita, prima, conduz um Fiat", "pt", "Rita"),
        ("Quel âge a la fille de Luc ?", "Luc, voisin, a une fille", "fr", "Luc"),
        ("¿Qué teléfono tiene Nuria?", "Nuria, amiga, vive en Cádiz", "es", "Nuria"),
        ("When is Bea's birthday?", "Bea, aunt, lives in Hull", "en", "Bea"),
    ],
)
def test_a_card_without_the_asked_value_does_not_answer(
    question: str, text: str, language: str, name: str
) -> None:
    assert found(question, text, language=language, names=[name]) == []


def test_beside_the_number_asked_for_nothing_else_is_told() -> None:
    cards = ("The locksmith is on 0911 400 70", "The safe opens with 00815")
    assert found("and the one for the safe again?", *cards, before=". ".join(cards)) == [cards[1]]


def test_two_cards_are_crossed_over_a_name() -> None:
    cards = (
        "The reading club meets at Armelle's on the last Thursday",
        "Armelle, lives at 14 Tanner Street",
        "Odette, lives at 3 Oven Street",
    )
    answer = found("At which address is the next readers' meeting?", *cards)
    assert cards[1] in answer
    assert cards[0] in answer


def test_nothing_found_is_no_answer() -> None:
    assert found("Where is my passport?") == []
