"""Folding, language, terms, numbers, names."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.config import LANGUAGES
from memory.language import (
    detect,
    find_names,
    fold,
    fold_map,
    numbers,
    plural_relation_words,
    relation_word,
    relation_words,
    surface_terms,
    tables,
    terms,
)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Straße", "strasse"),
        ("L’Œuvre", "l'oeuvre"),
        ("ÀÉÎÕÜ ñ ç", "aeiou n c"),
        ("cafe\u0301", "cafe"),
        ("a – b", "a - b"),
    ],
)
def test_fold_takes_accents_and_case_out(text: str, folded: str) -> None:
    assert fold(text) == folded


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40))
def test_fold_map_agrees_with_fold_and_points_into_the_text(text: str) -> None:
    folded, at = fold_map(text)
    assert folded == fold(text)
    assert len(at) == len(folded) + 1
    assert at == sorted(at)
    assert at[-1] == len(text)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("My sister lives in Leeds and works as a nurse", "en"),
        ("meine schwester wohnt in leeds und ist krankenpflegerin", "de"),
        ("a minha irmã mora em leeds e é enfermeira", "pt"),
        ("ma soeur habite à leeds et elle est infirmière", "fr"),
        ("mi hermana vive en leeds y es enfermera", "es"),
    ],
)
def test_a_sentence_is_recognised_whatever_was_spoken_before(text: str, language: str) -> None:
    assert {detect(text, hint=hint) for hint in LANGUAGES} == {language}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_short_or_empty_text_keeps_the_language_of_the_talk(language: str) -> None:
    assert {detect(text, hint=language) for text in ("ok", "", "12:30", "Leeds", "haha")} == {language}


def test_terms_are_stemmed_without_stop_words_and_keep_codes() -> None:
    assert terms("The walls were painted, code 0042", "en") == ("wall", "paint", "code", "0042")
    assert terms("o médico", "pt") == terms("o medico", "pt")
    assert surface_terms("Wie heißt meine Schwester?", "de") == ("heisst", "schwester")


def test_terms_are_the_same_from_many_threads() -> None:
    texts = [f"the walls of house {n} were painted" for n in range(200)]
    with ThreadPoolExecutor(4) as executor:
        assert list(executor.map(lambda text: terms(text, "en"), texts)) == [
            terms(text, "en") for text in texts
        ]


@pytest.mark.parametrize(
    ("language", "text", "values"),
    [
        ("en", "two thousand and six, twenty-two, a hundred and five", [2006, 22, 105]),
        ("de", "zweitausendsechs, zweiundzwanzig, hundertfünf", [2006, 22, 105]),
        ("pt", "dois mil e seis, vinte e dois, cento e cinco", [2006, 22, 105]),
        ("fr", "deux mille six, vingt-deux, cent cinq, quatre-vingt-dix-sept", [2006, 22, 105, 97]),
        ("es", "dos mil seis, veintidós, ciento cinco", [2006, 22, 105]),
        ("en", "1,500 of 0042 and 7", [1500, 7]),
        ("de", "der dritte von 1.500", [3, 1500]),
    ],
)
def test_numbers_are_found_in_words_and_figures(language: str, text: str, values: list[int]) -> None:
    found = numbers.find(text, language)
    assert [number.value for number in found] == values
    assert all(0 <= number.span[0] < number.span[1] <= len(text) for number in found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_number_below_a_hundred_that_a_language_can_spell_is_one_number(language: str) -> None:
    table = tables(language)["numbers"]
    for group in ("ones", "teens", "tens"):
        for word, value in table[group].items():
            assert numbers.value(word, language) == value


def test_names_keep_titles_and_particles() -> None:
    english = find_names("I met Mrs Ana de Souza and Fergus McKay", "en")
    assert [(name.title, name.name) for name in english] == [("Mrs", "Ana de Souza"), ("", "Fergus McKay")]
    german = find_names("gestern war Frau von der Heide da", "de")
    assert [(name.title, name.name) for name in german] == [("Frau", "von der Heide")]
    assert find_names("Then I went home on Monday", "en") == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_relations_have_the_same_keys_in_each_language(language: str) -> None:
    known = set(tables(language)["relations"])
    missing = set(tables("en")["relations"]) - known
    assert missing <= {"great-grandmother", "great-grandfather", "grandchild", "godchild"}
    for key in known:
        assert relation_words(language)[fold(relation_word(key, language))] is not None
    assert plural_relation_words(language)


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="no such language"):
        terms("x", "xx")
