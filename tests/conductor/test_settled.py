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


@pytest.mark.parametrize(
    ("said", "pieces", "first"),
    [
        ("fine, all clear then", 1, "Sure, let me look. "),
        ("fine, all clear then", 12, "Sure, let me look. "),
        ("when was that again?", 12, ""),  # asked for what is settled: nothing goes out before it is said
    ],
)
def test_the_answer_is_asked_for_again_with_the_contradiction_named(
    engine: Engine, clock: FakeClock, tmp_path: Path, said: str, pieces: int, first: str
) -> None:
    steps = [*DECIDE, [Say(WRONG, pieces)], [Say("We deliver on Thursday from nine to twelve.", pieces)]]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        for text in TALK:
            play.say(text)
        turn = play.say(said)
        asked_again = play.model.requests[-1].instructions
        shown = "".join(
            str(each.body.get("delta", "")) for each in play.seen() if each.turn == turn.public_id
        )
        trace = trace_of(play, turn)
    assert turn.answer == f"{first}We deliver on Thursday from nine to twelve."
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


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("What variant is it now?", "Walnut, just as you like it."),  # nobody ever offered walnut
        ("Which version did I pick?", "You are getting it in dark green."),
        ("Remind me, which version was it?", "It comes the way you wanted it."),
    ],
)
def test_what_was_asked_for_is_never_answered_without_the_settled_value(
    engine: Engine, clock: FakeClock, tmp_path: Path, said: str, answer: str
) -> None:
    decide: list[Step] = [[Call("record_decision", {"key": "variant", "value": "beech"})], [Say("Noted.")]]
    with stage(engine, clock, steps=[*decide, [Say(answer)], [Say(answer)]], tmp=tmp_path) as play:
        play.say("I'd like the beech version.")
        turn = play.say(said)
    assert answer not in turn.answer
    assert "beech" in turn.answer


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("What variant is it now?", "There is also a walnut version. You picked beech, of course."),
        ("What variant is it now?", "Would you rather have walnut?"),  # asks back
        ("Which version is cheaper?", "The walnut one is."),  # not what is settled
        ("Could I change the version?", "Of course, to walnut for instance."),
        ("How do I oil the wood?", "With linseed oil, twice a year."),
    ],
)
def test_an_answer_that_may_do_without_the_settled_value_goes_out_as_it_is(
    engine: Engine, clock: FakeClock, tmp_path: Path, said: str, answer: str
) -> None:
    decide: list[Step] = [[Call("record_decision", {"key": "variant", "value": "beech"})], [Say("Noted.")]]
    with stage(engine, clock, steps=[*decide, [Say(answer)]], tmp=tmp_path) as play:
        play.say("I'd like the beech version.")
        turn = play.say(said)
    assert turn.answer == answer


def test_a_settled_value_that_is_read_back_is_no_announcement(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    decide: list[Step] = [[Call("record_decision", {"key": "quantity", "value": "20"})], [Say("OK.")]]
    with stage(engine, clock, steps=[*decide, [Say("J'ai noté 20 pièces.")]], tmp=tmp_path) as play:
        play.say("Mettez 20 pièces.", language="fr")
        turn = play.say("Combien de pièces vais-je recevoir ?", language="fr")
    assert turn.answer == "J'ai noté 20 pièces."
