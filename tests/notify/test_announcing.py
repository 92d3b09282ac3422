"""Agents whose browser is closed hear that somebody waits: once, who allows it, in none of their words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from sqlalchemy import Engine

from memory import handover
from memory.frames import Frames
from memory.handover.asking import ask_by_button
from memory.notify.announcing import announce
from memory.notify.push import Pusher
from memory.records import Person, Role
from memory.storage import desks, subscriptions
from memory.storage import handovers as rows
from memory.storage.engine import reading, transaction
from tests import factories
from tests.fakes import T0, FakeClock
from tests.notify.browser import Browser, push_service

KEY = ec.derive_private_key(42, ec.SECP256R1())
PUSHER = Pusher(key=KEY, contact="mailto:operator@example.org", may_reach_this_network=True)


@pytest.fixture
def browsers() -> Iterator[list[Browser]]:
    with ExitStack() as stack:
        yield [stack.enter_context(push_service(Browser())) for _ in range(3)]


@pytest.fixture
def frames(engine: Engine) -> Frames:
    return Frames(engine, None)


def on(engine: Engine, owner: Person, browser: Browser) -> Person:
    """The person, with notifications allowed on a browser."""
    device = factories.device(engine, owner)
    with transaction(engine) as session:
        subscriptions.keep(
            session,
            owner.id,
            device,
            endpoint=browser.endpoint,
            p256dh=browser.p256dh,
            auth=browser.auth,
            now=T0,
        )
    return owner


def agent(engine: Engine, name: str, language: str = "en") -> Person:
    return factories.person(engine, name=name, role=Role.AGENT, language=language)


def asked(engine: Engine, frames: Frames, who: Person, clock: FakeClock) -> str:
    ask_by_button(engine, frames, who, now=clock(), idle_s=1800)
    with reading(engine) as session:
        (waiting,) = rows.waiting(session)
    return waiting.public_id


def test_every_agent_who_allows_it_is_told_once_in_their_language(
    engine: Engine, frames: Frames, browsers: list[Browser], clock: FakeClock
) -> None:
    clara = on(engine, factories.person(engine, name="Clara", language="pt"), browsers[0])
    on(engine, agent(engine, "Hanna", "de"), browsers[1])
    emil = on(engine, agent(engine, "Emil"), browsers[2])
    with transaction(engine) as session:
        desks.tell(session, emil.id, told=False)
    asked(engine, frames, clara, clock)
    assert announce(engine, PUSHER, now=clock()) == 1
    assert announce(engine, PUSHER, now=clock()) == 0
    (told,) = browsers[1].received
    assert (told["text"], told["when"], told["url"]) == (
        "Jemand wartet auf einen Menschen.",
        "Português",
        "/desk/",
    )
    assert "Clara" not in str(told)
    assert browsers[0].received == browsers[2].received == []


def test_what_was_taken_meanwhile_is_told_of_to_nobody(
    engine: Engine, frames: Frames, browsers: list[Browser], clock: FakeClock
) -> None:
    hanna = on(engine, agent(engine, "Hanna"), browsers[0])
    on(engine, agent(engine, "Emil"), browsers[1])
    public_id = asked(engine, frames, factories.person(engine), clock)
    handover.claim(engine, frames, public_id, hanna, now=clock())
    assert announce(engine, PUSHER, now=clock()) == 0


def test_who_is_passed_a_talk_hears_of_it_and_what_is_put_back_is_news_again(
    engine: Engine, frames: Frames, browsers: list[Browser], clock: FakeClock
) -> None:
    hanna = on(engine, agent(engine, "Hanna"), browsers[0])
    emil = on(engine, agent(engine, "Emil"), browsers[1])
    public_id = asked(engine, frames, factories.person(engine), clock)
    announce(engine, PUSHER, now=clock())
    handover.claim(engine, frames, public_id, hanna, now=clock())
    clock.tick(minutes=1)
    handover.pass_on(engine, frames, public_id, hanna, to=emil.public_id, now=clock())
    assert announce(engine, PUSHER, now=clock()) == 1
    assert browsers[1].received[-1]["text"] == "A conversation was passed on to you."
    clock.tick(minutes=1)
    handover.pass_on(engine, frames, public_id, emil, to="", now=clock())
    assert announce(engine, PUSHER, now=clock()) == 2
    ids = [each["id"] for each in browsers[1].received]
    assert len(ids) == len(set(ids)) == 3  # a browser shows each id once


def test_an_agent_is_not_told_of_their_own_request_and_a_gone_browser_is_forgotten(
    engine: Engine, frames: Frames, browsers: list[Browser], clock: FakeClock
) -> None:
    hanna = on(engine, agent(engine, "Hanna"), browsers[0])
    emil = on(engine, agent(engine, "Emil"), browsers[1])
    browsers[1].status = 410
    asked(engine, frames, hanna, clock)
    assert announce(engine, PUSHER, now=clock()) == 0
    assert browsers[0].received == []
    with reading(engine) as session:
        assert subscriptions.of_person(session, emil.id) == []


def test_who_is_here_and_who_holds_what(engine: Engine, frames: Frames, clock: FakeClock) -> None:
    hanna, _ = agent(engine, "Hanna"), agent(engine, "Emil")
    with transaction(engine) as session:
        assert desks.seen(session, hanna.id, now=clock())
    with transaction(engine) as session:
        assert not desks.seen(session, hanna.id, now=clock() + timedelta(seconds=5))
    handover.claim(engine, frames, asked(engine, frames, factories.person(engine), clock), hanna, now=clock())
    with reading(engine) as session:
        found = desks.agents(session, now=clock())
        later = desks.agents(session, now=clock() + desks.HERE_FOR)
    assert [(each.name, each.is_here, each.holds) for each in found] == [
        ("Hanna", True, 1),
        ("Emil", False, 0),
    ]
    assert not any(each.is_here for each in later)
