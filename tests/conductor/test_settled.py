"""An answer that contradicts what is settled: held back, asked for again, else corrected from the store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from memory.llm.scripted import EMPTY, Call, Fail, Say, Step
from memory.records import Turn
from memory.storage import figures
from memory.storage import turns as turn_rows
from memory.storage.engine import reading
from memory.storage.figures import Figure
from tests.conductor.playing import Stage, stage
from tests.fakes import FakeClock

DECIDE: list[Step] = [
    [Call("record_decision", {"key": "delivery_window", "value": "Thursday between 9 and 12"})],
    [Say("Thursday between 9 and 12 then.")],
    [Say("In paper.")],
    [Say("No, never in plastic.")],
]
TALK = ("Thursday between 9 and 12 suits me", "is it packed in paper?", "not in plastic?")
WRONG = "Sure, let me look. We deliver on Friday between 2 and 5. See you then."


def trace_of(play: Stage, turn: Turn) -> dict[str, Any]:
    with reading(play.engine) as session:
        return turn_rows.trace_of(session, turn.id)


@pytest.mark.parametrize("pieces", [1, 12])
def test_the_answer_is_asked_for_again_with_the_contradiction_named(
    engine: Engine, clock: FakeClock, tmp_path: Path, pieces: int
) -> None:
    steps = [*DECIDE, [Say(WRONG, pieces)], [Say("We deliver on Thursday from nine to twelve.", pieces)]]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        for text in TALK:
            play.say(text)
        turn = play.say("when was that again?")
        asked_again = play.model.requests[-1].instructions
        shown = "".join(
            str(each.body.get("delta", "")) for each in play.seen() if each.turn == turn.public_id
        )
        trace = trace_of(play, turn)
    assert turn.answer == "Sure, let me look. We deliver on Thursday from nine to twelve."
    assert shown.strip() == turn.answer
    assert "Friday between 2 and 5" in asked_again
    assert "Delivery window: Thursday" in asked_again
    assert trace["contradicted"] == "delivery_window"
    assert trace["corrected"] == 0


@pytest.mark.parametrize("second", [[Say(WRONG)], [Fail()], EMPTY])
def test_what_contradicts_again_or_never_comes_is_said_from_the_store(
    engine: Engine, clock: FakeClock, tmp_path: Path, second: Step
) -> None:
    steps = [*DECIDE, [Say("We deliver on Friday between 2 and 5.")], second]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        for text in TALK:
            play.say(text)
        turn = play.say("when was that again?")
        with reading(engine) as session:
            counted = figures.totals(session, since=clock())
        trace = trace_of(play, turn)
    assert "Friday" not in turn.answer
    assert "Thursday 5 March" in turn.answer
    assert trace["corrected"] == 1
    assert counted[Figure.CONTRADICTIONS] == 1
    assert counted[Figure.CORRECTED] == 1


def test_a_value_decided_in_the_turn_is_the_one_to_say(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    change = Call("record_decision", {"key": "delivery_window", "value": "Friday between 2 and 5"})
    steps = [*DECIDE, [change], [Say("We deliver on Friday between 2 and 5.")]]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        for text in (*TALK, "make it Friday between 2 and 5"):
            turn = play.say(text)
        trace = trace_of(play, turn)
    assert turn.answer == "We deliver on Friday between 2 and 5."
    assert trace["contradicted"] == ""
