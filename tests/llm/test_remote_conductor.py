"""A remote model in a turn: whatever its server does, a sentence, a reason, no lost words."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import models
from sqlalchemy import Engine

from memory.conductor.phrases import phrase
from memory.llm.remote import RemoteModel
from memory.llm.scripted import Call, Hang, Say
from memory.records import Category, Turn, TurnState
from tests.conductor.playing import Stage, stage
from tests.databases import rows
from tests.fakes import FakeClock
from tests.llm.openai_server import KEY, Cut, ModelServer, Raw, Status, Step, Unfinished, serving

SAID = "My gate code is 4820."


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls are allowed here: the guard on sockets lets them reach this machine only."""
    monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", True)


@pytest.fixture
def engine(sqlite_engine: Engine) -> Engine:
    """One kind of database is enough here: the conductor's own tests play on both."""
    return sqlite_engine


@contextmanager
def talking(
    engine: Engine, clock: FakeClock, tmp: Path, *steps: Step, timeout_s: float = 10, **changes: str
) -> Iterator[tuple[Stage, ModelServer]]:
    """A person who talks to a model on a server that plays these steps."""
    with serving(*steps) as server:
        model = RemoteModel(server.connection(**changes), timeout_s=timeout_s)
        with stage(engine, clock, model=lambda: model, tmp=tmp) as play:
            yield play, server
        model.close()


def trace(play: Stage, turn: Turn) -> dict[str, Any]:
    """What was noted of a turn."""
    (found,) = (row["trace"] for row in rows(play.engine, "turns") if row["id"] == turn.id)
    return dict(json.loads(found) if isinstance(found, str) else found)


def test_an_answer_streams_through_the_gate(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    steps: list[Step] = [[Say("Graz is lovely in spring. Do you live near the river?", 9)]]
    with talking(engine, clock, tmp_path, *steps) as (play, server):
        turn = play.say("I live in Graz.")
        texts = [frame.body["delta"] for frame in play.seen() if frame.kind == "text"]
    assert (turn.state, turn.answer) == (
        TurnState.ANSWERED,
        "Graz is lovely in spring. Do you live near the river?",
    )
    assert len(texts) == 2  # whole sentences
    assert trace(play, turn)["model"] == "openai:test-model"
    system, present = server.requests[0]["messages"]
    assert (system["role"], present) == ("system", {"role": "user", "content": "I live in Graz."})


def test_several_calls_in_pieces_make_their_cards(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    # The same ids in each answer, as servers of one's own give them.
    first = [
        Call("create_card", {"category": "fact", "text": "My gate code is 4820"}, call_id="call_0"),
        Call(
            "create_card",
            {"category": "reminder", "text": "Call Ada", "when": {"start": "2030-12-05T17:00"}},
            call_id="call_1",
        ),
    ]
    second = [Call("create_card", {"category": "fact", "text": "I have a bicycle"}, call_id="call_0")]
    with talking(engine, clock, tmp_path, first, second, [Say("I will call you then.")]) as (play, server):
        turn = play.say(
            "My gate code is 4820, I have a bicycle; remind me to call Ada on 5 Dec 2030 at 5 pm."
        )
        kept = {card.category for card in play.cards()}
        texts = {card.text for card in play.cards()}
    assert (turn.state, turn.answer) == (TurnState.ANSWERED, "I will call you then.")
    assert {Category.FACT, Category.REMINDER} <= kept
    assert {"My gate code is 4820", "I have a bicycle"} <= texts
    assert trace(play, turn)["tools"] == ["create_card"] * 3
    returned = [each for each in server.requests[2]["messages"] if each["role"] == "tool"]
    assert [each["tool_call_id"] for each in returned] == ["call_0", "call_1", "call_0_2"]


@pytest.mark.parametrize(
    ("step", "words", "reason"),
    [
        ([Status(429, SAID, headers={"Retry-After": "7"})], "busy", "retry after 7 s"),
        ([Status(500, SAID)], "broken", "http 500"),
        ([Status(401, f"wrong key {KEY}")], "refused", "http 401"),
        ([Status(400, SAID, "context_length_exceeded")], "too_long", "context_length_exceeded"),
        ([Raw(f"not json {SAID}")], "broken", "broken: "),
        ([Hang(threading.Event(), timeout_s=3)], "timed_out", "silent for 1 s"),
        ([Cut()], "unreachable", "unreachable: "),
    ],
    ids=["429", "500", "401", "too long", "unreadable", "hang", "cut at once"],
)
def test_each_failure_ends_in_a_sentence_and_a_reason(
    engine: Engine, clock: FakeClock, tmp_path: Path, step: Step, words: str, reason: str
) -> None:
    with talking(engine, clock, tmp_path, step, timeout_s=1) as (play, server):
        failed = play.say(SAID)
        assert len(server.requests) == 1
        after = play.say("Are you there?")
    assert (failed.state, failed.said) == (TurnState.FAILED, SAID)
    assert failed.answer == phrase(words, "en")
    assert reason in failed.error
    assert trace(play, failed)["failure"] == failed.error
    assert KEY not in failed.error
    assert "4820" not in failed.error
    assert (after.state, after.answer) == (TurnState.ANSWERED, "All right.")


@pytest.mark.parametrize("end", [Cut(), Unfinished()])
def test_a_cut_stream_keeps_what_was_said(
    engine: Engine, clock: FakeClock, tmp_path: Path, end: Cut | Unfinished
) -> None:
    with talking(engine, clock, tmp_path, [Say("One sentence. And an unfini"), end]) as (play, _):
        turn = play.say(SAID)
        shown = "".join(frame.body["delta"] for frame in play.seen() if frame.kind == "text")
    assert turn.state is TurnState.FAILED
    assert turn.answer == f"One sentence. And an unfini\n\n{phrase('broken_off', 'en')}"
    assert shown == turn.answer
    assert "broken_off" in turn.error


def test_an_empty_answer_is_asked_for_once_more(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with talking(engine, clock, tmp_path, [], [Say("Here I am.")]) as (play, server):
        assert play.say("hi").answer == "Here I am."
        assert len(server.requests) == 2


def test_two_empty_answers_end_in_the_emergency_sentence(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talking(engine, clock, tmp_path, [], []) as (play, server):
        turn = play.say("hi")
        assert len(server.requests) == 2
    assert (turn.state, turn.answer) == (TurnState.FAILED, phrase("empty", "en"))


@pytest.mark.parametrize(
    "call", [Call("create_card", malformed='{"category": "fact", "te'), Call("no_such_tool", {"text": "x"})]
)
def test_the_model_is_told_what_was_wrong_with_its_call(
    engine: Engine, clock: FakeClock, tmp_path: Path, call: Call
) -> None:
    with talking(engine, clock, tmp_path, [call], [Say("Sorry. Let us go on.")]) as (play, server):
        turn = play.say(SAID)
    assert (turn.state, turn.answer) == (TurnState.ANSWERED, "Sorry. Let us go on.")
    assert trace(play, turn)["tools"] == [f"{call.name}!"]
    told = server.requests[1]["messages"][-1]
    assert told["role"] == "tool"
    assert '"ok":false' in told["content"]


def test_a_chain_of_tools_is_never_run_twice(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    keep = Call("create_card", {"category": "fact", "text": "My gate code is 4820"})
    with talking(engine, clock, tmp_path, [keep], [Status(500)]) as (play, server):
        turn = play.say(SAID)
        assert len(server.requests) == 2
        assert [card.text for card in play.cards()] == ["My gate code is 4820"]
    assert (turn.state, turn.answer) == (TurnState.FAILED, phrase("broken", "en"))


def test_stop_ends_the_remote_call_even_in_its_silence(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    hang = Hang(threading.Event(), timeout_s=15)
    with talking(engine, clock, tmp_path, [Say("One sentence. And an unfini"), hang]) as (play, server):
        turn = play.send("tell me")
        assert hang.reached.wait(10)
        play.until("text")  # the server is ahead of what is shown
        assert play.conductor.stop(play.person.id, turn.public_id)
        ended = play.conductor.wait(turn.id, 10)
        assert server.hung_up.wait(5)
    assert (ended.state, ended.answer) == (TurnState.STOPPED, "One sentence.")
