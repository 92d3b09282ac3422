"""Lots, the statistic, and when a trial ends."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.worth.policy import POLICY, Policy
from memory.worth.state import Trial
from memory.worth.trial import Finding, boundary, count, draw, finding, z_score


def test_lots_come_out_as_logged() -> None:
    rng = Random(1)
    drawn = [draw((4, 7, 9), rng) for _ in range(8000)]
    held = Counter(lots.withheld for lots in drawn)
    assert all(lots.shown_chance(7) == pytest.approx(0.75) for lots in drawn)
    for card in (4, 7, 9, None):
        assert held[card] / len(drawn) == pytest.approx(0.25, abs=0.02)


def test_a_lone_suspect_is_held_back_half_the_time() -> None:
    lots = draw((5,), Random(2))
    assert lots.shown_chance(5) == 0.5
    assert lots.shown_chance(6) == 1.0


def test_no_one_to_try_no_lot() -> None:
    lots = draw((), Random(3))
    assert lots.withheld is None
    assert dict(lots.propensity) == {}


def test_lots_do_not_depend_on_the_order_they_are_asked_in() -> None:
    assert draw((1, 2, 3), Random(7)) == draw((3, 1, 2), Random(7))


def played(rng: Random, *, with_it: float, without: float, episodes: int, cards: int = 1) -> list[Trial]:
    """The trial after each episode."""
    trial, history = Trial(), []
    for _ in range(episodes):
        lots = draw(tuple(range(cards)), rng)
        shown = lots.withheld != 0
        good = rng.random() < (with_it if shown else without)
        trial = count(trial, shown=shown, propensity=lots.shown_chance(0), good=good)
        history.append(trial)
    return history


def ends(history: list[Trial], policy: Policy) -> Finding:
    """The first finding that closes the trial."""
    for trial in history:
        if (found := finding(trial, policy)) is not Finding.OPEN:
            return found
    return Finding.OPEN


def test_a_misleading_memory_is_convicted_soon() -> None:
    rng = Random(4)
    found = Counter(ends(played(rng, with_it=0.1, without=0.8, episodes=60), POLICY) for _ in range(300))
    assert found[Finding.GUILTY] / 300 > 0.97


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_a_memory_that_makes_no_difference_is_seldom_convicted(rate: float) -> None:
    rng = Random(5)
    found = Counter(ends(played(rng, with_it=rate, without=rate, episodes=60), POLICY) for _ in range(600))
    assert found[Finding.GUILTY] / 600 < 0.06
    assert found[Finding.OPEN] == 0


def test_the_sequential_boundary_holds_at_every_look() -> None:
    patient = Policy(sequential=True, max_trial=10**9, exonerate_z=10**9)
    rng = Random(6)
    found = Counter(ends(played(rng, with_it=0.5, without=0.5, episodes=300), patient) for _ in range(300))
    assert found[Finding.GUILTY] / 300 <= 0.015


def test_a_drifting_world_and_changing_chances_convict_nobody() -> None:
    # Success falls from .9 to .1 while suspects join: a plain difference of rates would be fooled.
    rng, convicted = Random(8), 0
    for _ in range(400):
        trial = Trial()
        for t in range(60):
            lots = draw((0,) if t < 30 else (0, 1, 2, 3, 4), rng)
            good = rng.random() < (0.9 if t < 30 else 0.1)
            trial = count(trial, shown=lots.withheld != 0, propensity=lots.shown_chance(0), good=good)
        convicted += z_score(trial) < POLICY.convict_z
    assert convicted / 400 < 0.03


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.floats(0.05, 0.95)), max_size=80))
def test_counts_add_up_and_no_verdict_comes_without_both_arms(
    episodes: list[tuple[bool, bool, float]],
) -> None:
    trial = Trial()
    for shown, good, chance in episodes:
        trial = count(trial, shown=shown, propensity=chance, good=good)
        if finding(trial) is not Finding.OPEN:
            assert min(trial.shown, trial.withheld) >= POLICY.min_arm
    assert trial.episodes == len(episodes)
    assert 0 <= trial.shown_good <= trial.shown
    assert 0 <= trial.withheld_good <= trial.withheld
    assert trial.v >= 0


def test_undecided_for_too_long_is_cleared() -> None:
    trial = Trial(shown=40, shown_good=20, withheld=20, withheld_good=10, u=0.0, v=3.0)
    assert finding(trial) is Finding.CLEARED


def test_boundary_is_infinite_without_data_and_widens_with_looks() -> None:
    assert boundary(0.0, 0.01, 1.0) == float("inf")
    assert boundary(1000.0, 0.01, 1.0) > boundary(10.0, 0.01, 1.0) > 2.33
