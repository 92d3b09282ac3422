"""The judge with a connected model's ear: only where the rules hear nothing, asked once, never in the way."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Engine

from memory import judge
from memory.llm.interface import FailureKind, ModelFailed
from memory.storage import outcomes, votes
from memory.storage.engine import reading, transaction
from tests.fakes import T0
from tests.judge.test_projection import World

LATER = T0 + timedelta(days=9)
IRONY = "Great, that one stopped running two years ago."


class Ear:
    """Says the same each time it is asked, and remembers what it was asked."""

    def __init__(self, opinion: str, *, fails: bool = False) -> None:
        self.opinion, self.fails = opinion, fails
        self.asked: list[tuple[str, str, str, str]] = []

    def __call__(self, asked: str, answered: str, following: str, language: str) -> str:
        self.asked.append((asked, answered, following, language))
        if self.fails:
            raise ModelFailed(FailureKind.BROKEN, "no answer")
        return self.opinion


@pytest.fixture
def world(engine: Engine) -> World:
    return World(engine)


def talked(world: World, said: str) -> tuple[int, int]:
    first = world.turn([0], used=[0], said="Which bus goes to the clinic?")
    return first, world.turn([1], used=[], said=said)


def outcome(world: World, turn_id: int) -> tuple[int, str] | None:
    with reading(world.engine) as session:
        return outcomes.outcome(session, turn_id)


@pytest.mark.parametrize(("opinion", "value"), [("wrong", -1), ("again", -1), ("good", 1), ("unknown", None)])
def test_it_hears_what_the_rules_cannot(world: World, opinion: str, value: int | None) -> None:
    first, second = talked(world, IRONY)
    ear = Ear(opinion)
    judge.judge(world.engine, second, now=LATER, hears=ear)
    assert outcome(world, first) == (None if value is None else (value, "model"))
    assert ear.asked[0][2:] == (IRONY, "en")
    assert world.differing() == ()


def test_it_is_asked_once_and_its_opinion_stays(world: World) -> None:
    first, second = talked(world, IRONY)
    ear = Ear("wrong")
    for _ in range(3):
        judge.judge(world.engine, second, now=LATER, hears=ear)
    ear.opinion = "good"
    judge.judge(world.engine, second, now=LATER, hears=ear)
    judge.judge(world.engine, second, now=LATER)  # and without a model
    assert len(ear.asked) == 1
    assert outcome(world, first) == (-1, "model")
    assert world.counters(0) == (0, 1)


def test_the_rules_and_a_vote_come_before_it(world: World) -> None:
    first, second = talked(world, "No, that's wrong.")
    ear = Ear("good")
    judge.judge(world.engine, second, now=LATER, hears=ear)
    assert ear.asked == []
    assert outcome(world, first) == (-1, "judged")
    other, after = talked(world, IRONY)
    judge.judge(world.engine, after, now=LATER, hears=Ear("wrong"))
    world.voted(other, 1)
    assert outcome(world, other) == (1, "vote")
    assert world.differing() == ()


def test_its_failure_changes_nothing(world: World) -> None:
    first, second = talked(world, IRONY)
    judge.judge(world.engine, second, now=LATER, hears=Ear("wrong", fails=True))
    assert outcome(world, first) is None
    assert world.counters(0) == (0, 0)


def test_a_thumb_down_for_another_reason_says_little_of_the_memory(world: World) -> None:
    turn = world.turn([0], used=[0])
    for reason, doubts in (("", 2), ("other", 1), ("missing", 1), ("outdated", 2)):
        with transaction(world.engine) as session:
            votes.vote(session, world.person.id, turn, -1, now=T0, reason=reason)
        world.judge(turn)
        assert (world.counters(0), world.state(0).doubts) == ((0, 1), doubts)
        assert world.differing() == ()


def test_a_vote_in_place_of_a_sign_is_counted_as_the_firmer_one(world: World) -> None:
    first, second = talked(world, "Which bus goes to the clinic?")
    world.judge(second)
    assert outcome(world, first) == (-1, "again")
    assert world.state(0).doubts == 1
    world.voted(first, -1)
    assert world.state(0).doubts == 2
    assert world.differing() == ()
    world.voted(first, 0)
    assert world.state(0).doubts == 1
    assert world.differing() == ()
