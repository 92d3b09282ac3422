"""A turn from the message to the stored answer, on both databases, with models that misbehave."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from sqlalchemy import Engine, select, update

from memory.errors import Conflict, InvalidInput, NotFound
from memory.llm.interface import FailureKind
from memory.llm.scripted import EMPTY, Call, Fail, Hang, Say, ScriptedModel, Step
from memory.queue import JobName
from memory.records import TurnState
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction
from memory.storage.tables import ConversationRow, TurnRow
from tests.conductor.playing import stage
from tests.fakes import FakeClock

AT_EIGHT = {"start": "2026-03-03T08:00"}
ON_SATURDAY = {"start": "2026-03-07T16:00"}


def test_an_answer_is_shown_stored_and_queued(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with stage(engine, clock, steps=[[Say("Hello there. How are you?", 4)]], tmp=tmp_path) as play:
        turn = play.say("hi")
        frames = play.seen()
    assert turn.state is TurnState.ANSWERED
    assert turn.answer == "Hello there. How are you?"
    assert [frame.kind for frame in frames] == [
        "conversation", "accepted", "running", "text", "text", "answered",
    ]  # fmt: skip
    assert "".join(frame.body["delta"] for frame in frames if frame.kind == "text") == turn.answer
    assert [frame.number for frame in frames] == [1, 2, 3, 4, 5, 6]
    assert play.queue.of(JobName.VERIFY) == [{"turn_id": turn.id}]


def test_the_same_client_id_twice_is_one_turn(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with stage(engine, clock, tmp=tmp_path) as play:
        first = play.say("hi", client_id="once")
        again = play.say("hi", client_id="once")
        assert first.id == again.id
        assert len(play.model.requests) == 1


def test_words_are_kept_before_the_model_is_asked(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    gate = Hang(threading.Event())
    with stage(engine, clock, steps=[[gate, Say("Late.")]], tmp=tmp_path) as play:
        turn = play.send("do not lose me")
        assert gate.reached.wait(10)
        with reading(engine) as session:
            assert turn_rows.by_id(session, turn.id).said == "do not lose me"
        gate.until.set()
        assert play.conductor.wait(turn.id, 10).answer == "Late."


def test_an_empty_first_answer_is_asked_for_once_more(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, steps=[EMPTY, [Say("Here I am.")]], tmp=tmp_path) as play:
        assert play.say("hi").answer == "Here I am."
        assert len(play.model.requests) == 2


def test_two_empty_answers_end_in_the_emergency_sentence(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, steps=[EMPTY, EMPTY], tmp=tmp_path) as play:
        turn = play.say("guten Morgen, wie geht es dir heute?", language="de")
    assert turn.state is TurnState.FAILED
    assert turn.answer.startswith("Entschuldige, ein technisches Problem")
    assert len(play.model.requests) == 2


def test_a_later_empty_answer_is_never_repeated(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    keep = Call("create_card", {"category": "fact", "text": "My gate code is 4820"})
    with stage(engine, clock, steps=[[keep], EMPTY], tmp=tmp_path) as play:
        turn = play.say("my gate code is 4820")
        assert len(play.model.requests) == 2
        assert len(play.cards()) == 1
    assert turn.state is TurnState.ANSWERED
    assert turn.answer


@pytest.mark.parametrize("kind", list(FailureKind))
def test_each_failure_ends_in_a_sentence_and_a_reason(
    engine: Engine, clock: FakeClock, tmp_path: Path, kind: FailureKind
) -> None:
    with stage(engine, clock, steps=[[Fail(kind, "http 500 from x")], [Say("Fine.")]], tmp=tmp_path) as play:
        failed = play.say("hi")
        after = play.say("again")
    assert failed.state is TurnState.FAILED
    assert failed.said == "hi"
    assert failed.answer
    assert "http" not in failed.answer
    assert kind.value in failed.error
    assert after.answer == "Fine."


def test_a_cut_stream_keeps_what_was_shown(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    steps: list[Step] = [[Say("First sentence. Second on"), Fail(FailureKind.BROKEN_OFF)]]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        turn = play.say("hi")
        shown = "".join(frame.body["delta"] for frame in play.seen() if frame.kind == "text")
    assert turn.answer.startswith("First sentence. Second on")
    assert "broke off" in turn.answer
    assert shown == turn.answer


def test_stop_keeps_the_whole_sentences_shown(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    gate = Hang(threading.Event())
    with stage(engine, clock, steps=[[Say("One sentence. And an unfini"), gate]], tmp=tmp_path) as play:
        turn = play.send("tell me")
        assert gate.reached.wait(10)
        play.until("text")  # the model is ahead of what is shown: the sentence must be out before the stop
        assert play.conductor.stop(play.person.id, turn.public_id)
        ended = play.conductor.wait(turn.id, 10)
        gate.until.set()
    assert ended.state is TurnState.STOPPED
    assert ended.answer == "One sentence."


def test_turns_of_one_person_run_in_order_and_see_each_other(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    gate = Hang(threading.Event())
    with stage(engine, clock, steps=[[gate, Say("A.")], [Say("B.")]], tmp=tmp_path) as play:
        first = play.send("one")
        assert gate.reached.wait(10)
        second = play.send("two")
        with reading(engine) as session:
            assert turn_rows.by_id(session, second.id).state is TurnState.WAITING
        gate.until.set()
        assert play.conductor.wait(second.id, 10).answer == "B."
        assert play.conductor.wait(first.id, 10).answer == "A."
        told = [message.text for message in play.model.requests[1].messages]
    assert told == ["one", "A.", "two"]


def test_persons_do_not_wait_for_each_other(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    gate = Hang(threading.Event())
    with stage(engine, clock, steps=[[gate, Say("A.")], [Say("B.")]], tmp=tmp_path) as play:
        slow = play.send("one")
        assert gate.reached.wait(10)
        with stage(engine, clock, model=lambda: play.model, tmp=tmp_path) as other:
            assert other.say("two").answer == "B."
        gate.until.set()
        assert play.conductor.wait(slow.id, 10).answer == "A."


def test_exactly_half_an_hour_goes_on_and_a_second_more_begins_anew(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, tmp=tmp_path) as play:
        first = play.say("one")
        clock.tick(minutes=30)
        second = play.say("two")
        clock.tick(minutes=30, seconds=1)
        third = play.say("three")
        assert first.conversation_id == second.conversation_id != third.conversation_id
        assert [message.text for message in play.model.requests[2].messages] == ["three"]
        assert play.queue.of(JobName.ARCHIVE) == [{"conversation_id": first.conversation_id}]
        with reading(engine) as session:
            open_ones = session.scalars(
                select(ConversationRow.id).where(ConversationRow.archived_at.is_(None))
            ).all()
    assert list(open_ones) == [third.conversation_id]


def test_a_reminder_for_a_moment_that_has_passed_is_refused(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    past = {"start": "2026-03-01T08:00"}
    steps: list[Step] = [
        [Call("create_card", {"category": "reminder", "text": "book a slot", "when": past})],
        [Say("When shall I remind you?")],
    ]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        play.say("remind me yesterday at 8 to book a slot")
        assert play.cards() == []
        assert "has passed" in str(play.model.requests[-1].messages)


def test_a_dead_process_leaves_an_interrupted_turn_that_is_not_run_again(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    steps: list[Step] = [
        [Call("create_card", {"category": "reminder", "text": "book a slot", "when": AT_EIGHT})],
        [Hang(threading.Event(), timeout_s=0.01)],
        [Say("It is set.")],
    ]  # fmt: skip
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        turn = play.say("remind me tomorrow at 8 to book a slot")
        with transaction(engine) as session:  # as a kill -9 leaves it
            session.execute(
                update(TurnRow)
                .where(TurnRow.id == turn.id)
                .values(state="running", answer="", claimed_by="gone:1:x", lease_until=clock())
            )
        clock.tick(seconds=1)
        assert play.conductor.recover() == 1
        assert play.conductor.recover() == 0
        asked = len(play.model.requests)
        after = play.say("did that work?")
        told = play.model.requests[-1].messages
        assert len(play.model.requests) == asked + 1
        assert len(play.cards()) == 1
    assert after.answer == "It is set."
    assert "interrupted" in told[1].text
    assert "book a slot" in told[1].text


def test_a_new_version_replaces_the_old(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with stage(engine, clock, steps=[[Say("Old.")], [Say("New.")], [Say("Third.")]], tmp=tmp_path) as play:
        old = play.say("first words")
        new = play.conductor.edit(
            play.person, old.public_id, text="other words", client_id="edit", context=play.context()
        )
        assert play.conductor.wait(new.id, 10).answer == "New."
        again = play.conductor.regenerate(play.person, new.public_id, play.context())
        assert play.conductor.wait(again.id, 10).answer == "Third."
        assert [message.text for message in play.model.requests[-1].messages] == ["other words"]


def test_a_deleted_turn_takes_its_cards_along_and_comes_back_with_undo(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    keep = Call("create_card", {"category": "fact", "text": "My gate code is 4820"})
    with stage(engine, clock, steps=[[keep], [Say("Good to know.")]], tmp=tmp_path) as play:
        turn = play.say("my gate code is 4820")
        play.conductor.delete(play.person, turn.public_id)
        assert play.cards() == []
        play.say("and now?")
        assert all("4820" not in message.text for message in play.model.requests[-1].messages)
        play.conductor.undo_delete(play.person, turn.public_id)
        assert [card.text for card in play.cards()] == ["My gate code is 4820"]


def test_what_is_someone_elses_cannot_be_touched(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with stage(engine, clock, tmp=tmp_path) as play, stage(engine, clock, tmp=tmp_path) as other:
        turn = play.say("mine")
        for act in (
            lambda: other.conductor.delete(other.person, turn.public_id),
            lambda: other.conductor.regenerate(other.person, turn.public_id, other.context()),
        ):
            with pytest.raises(NotFound):
                act()
        assert not other.conductor.stop(other.person.id, turn.public_id)


def test_bad_messages_are_refused(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with stage(engine, clock, tmp=tmp_path, env={"ASTERISM_MAX_MESSAGE": "1000"}) as play:
        for text in ("", "  \n ", "x" * 1001):
            with pytest.raises(InvalidInput):
                play.send(text)
        assert play.seen() == []


def test_a_turn_cannot_be_changed_while_it_is_answered(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    gate = Hang(threading.Event())
    with stage(engine, clock, steps=[[gate, Say("A.")]], tmp=tmp_path) as play:
        turn = play.send("one")
        assert gate.reached.wait(10)
        with pytest.raises(Conflict):
            play.conductor.delete(play.person, turn.public_id)
        gate.until.set()
        play.conductor.wait(turn.id, 10)


def test_a_human_who_claims_midway_silences_the_assistant(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    gate = Hang(threading.Event())
    steps: list[Step] = [[Say("One. "), Say("Tw"), gate, Say("o. Three. ")]]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        turn = play.send("get me a human")
        assert gate.reached.wait(10)
        # The model is ahead of what is shown: the first sentence must be out before the claim.
        play.until("text")
        with transaction(engine) as session:
            session.execute(update(ConversationRow).values(handled_by=play.person.id))
        gate.until.set()
        ended = play.conductor.wait(turn.id, 10)
        after = play.say("are you there?")
    assert (ended.state, ended.answer, ended.cut_off) == (TurnState.WITH_HUMAN, "One.", True)
    assert after.state is TurnState.WITH_HUMAN
    assert len(play.model.requests) == 1


def test_frames_with_and_without_silent_facts_are_alike(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    facts = ("My wife is Claire", "My daughter is eleven", "My son is eighteen")
    keep = [Call("create_card", {"category": "fact", "text": text}) for text in facts]
    answer = [Say("How nice!")]
    with stage(engine, clock, steps=[keep, answer], tmp=tmp_path) as told:
        told.say("my wife is Claire, my daughter is eleven, my son is eighteen", client_id="a")
        assert len(told.cards()) == 3
    with stage(engine, clock, steps=[answer], tmp=tmp_path) as plain:
        plain.say("my wife is Claire, my daughter is eleven, my son is eighteen", client_id="a")

    def shape(frames: list[object]) -> list[object]:
        return [
            (frame.number, frame.kind, frame.screen, frame.body)  # type: ignore[attr-defined]
            for frame in frames
        ]

    assert shape(list(told.seen())) == shape(list(plain.seen()))


def test_only_the_asking_screen_gets_the_chip(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    keep = [
        Call("create_card", {"category": "fact", "text": "Zoe is nine and loves chess", "people": ["Zoe"]}),
        Call("create_card", {"category": "event", "text": "Zoe's recital", "when": ON_SATURDAY}),
    ]  # fmt: skip
    with stage(engine, clock, steps=[keep, [Say("Enjoy the recital.")]], tmp=tmp_path) as play:
        play.say("Zoe is nine, loves chess, and her recital is on Saturday at four")
        here = [frame for frame in play.seen("screen-1") if frame.kind == "cards"]
        there = [frame for frame in play.seen("screen-2") if frame.kind == "cards"]
    assert [len(frame.body["cards"]) for frame in here] == [1]
    assert here[0].body["cards"][0]["label"] == "Zoe's recital"
    assert "chess" not in str([frame.body for frame in play.seen("screen-1") if frame.kind != "accepted"])
    assert there == []


def test_a_repeated_call_has_one_effect(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    same = Call("create_card", {"category": "memo", "text": "the hall is painted grey"}, call_id="same")
    with stage(engine, clock, steps=[[same, same], [Say("Done.")]], tmp=tmp_path) as play:
        play.say("make a note: the hall is painted grey")
        assert len(play.cards()) == 1


def test_a_tool_that_does_not_exist_or_bad_arguments_end_well(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    odd = [
        Call("launch_rocket", {}),
        Call("create_card", {"category": "planet", "text": "x"}),
        Call("create_card", {}, malformed='{"category": '),
        Call("create_card", {"category": "reminder", "text": "no moment"}),
    ]
    with stage(engine, clock, steps=[odd, [Say("Sorry, when?")]], tmp=tmp_path) as play:
        turn = play.say("remind me")
        results = play.model.requests[1].messages[-1].results
        assert play.cards() == []
    assert turn.answer == "Sorry, when?"
    assert [result.result["ok"] for result in results] == [False] * 4


def test_a_second_process_goes_on_with_the_thread_of_the_first(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, steps=[[Say("Nine or eleven?")]], tmp=tmp_path) as first:
        first.say("which train?")
        # Either may answer what comes next: while the first still looks for more, it would.
        first.conductor.close(wait=True)
        model = ScriptedModel([[Say("Eleven it is.")]])
        with stage(engine, clock, model=lambda: model, tmp=tmp_path) as second:
            second.person = first.person
            second.say("the later one", client_id="second")
        assert [m.text for m in model.requests[0].messages] == [
            "which train?",
            "Nine or eleven?",
            "the later one",
        ]
