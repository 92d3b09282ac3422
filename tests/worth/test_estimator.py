"""Lift and the change detector."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.worth.estimator import Regime, absorb, context_base, deviation, lift, lifted_worth
from memory.worth.policy import POLICY

outcomes = st.lists(st.booleans(), max_size=120)


def fold(goods: list[bool], base: float = 0.8) -> Regime:
    regime = Regime.fresh(1)
    for good in goods:
        regime, _ = absorb(regime, float(good), base)
    return regime


@settings(max_examples=60, deadline=None)
@given(outcomes, st.floats(0.01, 0.99))
def test_counters_and_worth_stay_in_bounds(goods: list[bool], base: float) -> None:
    r = fold(goods, base)
    assert 0 <= r.s[0] <= r.n[0] <= len(goods)
    assert 0 <= r.s1[0] <= r.n1[0] <= len(goods)
    assert 0 <= r.c[0] <= POLICY.alarm
    assert 0.0 <= lifted_worth(r.s, r.n, r.e)[0] <= 1.0
    assert -1.0 <= lift(r.s, r.n, r.e)[0] <= 1.0


@settings(max_examples=25, deadline=None)
@given(st.lists(outcomes, min_size=1, max_size=5))
def test_many_at_once_equal_one_by_one(worlds: list[list[bool]]) -> None:
    length = min(len(goods) for goods in worlds)
    together = Regime.fresh(len(worlds))
    for t in range(length):
        together, _ = absorb(together, np.array([goods[t] for goods in worlds], dtype=float), 0.7)
    alone = [fold(goods[:length], 0.7) for goods in worlds]
    for name, column in together._asdict().items():
        assert column.tolist() == [float(getattr(regime, name)[0]) for regime in alone]


def test_first_step_is_the_log_likelihood_ratio() -> None:
    # Without data p = 1/2 and q = 1/4.
    after, alarmed = absorb(Regime.fresh(1), 0.0, 0.8)
    assert after.c[0] == pytest.approx(log(0.75 / 0.5))
    assert not alarmed[0]
    calm, _ = absorb(after, 1.0, 0.8)
    assert (calm.c[0], calm.s1[0], calm.n1[0], calm.e1[0]) == (0.0, 0.0, 0.0, 0.0)


def test_a_change_makes_what_came_since_the_new_reference() -> None:
    regime = fold([True] * 40)
    seen = 0
    alarmed = np.array([False])
    while not alarmed[0]:
        regime, alarmed = absorb(regime, 0.0, 0.8)
        seen += 1
    assert seen < 10
    assert (regime.s[0], regime.n[0]) == (0.0, seen)
    assert regime.e[0] == pytest.approx(0.8 * seen)
    assert (regime.c[0], regime.n1[0]) == (0.0, 0.0)


def test_the_reference_learns_nothing_while_suspicion_is_high() -> None:
    regime = fold([True] * 40)
    while regime.c[0] < POLICY.freeze:
        before = regime
        regime, _ = absorb(regime, 0.0, 0.8)
    assert (regime.s[0], regime.n[0], regime.e[0]) == (before.s[0], before.n[0], before.e[0])


def test_lift_is_shrunk_and_its_deviation_falls() -> None:
    assert float(lift(5, 5, 2.5)) == pytest.approx(2.5 / 25)
    assert float(deviation(0)) == pytest.approx(0.1)
    assert float(deviation(180)) < float(deviation(20))


def test_context_base_is_laplace() -> None:
    assert context_base(0, 0) == 0.5
    assert context_base(7, 8) == 0.8
