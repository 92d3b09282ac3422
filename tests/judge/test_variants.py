"""Others like the cases of Memory Worth, over both databases: what a strict tester would try next."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from memory import judge
from memory.records import Found
from memory.storage import cards as card_rows
from memory.storage import outcomes, retrievals, votes
from memory.storage.engine import reading, transaction
from memory.worth import Status, describe
from tests import factories
from tests.fakes import T0
from tests.judge.test_projection import World


@pytest.fixture
def world(engine: Engine) -> World:
    return World(engine, cards=4)


def played(world: World, cards: list[int], values: list[int], *, used: list[int] | None = None) -> None:
    for value in values:
        world.voted(world.turn(cards, used=cards if used is None else used), value)


# One vote a person and turn (MW-02).


def test_a_vote_with_changing_reasons_is_still_one_vote(world: World) -> None:
    turn = world.turn([0, 1], used=[0, 1])
    for value, reason in ((-1, ""), (-1, "outdated"), (-1, "other"), (1, ""), (1, "")):
        with transaction(world.engine) as session:
            votes.vote(session, world.person.id, turn, value, now=T0, reason=reason)
        world.judge(turn)
    assert [world.counters(0), world.counters(1)] == [(1, 0), (1, 0)]
    assert world.differing() == ()


def test_an_old_answer_voted_on_late_counts_where_it_belongs(world: World) -> None:
    first = world.turn([0], used=[0])
    played(world, [0], [1, 1, -1])
    world.voted(first, -1)
    assert world.counters(0) == (2, 2)
    world.voted(first, 1)
    world.voted(first, 0)
    assert world.counters(0) == (2, 1)
    assert world.differing() == ()


def test_a_vote_on_small_talk_moves_no_memory(world: World) -> None:
    played(world, [0], [1])
    talk = factories.turn(world.engine, world.person, world.conversation, said="hello")
    world.voted(talk, -1)
    assert world.counters(0) == (1, 0)
    assert world.differing() == ()


def test_nobody_votes_on_the_turn_of_another(world: World) -> None:
    turn = world.turn([0], used=[0])
    other = World(world.engine, cards=1)
    with transaction(world.engine) as session:
        votes.vote(session, other.person.id, turn, -1, now=T0)
    world.judge(turn)
    assert world.counters(0) == (0, 0)


# Whoever travels with a good memory (MW-03).


def test_seen_apart_a_few_times_is_still_never_seen_apart(world: World) -> None:
    played(world, [0, 1], [1] * 30)
    played(world, [0], [1] * 9)
    assert describe(world.state(1)).never_seen_apart
    assert world.state(1).status is not Status.TRUSTED


def test_three_that_always_come_together_share_one_fate_and_none_is_trusted(world: World) -> None:
    played(world, [0, 1, 2], [1, 1, -1] * 8)
    assert len({world.counters(place) for place in (0, 1, 2)}) == 1
    assert all(describe(world.state(place)).never_seen_apart for place in (0, 1, 2))
    assert all(world.state(place).status is not Status.TRUSTED for place in (0, 1, 2))


def test_a_bad_companion_takes_nobody_out_by_joint_failures(world: World) -> None:
    played(world, [0, 1], [-1] * 40)
    assert {world.state(place).status for place in (0, 1)} <= {
        Status.SUSPECT,
        Status.NEUTRAL,
        Status.UNPROVEN,
    }
    assert not any(world.state(place).doubts for place in (0, 1))  # neither failed by itself: nobody is asked


# Only what the answer used counts (MW-04).


def test_where_nothing_is_cited_all_that_was_shown_is_credited_and_nothing_else(world: World) -> None:
    turn = world.turn([0, 1, 2])
    world.voted(turn, 1)
    assert [world.counters(place) for place in range(4)] == [(1, 0), (1, 0), (1, 0), (0, 0)]


def test_an_answer_that_used_none_of_what_was_found_credits_none(world: World) -> None:
    played(world, [0, 1], [1, -1], used=[])
    assert [world.counters(place) for place in (0, 1)] == [(0, 0), (0, 0)]
    assert world.differing() == ()


def test_a_job_that_dies_while_it_counts_moves_nothing_and_may_run_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = world.turn([0], used=[0])
    world.vote(turn, 1)

    def dies(*_: object, **__: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as broken:
        broken.setattr(outcomes, "save_states", dies)
        with pytest.raises(ConnectionError):
            world.judge(turn)
    with reading(world.engine) as session:
        assert outcomes.outcome(session, turn) is None
    assert world.counters(0) == (0, 0)
    for _ in range(3):
        world.judge(turn)
    assert world.counters(0) == (1, 0)


# Long success hides recent failure (MW-06).


def test_a_few_successes_between_do_not_hide_the_change(world: World) -> None:
    played(world, [0], [1] * 40)
    played(world, [0], [-1, -1, -1, -1, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1])
    state = world.state(0)
    assert state.status is Status.SUSPECT
    assert (state.good, state.uses, state.run) == (41, 56, -11)  # the audit keeps the whole


def test_a_pinned_one_goes_to_the_person_and_is_never_left_out(world: World) -> None:
    with transaction(world.engine) as session:
        cards = card_rows.by_ids(session, world.person.id, world.cards)
    for number in range(52):
        turn = factories.turn(world.engine, world.person, world.conversation, said="and now?")
        with transaction(world.engine) as session:
            hit = Found(
                card=cards[world.cards[0]], score=1.0, angles=("meaning",), context="other", protected=True
            )
            retrievals.log(session, world.person.id, turn, [hit], now=T0)
            retrievals.mark_used(session, turn, [world.cards[0]])
        world.voted(turn, 1 if number < 40 else -1)
    assert world.state(0).status is Status.REVIEW
    assert world.state(0).trial is None


def test_no_status_is_taken_from_an_unlucky_beginning(world: World) -> None:
    played(world, [0], [-1, -1, -1, -1])
    assert world.state(0).status is Status.UNPROVEN


def test_judging_other_turns_again_and_again_moves_nothing(world: World) -> None:
    played(world, [0, 1], [1, -1, 1])
    before = [world.state(place) for place in (0, 1)]
    for turn in [*world.turns, *reversed(world.turns)]:
        judge.judge(world.engine, turn, now=T0)
    assert [world.state(place) for place in (0, 1)] == before
