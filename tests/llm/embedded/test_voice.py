"""A person's words said back: turned where that is safe, quoted elsewhere, codes never touched."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.config import LANGUAGES
from memory.llm.embedded.phrases import phrases
from memory.llm.embedded.voice import clause, said_back, sentence, subject_asked, turned


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "My sister works in Leeds", "Your sister works in Leeds"),
        ("en", "I'm left handed and I hate my commute", "You're left handed and you hate your commute"),
        ("en", "I was born in Cork", "You were born in Cork"),
        ("de", "Ich arbeite in Graz", "Du arbeitest in Graz"),
        ("de", "Seit drei Wochen rauche ich nicht mehr", "Seit drei Wochen rauchst du nicht mehr"),
        ("de", "Meine Tante wohnt bei mir", "Deine Tante wohnt bei dir"),
        ("fr", "J'habite à Nantes avec ma sœur", "Tu habites à Nantes avec ta sœur"),
        ("fr", "Je n'ai pas de voiture", "Tu n'as pas de voiture"),
        ("pt", "A minha sogra mora em Viseu", "A tua sogra mora em Viseu"),
        ("es", "Mi hermana vive en Vigo", "Tu hermana vive en Vigo"),
    ],
)
def test_the_first_person_becomes_the_second(language: str, text: str, expected: str) -> None:
    assert turned(text, phrases(language)) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Petra sagt: «Ich bin Vegetarierin»"),
        ("de", "Wir fahren im Juli nach Kreta"),
        ("pt", "Trabalho numa padaria"),
        ("pt", "Eu não posso comer amendoim"),
        ("es", "Yo trabajo de noche"),
        ("fr", "Nous partons en mai"),
    ],
)
def test_what_cannot_be_turned_safely_is_not_said_back(language: str, text: str) -> None:
    assert said_back(text, phrases(language)) is None


@pytest.mark.parametrize(
    ("language", "question", "expected"),
    [
        ("en", "What is my wife's name?", "Your wife"),
        ("en", "what's my brother-in-law called", "Your brother-in-law"),
        ("de", "Wie heißt meine Frau?", "Deine Frau"),
        ("pt", "Como se chama o meu marido?", "O teu marido"),
        ("fr", "Comment s'appelle ma belle-mère ?", "Ta belle-mère"),
        ("es", "¿Cómo se llama mi hermana?", "Tu hermana"),
        ("en", "What is the name of the plumber?", ""),
    ],
)
def test_the_one_asked_about_becomes_the_subject(language: str, question: str, expected: str) -> None:
    assert subject_asked(question, phrases(language)).casefold() == expected.casefold()


def test_sentence_and_clause() -> None:
    assert sentence("the tin is blue") == "The tin is blue."
    assert sentence("Really?") == "Really?"
    assert clause(" the tin is blue. ") == "the tin is blue"
    assert sentence("") == ""


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(LANGUAGES),
    st.lists(
        st.sampled_from(["my", "meine", "ich", "je", "j'ai", "o meu", "mi", "code", "Tür", "is"]), max_size=5
    ),
    st.from_regex(r"[0-9A-Z_!#*]{3,10}", fullmatch=True),
)
def test_codes_stay_as_they_are(language: str, words: list[str], code: str) -> None:
    text = " ".join([*words, code])
    back = turned(text, phrases(language))
    assert back is None or re.search(rf"{re.escape(code)}$", back, re.IGNORECASE)
    assert back is None or code in back or code.capitalize() in back or code[0].upper() + code[1:] in back
