from __future__ import annotations

import re
import threading
from datetime import timedelta
from typing import Any

import pytest
from argon2 import PasswordHasher
from sqlalchemy import Engine

from memory import accounts
from memory.accounts import SignUp
from memory.config import Settings
from memory.errors import Conflict, InvalidInput, NotFound
from memory.records import Person, Role
from memory.storage import people, subscriptions
from memory.storage.engine import reading, transaction
from memory.wiring import Wiring
from tests import factories
from tests.fakes import FakeClock


@pytest.fixture(autouse=True)
def cheap_hashing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash with the weakest parameters: what is tested is who may come in, not argon2."""
    monkeypatch.setattr(accounts, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


def form(**changes: str) -> SignUp:
    values = {
        "email": "Clara@Example.org ",
        "name": " Clara  ",
        "password": "three words in a row",
        "language": "de",
        "zone": "Europe/Berlin",
    }
    return SignUp(**{**values, **changes})


def token_in(link: str | None) -> str:
    assert link is not None
    return link.rsplit("/", 1)[1]


@pytest.fixture
def settings(wiring: Wiring) -> Settings:
    return wiring.settings


@pytest.fixture
def operator(engine: Engine) -> Person:
    return factories.person(engine, name="Olga", role=Role.OPERATOR)


def test_the_first_link_makes_the_operator_once(engine: Engine, settings: Settings, clock: FakeClock) -> None:
    link = accounts.ensure_first_link(engine, settings, clock())
    assert link is not None
    assert re.fullmatch(r"http://127\.0\.0\.1:8137/join/[\w-]{32}", link)

    made = accounts.sign_up(engine, token_in(link), form(), now=clock())

    assert (made.role, made.email, made.name, made.language) == (
        Role.OPERATOR,
        "clara@example.org",
        "Clara",
        "de",
    )
    with pytest.raises(Conflict):
        accounts.sign_up(engine, token_in(link), form(email="other@example.org"), now=clock())
    assert accounts.ensure_first_link(engine, settings, clock()) is None


def test_a_newer_first_link_ends_the_older_one(engine: Engine, settings: Settings, clock: FakeClock) -> None:
    older = accounts.ensure_first_link(engine, settings, clock())
    newer = accounts.ensure_first_link(engine, settings, clock(), base="http://192.168.1.7:8137")
    assert newer is not None
    assert newer.startswith("http://192.168.1.7:8137/join/")
    with pytest.raises(Conflict):
        accounts.sign_up(engine, token_in(older), form(), now=clock())
    accounts.sign_up(engine, token_in(newer), form(), now=clock())


def test_a_first_link_makes_no_second_operator(engine: Engine, settings: Settings, clock: FakeClock) -> None:
    link = accounts.ensure_first_link(engine, settings, clock())
    accounts.create_user(engine, form(email="early@example.org"), role=Role.OPERATOR, now=clock())
    with pytest.raises(Conflict):
        accounts.sign_up(engine, token_in(link), form(), now=clock())


def test_two_who_use_one_link_at_once_make_one_account(
    engine: Engine, operator: Person, clock: FakeClock
) -> None:
    token = accounts.invite(engine, role=Role.PERSON, by=operator, now=clock())
    barrier, outcomes = threading.Barrier(2), []

    def use(email: str) -> None:
        barrier.wait()
        try:
            outcomes.append(accounts.sign_up(engine, token, form(email=email), now=clock()).email)
        except Conflict:
            outcomes.append("refused")

    threads = [threading.Thread(target=use, args=(f"{name}@example.org",)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes)[1] == "refused"
    with reading(engine) as session:
        assert people.count(session) == 2


def test_an_invitation_ends_after_a_week(engine: Engine, operator: Person, clock: FakeClock) -> None:
    token = accounts.invite(engine, role=Role.AGENT, by=operator, now=clock())
    clock.tick(days=7, seconds=-1)
    assert accounts.invitation(engine, token, now=clock()).role is Role.AGENT
    clock.tick(seconds=1)
    with pytest.raises(NotFound):
        accounts.invitation(engine, token, now=clock())
    with pytest.raises(Conflict):
        accounts.sign_up(engine, token, form(), now=clock())


def test_nobody_is_invited_as_operator(engine: Engine, operator: Person, clock: FakeClock) -> None:
    with pytest.raises(InvalidInput):
        accounts.invite(engine, role=Role.OPERATOR, by=operator, now=clock())


@pytest.mark.parametrize(
    "wrong",
    [
        {"email": "nobody"},
        {"email": "no body@example.org"},
        {"email": f"{'x' * 250}@example.org"},
        {"name": "   "},
        {"name": "x" * 121},
        {"password": "seven77"},
        {"password": "x" * 257},
        {"language": "xx"},
    ],
    ids=str,
)
def test_what_does_not_fit_leaves_the_link_good(
    engine: Engine, operator: Person, clock: FakeClock, wrong: dict[str, str]
) -> None:
    token = accounts.invite(engine, role=Role.PERSON, by=operator, now=clock())
    with pytest.raises(InvalidInput):
        accounts.sign_up(engine, token, form(**wrong), now=clock())
    assert accounts.sign_up(engine, token, form(), now=clock()).role is Role.PERSON


def test_a_taken_address_leaves_the_link_good(engine: Engine, operator: Person, clock: FakeClock) -> None:
    accounts.create_user(engine, form(), role=Role.PERSON, now=clock())
    token = accounts.invite(engine, role=Role.PERSON, by=operator, now=clock())
    with pytest.raises(Conflict, match="already"):
        accounts.sign_up(engine, token, form(email="CLARA@example.org"), now=clock())
    assert accounts.sign_up(engine, token, form(email="other@example.org"), now=clock())


def test_an_odd_zone_from_the_browser_stops_nobody(engine: Engine, clock: FakeClock) -> None:
    made = accounts.create_user(engine, form(zone="Mars/Olympus"), role=Role.PERSON, now=clock())
    assert made.zone == "UTC"
    with pytest.raises(InvalidInput):
        accounts.change_profile(engine, made, name="Clara", language="de", zone="Mars/Olympus")


def test_signing_in_takes_the_right_password_in_any_notation(engine: Engine, clock: FakeClock) -> None:
    accounts.create_user(engine, form(password="Grüße aus Köln"), role=Role.PERSON, now=clock())
    decomposed = "Gru\u0308ße aus Ko\u0308ln"
    assert accounts.sign_in(engine, " CLARA@example.org", decomposed).name == "Clara"
    for email, password in (("clara@example.org", "wrong password"), ("nobody@example.org", decomposed)):
        with pytest.raises(InvalidInput, match="address or the password"):
            accounts.sign_in(engine, email, password)


class CountingHasher:
    """A hasher that counts how often it compares."""

    def __init__(self) -> None:
        self.real = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        self.compared: list[str] = []

    def verify(self, stored: str, password: str) -> bool:
        self.compared.append(password)
        return bool(self.real.verify(stored, password))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


def test_an_unknown_address_costs_the_same_work(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = CountingHasher()
    monkeypatch.setattr(accounts, "_hasher", hasher)
    with pytest.raises(InvalidInput):
        accounts.sign_in(engine, "nobody@example.org", "some password")
    with pytest.raises(InvalidInput):
        accounts.sign_in(engine, "nobody@example.org", "x" * 1_000_000)
    assert hasher.compared == ["some password", ""]


def test_a_weaker_hash_is_replaced_at_signing_in(
    engine: Engine, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = accounts.create_user(engine, form(), role=Role.PERSON, now=clock())
    with reading(engine) as session:
        before = people.password_hash(session, made.id)
    monkeypatch.setattr(accounts, "_hasher", PasswordHasher(time_cost=2, memory_cost=8, parallelism=1))
    signed_in = accounts.sign_in(engine, "clara@example.org", "three words in a row")
    with reading(engine) as session:
        after = people.password_hash(session, made.id)
        assert people.by_id(session, made.id).session_epoch == signed_in.session_epoch == 0
    assert "t=1" in before
    assert "t=2" in after


def test_a_changed_password_ends_every_session(engine: Engine, clock: FakeClock) -> None:
    made = accounts.create_user(engine, form(), role=Role.PERSON, now=clock())
    with pytest.raises(InvalidInput, match="current password"):
        accounts.change_password(engine, made, current="guess", new="another password")
    with pytest.raises(InvalidInput, match="at least 8"):
        accounts.change_password(engine, made, current="three words in a row", new="short")
    changed = accounts.change_password(engine, made, current="three words in a row", new="another password")
    assert changed.session_epoch == made.session_epoch + 1
    assert accounts.sign_out_everywhere(engine, made).session_epoch == made.session_epoch + 2
    assert accounts.sign_in(engine, "clara@example.org", "another password").id == made.id


@pytest.mark.parametrize("how", ["everywhere", "password"])
def test_a_browser_that_is_signed_out_is_told_of_no_reminder(
    engine: Engine, clock: FakeClock, how: str
) -> None:
    made = accounts.create_user(engine, form(), role=Role.PERSON, now=clock())
    other = factories.person(engine)
    browsers = {owner.id: factories.device(engine, owner) for owner in (made, other)}
    with transaction(engine) as session:
        for owner in (made, other):
            subscriptions.keep(
                session,
                owner.id,
                browsers[owner.id],
                endpoint=f"https://push.example.org/{owner.id}",
                p256dh="k",
                auth="a",
                now=clock(),
            )
    if how == "everywhere":
        accounts.sign_out_everywhere(engine, made)
    else:
        accounts.change_password(engine, made, current="three words in a row", new="another password")
    with reading(engine) as session:
        assert subscriptions.of_person(session, made.id) == []
        assert len(subscriptions.of_person(session, other.id)) == 1


def test_the_operator_can_reset_a_password(engine: Engine, clock: FakeClock) -> None:
    made = accounts.create_user(engine, form(), role=Role.PERSON, now=clock())
    reset = accounts.reset_password(engine, "CLARA@example.org", "another password")
    assert reset.session_epoch == made.session_epoch + 1
    assert accounts.sign_in(engine, "clara@example.org", "another password").id == made.id
    with pytest.raises(NotFound):
        accounts.reset_password(engine, "nobody@example.org", "another password")


def test_no_token_and_no_password_is_stored(
    engine: Engine, operator: Person, clock: FakeClock, settings: Settings
) -> None:
    token = accounts.invite(engine, role=Role.PERSON, by=operator, now=clock())
    accounts.sign_up(engine, token, form(), now=clock())
    unused = accounts.invite(engine, role=Role.PERSON, by=operator, now=clock() + timedelta(days=1))
    with engine.connect() as connection:
        stored = " ".join(
            str(row)
            for table in ("people", "invitations")
            for row in connection.exec_driver_sql(f"SELECT * FROM {table}")  # noqa: S608 (a test's own words)
        )
    assert token not in stored
    assert unused not in stored
    assert "three words" not in stored
