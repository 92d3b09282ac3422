from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
from sqlalchemy import Engine, select

from memory import accounts, judge
from memory.config import LANGUAGES
from memory.embedding import Embedder
from memory.errors import InvalidInput
from memory.language import fold
from memory.portability import demo
from memory.records import Category
from memory.storage import cards as card_rows
from memory.storage import demo as rows
from memory.storage import outcomes, people, sky
from memory.storage.engine import reading, transaction
from memory.storage.tables import CardRow, RetrievalRow
from memory.worth import Status
from tests import factories
from tests.fakes import T0


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_a_whole_life(language: str) -> None:
    life = demo.life_of(language, zone="Europe/Lisbon", today=T0.date())
    texts = [each.new.text for each in life]
    assert len(life) == demo.MEMORIES
    assert len({fold(text) for text in texts}) == demo.MEMORIES  # no one says anything twice
    assert not [text for text in texts if "{" in text or "|" in text]
    kinds = Counter(each.new.category for each in life)
    assert set(kinds) == set(Category)
    assert min(kinds.values()) >= 10
    for each in life:
        if each.new.category is Category.REMINDER:
            assert each.new.when is not None
            assert each.new.when.start.date() > T0.date()


def test_the_account_is_complete_and_can_be_signed_in_to_and_removed(engine: Engine) -> None:
    other = factories.person(engine)
    factories.card(engine, other)
    made = demo.make(engine, Embedder(), language="pt", zone="Europe/Lisbon", now=T0)
    assert accounts.sign_in(engine, made.person.email, made.password).id == made.person.id
    with reading(engine) as session:
        active = card_rows.active(session, made.person.id)
        drawn = sky.drawn(session, made.person.id, sky.SkyFilter(), limit=1000)
        threads = sky.threads(session, made.person.id, [each.id for each in drawn])
    assert len(active) == demo.MEMORIES
    assert all(each.x is not None for each in drawn)
    assert len(threads) > demo.MEMORIES
    rated = [each for each in drawn if each.uses > 0]
    assert len(rated) > 50
    assert {each.successes < each.uses for each in rated} == {True, False}
    assert any(card.turn_id is not None for card in active)
    with transaction(engine) as session:
        doubted = [each.value for each in Status if each not in (Status.UNPROVEN, Status.NEUTRAL)]
        stages = {state["status"] for _, state in outcomes.by_status(session, made.person.id, doubted)}
        assert stages == set(doubted)  # every stage is there to be seen
        assert judge.recount(session, made.person.id, now=T0).differing == ()
        rates = outcomes.rates(session, since=T0 - timedelta(days=365))
        assert set(rates.values()) == {0}  # the operator's figures are of people
        assert outcomes.counts(session) == {}
        told = select(RetrievalRow.created_at, CardRow.learned_at).join(CardRow)
        assert all(asked > learned for asked, learned in session.execute(told))
    with transaction(engine) as session:
        assert rows.remove_all(session) == 1
    with reading(engine) as session:
        assert people.by_email(session, made.person.email) is None
        assert len(card_rows.active(session, other.id)) == 1


def test_an_unknown_language_is_refused(engine: Engine) -> None:
    with pytest.raises(InvalidInput):
        demo.make(engine, Embedder(), language="xx", zone="UTC", now=T0)
