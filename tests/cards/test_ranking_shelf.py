from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.cards.ranking import cards, turns
from memory.cards.ranking.fusion import relevance
from memory.cards.ranking.names import NameIndex
from memory.cards.ranking.postings import idf, norm, saturated
from memory.cards.ranking.question import read
from memory.cards.ranking.shelf import Entry, Shelf, language_code
from memory.config import LANGUAGES
from memory.embedding import DIMENSIONS
from memory.llm.embedded.topics import topics

WORDS = ("garden", "gate", "code", "cello", "lake", "winter", "bread")


def _vector(seed: int) -> np.ndarray:
    vector = np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
    return vector / np.linalg.norm(vector)


def _entry(number: int, terms: list[str], *, group: int = 1, seed: int | None = None) -> Entry:
    return Entry(
        id=number,
        terms=tuple(terms),
        vector=_vector(number if seed is None else seed),
        names=("Anna",) if number % 2 else ("Ben",),
        columns={"group": group, "asks": number % 3 == 0},
    )


entries = st.lists(
    st.tuples(st.integers(1, 12), st.lists(st.sampled_from(WORDS), max_size=5), st.integers(0, 3)),
    max_size=30,
)


@settings(max_examples=60, deadline=None)
@given(entries, st.sets(st.integers(1, 12), max_size=4), st.sampled_from(WORDS))
def test_a_shelf_that_grew_ranks_as_one_that_was_just_loaded(
    steps: list[tuple[int, list[str], int]], gone: set[int], word: str
) -> None:
    grown, last = Shelf(), {}
    for number, terms, seed in steps:
        entry = _entry(number, terms, group=number // 4, seed=seed)
        grown.put([entry])
        last[number] = entry
    grown.discard(gone)
    fresh = Shelf()
    fresh.put(last[number] for number in sorted(last.keys() - gone))
    assert len(grown) == len(fresh)
    if not len(fresh):
        return
    question = read(f"what about the {word} of Anna", language="en")
    assert grown.fields["id"].tolist() == fresh.fields["id"].tolist()
    for ranking in (cards, turns):
        here = ranking.features(grown, question, _vector(0))
        there = ranking.features(fresh, question, _vector(0))
        for name in here:
            assert here[name] == pytest.approx(there[name], abs=1e-5), name


def test_what_was_replaced_is_no_longer_found() -> None:
    shelf = Shelf()
    shelf.put([_entry(1, ["garden"]), _entry(2, ["gate"])])
    shelf.put([_entry(1, ["cello"])])
    assert shelf.counts(["garden"])[0].size == 0
    assert shelf.counts(["cello"])[0].tolist() == [0]
    assert shelf.ids() == {1, 2}


def test_a_long_life_makes_a_shelf_bloated() -> None:
    shelf = Shelf()
    for _ in range(300):
        shelf.put([_entry(1, ["garden"])])
    assert shelf.is_bloated
    assert len(shelf) == 1


def test_the_largest_count_of_a_words_forms_is_taken() -> None:
    shelf = Shelf()
    shelf.put([_entry(1, ["wall", "walls", "walls"])])
    at, counts = shelf.counts(["wall", "walls"])
    assert (at.tolist(), counts.tolist()) == ([0], [2.0])


def test_rare_words_tell_more_and_repetition_less() -> None:
    assert idf(1, 100) > idf(50, 100) > 0
    once, thrice = saturated(np.array([1, 3], np.float32), norm(np.array([5, 5], np.float32)))
    assert 0 < once < thrice < 1
    assert thrice - once < once


def test_a_full_name_does_not_ask_for_its_namesakes() -> None:
    names = NameIndex()
    names.add(0, ["Anna Brandt"])
    names.add(1, ["Anna Voss"])
    alive = np.array([0, 1], np.int32)
    assert names.asked(["when", "does", "anna", "voss", "work"], alive) == {("anna", "voss"): 1.0}
    assert set(names.asked(["anna"], alive).values()) == {0.5}
    assert names.asked(["anna"], np.array([-1, -1], np.int32)) == {}


def test_a_turn_gains_from_the_words_around_it_but_not_across_talks() -> None:
    shelf = Shelf()
    shelf.put([_entry(1, ["lake"], group=1), _entry(2, ["bread"], group=1), _entry(3, ["winter"], group=2)])
    features = turns.features(shelf, read("the lake", language="en"), _vector(9))
    assert features["words"][0] > features["words"][1] > 0
    assert features["words"][2] == features["window"][2] == 0


def test_the_reply_to_a_matching_question_rises() -> None:
    shelf = Shelf()
    same = _vector(5)
    shelf.put(
        [
            Entry(id=1, terms=("cello",), columns={"group": 1, "asks": True}, vector=same),
            Entry(id=2, terms=("yes",), columns={"group": 1}, vector=same),
            Entry(id=3, terms=("cello",), columns={"group": 2}, vector=same),
            Entry(id=4, terms=("yes",), columns={"group": 2}, vector=same),
        ]
    )
    features = turns.features(shelf, read("the cello", language="en"), _vector(6))
    scores = turns.weigh(shelf, features)
    assert scores[1] > scores[3]


def test_the_mean_of_a_short_talk_counts_what_it_has() -> None:
    talks = turns._talks(np.array([(1,), (1,), (1,), (1,), (2,)], [("group", np.int64)]))
    means = turns._best_of_talk(talks, np.array([0.3, 0.9, 0.6, 0.0, 0.5], np.float32))
    assert means.tolist() == pytest.approx([0.6, 0.6, 0.6, 0.6, 0.5])


def _ranked(shelf: Shelf, asked: str, language: str, vector: np.ndarray) -> dict[str, np.ndarray]:
    return cards.features(shelf, read(asked, language=language, others=LANGUAGES), vector)


def _told(number: int, language: str, *terms: str, topics: tuple[str, ...] = ()) -> Entry:
    return Entry(
        id=number,
        terms=terms,
        vector=None,
        topics=topics,
        columns={"language": language_code(language)},
    )


def test_a_word_that_looks_the_same_in_another_language_counts_less_but_a_name_does_not() -> None:
    shelf = Shelf()
    shelf.put([_told(1, "en", "course", "italian", "okafor"), _told(2, "fr", "marathon", "automne")])
    here = _ranked(shelf, "the course", "en", _vector(1))["words"][0]
    abroad = _ranked(shelf, "la course", "fr", _vector(1))["words"][0]
    assert 0 < abroad < here
    named = _ranked(shelf, "chez Okafor", "fr", _vector(1))["words"][0]
    assert named == pytest.approx(_ranked(shelf, "with Okafor", "en", _vector(1))["words"][0])


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        ("What is my profession?", "en"),
        ("Qual é a minha profissão?", "pt"),
        ("Quel est mon métier ?", "fr"),
    ],
)
def test_other_words_for_the_same_thing_meet_in_any_language(asked: str, language: str) -> None:
    shelf = Shelf()
    about = tuple(sorted(topics("Ich arbeite bei einer Reederei.", "de")))
    shelf.put([_told(1, "de", "arbeit", "reederei", topics=about), _told(2, "de", "nachbar", "hecke")])
    features = _ranked(shelf, asked, language, _vector(1))
    assert features["topics"][0] > 0.2 > features["topics"][1]
    assert (features["topics"] <= 1.0).all()
    assert relevance(features).max() == 0.0  # it orders; alone it is no answer


def test_of_equal_cards_the_one_in_the_language_of_the_question_comes_first() -> None:
    shelf = Shelf()
    shelf.put([_told(1, "en"), _told(2, "es"), _told(3, "xx")])
    scores = cards.score(_ranked(shelf, "¿Dónde está?", "es", _vector(1)))
    assert scores.argmax() == 1
    assert relevance(_ranked(shelf, "¿Dónde está?", "es", _vector(1))).max() == 0.0


def test_topics_do_not_lengthen_a_card() -> None:
    shelf = Shelf()
    shelf.put([_told(1, "en", "gate", topics=("access", "home"))])
    assert shelf.fields["length"].tolist() == [1.0]
