"""Counters equal a recount of the log, whatever happens and in whatever order."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from memory import judge
from memory.judge.projection import episode_of
from memory.records import Found, Person
from memory.storage import cards as card_rows
from memory.storage import outcomes, retrievals, votes
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction
from memory.worth import Episode, Move, Status, WorthState
from tests import factories
from tests.fakes import T0

CARDS, TURNS = 5, 10


class World:
    """One person's turns that retrieved cards."""

    def __init__(self, engine: Engine, *, cards: int = CARDS) -> None:
        self.engine = engine
        self.person: Person = factories.person(engine)
        self.conversation = factories.conversation(engine, self.person)
        self.cards = [factories.card(engine, self.person, text=f"fact {number}") for number in range(cards)]
        self.turns: list[int] = []

    def turn(self, cards: list[int], *, used: list[int] | None = None, said: str = "and now?") -> int:
        """A turn that retrieved some of the cards, by their places; `used` of them where that is known."""
        at = T0 + timedelta(hours=len(self.turns))
        turn_id = factories.turn(self.engine, self.person, self.conversation, said=said, created_at=at)
        with transaction(self.engine) as session:
            known = card_rows.by_ids(session, self.person.id, self.cards)
            found = [
                Found(card=known[self.cards[place]], score=1.0, angles=("meaning",), context="other")
                for place in cards
                if self.cards[place] in known
            ]
            retrievals.log(session, self.person.id, turn_id, found, now=at)
            if used is not None:
                retrievals.mark_used(session, turn_id, [self.cards[place] for place in used])
        self.turns.append(turn_id)
        return turn_id

    def vote(self, turn_id: int, value: int) -> None:
        with transaction(self.engine) as session:
            votes.vote(session, self.person.id, turn_id, value, now=T0)

    def judge(self, turn_id: int) -> int:
        return judge.judge(self.engine, turn_id, now=T0 + timedelta(days=9))

    def voted(self, turn_id: int, value: int) -> None:
        self.vote(turn_id, value)
        self.judge(turn_id)

    def erase(self, place: int) -> None:
        with transaction(self.engine) as session:
            card_rows.remove(session, [self.cards[place]])
        judge.tend(self.engine, now=T0)

    def state(self, place: int) -> WorthState:
        with reading(self.engine) as session:
            stored = outcomes.states(session, self.person.id, [self.cards[place]])
        return WorthState.from_dict(stored[self.cards[place]]) if stored else WorthState()

    def counters(self, place: int) -> tuple[int, int]:
        state = self.state(place)
        return state.good, state.uses - state.good

    def differing(self) -> tuple[int, ...]:
        with transaction(self.engine) as session:
            return judge.recount(session, self.person.id, now=T0 + timedelta(days=9)).differing


@pytest.fixture
def world(engine: Engine) -> World:
    return World(engine)


@pytest.fixture
def engines(sqlite_template: Path, tmp_path: Path) -> Iterator[object]:
    """Gives a fresh database each time it is asked."""
    import shutil

    from memory.storage.engine import make_engine

    made: list[Engine] = []

    def fresh() -> Engine:
        path = tmp_path / f"{len(made)}.db"
        shutil.copyfile(sqlite_template, path)
        made.append(make_engine(f"sqlite:///{path}"))
        return made[-1]

    yield fresh
    for engine in made:
        engine.dispose()


def test_mw_02_one_vote_however_often_it_is_clicked(world: World) -> None:
    turn = world.turn([0, 1], used=[0, 1])
    for _ in range(4):
        world.voted(turn, 1)
    assert [world.counters(0), world.counters(1)] == [(1, 0), (1, 0)]
    world.voted(turn, -1)
    assert [world.counters(0), world.counters(1)] == [(0, 1), (0, 1)]
    world.voted(turn, 0)
    assert [world.counters(0), world.counters(1)] == [(0, 0), (0, 0)]
    assert world.differing() == ()


def test_mw_04_only_what_the_answer_used_counts_and_a_job_may_run_twice(world: World) -> None:
    turn = world.turn([0, 1, 2], used=[0])
    world.judge(turn)
    assert world.counters(0) == (0, 0)  # no outcome changes nothing
    world.vote(turn, 1)
    assert world.judge(turn) == 1
    assert world.judge(turn) == 0
    assert [world.counters(place) for place in (0, 1, 2)] == [(1, 0), (0, 0), (0, 0)]


def test_all_that_was_shown_counts_where_use_is_unknown(world: World) -> None:
    world.voted(world.turn([0, 1]), 1)
    assert [world.counters(0), world.counters(1)] == [(1, 0), (1, 0)]


def test_the_next_words_are_an_outcome_and_a_vote_goes_before_them(world: World) -> None:
    turn = world.turn([0], used=[0], said="Which bus goes to the clinic?")
    world.judge(world.turn([], said="No, that's wrong."))
    assert world.counters(0) == (0, 1)
    world.voted(turn, 1)
    assert world.counters(0) == (1, 0)
    world.voted(turn, 0)  # the vote is withdrawn: what was said next counts again
    assert world.counters(0) == (0, 1)
    assert world.differing() == ()


def test_one_failure_never_condemns_and_failures_in_a_row_open_a_case(world: World) -> None:
    for _ in range(8):
        world.voted(world.turn([0, 1], used=[0]), 1)
        world.voted(world.turn([2], used=[2]), 1)
    world.voted(world.turn([0], used=[0]), -1)
    assert world.state(0).status not in (Status.SUSPECT, Status.SUPPRESSED)
    for _ in range(12):
        world.voted(world.turn([0], used=[0]), -1)
        world.voted(world.turn([2], used=[2]), 1)
    assert world.state(0).status is Status.SUSPECT
    assert world.state(2).status is not Status.SUSPECT
    assert world.differing() == ()


def test_the_person_may_end_it_either_way(world: World) -> None:
    world.voted(world.turn([0], used=[0]), 1)
    card = world.cards[0]
    for move, status in ((Move.DENY, Status.SUPPRESSED), (Move.RESTORE, Status.UNPROVEN)):
        with transaction(world.engine) as session:
            later = T0 + timedelta(days=1, hours=status is Status.UNPROVEN)
            judge.enact(session, world.person.id, card, move, now=later)
        assert world.state(0).status is status
    assert world.differing() == ()


def test_a_recount_finds_and_mends_what_was_tampered_with(world: World) -> None:
    world.voted(world.turn([0], used=[0]), 1)
    with transaction(world.engine) as session:
        plain = WorthState(good=7, uses=9).to_dict()
        counted = outcomes.Counted("unproven", 7.0, 9.0, plain)
        outcomes.save_states(session, world.person.id, {world.cards[0]: counted}, now=T0)
    assert world.differing() == (world.cards[0],)
    assert world.counters(0) == (1, 0)


def test_a_deleted_turn_takes_its_outcome_along(world: World) -> None:
    turn = world.turn([0], used=[0])
    world.voted(turn, 1)
    with transaction(world.engine) as session:
        turn_rows.mark_deleted(session, turn, at=T0)
        turn_rows.purge_deleted(session, T0 + timedelta(days=1))
    judge.tend(world.engine, now=T0)
    assert world.counters(0) == (0, 0)
    assert world.differing() == ()


steps = st.one_of(
    st.tuples(st.just("vote"), st.integers(0, TURNS - 1), st.sampled_from([-1, 0, 1])),
    st.tuples(st.just("again"), st.integers(0, TURNS - 1), st.just(0)),
    st.tuples(st.just("erase"), st.integers(0, CARDS - 1), st.just(0)),
    st.tuples(st.just("act"), st.integers(0, CARDS - 1), st.integers(0, len(Move) - 1)),
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    retrieved=st.lists(
        st.lists(st.integers(0, CARDS - 1), min_size=1, max_size=3, unique=True),
        min_size=TURNS,
        max_size=TURNS,
    ),
    happened=st.lists(steps, max_size=25),
)
def test_counters_equal_a_recount_under_any_order(
    engines: object, retrieved: list[list[int]], happened: list[tuple[str, int, int]]
) -> None:
    world = World(engines())  # type: ignore[operator]  # the fixture is a function
    for cards in retrieved:
        world.turn(cards)
    gone: set[int] = set()
    for number, (what, which, how) in enumerate(happened):
        if what == "vote":
            world.voted(world.turns[which], how)
        elif what == "again":
            world.judge(world.turns[which])
        elif what == "erase":
            gone.add(which)
            world.erase(which)
        elif which not in gone:
            with transaction(world.engine) as session:
                at = T0 + timedelta(minutes=31 * number)
                judge.enact(session, world.person.id, world.cards[which], list(Move)[how], now=at)
    assert world.differing() == ()
    for place in range(CARDS):
        state = world.state(place)
        assert 0 <= state.good <= state.uses


def test_an_outcome_of_eight_memories_is_counted_in_under_five_milliseconds(sqlite_engine: Engine) -> None:
    world = World(sqlite_engine, cards=8)
    for _ in range(20):
        world.turn(list(range(8)))
    spent = []
    for turn in world.turns:
        world.vote(turn, 1)
        started = time.perf_counter()
        world.judge(turn)
        spent.append(time.perf_counter() - started)
    # The whole job, of which the counting is a part; the fastest, as others share the machine.
    print(f"judged in {min(spent) * 1000:.1f} ms")
    with transaction(sqlite_engine) as session:
        turn = world.turns[-1]
        entry = episode_of(outcomes.episode(session, turn))  # type: ignore[arg-type]
        later = [
            Episode(
                id=entry.id + number,
                at=entry.at + timedelta(hours=number),
                context=entry.context,
                uses=entry.uses,
                good=True,
            )
            for number in range(1, 12)
        ]
        best = 9.0
        for each in later:
            started = time.process_time()  # SQLite works in this process: others' load does not count
            judge.settle(session, world.person.id, each, now=T0)
            best = min(best, time.process_time() - started)
    print(f"counted in {best * 1000:.1f} ms")
    assert best < 0.005
