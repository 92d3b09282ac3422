from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, insert, select

from memory.cards.warming import BEST, NEIGHBOURS, plan, warm
from memory.records import Link, LinkKind, Person
from memory.storage import links as link_rows
from memory.storage.engine import reading, transaction
from memory.storage.tables import CardRow, RetrievalRow
from tests import factories
from tests.fakes import T0

LATER = T0 + timedelta(days=3)
_ids = st.lists(st.integers(1, 20), max_size=12)


@given(_ids, st.dictionaries(st.integers(1, 20), _ids))
def test_nine_at_most_the_best_three_first_and_each_once(
    found: list[int], neighbours: dict[int, list[int]]
) -> None:
    planned = plan(found, neighbours)
    best = list(dict.fromkeys(found))[:BEST]
    assert len(planned) <= BEST * (1 + NEIGHBOURS) == 9
    assert len(set(planned)) == len(planned)
    assert list(planned[: len(best)]) == best
    near = {each for card in best for each in neighbours.get(card, [])[:NEIGHBOURS]}
    assert set(planned[len(best) :]) == near - set(best)  # direct neighbours, and of the best alone


def _found(engine: Engine, owner: Person, turn_id: int, card_ids: list[int]) -> None:
    rows = [
        {
            "person_id": owner.id,
            "turn_id": turn_id,
            "card_id": card_id,
            "angle": "meaning",
            "score": 1.0 / place,
            "weight": 1.0,
            "propensity": 1.0,
            "context": "",
            "shown": True,
            "protected": False,
            "created_at": T0,
        }
        for place, card_id in enumerate(card_ids, 1)
    ]
    with transaction(engine) as session:
        session.execute(insert(RetrievalRow), rows)


def _mentioned(engine: Engine) -> set[int]:
    with reading(engine) as session:
        return set(session.scalars(select(CardRow.id).where(CardRow.mentioned_at == LATER)))


def test_a_turn_warms_what_it_found_once_however_often_the_job_runs(engine: Engine) -> None:
    owner = factories.person(engine)
    cards = [factories.card(engine, owner, text=f"Memory number {number}") for number in range(12)]
    # 1 is linked with three others, the closest two come along; a theme's link brings nobody.
    links = [(1, 6, LinkKind.SIMILAR, 0.9), (1, 7, LinkKind.SIMILAR, 0.2), (1, 8, LinkKind.SIMILAR, 0.8)]
    links.append((2, 9, LinkKind.THEME, 1.0))
    with transaction(engine) as session:
        link_rows.add(
            session,
            owner.id,
            [
                Link(a_id=cards[a], b_id=cards[b], kind=kind, weight=weight, reason="")
                for a, b, kind, weight in links
            ],
            now=T0,
        )
    turn_id = factories.turn(engine, owner, factories.conversation(engine, owner))
    _found(engine, owner, turn_id, [cards[at] for at in (1, 2, 3, 4)])
    assert warm(engine, turn_id, now=LATER) == 5
    expected = {cards[at] for at in (1, 2, 3, 6, 8)}
    assert _mentioned(engine) == expected
    assert warm(engine, turn_id, now=LATER + timedelta(days=1)) == 0
    assert _mentioned(engine) == expected


def test_a_turn_that_found_nothing_or_is_gone_warms_nothing(engine: Engine) -> None:
    owner = factories.person(engine)
    factories.card(engine, owner, text="Memory")
    turn_id = factories.turn(engine, owner, factories.conversation(engine, owner))
    assert warm(engine, turn_id, now=LATER) == 0
    assert warm(engine, turn_id + 99, now=LATER) == 0
    assert _mentioned(engine) == set()
