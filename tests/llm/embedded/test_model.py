"""The built-in model as a whole: stateless, deterministic, never empty, never loud about keeping."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.conductor.announcements import announces
from memory.config import LANGUAGES
from memory.llm.embedded import EmbeddedModel
from memory.llm.interface import Finished, Message, ModelRequest, TextDelta, ToolCall, ToolSpec
from tests.llm.embedded.memories import MONDAY, Memory, Talk, card, embedder

WORDS = re.split(
    r"\|",
    "remind|me|tomorrow|at|nine|my|wife|Claire|is|called|what|?|,|forget|the|code|0042|not|any|more|erinnere"
    "|mich|morgen|ich|heiße|wie|não|lembra|amanhã|às|oito|oublie|ce|que|j'ai|dit|recuérdame|mañana|yes|no"
    "|cancel|«|»|{what}|%s|who|are|you|!|\n|the other one|last time",
)
CARDS = (
    card("person", "Claire, wife"),
    card("reminder", "Bins", when={"start": "2026-06-09T08:00"}),
)


def ask(text: str, *, language: str = "en", tools: tuple[ToolSpec, ...] = ()) -> ModelRequest:
    return ModelRequest(
        instructions="",
        overview="",
        settled="",
        messages=(Message(role="user", text=text),),
        tools=tools,
        language=language,
        zone="Europe/London",
        now=MONDAY,
    )


def test_calls_of_one_message_have_ids_that_stay_the_same() -> None:
    model = EmbeddedModel(embedder())
    request = ask("hello, my wife's name is Claire and my cat is called Momo")
    first = [event for event in model.stream(request) if isinstance(event, ToolCall)]
    again = [event for event in EmbeddedModel(embedder()).stream(request) if isinstance(event, ToolCall)]
    assert first == again
    assert len({call.call_id for call in first}) == len(first) >= 2


def test_the_answer_comes_in_pieces_that_join_to_it() -> None:
    events = list(EmbeddedModel(embedder()).stream(ask("good morning!")))
    pieces = [event.text for event in events if isinstance(event, TextDelta)]
    assert len(pieces) > 1
    assert all(pieces)
    assert isinstance(events[-1], Finished)


def test_tools_that_are_not_offered_are_not_called() -> None:
    offered = (ToolSpec(name="create_card", description="", parameters={}),)
    events = list(EmbeddedModel(embedder()).stream(ask("what is my wife's name?", tools=offered)))
    assert not [event for event in events if isinstance(event, ToolCall)]
    assert [event for event in events if isinstance(event, TextDelta)]


def test_it_says_that_it_is_built_in() -> None:
    assert EmbeddedModel(embedder()).label == "embedded"


@pytest.mark.parametrize(
    ("tool", "said", "claims"),
    [
        ("create_card", "Remind me tomorrow at nine to buy eggs", ("will remind",)),
        ("update_card", "tick off the stamps", ("Well done", "that is done")),
        ("forget", "forget the horse", ("gone", "Gone")),
    ],
)
def test_a_tool_that_fails_is_never_told_as_done(tool: str, said: str, claims: tuple[str, ...]) -> None:
    talk = Talk(memory=Memory(broken=frozenset({tool})))
    talk.memory.add([card("fact", "Rides a horse called Duke"), card("task", "Buy stamps")])
    answer = talk.say(said)
    assert "did not work" in answer
    assert not any(claim in answer for claim in claims)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(LANGUAGES), st.lists(st.sampled_from(WORDS), max_size=9))
def test_any_message_gets_an_answer_that_announces_nothing(language: str, words: list[str]) -> None:
    talk = Talk(language=language)
    talk.memory.add(
        [card("person", "Claire, wife"), card("reminder", "Bins", when={"start": "2026-06-09T08:00"})]
    )
    answer = talk.say(" ".join(words))
    assert answer.strip()
    assert not announces(answer) or talk.memory.active[2:]
    same = Talk(language=language)
    same.memory.add(
        [card("person", "Claire, wife"), card("reminder", "Bins", when={"start": "2026-06-09T08:00"})]
    )
    assert same.say(" ".join(words)) == answer
