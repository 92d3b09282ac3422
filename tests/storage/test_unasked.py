"""A sample of the cards: some of the rest, cheap however many there are."""

from __future__ import annotations

import random

from sqlalchemy import Engine

from memory.records import CardStatus, Category
from memory.storage import unasked
from memory.storage.engine import reading
from tests import factories
from tests.fakes import T0


def test_pinned_first_none_twice_and_none_of_others(engine: Engine) -> None:
    owner, other = factories.person(engine), factories.person(engine)
    mine = set()
    for number in range(40):
        mine.add(factories.card(engine, owner, text=f"mine {number}"))
        factories.card(engine, other, text=f"theirs {number}")
    pinned = factories.card(engine, owner, text="pinned", pinned=True)
    factories.card(engine, owner, text="gone", status=CardStatus.FORGOTTEN)
    factories.card(engine, owner, text="theme", category=Category.THEME)
    with reading(engine) as session:
        for seed in range(5):
            found = unasked.sample(session, owner.id, lots=random.Random(seed), limit=10)
            ids = [card.id for card in found]
            assert ids[0] == pinned
            assert len(ids) == len(set(ids))
            assert 1 < len(ids) <= 10
            assert set(ids[1:]) <= mine
        again = unasked.sample(session, owner.id, lots=random.Random(4), limit=10)
    assert [card.id for card in again] == ids


def test_of_nothing_there_is_no_sample(engine: Engine) -> None:
    owner = factories.person(engine)
    with reading(engine) as session:
        assert unasked.sample(session, owner.id, lots=random.Random(1), limit=10) == []


def test_lately_is_newest_first_within_the_span(engine: Engine) -> None:
    owner = factories.person(engine)
    for number in range(3):
        factories.card(engine, owner, text=f"{number}", learned_at=T0.replace(hour=number))
    with reading(engine) as session:
        found = unasked.lately(session, owner.id, since=T0.replace(hour=1), limit=5)
    assert [card.text for card in found] == ["2", "1"]
