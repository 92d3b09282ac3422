"""Frames as rows, and what a returning browser is told of the turns under way."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Engine

from memory.records import Person, TurnState
from memory.storage import frames, turns
from memory.storage.engine import reading, transaction
from tests import factories
from tests.fakes import T0


def add(engine: Engine, person: Person, kind: str, *, turn_id: int, screen: str = "", **body: str) -> int:
    with transaction(engine) as session:
        return frames.add(
            session,
            person_id=person.id,
            kind=kind,
            body=dict(body),
            now=T0,
            conversation_id=None,
            turn_id=turn_id,
            screen=screen,
        )


def test_numbers_grow_by_one_for_each_person(engine: Engine) -> None:
    clara, bob = factories.person(engine, name="Clara"), factories.person(engine, name="Bob")
    turn_id = factories.turn(engine, clara, factories.conversation(engine, clara))
    mine = [add(engine, clara, "text", turn_id=turn_id, delta="x") for _ in range(3)]
    other = factories.turn(engine, bob, factories.conversation(engine, bob))
    theirs = add(engine, bob, "text", turn_id=other, delta="y")
    assert (mine, theirs) == ([1, 2, 3], 1)


def test_since_leaves_out_what_was_seen_and_what_is_for_other_screens(engine: Engine) -> None:
    clara = factories.person(engine, name="Clara")
    turn_id = factories.turn(engine, clara, factories.conversation(engine, clara))
    for kind, screen in (("accepted", ""), ("cards", "phone"), ("cards", "tablet"), ("answered", "")):
        add(engine, clara, kind, turn_id=turn_id, screen=screen)
    with reading(engine) as session:
        found = frames.since(session, clara.id, 1, screen="phone", limit=10)
        assert [(each["number"], each["kind"]) for each in found] == [(2, "cards"), (4, "answered")]
        assert (frames.latest(session, clara.id), frames.oldest(session, clara.id)) == (4, 1)


def test_text_of_a_running_turn_up_to_a_number(engine: Engine) -> None:
    clara = factories.person(engine, name="Clara")
    turn_id = factories.turn(engine, clara, factories.conversation(engine, clara))
    add(engine, clara, "running", turn_id=turn_id)
    for delta in ("One. ", "Two. ", "Three."):
        add(engine, clara, "text", turn_id=turn_id, delta=delta)
    with reading(engine) as session:
        assert frames.text_of(session, turn_id, upto=3) == "One. Two. "


def test_only_standing_turns_that_wait_or_run_are_under_way(engine: Engine) -> None:
    clara = factories.person(engine, name="Clara")
    thread = factories.conversation(engine, clara)
    factories.turn(engine, clara, thread, said="first", state=TurnState.RUNNING)
    factories.turn(engine, clara, thread, said="done")
    factories.turn(engine, clara, thread, said="next", state=TurnState.WAITING)
    factories.turn(engine, clara, thread, said="gone", state=TurnState.WAITING, deleted_at=T0)
    factories.turn(engine, clara, thread, said="replaced", state=TurnState.WAITING, superseded=True)
    with reading(engine) as session:
        assert [turn.said for turn in turns.under_way(session, clara.id)] == ["first", "next"]


def test_old_frames_go_and_their_turns_stay(engine: Engine) -> None:
    clara = factories.person(engine, name="Clara")
    turn_id = factories.turn(engine, clara, factories.conversation(engine, clara))
    add(engine, clara, "answered", turn_id=turn_id)
    with transaction(engine) as session:
        assert frames.drop_before(session, T0) == 0
        assert frames.drop_before(session, T0 + timedelta(seconds=1)) == 1
    with reading(engine) as session:
        assert frames.oldest(session, clara.id) is None
        assert turns.by_id(session, turn_id).answer == "Hello."
