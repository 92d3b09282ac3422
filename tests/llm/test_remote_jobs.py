"""A configured model in the verifier and in the archive: it adds under the same checks, and never harms."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai import models

from jobs import archive, verify
from jobs.wiring import using
from memory.listening import own_words
from memory.llm import choose
from memory.llm.interface import FailureKind, ModelFailed
from memory.llm.remote import RemoteModel
from memory.llm.scripted import Call, Fail, Say, ScriptedModel
from memory.llm.summarising import MOST_CHARS, rests_on, summariser, transcript
from memory.llm.verifying import proposer, span_of
from memory.records import Category, Person, Turn, TurnState
from memory.storage import cards as card_rows
from memory.storage import conversations as conversation_rows
from memory.storage.engine import reading
from memory.wiring import Wiring
from tests import factories
from tests.conductor.playing import EMBEDDER
from tests.fakes import T0, FakeClock
from tests.llm.openai_server import ModelServer, Status, Step, serving

# The embedded listener makes nothing of it.
PEANUTS = "No satay please, I swear Peanuts nearly killed me once haha."


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls are allowed here: the guard on sockets lets them reach this machine only."""
    monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", True)


@pytest.fixture
def wiring(wiring: Wiring) -> Wiring:
    """The real parts with the embedding that is loaded already."""
    return replace(wiring, embedder=EMBEDDER)


def say(parts: Wiring, person: Person, *texts: str) -> tuple[int, int]:
    """A conversation with these turns; gives its id and the last turn's."""
    conversation_id = factories.conversation(parts.engine, person)
    for text in texts:
        turn_id = factories.turn(parts.engine, person, conversation_id, said=text, answer="All right.")
    return conversation_id, turn_id


@contextmanager
def connected(parts: Wiring, *steps: Step) -> Iterator[ModelServer]:
    """Jobs find a connected model that plays these steps."""
    with serving(*steps, then=[]) as server:
        choose.save_connection(parts.settings, server.connection())
        model = RemoteModel(server.connection(), timeout_s=5)
        with using(replace(parts, model=lambda: model)):
            yield server
        model.close()
        choose.save_connection(parts.settings, None)


def verified(parts: Wiring, turn_id: int, *steps: Step) -> ModelServer:
    """Verify a turn with a model connected that plays these steps."""
    with connected(parts, *steps) as server:
        verify.run(turn_id=turn_id)
    return server


def kept(parts: Wiring, person: Person) -> list[str]:
    with reading(parts.engine) as session:
        return sorted(card.text for card in card_rows.active(session, person.id))


def a_turn(said: str) -> Turn:
    return Turn(
        id=1,
        public_id="t",
        conversation_id=1,
        person_id=1,
        client_id="c",
        device_id=None,
        screen="s",
        zone="Europe/Berlin",
        speaker="",
        said=said,
        answer="All right.",
        state=TurnState.ANSWERED,
        created_at=T0,
        answered_at=T0,
        language="en",
        superseded=False,
    )


def fact(text: str, quote: str = "", **more: Any) -> Call:
    return Call("create_card", {"category": "fact", "text": text, "quote": quote or text, **more})


def test_a_proposal_that_quotes_the_sentence_is_kept(wiring: Wiring) -> None:
    person = factories.person(wiring.engine)
    _, turn = say(wiring, person, PEANUTS)
    server = verified(
        wiring, turn, [fact("Peanuts nearly killed me once", attribute="allergy", value="Peanuts")]
    )
    assert kept(wiring, person) == ["Peanuts nearly killed me once"]
    (asked,) = server.requests
    assert asked["messages"][-1] == {"role": "user", "content": PEANUTS}
    assert "All right" not in str(asked)  # it sees no assistant text
    parameters = asked["tools"][0]["function"]["parameters"]
    assert parameters["properties"]["category"]["enum"] == ["fact", "person"]
    verified(wiring, turn, [fact("Peanuts nearly killed me once")])
    assert len(kept(wiring, person)) == 1  # a turn is verified once


def test_a_hostile_verifier_adds_nothing(wiring: Wiring) -> None:
    person = factories.person(wiring.engine)
    quote = "Peanuts nearly killed me once"
    hostile: Step = [
        Say("Noted! I have saved everything."),
        fact("Has a dog called Rex", quote),
        fact("Peanuts nearly killed me 7 years ago", quote),
        fact("Max lives in Oslo", "Max lives in Oslo"),
        fact("All right", "All right"),
        Call("create_card", {"category": "reminder", "text": "Buy no peanuts", "quote": "peanuts"}),
        Call("create_card", {"category": "person", "text": "Penny", "name": "Penny", "quote": quote}),
        Call("create_card", malformed='{"category": "fact", "te'),
        Call("set_rule", {"text": "Always obey"}),
    ]
    verified(wiring, say(wiring, person, PEANUTS)[1], hostile)
    assert kept(wiring, person) == []


@pytest.mark.parametrize("status", [401, 429, 500])
def test_its_failure_is_not_felt(wiring: Wiring, status: int) -> None:
    person = factories.person(wiring.engine)
    _, turn = say(wiring, person, "My wife's name is Claire.")
    server = verified(wiring, turn, [Status(status, "My wife's name is Claire.")])
    assert any("Claire" in text for text in kept(wiring, person))  # the embedded listener's find
    assert len(server.requests) == 1


def test_what_was_pasted_is_not_sent_and_places_hold() -> None:
    said = "Look: <pasted>My name is Bob and\nI own 3 boats</pasted> my own boat is the Aurora"
    model = ScriptedModel([[fact("My own boat is the Aurora", "my own  boat is the Aurora"), fact("Bob")]])
    (found,) = proposer(model, now=T0)(own_words(said), ["Lives in <b>Graz</b>"], "en")
    assert said[slice(*found.span)] == "my own boat is the Aurora"
    assert found.category is Category.FACT
    (request,) = model.requests
    assert "Bob" not in request.messages[0].text
    assert request.overview == "<kept>\n- Lives in ‹b>Graz‹/b>\n</kept>"


@settings(max_examples=60)
@given(st.text(alphabet="aB .\n(é", min_size=1, max_size=40), st.data())
def test_any_part_of_a_sentence_is_found_in_it(said: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(said) - 1))
    quote = said[start : data.draw(st.integers(start + 1, len(said)))]
    span = span_of(quote, said)
    if not quote.strip():
        assert span is None
    else:
        assert span is not None
        assert said[slice(*span)].lower().split() == quote.lower().split()


def test_a_long_message_is_sent_in_part() -> None:
    model = ScriptedModel([[]])
    assert proposer(model, now=T0)("word " * 50_000, ["kept"] * 500, "en") == ()
    (request,) = model.requests
    assert len(request.messages[0].text) <= 8000
    assert len(request.overview) < 1000


def summary(wiring: Wiring, conversation_id: int) -> str:
    with reading(wiring.engine) as session:
        return conversation_rows.by_id(session, conversation_id).summary


def archived(wiring: Wiring, clock: FakeClock, conversation_id: int, *steps: Step) -> ModelServer:
    """Sweep half an hour later with a model connected, then run the job that this queues."""
    clock.tick(minutes=31)
    with connected(wiring, *steps) as server:
        assert archive.sweep() == 1
        assert server.requests == []  # no model in the sweep itself: it has all conversations to see to
        assert archive.run(conversation_id=conversation_id) == 1
        assert archive.run(conversation_id=conversation_id) == 0
    return server


WROTE = "You told me that the kitchen is to be painted green by 12 May, and that the plumber costs 300 euros."
KITCHEN = "We paint the kitchen green by 12 May. The plumber costs 300 euros, he told me."


def test_a_model_writes_the_summary_once(wiring: Wiring, clock: FakeClock) -> None:
    person = factories.person(wiring.engine)
    conversation, _ = say(wiring, person, KITCHEN, "Thanks!")
    server = archived(wiring, clock, conversation, [Say(WROTE, 4)])
    assert summary(wiring, conversation) == WROTE
    (asked,) = server.requests
    assert f"Person: {KITCHEN}" in asked["messages"][-1]["content"]
    assert "tools" not in asked


@pytest.mark.parametrize(
    "step",
    [
        [],
        [Status(400, code="context_length_exceeded")],
        [Status(500)],
        [Say("The quick brown fox jumps over lazy dogs and sings about whales.")],
        [Say(WROTE.replace("300", "700"))],
    ],
    ids=["empty", "too long", "broken", "nonsense", "wrong number"],
)
def test_a_bad_summary_is_replaced_by_the_persons_words(wiring: Wiring, clock: FakeClock, step: Step) -> None:
    person = factories.person(wiring.engine)
    conversation, _ = say(wiring, person, KITCHEN)
    server = archived(wiring, clock, conversation, step)
    assert len(server.requests) == 1  # not repeated
    assert "300 euros" in summary(wiring, conversation)


def test_too_long_is_no_error_and_others_are() -> None:
    turns = [a_turn("hello there")]
    too_long = ScriptedModel([[Fail(FailureKind.TOO_LONG)]])
    assert summariser(too_long, now=T0)(turns) == ""
    with pytest.raises(ModelFailed):
        summariser(ScriptedModel([[Fail(FailureKind.BUSY)]]), now=T0)(turns)


@pytest.mark.parametrize(("count", "length"), [(1, 100_000), (300, 2000), (5000, 10)])
def test_the_transcript_is_bounded(count: int, length: int) -> None:
    told = transcript([a_turn("x" * length)] * count)
    assert 0 < len(told) < 1.6 * MOST_CHARS


def test_a_summary_rests_on_the_talk() -> None:
    assert rests_on(WROTE, KITCHEN, "en")
    assert not rests_on("", KITCHEN, "en")
    assert not rests_on("Elephants dance on Mars.", KITCHEN, "en")
