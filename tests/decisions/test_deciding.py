"""Decisions through the conductor: recorded once, kept typed, read back, never invented."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from memory.cards.verifier import verify
from memory.llm.scripted import Call, Say, Step
from memory.records import Category, Decision
from memory.storage import decisions as rows
from memory.storage.engine import reading
from tests import factories
from tests.conductor.playing import EMBEDDER, Stage, stage
from tests.fakes import FakeClock


def decide(key: str, value: str, **more: Any) -> Call:
    return Call("record_decision", {"key": key, "value": value, **more})


def held(play: Stage) -> dict[str, str]:
    with reading(play.engine) as session:
        return {each.key: each.value for each in rows.current(session, play.person.id, now=play.clock())}


def log_of(play: Stage, key: str) -> list[Decision]:
    with reading(play.engine) as session:
        return rows.history(session, play.person.id, key=key)


def test_a_settled_value_stands_in_every_later_prompt_with_the_same_bytes(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    steps: list[Step] = [[decide("delivery_window", "Thursday between 9 and 12")], [Say("Thursday then.")]]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        play.say("Thursday between 9 and 12 suits me")
        play.say("is it packed in paper?")
        clock.tick(minutes=5)
        play.say("and the box?")
        blocks = [request.settled for request in play.model.requests]
    assert held(play) == {"delivery_window": "2026-03-05 09:00-12:00"}
    assert blocks[0] == ""
    assert blocks[2] == blocks[3] != ""
    assert "Thursday" in blocks[2]


def test_back_and_forth_keeps_every_entry_and_one_current_value(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    steps: list[Step] = []
    for value in ("nine", "ten", "eleven", "nine"):
        steps += [[decide("pickup_time", value)], [Say("All right.")]]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        for text in ("pick up at nine", "make it ten", "hm, eleven", "no, back to nine after all"):
            play.say(text)
            assert len(held(play)) == 1
        assert held(play) == {"pickup_time": "09:00"}
        assert [each.value for each in log_of(play, "pickup_time")] == ["09:00", "10:00", "11:00", "09:00"]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("quantity", "400", "make it 400"),
        ("quantity", "0", "make it 0"),
        ("colour_of_mind", "blue", "blue please"),
        ("payment_method", "seashells", "I pay with seashells"),
        ("appointment", "some day", "some day"),
    ],
)
def test_a_refused_value_leaves_the_old_untouched(
    engine: Engine, clock: FakeClock, tmp_path: Path, key: str, value: str, said: str
) -> None:
    steps: list[Step] = [[decide("quantity", "40")], [Say("Forty.")], [decide(key, value)], [Say("No.")]]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        play.say("I'd like 40 of them")
        play.say(said)
        assert play.model.requests[-1].messages[-1].results[0].result["ok"] is False
        assert held(play) == {"quantity": "40"}


def test_candidates_are_observations_until_one_is_chosen(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    look = Call("search_memory", {"angles": [{"query": "my addresses"}]})
    ask = [Say("I have three: Mill Lane 4, Dock Road 9, Hill Street 1. Which one?")]
    steps: list[Step] = [
        [look],
        [decide("delivery_address", "Mill Lane 4")],
        ask,
        [decide("delivery_address", "Dock Road 9")],
        [Say("Dock Road 9 it is.")],
    ]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        for text in ("An address of mine is Mill Lane 4", "An address of mine is Dock Road 9"):
            factories.card(engine, play.person, text=text, terms="address mill lane", surface_terms="address")
        play.say("send it to my usual address")
        assert held(play) == {}
        play.say("Dock Road.")
        assert held(play) == {"delivery_address": "Dock Road 9"}


@pytest.mark.parametrize(
    ("language", "proposal", "said", "taken"),
    [
        ("es", "¿Prefiere la mesa de roble o la de haya? Yo elegiría el roble.", "Sigamos.", False),
        ("es", "¿Prefiere la mesa de roble o la de haya? Yo elegiría el roble.", "Roble, entonces.", True),
        ("de", "Soll es die Variante Roble sein?", "Ja, gern.", True),
        ("de", "Soll es die Variante Roble sein?", "Mach weiter.", False),
        ("en", "Shall it be roble or haya?", "Yes.", False),
        ("en", "Shall it be roble?", "No, not roble.", False),
        ("fr", "On prend le roble ?", "Oui, d'accord.", True),
        ("pt", "Fica então roble?", "Sim, pode ser.", True),
    ],
)
def test_go_on_is_no_consent_and_a_choice_is(
    engine: Engine, clock: FakeClock, tmp_path: Path, language: str, proposal: str, said: str, taken: bool
) -> None:
    steps: list[Step] = [[Say(proposal)], [decide("variant", "roble")], [Say("Bueno.")]]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        play.say("¿Qué mesa?", language=language)
        play.say(said, language=language)
        assert ("variant" in held(play)) is taken


def test_what_is_decided_makes_no_card(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    card = Call("create_card", {"category": Category.FACT.value, "text": "Pickup time is ten"})
    for calls in ([decide("pickup_time", "ten"), card], [card, decide("pickup_time", "ten")]):
        with stage(engine, clock, steps=[calls, [Say("Ten it is.")]], tmp=tmp_path) as play:
            play.say("pickup time is ten")
            assert play.cards() == []
            assert held(play) == {"pickup_time": "10:00"}


def test_matters_never_mix_and_close(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    steps: list[Step] = [
        [decide("quantity", "2", matter="A-100"), decide("quantity", "5", matter="B-200")],
        [Say("Both.")],
        [Call("close_matter", {"matter": "A-100"})],
        [Say("Closed.")],
    ]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        play.say("2 for order A-100 and 5 for order B-200")
        with reading(engine) as session:
            now = rows.current(session, play.person.id, now=clock())
        assert {(each.matter, each.value) for each in now} == {("A-100", "2"), ("B-200", "5")}
        play.say("A-100 is done")
        with reading(engine) as session:
            now = rows.current(session, play.person.id, now=clock())
        assert {(each.matter, each.value) for each in now} == {("B-200", "5")}
        assert len(log_of(play, "quantity")) == 2


def test_a_guest_decides_nothing(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    steps: list[Step] = [
        [Call("set_speaker", {"name": "Tobias"})],
        [Say("Hello Tobias.")],
        [decide("quantity", "3")],
        [Say("Ask the owner.")],
    ]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        play.say("I'm handing the phone to Tobias")
        play.say("make it 3")
        assert held(play) == {}


def test_the_verifier_adds_no_card_of_what_was_decided(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    said = "My pickup time is ten, and my bike is blue."
    with stage(
        engine, clock, steps=[[decide("pickup_time", "ten")], [Say("Ten it is.")]], tmp=tmp_path
    ) as play:
        turn = play.say(said)
        verify(engine, EMBEDDER, turn.id, now=clock(), keys=play.parts.keys)
        texts = [card.text for card in play.cards()]
    assert any("blue" in text for text in texts)
    assert not any("ten" in text for text in texts)
