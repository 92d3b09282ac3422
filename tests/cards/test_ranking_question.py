from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.cards.ranking.cues import ASKS, TELLS, asked_dates, asks_when, marks
from memory.cards.ranking.kin import kin_terms
from memory.cards.ranking.question import meaning, read
from memory.config import LANGUAGES
from memory.language import fold, words


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("When did we move?", "en", True),
        ("How long have we lived here?", "en", True),
        ("Where did we move?", "en", False),
        ("Seit wann wohnen wir hier?", "de", True),
        ("Há quanto tempo vivemos aqui?", "pt", True),
        ("Depuis quand habitons-nous ici ?", "fr", True),
        ("¿Desde cuándo vivimos aquí?", "es", True),
    ],
)
def test_a_question_for_a_moment_is_known_in_each_language(text: str, language: str, expected: bool) -> None:
    assert asks_when(fold(text), language) is expected


@pytest.mark.parametrize(
    ("text", "language", "years", "months", "days"),
    [
        ("What did I do on 7 May 2023?", "en", {2023}, {5}, {7}),
        ("May I ask something?", "en", set(), set(), set()),
        ("the march to the tower", "en", set(), set(), set()),
        ("Was war im März?", "de", set(), {3}, set()),
        ("O que fiz a 3 de outubro?", "pt", set(), {10}, {3}),
        ("Que s'est-il passé en août 2024 ?", "fr", {2024}, {8}, set()),
        ("¿Qué hice en septiembre?", "es", set(), {9}, set()),
        ("How many of the 12 chairs are broken?", "en", set(), set(), set()),
    ],
)
def test_the_parts_of_dates_a_question_names(
    text: str, language: str, years: set[int], months: set[int], days: set[int]
) -> None:
    dates = asked_dates(fold(text), language)
    assert (set(dates.years), set(dates.months), set(dates.days)) == (years, months, days)


def test_marks_tell_questions_and_moments() -> None:
    assert marks("Did you see it yesterday?", "en") == (ASKS, TELLS)
    assert marks("Ich war letzte Woche dort.", "de") == (TELLS,)
    assert marks("I like it.", "en") == ()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("my sister plays", "en"),
        ("meine Schwester spielt", "de"),
        ("a minha irmã toca", "pt"),
        ("ma sœur joue", "fr"),
        ("mi hermana toca", "es"),
    ],
)
def test_a_relation_is_the_same_term_in_each_language(text: str, language: str) -> None:
    assert kin_terms(words(fold(text)), language) == ("@sister",)


def test_the_longest_relation_is_taken() -> None:
    assert kin_terms(words(fold("her mother-in-law called")), "en") == ("@mother-in-law",)


def test_content_words_come_with_the_stems_of_every_language_the_store_holds() -> None:
    question = read("Where are the rentals?", language="en", others=("es",))
    assert [forms[0] for forms in question.sought] == ["rentals"]
    assert "rental" in question.sought[0]
    assert question.without({"rentals"}) == ()


def test_the_meaning_leaves_out_names_and_words_that_only_ask() -> None:
    assert meaning("What does Melanie's son play?", language="en", names={"melanie"}) == "son play"
    assert meaning("Who is Melanie?", language="en", names={"melanie"}) == "Who is Melanie?"


@settings(max_examples=60)
@given(st.text(max_size=80), st.sampled_from(LANGUAGES))
def test_any_text_can_be_read(text: str, language: str) -> None:
    question = read(text, language=language, others=LANGUAGES)
    assert all(forms for forms in question.sought)
    meaning(text, language=language, names={"anna"})
    marks(text, language)
