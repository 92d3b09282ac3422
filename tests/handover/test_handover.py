"""Asking for a human, the claim, the silence of the assistant, and the return, on both databases."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine

from memory import handover
from memory.cards.verifier import verify
from memory.errors import Conflict, Forbidden, InvalidInput
from memory.handover.asking import ask_by_button
from memory.llm.embedded import EmbeddedModel
from memory.llm.interface import FailureKind
from memory.llm.scripted import Call, Fail, Hang, Say, Step
from memory.queue import JobName
from memory.records import Person, Role, TurnState
from memory.storage import conversations, turns
from memory.storage import handovers as rows
from memory.storage.engine import reading
from tests import factories
from tests.conductor.playing import EMBEDDER, Stage, stage
from tests.databases import rows as all_rows
from tests.fakes import FakeClock


def agent(engine: Engine, name: str = "Hanna") -> Person:
    return factories.person(engine, name=name, role=Role.AGENT)


def requested(play: Stage) -> str:
    """Ask for a human by the button; the request's public id."""
    ask_by_button(play.engine, play.frames, play.person, now=play.clock(), idle_s=1800)
    with reading(play.engine) as session:
        (waiting,) = rows.waiting(session)
    return waiting.public_id


def claimed(play: Stage, who: Person) -> str:
    public_id = requested(play)
    handover.claim(play.engine, play.frames, public_id, who, now=play.clock())
    return public_id


def states(play: Stage) -> list[str]:
    return [frame.body["state"] for frame in play.seen() if frame.kind == "handover"]


def test_the_tool_asks_once_and_tells_the_place(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    steps: list[Step] = [[Call("ask_for_human", {})], [Say("I ask somebody.")]] * 2
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        other = factories.person(engine, name="Bob")
        ask_by_button(engine, play.frames, other, now=clock() - timedelta(minutes=1), idle_s=1800)
        play.say("Get me a human.")
        play.say("A human, please!")
        (told,) = [frame for frame in play.seen() if frame.kind == "handover"]
    assert (told.body["state"], told.body["place"]) == ("requested", 2)
    assert len(all_rows(engine, "handovers")) == 2


def test_two_failures_in_a_row_ask_for_a_human(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    steps: list[Step] = [
        [Fail(FailureKind.REFUSED)],
        [Say("Better.")],
        [Fail(FailureKind.REFUSED)],
        [Fail(FailureKind.REFUSED)],
    ]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        for text in ("one", "two", "three"):
            play.say(text)
            assert states(play) == []
        play.say("four")
        assert states(play) == ["requested"]
    assert [row["reason"] for row in all_rows(engine, "handovers")] == ["failures"]


def test_twenty_agents_claim_at_once_and_one_has_it(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with stage(engine, clock, tmp=tmp_path) as play:
        public_id = requested(play)
        agents = [agent(engine, f"Agent {number}") for number in range(20)]
        together = threading.Barrier(20)

        def claim(who: Person) -> bool:
            together.wait(20)
            try:
                handover.claim(engine, play.frames, public_id, who, now=clock())
            except Conflict:
                return False
            return True

        with ThreadPoolExecutor(20) as pool:
            won = list(pool.map(claim, agents))
        assert won.count(True) == 1
        winner = agents[won.index(True)]
        with reading(engine) as session:
            (queued,) = rows.queue(session)
            assert conversations.held_by(session, queued.handover.conversation_id) == winner.id
        assert (queued.owner_id, queued.owner) == (winner.id, winner.name)
        assert states(play) == ["requested", "claimed"]
        assert [row["action"] for row in all_rows(engine, "audit")] == ["requested", "claimed"]


def test_nothing_of_the_assistant_is_sent_after_the_claim(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    gate = Hang(threading.Event())
    steps: list[Step] = [[Say("The first sentence. And"), gate, Say(" a second one. And a third.")]]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        turn = play.send("Tell me.")
        assert gate.reached.wait(10)
        play.until("text")
        claimed(play, agent(engine))
        gate.until.set()
        turn = play.conductor.wait(turn.id, 20)
        kinds = [frame.kind for frame in play.seen()]
        shown = "".join(frame.body["delta"] for frame in play.seen() if frame.kind == "text")
    assert turn.state is TurnState.WITH_HUMAN
    assert turn.cut_off
    assert turn.answer == shown.rstrip() == "The first sentence."
    assert kinds[-3:] == ["handover", "handover", "answered"]  # requested, claimed, and what was shown before


def test_while_a_human_holds_it_the_model_is_not_called_and_each_word_goes_to_them(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, tmp=tmp_path) as play:
        claimed(play, agent(engine))
        turn = play.say("Are you still there?", screen="another-tab")
        assert turn.state is TurnState.WITH_HUMAN
        assert play.model.requests == []
        clock.tick(hours=5)  # a human may be slow
        assert play.say("Hello?").conversation_id == turn.conversation_id


def test_what_is_told_to_a_human_is_heard_and_what_the_human_says_is_not(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, tmp=tmp_path) as play:
        hanna = agent(engine)
        public_id = claimed(play, hanna)
        turn = play.say("My daughter's name is Lena.")
        text = "My brother's name is Gustav. Your quantity is 40."
        handover.say(engine, play.frames, public_id, hanna, text=text, client_id="x", now=clock())
        shown = len(play.seen())
        assert play.queue.of(JobName.VERIFY) == [{"turn_id": turn.id}]
        clock.tick(minutes=5)
        with reading(engine) as session:  # what a sweep would find, had the queue been down
            assert turns.unverified(session, before=clock(), now=clock(), limit=9) == [turn.id]
            every = [each.id for each in turns.of_conversation(session, turn.conversation_id)]
        for turn_id in every:
            verify(engine, EMBEDDER, turn_id, now=clock(), keys=play.conductor._parts.keys)
        kept = [row for row in all_rows(engine, "cards") if row["status"] == "active"]
        assert any("Lena" in row["text"] for row in kept)
        assert {row["category"] for row in kept} <= {"fact", "person"}
        assert not any(row["visible"] or "Gustav" in row["text"] or "40" in row["text"] for row in kept)
        assert len(play.seen()) == shown  # in silence
        assert all_rows(engine, "decisions") == []


def test_in_a_private_talk_nothing_told_to_a_human_is_heard(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, tmp=tmp_path) as play:
        play.conductor.set_private(play.person, True)
        claimed(play, agent(engine))
        turn = play.say("My daughter's name is Lena.")
        assert play.queue.of(JobName.VERIFY) == []
        assert verify(engine, EMBEDDER, turn.id, now=clock()) is None


def test_a_request_by_tool_and_by_failures_is_announced(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    steps: list[Step] = [[Call("ask_for_human", {})], [Say("I ask somebody.")]]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        play.say("Get me a human.")
        assert play.queue.of(JobName.ANNOUNCE) == [{}]
    steps = [[Say("Fine.")], [Fail(FailureKind.REFUSED)], [Fail(FailureKind.REFUSED)]]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        play.say("one")
        assert play.queue.of(JobName.ANNOUNCE) == []
        play.say("two")
        play.say("three")
        assert play.queue.of(JobName.ANNOUNCE) == [{}]


def test_a_human_speaks_and_hands_back_and_the_assistant_knows_of_it(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, steps=[[Say("I am back.")]], tmp=tmp_path) as play:
        hanna = agent(engine)
        public_id = claimed(play, hanna)
        for _ in range(2):  # a double click
            handover.say(
                engine,
                play.frames,
                public_id,
                hanna,
                text="We send it on **Friday**.",
                client_id="x",
                now=clock(),
            )
        (told,) = [frame for frame in play.seen() if frame.kind == "human"]
        assert told.body["agent"] == "Hanna"
        clock.tick(hours=2)
        handover.return_to_assistant(engine, play.frames, public_id, hanna, now=clock())
        turn = play.say("When was that again?")
        (call,) = play.model.requests
        with reading(engine) as session:
            thread = turns.of_conversation(session, turn.conversation_id)
    assert [each.answered_by for each in thread] == [hanna.id, None]
    assert any("human colleague" in each.text and "Friday" in each.text for each in call.messages)
    assert turn.answer == "I am back."
    assert states(play) == ["requested", "claimed", "returned"]


def test_a_note_is_in_no_frame_and_in_no_turn(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with stage(engine, clock, tmp=tmp_path) as play:
        hanna = agent(engine)
        public_id = claimed(play, hanna)
        handover.note(engine, public_id, hanna, text="difficult customer", now=clock())
        handover.return_to_assistant(engine, play.frames, public_id, hanna, now=clock())
        play.say("And now?")
        told = "".join(
            str(each) for table in ("frames", "turns", "audit") for each in all_rows(engine, table)
        )
        asked = str(play.model.requests)
    assert "difficult" not in told
    assert "difficult" not in asked
    assert [row["text"] for row in all_rows(engine, "handover_notes")] == ["difficult customer"]


def test_only_the_holder_acts(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with stage(engine, clock, tmp=tmp_path) as play:
        hanna, emil = agent(engine), agent(engine, "Emil")
        public_id = claimed(play, hanna)
        with pytest.raises(Forbidden):
            handover.say(engine, play.frames, public_id, emil, text="Hi", client_id="y", now=clock())
        with pytest.raises(Forbidden):
            handover.note(engine, public_id, emil, text="Hi", now=clock())
        with pytest.raises(Forbidden):
            handover.return_to_assistant(engine, play.frames, public_id, emil, now=clock())
        with pytest.raises(InvalidInput):
            handover.pass_on(engine, play.frames, public_id, hanna, to=play.person.public_id, now=clock())
        handover.pass_on(engine, play.frames, public_id, hanna, to=emil.public_id, now=clock())
        handover.say(engine, play.frames, public_id, emil, text="Hi", client_id="y", now=clock())
        with pytest.raises(Forbidden):
            handover.say(engine, play.frames, public_id, hanna, text="Hi", client_id="z", now=clock())
        handover.pass_on(engine, play.frames, public_id, emil, to="", now=clock())
        assert states(play) == ["requested", "claimed", "claimed", "requested"]
        assert play.say("Anybody?").state is TurnState.ANSWERED  # nobody holds it: the assistant goes on


def test_nobody_takes_their_own_conversation(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    hanna = agent(engine)
    with stage(engine, clock, tmp=tmp_path) as play:
        ask_by_button(engine, play.frames, hanna, now=clock(), idle_s=1800)
        with reading(engine) as session:
            (waiting,) = rows.waiting(session)
        with pytest.raises(Conflict):
            handover.claim(engine, play.frames, waiting.public_id, hanna, now=clock())


def test_only_what_nobody_took_runs_out(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with stage(engine, clock, tmp=tmp_path) as play:
        taken = claimed(play, agent(engine))
        other = factories.person(engine, name="Bob")
        ask_by_button(engine, play.frames, other, now=clock(), idle_s=1800)
        clock.tick(seconds=1800)
        assert handover.expire(engine, play.frames, now=clock(), wait_s=1800) == 0
        clock.tick(seconds=1)
        assert handover.expire(engine, play.frames, now=clock(), wait_s=1800) == 1
        assert handover.expire(engine, play.frames, now=clock(), wait_s=1800) == 0
        with reading(engine) as session:
            assert rows.by_public_id(session, taken).ended_at is None
            ended = [row for row in all_rows(engine, "handovers") if row["ended_at"] is not None]
    assert [(row["person_id"], row["ended_how"]) for row in ended] == [(other.id, "expired")]


def test_withdrawn_and_closed_requests_leave_the_queue_and_the_others_move_up(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, tmp=tmp_path) as play:
        first = factories.person(engine, name="Bob")
        ask_by_button(engine, play.frames, first, now=clock(), idle_s=1800)
        clock.tick(seconds=5)
        ask_by_button(engine, play.frames, play.person, now=clock(), idle_s=1800)
        handover.withdraw(engine, play.frames, first, now=clock())
        places = [frame.body["place"] for frame in play.seen() if frame.kind == "handover"]
        assert places == [2, 1]
        play.conductor.start_afresh(play.person)
        with reading(engine) as session:
            assert rows.waiting(session) == []
        assert states(play)[-1] == "withdrawn"


def test_a_person_who_waits_keeps_their_conversation(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, tmp=tmp_path) as play:
        turn = play.say("Hello")
        requested(play)
        clock.tick(minutes=40)
        assert play.say("Still nobody?").conversation_id == turn.conversation_id


def test_what_a_human_wrote_is_not_asked_for_again(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with stage(engine, clock, tmp=tmp_path) as play:
        hanna = agent(engine)
        public_id = claimed(play, hanna)
        handover.say(engine, play.frames, public_id, hanna, text="Hello", client_id="x", now=clock())
        handover.return_to_assistant(engine, play.frames, public_id, hanna, now=clock())
        with reading(engine) as session:
            (written,) = turns.timeline(session, play.person.id)
        with pytest.raises(Conflict):
            play.conductor.regenerate(play.person, written[0].public_id, play.context())


WANTED = {
    "en": [
        "Can I talk to a real person please?",
        "Is there a human I can talk to?",
        "I need to speak to somebody.",
        "Could someone from your team call me?",
        "I don't want to talk to a bot anymore.",
        "Operator!",
    ],
    "de": [
        "Ich möchte mit einem Menschen sprechen.",
        "Kann ich mit jemandem reden?",
        "Verbinden Sie mich bitte mit einem Mitarbeiter.",
        "Stellen Sie mich zum Kundendienst durch.",
        "Ich will nicht mit einem Roboter reden.",
    ],
    "pt": [
        "Quero falar com uma pessoa, por favor.",
        "Ligue-me a um operador.",
        "Não quero falar com um robô.",
    ],
    "fr": [
        "Je voudrais parler à un humain.",
        "Puis-je parler à quelqu'un ?",
        "Je voudrais parler à un de vos collègues.",
    ],
    "es": ["Quiero hablar con una persona.", "¿Hay alguien de verdad ahí?", "Necesito hablar con alguien."],
}
NOT_WANTED = {
    "en": [
        "Remind me to talk to a human at the bank tomorrow.",
        "I need to speak to somebody at the bank about the loan.",
    ],
    "de": ["Ich muss mit jemandem vom Amt sprechen.", "Ich habe mit einem Menschen gesprochen."],
    "pt": ["Preciso de falar com alguém do banco."],
    "fr": ["Je dois parler à quelqu'un de la mairie."],
    "es": ["Necesito hablar con alguien del banco."],
}


@pytest.mark.parametrize("language", list(WANTED))
def test_the_built_in_model_hears_who_wants_a_human(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, language: str
) -> None:
    model = EmbeddedModel(EMBEDDER)
    with stage(sqlite_engine, clock, model=lambda: model, tmp=tmp_path) as play:
        for text in NOT_WANTED[language]:
            play.say(text, language=language)
            assert states(play) == [], text
        for text in WANTED[language]:
            play.person = factories.person(sqlite_engine, now=clock())
            turn = play.say(text, language=language)
            assert states(play) == ["requested"], text
            assert turn.state is TurnState.ANSWERED
            assert turn.answer
