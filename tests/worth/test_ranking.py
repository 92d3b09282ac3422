"""What recall does with worth."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.worth import (
    POLICY,
    Offer,
    Status,
    Trial,
    WorthState,
    describe,
    draw,
    explores,
    history,
    is_served,
    may_withhold,
    needs_asking,
    term,
)
from tests.worth.factories import episode, play, well_served

SUSPECT = WorthState(status=Status.SUSPECT, trial=Trial())


def offered(card: int, *, asked: bool = False, replaceable: bool = True) -> Offer:
    return Offer(card=card, asked=asked, replaceable=replaceable)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 500), st.integers(0, 500), st.floats(0, 1))
def test_term_is_bounded_and_follows_the_lift(s: int, failures: int, base: float) -> None:
    n = s + failures
    value = term(WorthState(s=float(s), n=float(n), e=base * n))
    assert -POLICY.span <= value <= POLICY.span
    assert term(WorthState(s=float(s + 1), n=float(n + 1), e=base * (n + 1))) >= value - 0.01


def test_shared_evidence_moves_no_ranking() -> None:
    context = play([9], [True, False] * 20)
    together = play([1, 2], [True] * 40, context, first=41)
    assert term(together.cards[1]) == 0.0
    alone = play([1], [True] * 40, context, first=41)
    assert term(alone.cards[1]) > 0.0


@pytest.mark.parametrize(
    ("status", "unasked", "asks"),
    [
        (Status.UNPROVEN, True, False),
        (Status.TRUSTED, True, False),
        (Status.SUSPECT, True, True),
        (Status.REVIEW, True, True),
        (Status.SUPPRESSED, False, True),
        (Status.DEPRECATED, False, True),
    ],
)
def test_what_is_served_and_what_is_put_to_the_person(status: Status, unasked: bool, asks: bool) -> None:
    state = WorthState(status=status)
    assert is_served(state, asked=False) is unasked
    assert is_served(state, asked=True)
    assert needs_asking(state) is asks


def test_the_only_answer_and_protected_memories_are_never_withheld() -> None:
    assert may_withhold(SUSPECT, offered(1))
    assert may_withhold(SUSPECT, offered(1, asked=True, replaceable=True))
    assert may_withhold(SUSPECT, offered(1, asked=False, replaceable=False))
    assert not may_withhold(SUSPECT, offered(1, asked=True, replaceable=False))
    assert not may_withhold(replace(SUSPECT, protected=True), offered(1))
    assert not may_withhold(SUSPECT, Offer(card=1, asked=False, replaceable=True, protected=True))


def test_lots_are_drawn_over_suspects_only_and_one_at_most() -> None:
    states = {1: SUSPECT, 2: WorthState(), 3: SUSPECT, 4: replace(SUSPECT, protected=True)}
    rng = Random(1)
    offers = [offered(1), offered(2), offered(3, asked=True, replaceable=False), offered(4), offered(5)]
    drawn = [draw(states, offers, rng) for _ in range(200)]
    assert {lots.withheld for lots in drawn} == {1, None}
    assert all(dict(lots.propensity) == {1: 0.5} for lots in drawn)


def test_without_suspects_no_lot() -> None:
    lots = draw({}, [offered(1), offered(2)], Random(1))
    assert (lots.withheld, dict(lots.propensity)) == (None, {})


def test_an_entangled_pair_is_now_and_then_taken_apart() -> None:
    ledger = play([1, 2], [True] * 20)
    rng = Random(2)
    drawn = [draw(ledger.cards, [offered(1), offered(2), offered(3)], rng) for _ in range(4000)]
    share = sum(lots.withheld is not None for lots in drawn) / len(drawn)
    assert share == pytest.approx(POLICY.explore, abs=0.015)
    assert {lots.withheld for lots in drawn} == {1, 2, None}
    assert drawn[0].shown_chance(1) == pytest.approx(1 - POLICY.explore / 2)


def test_exploration_has_its_floor() -> None:
    rng = Random(3)
    assert sum(explores(rng) for _ in range(5000)) / 5000 == pytest.approx(0.05, abs=0.01)
    assert POLICY.explore >= 0.05


def test_description_always_has_counts_and_interval() -> None:
    shown = describe(play([1], [True] * 7 + [False] * 2).cards[1])
    assert (shown.successes, shown.uses) == (7, 9)
    assert shown.lower == pytest.approx(0.493, abs=0.001)
    assert shown.upper == pytest.approx(0.913, abs=0.001)
    blank = describe(WorthState())
    assert (blank.uses, blank.worth) == (0, 0.5)
    assert blank.upper - blank.lower == pytest.approx(0.9)
    assert blank.companion is None


def test_history_counts_the_credited_uses_only() -> None:
    log = [episode(1, [1, 2], True), episode(2, [2], True), episode(3, [1], False), episode(4, [1], None)]
    points = history(reversed(log), 1)
    assert [(point.good, point.successes, point.uses) for point in points] == [(True, 1, 1), (False, 1, 2)]
    assert [point.uses for point in history(log, 2, last=1)] == [2]


def test_description_tells_of_the_trial_only_while_it_runs() -> None:
    suspect = play([1], [False] * 9, well_served(), first=41)
    assert describe(suspect.cards[1]).trial == Trial()
    assert describe(WorthState(status=Status.SUPPRESSED, trial=Trial(shown=3))).trial is None
