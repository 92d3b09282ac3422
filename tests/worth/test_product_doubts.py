"""What failed is put to the person, over the real conductor, by the built-in model and by forgetful ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine

from memory import judge
from memory.llm.embedded.model import EmbeddedModel
from memory.llm.scripted import Call, Say
from memory.records import Turn
from memory.storage import outcomes, votes
from memory.storage.engine import reading, transaction
from memory.worth import Status, WorthState
from tests.conductor.playing import EMBEDDER, Stage, stage
from tests.fakes import FakeClock
from tests.worth.test_product import ASK, keep, put, status_of

OLD, NEW = "Bus 12 goes to the clinic.", "The 47 stops in front of the clinic."
SEARCH = Call("search_memory", {"angles": [{"kind": "meaning", "query": ASK}]})


@pytest.fixture
def played(engine: Engine, clock: FakeClock, tmp_path: Path) -> Iterator[Stage]:
    model = EmbeddedModel(EMBEDDER)
    with stage(engine, clock, model=lambda: model, tmp=tmp_path) as made:
        yield made


def said(played: Stage, text: str) -> Turn:
    played.clock.tick(minutes=1)
    turn = played.say(text)
    judge.judge(played.engine, turn.id, now=played.clock())
    return turn


def voted(played: Stage, turn: Turn, value: int) -> None:
    with transaction(played.engine) as session:
        votes.vote(session, played.person.id, turn.id, value, now=played.clock())
    judge.judge(played.engine, turn.id, now=played.clock())


def state_of(played: Stage, card_id: int) -> WorthState:
    with reading(played.engine) as session:
        return WorthState.from_dict(outcomes.states(session, played.person.id, [card_id])[card_id])


def differing(played: Stage) -> tuple[int, ...]:
    with transaction(played.engine) as session:
        return judge.recount(session, played.person.id, now=played.clock()).differing


def test_after_one_thumb_down_it_is_asked_and_a_no_lets_the_other_answer(played: Stage) -> None:
    old = keep(played, OLD)
    keep(played, NEW)
    voted(played, said(played, ASK), -1)
    assert status_of(played, old) is Status.UNPROVEN  # one failure condemns nothing
    played.clock.tick(hours=3)
    asked = said(played, ASK)
    assert "still right?" in asked.answer
    assert "47" in said(played, "No.").answer
    assert status_of(played, old) is Status.SUPPRESSED
    played.clock.tick(hours=3)
    assert "12" not in said(played, ASK).answer  # not put to them again and again
    assert differing(played) == ()


def test_a_thumb_that_is_taken_back_takes_the_question_back(played: Stage) -> None:
    keep(played, OLD)
    turn = said(played, ASK)
    voted(played, turn, -1)
    voted(played, turn, 0)
    played.clock.tick(hours=3)
    assert "still right?" not in said(played, ASK).answer


def test_a_yes_settles_it_and_it_is_not_asked_after_the_next_failure(played: Stage) -> None:
    old = keep(played, OLD)
    voted(played, said(played, ASK), -1)
    played.clock.tick(hours=3)
    said(played, ASK)
    said(played, "Yes.")
    played.clock.tick(hours=3)
    voted(played, said(played, ASK), -1)
    played.clock.tick(hours=3)
    assert "still right?" not in said(played, ASK).answer
    assert state_of(played, old.id).confirmed == 1
    assert differing(played) == ()


def test_called_wrong_in_the_next_words_it_asks_there_and_then(played: Stage) -> None:
    old = keep(played, OLD)
    said(played, ASK)
    assert "still right?" in said(played, "No, that's wrong.").answer
    said(played, "No.")
    assert status_of(played, old) is Status.SUPPRESSED


def test_a_denied_memory_that_alone_can_answer_is_still_found_when_asked(played: Stage) -> None:
    old = keep(played, OLD)
    said(played, ASK)
    said(played, "No, that's wrong.")
    said(played, "No.")
    played.clock.tick(hours=3)
    answer = said(played, ASK).answer
    assert "12" in answer
    assert "still right?" in answer
    assert status_of(played, old) is Status.SUPPRESSED


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Take bus 12. [c1]", True),
        ("Bus 12, but is that still so? [c1]", False),  # it asked in its own words
        ("I do not know.", False),  # it rests on nothing
    ],
)
def test_a_model_that_forgets_to_ask_is_helped(
    engine: Engine, clock: FakeClock, tmp_path: Path, text: str, asks: bool
) -> None:
    with stage(engine, clock, steps=[[SEARCH], [Say(text)]], tmp=tmp_path) as played:
        old = keep(played, OLD)
        put(played, old, Status.SUSPECT)
        turn = played.say(ASK)
        assert ("still right?" in turn.answer) is asks
        assert ("2 March" in turn.answer) is asks
        with reading(engine) as session:
            known = judge.still_right(session, turn)
        assert (known is not None) is ("[c1]" in text)
        assert (
            turn.answer
            == "".join(str(f.body.get("delta", "")) for f in played.seen() if f.kind == "text").rstrip()
        )


def test_a_silent_person_leaves_it_to_lots_where_another_may_answer(played: Stage) -> None:
    old = keep(played, OLD)
    keep(played, NEW)
    state = replace(WorthState(), status=Status.SUSPECT, n=20.0, s=2.0, uses=20, good=2, doubts=20).to_dict()
    counted = outcomes.Counted(Status.SUSPECT.value, 2.0, 20.0, state)
    with transaction(played.engine) as session:
        outcomes.save_states(session, played.person.id, {old.id: counted}, now=played.clock())
    answers = []
    for _ in range(12):
        answers.append(played.say(ASK).answer)
        played.clock.tick(hours=3)
    held = [answer for answer in answers if "12" not in answer]
    assert 2 <= len(held) <= 10
    assert all("47" in answer for answer in held)
