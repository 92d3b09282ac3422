"""What holds for every message: codes unaltered, spans inside, same again, order of clauses indifferent."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.config import LANGUAGES
from memory.listening import Heard, listen

ZONE = "Europe/Lisbon"
NOW = datetime(2026, 6, 8, 10, 0, tzinfo=ZoneInfo(ZONE))

CODES = st.one_of(
    st.text("0123456789", min_size=4, max_size=8).filter(lambda code: not code.startswith(("19", "20"))),
    st.from_regex(r"[A-Z]{1,2}0[0-9]{3}", fullmatch=True),
    st.from_regex(r"0[0-9]{3} [0-9]{3} [0-9]{3}", fullmatch=True),
    st.from_regex(r"[A-Z][a-z]{3,6}_[0-9]{2}", fullmatch=True),
)
CODE_SENTENCES = {
    "en": "My locker code is {}.",
    "de": "Der Code von meinem Spind ist {}.",
    "pt": "O código do meu cacifo é {}.",
    "fr": "Le code de mon casier est {}.",
    "es": "El código de mi taquilla es {}.",
}
FACTS = {
    "en": ["my sister is a nurse in Bristol", "I can't eat peanuts", "our dog is called Rufus"],
    "de": [
        "meine Schwester ist Krankenschwester in Mainz",
        "ich vertrage keine Nüsse",
        "mein Hund heißt Rufus",
    ],
    "pt": ["a minha irmã é enfermeira em Braga", "eu não posso comer amendoim", "o meu cão chama-se Rufus"],
    "fr": ["ma sœur est infirmière à Brest", "je ne peux pas manger de noix", "mon chien s'appelle Rufus"],
    "es": ["mi hermana es enfermera en Cádiz", "no puedo comer nueces", "mi perro se llama Rufus"],
}
AND = {"en": "and", "de": "und", "pt": "e", "fr": "et", "es": "y"}


def hear(text: str, language: str) -> Heard:
    return listen(text, language=language, now=NOW, zone=ZONE)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(LANGUAGES), CODES)
def test_a_code_is_the_same_in_sentence_and_card(language: str, code: str) -> None:
    heard = hear(CODE_SENTENCES[language].format(code), language)
    assert any(code in candidate.text for candidate in heard.candidates)


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(LANGUAGES), st.text(max_size=120))
def test_any_text_is_heard_and_spans_lie_inside(language: str, text: str) -> None:
    heard = hear(text, language)
    for candidate in heard.candidates:
        start, end = candidate.span
        assert 0 <= start < end <= len(text)
        assert candidate.text
        assert candidate.why


@settings(max_examples=18, deadline=None)
@given(st.sampled_from(LANGUAGES), st.permutations(range(3)))
def test_the_same_twice_and_in_any_order(language: str, order: list[int]) -> None:
    def cards(numbers: list[int]) -> list[str]:
        first, second, third = (FACTS[language][number] for number in numbers)
        heard = hear(f"{first}, {second} {AND[language]} {third}.", language)
        assert hear(heard.text, language) == heard
        return sorted(candidate.text.casefold() for candidate in heard.candidates)

    assert cards(order) == cards([0, 1, 2])
    assert len(cards(order)) == 3
