"""Tidying: themes of at least four, stable; similar links, bounded; duplicates proposed and never merged."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from memory import cards
from memory.cards import likeness, themes
from memory.cards.tidy import tidy
from memory.records import Author, Card, Category, LinkKind, NewCard, Person
from memory.storage import cards as card_rows
from memory.storage import links as link_rows
from memory.storage import tidying
from memory.storage.engine import reading, transaction
from memory.storage.tables import CardRow
from tests import factories
from tests.conductor.playing import EMBEDDER
from tests.fakes import T0, FakeClock

BALCONY = (
    "I planted tomatoes on the balcony",
    "Basil grows next to the tomatoes on the balcony",
    "The tomatoes on the balcony need water every day",
    "The balcony tomatoes are ripe in August",
)
OTHERS = ("Claire is my wife", "My gate code is 4820", "The car is in the garage")


def keep(engine: Engine, person: Person, *texts: str, **more: object) -> list[Card]:
    kept = []
    with transaction(engine) as session:
        for text in texts:
            new = NewCard(category=Category.FACT, text=text, **more)  # type: ignore[arg-type]
            kept.append(cards.remember(session, person, new, embedder=EMBEDDER, now=T0).card)
    return kept


def themes_of(engine: Engine, person: Person) -> list[tidying.Theme]:
    with reading(engine) as session:
        return tidying.themes(session, person.id)


def everything(engine: Engine, person: Person) -> tuple[list[str], list[str]]:
    with reading(engine) as session:
        texts = [card.text for card in card_rows.active(session, person.id)]
        return sorted(texts), sorted(map(str, link_rows.of_person(session, person.id)))


def test_four_cards_that_belong_together_get_a_theme_that_points_to_them(engine: Engine) -> None:
    person = factories.person(engine)
    held = keep(engine, person, *BALCONY)
    keep(engine, person, *OTHERS)
    done = tidy(engine, EMBEDDER, person.id, now=T0)
    (theme,) = themes_of(engine, person)
    assert done.themes_made == 1
    assert theme.cards == {card.id for card in held}
    assert set(theme.text.casefold().split(" · ")) == {"balcony", "tomatoes"}
    with reading(engine) as session:
        card = card_rows.by_ids(session, person.id, [theme.id])[theme.id]
    assert (card.category, card.visible, card.author) == (Category.THEME, False, Author.TIDY)


def test_three_are_no_theme(sqlite_engine: Engine) -> None:
    person = factories.person(sqlite_engine)
    keep(sqlite_engine, person, *BALCONY[:3], *OTHERS)
    tidy(sqlite_engine, EMBEDDER, person.id, now=T0)
    assert themes_of(sqlite_engine, person) == []


def test_run_again_nothing_changes_and_the_theme_is_the_same_tomorrow(
    engine: Engine, clock: FakeClock
) -> None:
    person = factories.person(engine)
    keep(engine, person, *BALCONY, *OTHERS)
    tidy(engine, EMBEDDER, person.id, now=clock())
    before, (first,) = everything(engine, person), themes_of(engine, person)
    clock.tick(days=1)
    assert tidy(engine, EMBEDDER, person.id, now=clock()).changes == 0
    assert everything(engine, person) == before
    keep(engine, person, "The tomatoes on the balcony taste sweet")
    assert tidy(engine, EMBEDDER, person.id, now=clock()).joined == 1
    (second,) = themes_of(engine, person)
    assert (second.id, second.text) == (first.id, first.text)
    assert first.cards < second.cards


def test_the_name_is_in_the_persons_language(sqlite_engine: Engine) -> None:
    person = factories.person(sqlite_engine, language="de")
    texts = (
        "Das Kajak liegt am Elbufer",
        "Mein Kajak auf der Elbe ist rot",
        "Das Paddel vom Kajak an der Elbe ist gebrochen",
        "Am Samstag fahre ich mit dem Kajak auf der Elbe",
    )
    keep(sqlite_engine, person, *texts, language="de")
    tidy(sqlite_engine, EMBEDDER, person.id, now=T0)
    (theme,) = themes_of(sqlite_engine, person)
    assert "Kajak" in theme.text


def test_what_was_forgotten_leaves_the_theme_and_its_name(sqlite_engine: Engine) -> None:
    person = factories.person(sqlite_engine)
    held = keep(sqlite_engine, person, *BALCONY)
    tidy(sqlite_engine, EMBEDDER, person.id, now=T0)
    with transaction(sqlite_engine) as session:
        cards.forget(session, held[:1], now=T0)
    assert tidy(sqlite_engine, EMBEDDER, person.id, now=T0).themes_gone == 1
    assert themes_of(sqlite_engine, person) == []


def test_a_name_that_the_person_gave_stays(sqlite_engine: Engine) -> None:
    person = factories.person(sqlite_engine)
    keep(sqlite_engine, person, *BALCONY)
    tidy(sqlite_engine, EMBEDDER, person.id, now=T0)
    (theme,) = themes_of(sqlite_engine, person)
    with transaction(sqlite_engine) as session:
        card = card_rows.by_ids(session, person.id, [theme.id])[theme.id]
        cards.edit(session, person, card, embedder=EMBEDDER, now=T0, text="My little garden")
    assert tidy(sqlite_engine, EMBEDDER, person.id, now=T0).changes == 0
    assert [each.text for each in themes_of(sqlite_engine, person)] == ["My little garden"]


def test_sensitive_cards_are_in_no_theme(sqlite_engine: Engine) -> None:
    person = factories.person(sqlite_engine)
    keep(sqlite_engine, person, *BALCONY, sensitive=True)
    tidy(sqlite_engine, EMBEDDER, person.id, now=T0)
    assert themes_of(sqlite_engine, person) == []


def test_what_may_be_there_twice_is_proposed_never_merged(engine: Engine) -> None:
    person = factories.person(engine)
    keep(engine, person, "My bike is blue", "My bicycle is blue")
    keep(engine, person, "I eat meat", "I do not eat meat", "My gate code is 4820", "My gate code is 1177")
    done = tidy(engine, EMBEDDER, person.id, now=T0)
    with reading(engine) as session:
        pairs = tidying.nearly_the_same(session, person.id, limit=10)
        assert len(card_rows.active(session, person.id)) == 6
    assert [{a.text, b.text} for a, b in pairs] == [{"My bike is blue", "My bicycle is blue"}]
    assert done.proposed == 1


def test_what_is_kept_apart_is_not_proposed_again(sqlite_engine: Engine) -> None:
    person = factories.person(sqlite_engine)
    one, other = keep(sqlite_engine, person, "My bike is blue", "My bicycle is blue")
    tidy(sqlite_engine, EMBEDDER, person.id, now=T0)
    with transaction(sqlite_engine) as session:
        tidying.keep_apart(session, person.id, other.id, one.id, now=T0)
    assert tidy(sqlite_engine, EMBEDDER, person.id, now=T0).changes == 0
    with reading(sqlite_engine) as session:
        assert tidying.nearly_the_same(session, person.id, limit=10) == []


def test_numbers_denial_and_kinship_loosen_a_link(sqlite_engine: Engine) -> None:
    person = factories.person(sqlite_engine)
    one, other = keep(sqlite_engine, person, "I eat meat", "I do not eat meat")
    assert not likeness.agree(one, other)
    same = replace(other, text="I eat meat")
    vectors = EMBEDDER.encode(["I eat meat", "I eat meat"])
    (loose,) = likeness.similar([one, other], vectors)
    (tight,) = likeness.similar([one, same], vectors)
    assert loose.weight < tight.weight
    for text, changed in (
        ("My sister is ill", "My brother is ill"),
        ("I have three cats", "I have 4 cats"),
    ):
        assert not likeness.agree(replace(one, text=text), replace(one, text=changed))
    assert likeness.agree(replace(one, text="I have three cats"), replace(one, text="I have 3 cats"))


def test_another_name_or_title_is_another_fact() -> None:
    one = a_card()
    for text, changed in (
        ("Read “Piranesi” and would read it again.", "Read “Persuasion” and would read it again."),
        ("Tobias lives in Bristol", "Tobias lives in Graz"),
    ):
        assert not likeness.may_be_one(replace(one, text=text), replace(one, text=changed))
        assert likeness.may_be_one(replace(one, text=text), replace(one, text=text))


def test_another_person_is_untouched(sqlite_engine: Engine) -> None:
    one, other = factories.person(sqlite_engine), factories.person(sqlite_engine, name="Bob")
    keep(sqlite_engine, one, *BALCONY)
    keep(sqlite_engine, other, *BALCONY)
    before = everything(sqlite_engine, other)
    tidy(sqlite_engine, EMBEDDER, one.id, now=T0)
    assert everything(sqlite_engine, other) == before
    with reading(sqlite_engine) as session:
        made = {row.person_id for row in session.query(CardRow).filter_by(category="theme")}
    assert made == {one.id}


@st.composite
def unit_vectors(draw: st.DrawFn) -> np.ndarray:
    """Cards around a few centres, some far from all."""
    lots = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count, centres = draw(st.integers(0, 40)), draw(st.integers(1, 5))
    middles = lots.normal(size=(centres, 16))
    noise = draw(st.floats(0.05, 2.0))
    points = middles[lots.integers(0, centres, size=count)] + noise * lots.normal(size=(count, 16))
    units = points / np.linalg.norm(points, axis=1, keepdims=True)
    return np.asarray(units, np.float32).reshape(-1, 16)


@settings(max_examples=60, deadline=None)
@given(unit_vectors())
def test_groups_are_of_four_apart_from_each_other_and_stand_the_second_time(vectors: np.ndarray) -> None:
    found = themes.group(vectors, {})
    places = [place for each in found.fresh for place in each]
    assert all(len(each) >= themes.LEAST for each in found.fresh)
    assert len(places) == len(set(places))
    again = themes.group(vectors, dict(enumerate(found.fresh)))
    assert again.fresh == ()
    assert tuple(again.standing.values()) == found.fresh


@settings(max_examples=60, deadline=None)
@given(unit_vectors(), st.randoms(use_true_random=False))
def test_similar_links_are_bounded_and_do_not_depend_on_the_order(
    vectors: np.ndarray, lots: random.Random
) -> None:
    base = a_card()
    told = [replace(base, id=number + 1) for number in range(len(vectors))]
    links = likeness.similar(told, vectors)
    held = Counter(each for link in links for each in (link.a_id, link.b_id))
    assert all(count <= likeness.MOST for count in held.values())
    assert all(link.a_id < link.b_id and 0 < link.weight <= 1 for link in links)
    order = list(range(len(told)))
    lots.shuffle(order)
    shuffled = likeness.similar([told[at] for at in order], vectors[order])
    assert {(link.a_id, link.b_id) for link in shuffled} == {(link.a_id, link.b_id) for link in links}


def a_card() -> Card:
    """A card without a store."""
    return Card(
        id=1,
        public_id="x",
        person_id=1,
        category=Category.FACT,
        text="something",
        language="en",
        author=Author.OWNER,
        visible=False,
        learned_at=T0,
        mentioned_at=T0,
    )


def test_the_links_of_a_theme_are_of_its_kind(sqlite_engine: Engine) -> None:
    person = factories.person(sqlite_engine)
    keep(sqlite_engine, person, *BALCONY)
    tidy(sqlite_engine, EMBEDDER, person.id, now=T0)
    with reading(sqlite_engine) as session:
        kinds = Counter(link.kind for link in link_rows.of_person(session, person.id))
    assert kinds[LinkKind.THEME] == 4
    assert kinds[LinkKind.SIMILAR] >= 1


def test_what_was_put_away_is_not_made_again_until_it_is_brought_back(engine: Engine) -> None:
    person = factories.person(engine)
    keep(engine, person, *BALCONY)
    tidy(engine, EMBEDDER, person.id, now=T0)
    (theme,) = themes_of(engine, person)
    with transaction(engine) as session:
        assert tidying.put_away(session, person.id, theme.id, away=True)
        assert not tidying.put_away(session, person.id, theme.id, away=True)
    keep(engine, person, "The tomatoes on the balcony want water every evening")  # it grows, and stays away
    for _ in range(2):
        assert tidy(engine, EMBEDDER, person.id, now=T0).themes_made == 0
        assert themes_of(engine, person) == []
    with transaction(engine) as session:
        assert tidying.put_away(session, person.id, theme.id, away=False)
    tidy(engine, EMBEDDER, person.id, now=T0)
    (back,) = themes_of(engine, person)
    assert (back.id, back.text, back.renamed) == (theme.id, theme.text, False)
    assert len(back.cards) == len(BALCONY) + 1


def test_a_forgotten_theme_is_not_made_again_and_its_name_is_nowhere(sqlite_engine: Engine) -> None:
    person = factories.person(sqlite_engine)
    held = keep(sqlite_engine, person, *BALCONY)
    tidy(sqlite_engine, EMBEDDER, person.id, now=T0)
    (theme,) = themes_of(sqlite_engine, person)
    with transaction(sqlite_engine) as session:
        card = card_rows.by_ids(session, person.id, [theme.id])[theme.id]
        cards.forget(session, [card], now=T0)
    assert tidy(sqlite_engine, EMBEDDER, person.id, now=T0).themes_made == 0  # while it can be undone
    with transaction(sqlite_engine) as session:
        assert cards.purge(session, now=T0 + timedelta(minutes=10), undo_s=60) == 1
    assert tidy(sqlite_engine, EMBEDDER, person.id, now=T0).themes_made == 0
    with reading(sqlite_engine) as session:
        row = session.get(CardRow, theme.id)
        assert row is not None
        assert (row.status, row.text, row.terms, row.surface_terms, row.vector) == (
            "cancelled",
            "…",
            "",
            "",
            None,
        )
        assert len(card_rows.active(session, person.id)) == len(held)
