"""Stores above the stated size: the database's indexes preselect, on PostgreSQL with pgvector."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import numpy as np
import pytest
from sqlalchemy import Engine, text

from memory import cards
from memory.cards import filtering
from memory.cards.indexing import indexed
from memory.cards.recall import Angle, CardCache, Recalled, recall
from memory.embedding import Embedder
from memory.records import Category, NewCard, Person, When
from memory.storage import bringing, nearest, search
from memory.storage import turns as turn_rows
from memory.storage.engine import make_engine, reading, transaction
from tests import factories
from tests.databases import rows
from tests.fakes import T0

TOLD = (
    ("The spare key is in the blue tin in the cellar.", "en"),
    ("Meine Schwester spielt Cello in einem Orchester.", "de"),
    ("Ana's wedding is at the lake.", "en"),
    ("Trabalho como contabilista numa empresa de navegação.", "pt"),
    ("The wifi password is O'Brien\\47 'quoted' & | ! :*", "en"),
    ("Le chien s'appelle Biscuit.", "fr"),
    ("Every Tuesday the bins go out.", "en"),
)
SAID = ("We saw three herons at the lake.", "The car failed its test.", "I painted the gate green.")
ASKED = (
    "Where is the spare key?",
    "What instrument does my sister play?",
    "When is Ana's wedding?",
    "What is O'Brien\\47 'quoted' & | ! :* for?",
    "Which birds were at the lake?",
    "How is the dog called?",
    "Who is the minister of fisheries?",
)


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder()


@pytest.fixture
def engine(postgresql_url: str) -> Iterator[Engine]:
    engine = make_engine(postgresql_url)
    yield engine
    engine.dispose()


@pytest.fixture
def owner(engine: Engine, embedder: Embedder) -> Person:
    owner = factories.person(engine, name="Nadia")
    _fill(engine, owner, embedder)
    return owner


def _fill(engine: Engine, owner: Person, embedder: Embedder) -> None:
    with transaction(engine) as session:
        for told, language in TOLD:
            new = NewCard(category=Category.FACT, text=told, language=language)
            cards.remember(session, owner, new, embedder=embedder, now=T0)
    conversation = factories.conversation(engine, owner)
    for said in SAID:
        turn_id = factories.turn(engine, owner, conversation, said=said, answer="")
        kept = indexed(said=said, language="en", embedder=embedder)
        with transaction(engine) as session:
            turn_rows.index(
                session, turn_id, terms=kept.terms, vector=kept.vector, vector_version=kept.vector_version
            )


def _asked(engine: Engine, owner: Person, embedder: Embedder, query: str, cache: CardCache) -> Recalled:
    with reading(engine) as session:
        return recall(
            session,
            person=owner,
            angles=[Angle(kind="meaning", query=query), Angle(kind="person", query="", names=("Ana",))],
            now=T0 + timedelta(days=1),
            embedder=embedder,
            cache=cache,
            language="en",
        )


pytestmark = pytest.mark.postgresql


@pytest.mark.parametrize("query", ASKED)
def test_a_store_whose_candidates_are_all_of_it_gives_the_exact_list(
    engine: Engine, owner: Person, embedder: Embedder, query: str
) -> None:
    small, large = CardCache(64), CardCache(64, exact_most=0)
    exact = _asked(engine, owner, embedder, query, small)
    assert _asked(engine, owner, embedder, query, large) == exact
    assert (len(small), len(large)) == (1, 0)  # in part, and nothing is kept of it


def test_few_candidates_are_the_right_ones(
    engine: Engine, owner: Person, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filtering, "CANDIDATES", 2)
    monkeypatch.setattr(filtering, "_TALKS", 1)
    cache = CardCache(64, exact_most=0)
    found = _asked(engine, owner, embedder, ASKED[0], cache).found
    assert found[0].card.text == TOLD[0][0]
    heard = _asked(engine, owner, embedder, ASKED[4], cache).talks
    assert heard[0].turn.said == SAID[0]


def test_a_coming_event_of_a_named_person_is_a_candidate(
    engine: Engine, owner: Person, embedder: Embedder
) -> None:
    when = When(start=(T0 + timedelta(days=9)).replace(tzinfo=None), zone="UTC")
    with transaction(engine) as session:
        new = NewCard(category=Category.EVENT, text="Choir evening", subject="Ana", when=when)
        cards.remember(session, owner, new, embedder=embedder, now=T0)
    found = _asked(engine, owner, embedder, "Ana", CardCache(64, exact_most=0)).found
    assert any("next_event" in each.because for each in found)


def test_what_is_new_is_found_at_once_and_what_is_forgotten_or_anothers_never(
    engine: Engine, owner: Person, embedder: Embedder
) -> None:
    other = factories.person(engine, name="Omar", email="omar@example.org")
    _fill(engine, other, embedder)
    cache = CardCache(64, exact_most=0)
    assert nearest.tend(engine, owner.id, most=0)
    with transaction(engine) as session:
        new = NewCard(category=Category.FACT, text="The boat is moored in bay nine.")
        card = cards.remember(session, owner, new, embedder=embedder, now=T0).card
    found = _asked(engine, owner, embedder, "Where is the boat moored?", cache)
    assert found.found[0].card.id == card.id
    assert {each.card.person_id for each in found.found} == {owner.id}
    with transaction(engine) as session:
        cards.forget(session, [card], now=T0)
    found = _asked(engine, owner, embedder, "Where is the boat moored?", cache)
    assert card.id not in {each.card.id for each in found.found}


def test_indexes_are_made_for_a_large_store_alone_used_and_let_go(
    engine: Engine, owner: Person, embedder: Embedder
) -> None:
    assert not nearest.tend(engine, owner.id, most=1000)
    assert _indexes(engine) == set()
    assert nearest.tend(engine, owner.id, most=3)
    assert nearest.tend(engine, owner.id, most=3)  # twice changes nothing
    made = {f"ix_{table}_{kind}_{owner.id}" for table in ("cards", "turns") for kind in ("near", "words")}
    assert _indexes(engine) == made
    with reading(engine) as session:
        # So few rows are faster to sort: forbid that, as a large store's size does.
        session.execute(text("SET LOCAL enable_seqscan = off"))
        session.execute(text("SET LOCAL enable_sort = off"))
        vector, version = embedder.encode_one("the key"), embedder.version
        nearest.cards(session, owner.id, [vector], [("key",)], version=version, today="2026-01-01", limit=5)
        session.execute(text("SELECT pg_stat_force_next_flush()"))
    assert _scans(engine)[f"ix_cards_near_{owner.id}"] > 0
    assert not nearest.tend(engine, owner.id, most=1000)
    assert _indexes(engine) == set()


def test_the_indexes_of_a_person_who_is_gone_go(engine: Engine, owner: Person) -> None:
    assert nearest.tend(engine, owner.id, most=3)
    assert nearest.let_go_of_the_gone(engine) == 0
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM people WHERE id = :id"), {"id": owner.id})
    assert nearest.let_go_of_the_gone(engine) == 4
    assert _indexes(engine) == set()


def test_without_the_extension_search_is_exact(engine: Engine, owner: Person, embedder: Embedder) -> None:
    with engine.begin() as connection:
        connection.execute(text("DROP EXTENSION vector"))
    assert not nearest.tend(engine, owner.id, most=0)
    cache = CardCache(64, exact_most=0)
    assert _asked(engine, owner, embedder, ASKED[0], cache).found[0].card.text == TOLD[0][0]
    assert len(cache) == 1


def _indexes(engine: Engine) -> set[str]:
    with engine.connect() as connection:
        found = connection.scalars(
            text("SELECT indexname FROM pg_indexes WHERE indexname ~ '_(near|words)_[0-9]+$'")
        )
        return set(found)


def _scans(engine: Engine) -> dict[str, int]:
    with engine.connect() as connection:
        found = connection.execute(
            text(
                "SELECT indexrelname, idx_scan FROM pg_stat_user_indexes"
                " WHERE indexrelname ~ '_(near|words)_[0-9]+$'"
            )
        )
        return {name: scans for name, scans in found}


def test_vectors_come_back_bit_by_bit(engine: Engine, owner: Person) -> None:
    card_id = rows(engine, "cards")[0]["id"]
    odd = np.array([1 / 3, -0.0, 1e-45, 3.4e38, np.pi] + [0.1] * 507, dtype=np.float32)
    with transaction(engine) as session:
        bringing.set_vector(session, "cards", card_id, odd, "x")
    with reading(engine) as session:
        (card,) = search.card_words(session, owner.id, [card_id])
    assert card.vector is not None
    assert card.vector.tobytes() == odd.tobytes()
