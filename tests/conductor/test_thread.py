"""The thread of one person: who speaks, starting afresh, versions of turns, and what follows from each."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, update

from jobs import archive
from memory import cards
from memory.cards.verifier import verify
from memory.conductor.phrases import phrase
from memory.errors import Conflict, InvalidInput
from memory.llm.interface import FailureKind
from memory.llm.scripted import Call, Hang, Say, Step
from memory.overview.archive import pending_summaries, write_summary
from memory.queue import JobName
from memory.records import CardStatus, TurnState
from memory.storage import cards as card_rows
from memory.storage import conversations as conversation_rows
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction
from memory.storage.tables import CardRow, ConversationRow, TurnRow
from tests.conductor.playing import EMBEDDER, Stage, stage
from tests.fakes import FakeClock

GATE = {"category": "fact", "text": "My gate code is 4820", "attribute": "code:gate", "value": "4820"}
GATE_NOW = {"category": "fact", "text": "My gate code is 1234", "attribute": "code:gate", "value": "1234"}


def keep(arguments: dict[str, Any]) -> list[Step]:
    return [[Call("create_card", arguments)], [Say("Good to know.")]]


def texts(play: Stage, status: CardStatus = CardStatus.ACTIVE) -> list[str]:
    with reading(play.engine) as session:
        rows = session.query(CardRow).filter_by(person_id=play.person.id, status=status.value)
        return [row.text for row in rows.order_by(CardRow.id)]


def open_one(play: Stage) -> Any:
    with reading(play.engine) as session:
        return conversation_rows.open_of(session, play.person.id)


# Who holds the phone.


def test_a_guest_stays_through_reconnections_and_leaves_with_the_owners_return(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    steps: list[Step] = [
        [Call("set_speaker", {"name": "Tobias", "relation": "brother-in-law"})],
        [Say("Hello Tobias!")],
        [Call("create_card", {"category": "fact", "text": "I do not tolerate strawberries"})],
        [Say("Noble fruit, sadly.")],
        [Call("set_speaker", {}), Call("create_card", {"category": "fact", "text": "I have a kayak"})],
        [Say("Welcome back.")],
    ]  # fmt: skip
    with stage(sqlite_engine, clock, steps=steps, tmp=tmp_path) as play:
        assert play.say("I'm handing the phone to Tobias, my brother-in-law").speaker == ""
        clock.tick(minutes=4)  # the screen was dark
        said = play.say("I do not tolerate strawberries", screen="another-screen")
        back = play.say("I'm back. I have a kayak.")
        with reading(sqlite_engine) as session:
            back = turn_rows.by_id(session, back.id)
        verify(sqlite_engine, EMBEDDER, said.id, now=clock())
        verify(sqlite_engine, EMBEDDER, back.id, now=clock())
        kept = {card.text: card for card in play.cards()}
        told = [frame.body["name"] for frame in play.seen() if frame.kind == "speaker"]
    assert (said.speaker, back.speaker) == ("Tobias", "")
    assert kept["I do not tolerate strawberries"].subject == "Tobias"
    assert kept["I have a kayak"].subject == ""
    assert all(card.person_id == play.person.id for card in kept.values())
    assert all(card.subject for text, card in kept.items() if "strawberries" in text)
    assert told == ["Tobias", ""]
    assert "talking with Tobias (brother-in-law)" in play.model.requests[2].instructions
    assert "talking with Alice" in play.model.requests[-1].instructions


def test_what_waits_behind_the_handing_over_is_the_guests(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    gate = Hang(threading.Event())
    steps: list[Step] = [
        [gate, Call("set_speaker", {"name": "Tobias"})],
        [Say("Hello.")],
        [Say("Noted not.")],
    ]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        play.send("here is Tobias")
        assert gate.reached.wait(10)
        second = play.send("I do not tolerate strawberries")
        assert second.speaker == ""
        gate.until.set()
        assert play.conductor.wait(second.id, 20).speaker == "Tobias"
        (running,) = [f for f in play.seen() if f.kind == "running" and f.turn == second.public_id]
    assert running.body["speaker"] == "Tobias"


def test_the_control_on_the_page_sets_and_ends_a_guest(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play:
        play.conductor.set_speaker(play.person, name="")  # nothing is open: nothing happens
        assert play.seen() == []
        play.conductor.set_speaker(play.person, name="  Tobias \n Held ", relation="brother")
        assert play.say("hi").speaker == "Tobias Held"
        play.conductor.set_speaker(play.person, name="")
        assert play.say("hi again").speaker == ""
        with pytest.raises(InvalidInput):
            play.conductor.set_speaker(play.person, name="x" * 200)


def test_a_guest_does_not_outlive_the_conversation(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play:
        play.conductor.set_speaker(play.person, name="Tobias")
        play.say("hi")
        clock.tick(minutes=31)
        assert play.say("hi, it's me").speaker == ""
        assert [f.body["name"] for f in play.seen() if f.kind == "speaker"] == ["Tobias", ""]


def test_a_guest_hears_nothing_sensitive_and_changes_nothing(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    look = Call("search_memory", {"angles": [{"query": "gate code"}]})
    with stage(sqlite_engine, clock, steps=keep({**GATE, "sensitive": True}), tmp=tmp_path) as play:
        play.say("my gate code is 4820")
        (card,) = play.cards()
        play.conductor.set_speaker(play.person, name="Tobias")
        play.model._steps[:] = [[look, Call("forget", {"cards": [card.public_id]})], [Say("No idea.")]]
        play.say("what is the gate code? forget it!")
        asked = play.model.requests[-2]
        results = [each.result for each in play.model.requests[-1].messages[-1].results]
        assert texts(play) == ["My gate code is 4820"]
    assert "4820" not in asked.overview
    assert "4820" not in str(results[0])
    assert results[1]["ok"] is False


# Starting afresh.


def test_start_afresh_archives_at_once_and_the_next_message_begins_anew(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, tmp=tmp_path) as play:
        assert not play.conductor.start_afresh(play.person)
        first = play.say("about the garden")
        assert play.conductor.start_afresh(play.person)
        assert not play.conductor.start_afresh(play.person)
        assert open_one(play) is None
        second = play.say("something else")
        assert second.conversation_id != first.conversation_id
        assert [m.text for m in play.model.requests[-1].messages] == ["something else"]
        assert "about the garden" in play.model.requests[-1].overview  # as a past talk, word for word
        assert {"conversation_id": first.conversation_id} in play.queue.of(JobName.ARCHIVE)
        assert [f.body["asked"] for f in play.seen() if f.kind == "archived"] == [True]


def test_an_answer_under_way_ends_in_the_conversation_that_was_closed_and_its_summary_waits(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    gate = Hang(threading.Event())
    with stage(sqlite_engine, clock, steps=[[gate, Say("The heron is blue.")]], tmp=tmp_path) as play:
        turn = play.send("which colour has the heron?")
        assert gate.reached.wait(10)
        play.conductor.start_afresh(play.person)
        assert not write_summary(sqlite_engine, EMBEDDER, turn.conversation_id, now=clock())
        gate.until.set()
        assert play.conductor.wait(turn.id, 20).answer == "The heron is blue."
        assert write_summary(sqlite_engine, EMBEDDER, turn.conversation_id, now=clock())
        assert not write_summary(sqlite_engine, EMBEDDER, turn.conversation_id, now=clock())
        with reading(sqlite_engine) as session:
            assert "heron" in conversation_rows.by_id(session, turn.conversation_id).summary


def test_nobody_walks_away_from_a_human_by_accident(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play:
        play.say("hi")
        with transaction(sqlite_engine) as session:
            session.execute(update(ConversationRow).values(handled_by=play.person.id))
        with pytest.raises(Conflict):
            play.conductor.start_afresh(play.person)


# Versions of a turn.


def test_said_anew_a_turns_cards_are_the_new_ones(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    steps = [*keep(GATE), *keep(GATE_NOW)]
    with stage(sqlite_engine, clock, steps=steps, tmp=tmp_path) as play:
        old = play.say("my gate code is 4820")
        new = play.conductor.edit(
            play.person, old.public_id, text="my gate code is 1234", client_id="e", context=play.context()
        )
        play.conductor.wait(new.id, 20)
        assert texts(play) == ["My gate code is 1234"]


def test_answered_anew_nothing_is_kept_twice_and_nothing_is_lost(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(sqlite_engine, clock, steps=[*keep(GATE), *keep(GATE), [Say("Fine.")]], tmp=tmp_path) as play:
        turn = play.say("my gate code is 4820")
        for _ in range(2):  # the second new answer calls no tool
            turn = play.conductor.regenerate(play.person, turn.public_id, play.context())
            play.conductor.wait(turn.id, 20)
            assert texts(play) == ["My gate code is 4820"]


def test_the_question_that_was_open_is_open_again(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    ask = Call("ask_back", {"ask": "confirm", "data": {"about": "Friday"}})
    steps: list[Step] = [
        [ask],
        [Say("Shall I remind you on Friday?")],
        [Say("At what time?")],
        [Say("Done.")],
    ]
    with stage(sqlite_engine, clock, steps=steps, tmp=tmp_path) as play:
        play.say("should I visit grandma?")
        answer = play.say("yes")
        assert play.model.requests[-1].pending["ask"] == "confirm"
        assert open_one(play).pending == {}
        again = play.conductor.regenerate(play.person, answer.public_id, play.context())
        play.conductor.wait(again.id, 20)
        assert play.model.requests[-1].pending == {"ask": "confirm", "about": "Friday"}
        play.conductor.delete(play.person, again.public_id)
        assert open_one(play).pending["ask"] == "confirm"


def test_taking_a_turn_out_brings_back_what_it_had_replaced_and_undo_takes_that_back(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, steps=[*keep(GATE), *keep(GATE_NOW)], tmp=tmp_path) as play:
        play.say("my gate code is 4820")
        turn = play.say("my gate code is 1234 now: My gate code is 1234")
        assert texts(play) == ["My gate code is 1234"]
        play.conductor.delete(play.person, turn.public_id)
        assert texts(play) == ["My gate code is 4820"]
        play.conductor.undo_delete(play.person, turn.public_id)
        assert texts(play) == ["My gate code is 1234"]
        assert texts(play, CardStatus.SUPERSEDED) == ["My gate code is 4820"]


def test_undo_brings_a_done_task_back_as_done(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    task = {"category": "task", "text": "Put milk on the list"}
    with stage(sqlite_engine, clock, steps=keep(task), tmp=tmp_path) as play:
        turn = play.say("Put milk on the list")
        with transaction(sqlite_engine) as session:
            (card,) = card_rows.of_turn(session, turn.id)
            cards.complete(session, card, CardStatus.DONE, now=clock())
        play.conductor.delete(play.person, turn.public_id)
        assert texts(play, CardStatus.DONE) == []
        play.conductor.undo_delete(play.person, turn.public_id)
        assert texts(play, CardStatus.DONE) == ["Put milk on the list"]
        assert texts(play) == []


def test_what_is_taken_out_leaves_the_summary_also_one_that_is_being_written(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, tmp=tmp_path) as play:
        secret = play.say("the heron nests behind the boathouse")
        play.say("and the weather was fine in Graz")
        play.conductor.start_afresh(play.person)

        def summarises(turns: Any) -> str:
            play.conductor.delete(play.person, secret.public_id)  # while the model writes
            return "herons"

        thread = secret.conversation_id
        assert not write_summary(engine, EMBEDDER, thread, now=clock(), summarises=summarises)
        assert pending_summaries(engine, now=clock()) == [thread]
        assert write_summary(engine, EMBEDDER, thread, now=clock())
        with reading(engine) as session:
            summary = conversation_rows.by_id(session, thread).summary
        assert "heron" not in summary
        assert "Graz" in summary
        play.conductor.undo_delete(play.person, secret.public_id)
        assert write_summary(engine, EMBEDDER, thread, now=clock())
        with reading(engine) as session:
            assert "heron" in conversation_rows.by_id(session, thread).summary


# What a dead process leaves.


def test_what_a_broken_turn_had_made_is_shown_and_told(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    when = {"start": "2026-03-03T08:00"}
    make = Call("create_card", {"category": "reminder", "text": "book a slot", "when": when})
    gate = Hang(threading.Event(), timeout_s=0.05)
    with stage(engine, clock, steps=[[make], [gate], [Say("It is set.")]], tmp=tmp_path) as play:
        turn = play.say("remind me tomorrow at 8 to book a slot")
        with transaction(engine) as session:  # as a kill -9 after the tool leaves it
            session.execute(
                update(TurnRow)
                .where(TurnRow.id == turn.id)
                .values(state="running", answer="", kept=[], claimed_by="gone:1:x", lease_until=clock())
            )
        seen = len(play.seen())
        clock.tick(minutes=10)
        assert play.conductor.recover() == 1
        frames = play.seen()[seen:]
        with reading(engine) as session:
            marked = turn_rows.by_id(session, turn.id)
        play.say("did that work?")
        told = play.model.requests[-1].messages[1].text
    assert [frame.kind for frame in frames] == ["answered", "cards"]
    assert frames[0].body["state"] == "interrupted"
    assert [chip["label"] for chip in frames[1].body["cards"]] == ["book a slot"]
    assert marked.state is TurnState.INTERRUPTED
    assert len(marked.kept) == 1
    assert "interrupted" in told
    assert "book a slot" in told


def test_a_process_that_is_there_is_not_taken_for_dead_while_the_store_is_busy(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    gate = Hang(threading.Event())
    with stage(sqlite_engine, clock, steps=[[gate, Say("Here.")]], tmp=tmp_path) as play:
        turn = play.send("hi")
        assert gate.reached.wait(10)
        clock.tick(seconds=60)  # its lease ran out: nothing could be written
        assert play.conductor.recover() == 0
        with transaction(sqlite_engine) as session:  # another process of this machine, which lives
            neighbour = f"{socket.gethostname()}:{os.getppid()}:x"
            session.execute(update(TurnRow).values(claimed_by=neighbour))
        assert play.conductor.recover() == 0
        with transaction(sqlite_engine) as session:
            session.execute(update(TurnRow).values(claimed_by=play.conductor.owner))
        gate.until.set()
        assert play.conductor.wait(turn.id, 20).answer == "Here."


# The emergency sentences.


@pytest.mark.parametrize("language", ["en", "de", "pt", "fr", "es"])
def test_there_is_one_sentence_for_each_failure_in_each_language(language: str) -> None:
    names = ["fallback", "done", "empty", "error", *(kind.value for kind in FailureKind)]
    said = {name: phrase(name, language) for name in names}
    assert len(set(said.values())) == len(said)
    if language != "en":
        assert not {phrase(name, "en") for name in names} & set(said.values())


def test_the_job_says_that_there_is_nothing_to_do(wiring: Any) -> None:
    from jobs.wiring import using

    with using(wiring):
        assert archive.run(conversation_id=12345) == 0


# Which language a short answer is in.


def test_a_short_answer_is_in_the_language_of_the_talk_whatever_the_browsers(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    said = ("Ja.", "Wo habe ich meinen Schlüssel hingelegt?", "Nein.", "Ok", "What is my wife's name?", "no")
    with stage(sqlite_engine, clock, steps=[[Say("Gut.")]] * 7, tmp=tmp_path) as play:
        spoken = [play.say(each, language="en").language for each in said]
        assert spoken == ["en", "de", "de", "de", "en", "en"]
        clock.tick(minutes=31)  # a new talk begins as the browser says
        assert play.say("Nein.", language="pt").language == "pt"
