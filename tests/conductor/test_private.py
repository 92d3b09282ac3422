"""A private conversation reads memory and keeps nothing; when it ends, nothing of it is left."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, select

from jobs import archive
from memory import cards
from memory.cards.verifier import verify
from memory.errors import Conflict
from memory.llm.embedded.model import EmbeddedModel
from memory.llm.scripted import Call, Hang, Say, Step
from memory.portability import export
from memory.queue import JobName
from memory.records import Category, NewCard, TurnState
from memory.storage import conversations as conversation_rows
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction
from memory.storage.tables import Base, ConversationRow, RetrievalRow, TurnRow
from tests import factories
from tests.conductor.playing import EMBEDDER, Stage, stage
from tests.fakes import FakeClock
from tests.jobs.test_archive import working

CANARY = "Zinnobergeheimnis"


def holds(engine: Engine, word: str) -> list[str]:
    """The tables in which a word stands, in any column."""
    found = []
    with reading(engine) as session:
        for table in Base.metadata.sorted_tables:
            if any(word.casefold() in str(tuple(row)).casefold() for row in session.execute(select(table))):
                found.append(table.name)
    return found


def turns_shown(play: Stage) -> list[str]:
    with reading(play.engine) as session:
        return [turn.said for turn, _ in turn_rows.timeline(session, play.person.id)]


KEEPING: list[tuple[str, dict[str, Any]]] = [
    ("create_card", {"category": "fact", "text": f"My word is {CANARY}"}),
    ("update_card", {"card": "c1", "text": f"My word is {CANARY}"}),
    ("set_rule", {"text": f"My word is {CANARY}"}),
    ("record_decision", {"key": "quantity", "value": "3"}),
]


def end_by_switch(play: Stage) -> None:
    play.conductor.set_private(play.person, False)


def end_by_starting_afresh(play: Stage) -> None:
    play.conductor.start_afresh(play.person)


def end_by_silence(play: Stage) -> None:
    play.clock.tick(minutes=31)
    with working(play):
        assert archive.sweep() == 1


def end_by_the_next_message(play: Stage) -> None:
    play.clock.tick(minutes=31)
    play.say("hello again")


@pytest.mark.parametrize(
    "ends", [end_by_switch, end_by_starting_afresh, end_by_silence, end_by_the_next_message]
)
def test_nothing_of_it_is_left_however_it_ends(
    engine: Engine, clock: FakeClock, tmp_path: Path, ends: Callable[[Stage], None]
) -> None:
    steps: list[Step] = [[Call(name, told) for name, told in KEEPING], [Say(f"I see, {CANARY}.")]]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        factories.card(engine, play.person, text="My word is Amsel")
        play.conductor.set_private(play.person, True)
        said = play.say(f"My word is {CANARY}")
        assert said.state is TurnState.ANSWERED
        assert CANARY in turns_shown(play)[-1]  # while it lasts it is there to be read on
        assert [card.text for card in play.cards()] == ["My word is Amsel"]
        assert not {name for name, _ in play.queue.jobs} & {JobName.VERIFY, JobName.JUDGE, JobName.WARM}
        ends(play)
        with working(play):
            archive.sweep()
        assert holds(engine, CANARY) == []
        assert all(CANARY not in text for text in turns_shown(play))
        told = [frame.body for frame in play.seen() if frame.kind == "archived"]
        with reading(engine) as session:
            left = session.query(ConversationRow).filter_by(private=True).count()
    assert left == 0
    assert len(told) == 1
    assert told[0]["private"]


def test_what_was_talked_about_before_is_kept_and_the_switch_ends_it(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, tmp=tmp_path) as play:
        play.say("the heron nests")
        play.conductor.set_private(play.person, True)
        play.conductor.set_private(play.person, True)  # pressed twice
        play.say("the owl hoots")
        play.conductor.set_private(play.person, False)
        play.conductor.set_private(play.person, False)
        play.say("the crane dances")
        with reading(engine) as session:
            recent = conversation_rows.recent(session, play.person.id, limit=5)
            now_open = conversation_rows.open_of(session, play.person.id)
        begun = [frame.body["private"] for frame in play.seen() if frame.kind == "conversation"]
        assert turns_shown(play) == ["the heron nests", "the crane dances"]
    assert len(recent) == 1
    assert now_open is not None
    assert not now_open.private
    assert begun == [False, False]  # the frames of the private one went with it


def test_it_reads_memory_and_counts_no_use(sqlite_engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    steps: list[Step] = [
        [Call("search_memory", {"angles": [{"kind": "meaning", "query": "word"}]})],
        [Say("Amsel.")],
    ]
    with stage(sqlite_engine, clock, steps=steps, tmp=tmp_path) as play:
        play.conductor.set_private(play.person, False)
        play.conductor.set_private(play.person, True)
        with transaction(sqlite_engine) as session:
            new = NewCard(category=Category.FACT, text="My word is Amsel")
            cards.remember(session, play.person, new, embedder=EMBEDDER, now=clock())
        said = play.say("What is my word?")
        results = str(play.model.requests[-1])
        with reading(sqlite_engine) as session:
            used = session.query(RetrievalRow).count()
    assert said.answer == "Amsel."
    assert "My word is Amsel" in results
    assert used == 0


def test_the_built_in_model_says_that_it_keeps_nothing(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(sqlite_engine, clock, model=lambda: EmbeddedModel(EMBEDDER), tmp=tmp_path) as play:
        play.conductor.set_private(play.person, True)
        asked = play.say("Remind me tomorrow at nine to phone Ida.")
        told = play.say("I have a kayak.")
        ruled = play.say("From now on, always answer briefly.")
        assert verify(sqlite_engine, EMBEDDER, told.id, now=clock()) is None
        assert play.cards() == []
        assert holds(sqlite_engine, "answer briefly") in (["frames", "turns"], ["turns", "frames"])
    assert "private" in asked.answer
    assert ruled.state is TurnState.ANSWERED


def test_an_answer_under_way_goes_too(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    gate = Hang(threading.Event())
    steps: list[Step] = [[Say(f"I see, {CANARY}. "), gate, Say("And more.")]]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        play.conductor.set_private(play.person, True)
        turn = play.send(f"My word is {CANARY}")
        assert gate.reached.wait(10)
        play.conductor.set_private(play.person, False)
        assert turns_shown(play) == []
        gate.until.set()
        play.conductor.wait(turn.id, 20)
        with working(play):
            archive.sweep()
        assert holds(engine, CANARY) == []


def test_an_export_leaves_out_the_one_under_way(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play:
        play.say("the heron nests")
        play.conductor.set_private(play.person, True)
        play.say(f"My word is {CANARY}")
        told = str(export.as_data(sqlite_engine, play.person, now=clock()))
    assert "heron" in told
    assert CANARY not in told


def test_while_a_human_holds_the_conversation_it_cannot_begin(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play:
        turn = play.say("hello")
        agent = factories.person(sqlite_engine, name="Greta")
        with transaction(sqlite_engine) as session:
            session.get_one(ConversationRow, turn.conversation_id).handled_by = agent.id
        with pytest.raises(Conflict):
            play.conductor.set_private(play.person, True)
        assert turns_shown(play) == ["hello"]


def test_others_lose_nothing(sqlite_engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play:
        other = factories.person(sqlite_engine, name="Bob")
        talk = factories.conversation(sqlite_engine, other, private=True)
        factories.turn(sqlite_engine, other, talk, said="the stork is mine")
        play.conductor.set_private(play.person, True)
        play.say("hello")
        end_by_switch(play)
        with working(play):
            archive.sweep()
        with reading(sqlite_engine) as session:
            assert session.query(TurnRow).filter_by(person_id=other.id).count() == 1
