"""Another thing's price is no answer to what something costs."""

from __future__ import annotations

import pytest

from tests.llm.embedded.memories import Talk, card

HELD = {
    "de": ["Der Gitarrenkurs kostet 45 Euro", "Die Putzhilfe kostet 90 Euro"],
    "en": ["The guitar course costs 45 pounds", "The cleaner costs 90 pounds"],
    "es": ["El curso de guitarra cuesta 45 euros"],
}


def _answer(language: str, question: str) -> str:
    talk = Talk(language=language, zone="Europe/Berlin")
    talk.memory.add(card("fact", text) for text in HELD[language])
    return talk.say(question)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Was zahlen wir denn für die Tiefgarage?"),
        ("de", "Was kostet uns das Reiten im Monat?"),
        ("en", "What do we pay for the parking permit?"),
        ("es", "¿Cuánto pagamos por el aparcamiento?"),
    ],
)
def test_a_price_that_was_never_told_is_not_known(language: str, question: str) -> None:
    answer = _answer(language, question)
    assert "45" not in answer
    assert "90" not in answer


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Was zahlen wir für den Gitarrenunterricht?"),
        ("en", "What do we pay for the guitar course?"),
        ("es", "¿Cuánto cuesta la guitarra?"),
    ],
)
def test_the_price_of_the_thing_itself_is_told(language: str, question: str) -> None:
    answer = _answer(language, question)
    assert "45" in answer
    assert "90" not in answer
