"""The scripted model does what its script says, and nothing else."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.llm.interface import (
    FailureKind,
    Finished,
    Message,
    ModelFailed,
    ModelRequest,
    TextDelta,
    ToolCall,
)
from memory.llm.personalities import greedy, hostile, lazy
from memory.llm.scripted import EMPTY, Call, Fail, Hang, Say, ScriptedModel, answered, present


def ask(text: str = "hello") -> ModelRequest:
    return ModelRequest(
        instructions="",
        overview="",
        settled="",
        messages=(Message(role="user", text=text),),
        tools=(),
        language="en",
        zone="Europe/London",
        now=datetime(2026, 6, 8, 10, tzinfo=UTC),
    )


def test_steps_are_played_in_order_and_then_the_last_one_for_ever() -> None:
    model = ScriptedModel([[Say("one")], [Say("two")]], then=[Say("more")])
    said = ["".join(e.text for e in model.stream(ask()) if isinstance(e, TextDelta)) for _ in range(4)]
    assert said == ["one", "two", "more", "more"]
    assert model.steps_left == 0
    assert len(model.requests) == 4


def test_calls_get_ids_that_differ() -> None:
    model = ScriptedModel([[Call("a"), Call("a"), Call("b", {"x": 1}, call_id="mine")]])
    calls = [event for event in model.stream(ask()) if isinstance(event, ToolCall)]
    assert len({call.call_id for call in calls}) == 3
    assert calls[2].arguments == {"x": 1}


def test_an_empty_step_is_an_empty_answer() -> None:
    assert list(ScriptedModel([EMPTY]).stream(ask())) == [Finished()]


def test_a_failure_comes_after_what_was_said_before_it() -> None:
    stream = ScriptedModel([[Say("half a"), Fail(FailureKind.BROKEN_OFF)]]).stream(ask())
    assert next(stream) == TextDelta(text="half a")
    with pytest.raises(ModelFailed) as failure:
        next(stream)
    assert failure.value.kind is FailureKind.BROKEN_OFF


def test_it_hangs_until_it_is_released() -> None:
    hang = Hang(threading.Event())
    model = ScriptedModel([[hang, Say("at last")]])
    heard: list[object] = []
    thread = threading.Thread(target=lambda: heard.extend(model.stream(ask())))
    thread.start()
    assert hang.reached.wait(5)
    assert heard == []
    hang.until.set()
    thread.join(5)
    assert heard == [TextDelta(text="at last"), Finished()]


def test_a_hang_that_nobody_ends_times_out() -> None:
    with pytest.raises(ModelFailed) as failure:
        list(ScriptedModel([[Hang(threading.Event(), timeout_s=0.01)]]).stream(ask()))
    assert failure.value.kind is FailureKind.TIMED_OUT


def test_a_step_may_look_at_the_request() -> None:
    model = ScriptedModel(then=lambda request: [Say(present(request).upper())])
    assert next(model.stream(ask("loud"))) == TextDelta(text="LOUD")
    assert not answered(ask())


@settings(max_examples=50)
@given(st.text(max_size=40), st.integers(min_value=1, max_value=60))
def test_pieces_join_to_the_text(text: str, pieces: int) -> None:
    events = list(ScriptedModel([[Say(text, pieces)]]).stream(ask()))
    deltas = [event.text for event in events if isinstance(event, TextDelta)]
    assert "".join(deltas) == text
    assert len(deltas) <= pieces
    assert all(deltas)


def calls_of(model: ScriptedModel, request: ModelRequest) -> list[ToolCall]:
    return [event for event in model.stream(request) if isinstance(event, ToolCall)]


def said_by(model: ScriptedModel, request: ModelRequest) -> str:
    return "".join(event.text for event in model.stream(request) if isinstance(event, TextDelta))


TOLD = "My wife's name is Claire and I can't eat walnuts."


def test_the_lazy_one_is_kind_and_calls_nothing() -> None:
    assert calls_of(ScriptedModel(then=lazy), ask(TOLD)) == []
    assert said_by(ScriptedModel(then=lazy), ask(TOLD))


def test_the_greedy_one_keeps_each_thing_twice_and_announces_it() -> None:
    calls = calls_of(ScriptedModel(then=greedy), ask(TOLD))
    texts = [call.arguments["text"] for call in calls]
    assert len(texts) == 2 * len(set(texts)) >= 4
    assert len({call.arguments["category"] for call in calls}) > 1
    assert "Noted" in said_by(ScriptedModel(then=greedy), ask("hello"))


def test_the_hostile_one_invents_and_asks_for_tools_that_do_not_exist() -> None:
    calls = calls_of(ScriptedModel(then=hostile), ask(TOLD))
    assert "no_such_tool" in {call.name for call in calls}
    assert any("Rex" in call.arguments["text"] for call in calls)
