from __future__ import annotations

import pytest
from sqlalchemy import Engine

from memory.errors import NotFound
from memory.records import Person
from memory.storage import devices, figures, people, rules
from memory.storage.engine import reading, transaction
from memory.storage.figures import Figure
from tests import factories
from tests.fakes import T0, FakeClock


@pytest.fixture
def alice(engine: Engine) -> Person:
    return factories.person(engine, name="Alice")


@pytest.fixture
def bob(engine: Engine) -> Person:
    return factories.person(engine, name="Bob")


def test_a_device_is_its_owners_only(engine: Engine, alice: Person, bob: Person, clock: FakeClock) -> None:
    with transaction(engine) as session:
        phone = devices.see(session, alice.id, "", label="Firefox · Android", now=clock())
    clock.tick(hours=1)
    with transaction(engine) as session:
        again = devices.see(session, alice.id, phone.public_id, label="ignored", now=clock())
        other = devices.see(session, bob.id, phone.public_id, label="Bob's", now=clock())
    assert (again.id, again.label, again.last_seen_at) == (phone.id, "Firefox · Android", clock())
    assert other.id != phone.id
    with transaction(engine) as session, pytest.raises(NotFound):
        devices.rename(session, bob.id, phone.public_id, "mine now")
    with transaction(engine) as session, pytest.raises(NotFound):
        devices.remove(session, bob.id, phone.public_id)
    with transaction(engine) as session:
        assert devices.rename(session, alice.id, phone.public_id, "Kitchen").label == "Kitchen"
        devices.remove(session, alice.id, phone.public_id)
        assert devices.of_person(session, alice.id) == []
        assert devices.find(session, alice.id, phone.public_id) is None
        assert devices.of_person(session, bob.id) == [other]


def test_a_rule_is_its_owners_only_and_stands_once(engine: Engine, alice: Person, bob: Person) -> None:
    with transaction(engine) as session:
        first = rules.add(session, alice.id, "Answer briefly.", now=T0)
        assert rules.add(session, alice.id, "Answer briefly.", now=T0) == first
        rules.add(session, bob.id, "Answer at length.", now=T0)
    with transaction(engine) as session, pytest.raises(NotFound):
        rules.change(session, bob.id, first.public_id, "Answer never.")
    with transaction(engine) as session, pytest.raises(NotFound):
        rules.remove(session, bob.id, first.public_id)
    with transaction(engine) as session:
        rules.change(session, alice.id, first.public_id, "In two sentences.")
        assert [rule.text for rule in rules.of_person(session, alice.id)] == ["In two sentences."]
        rules.remove(session, alice.id, first.public_id)
        assert rules.of_person(session, alice.id) == []


def test_figures_add_up_by_day(engine: Engine, clock: FakeClock) -> None:
    with transaction(engine) as session:
        figures.add(session, Figure.TURNS, now=clock())
        figures.add(session, Figure.TURNS, 2, now=clock())
    clock.tick(days=3)
    with transaction(engine) as session:
        figures.add(session, Figure.TURNS, now=clock())
        figures.add(session, Figure.CARDS, 5, now=clock())
    with reading(engine) as session:
        assert figures.totals(session, since=T0)[Figure.TURNS] == 4
        late = figures.totals(session, since=clock())
    assert (late[Figure.TURNS], late[Figure.CARDS], late[Figure.MISSED]) == (1, 5, 0)


def test_a_withdrawn_invitation_is_gone(engine: Engine, alice: Person) -> None:
    with transaction(engine) as session:
        made = people.add_invitation(
            session,
            token_hash="a",
            role=alice.role,
            created_by=alice.id,
            expires_at=T0.replace(day=9),
            now=T0,
        )
        assert people.open_invitations(session, now=T0) == [made]
        people.withdraw_invitation(session, made.id)
        assert people.open_invitation(session, "a", now=T0) is None
    with transaction(engine) as session, pytest.raises(NotFound):
        people.withdraw_invitation(session, made.id)


def test_who_is_gone_is_not_found(engine: Engine) -> None:
    for ask in (people.by_id, people.password_hash, people.end_sessions):
        with transaction(engine) as session, pytest.raises(NotFound):
            ask(session, 4711)
    with reading(engine) as session:
        assert people.by_public_id(session, "nobody") is None
        assert people.by_email(session, "nobody@example.org") is None
