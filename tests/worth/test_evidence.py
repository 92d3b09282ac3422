"""The Beta distribution against exact values."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.worth.evidence import (
    beta_cdf,
    beta_quantile,
    bounds,
    most_successes,
    success_table,
    surely_above,
    surely_below,
)


def binomial_tail(x: Fraction, a: int, b: int) -> float:
    """I_x(a, b) for whole a and b, exactly: the chance of at least a successes in a + b - 1."""
    n = a + b - 1
    return float(sum(comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(a, n + 1)))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 80), st.integers(1, 80), st.integers(1, 99))
def test_distribution_function_equals_the_binomial_tail(a: int, b: int, percent: int) -> None:
    assert beta_cdf(percent / 100, a, b) == pytest.approx(
        binomial_tail(Fraction(percent, 100), a, b), rel=1e-10, abs=1e-13
    )


@pytest.mark.parametrize(
    ("level", "a", "b", "expected"),
    [  # closed forms: Beta(1, b) and Beta(a, 1); and the median of a symmetric one
        (0.95, 1, 6, 1 - 0.05 ** (1 / 6)),
        (0.95, 1, 11, 1 - 0.05 ** (1 / 11)),
        (0.05, 41, 1, 0.05 ** (1 / 41)),
        (0.5, 7.5, 7.5, 0.5),
        (0.99, 0.5, 0.5, np.sin(np.pi / 2 * 0.99) ** 2),
    ],
)
def test_quantiles_with_a_closed_form(level: float, a: float, b: float, expected: float) -> None:
    assert beta_quantile(level, a, b) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.floats(0.01, 0.99), st.floats(0.5, 500), st.floats(0.5, 500))
def test_quantile_inverts_the_distribution_function(level: float, a: float, b: float) -> None:
    assert beta_cdf(beta_quantile(level, a, b), a, b) == pytest.approx(level, abs=1e-8)


def test_evidence_rule_has_the_published_limits() -> None:
    limits = {4: -1, 5: 0, 6: 0, 7: 0, 8: 0, 10: 1, 15: 2, 20: 4, 30: 7}
    assert {n: most_successes(n, 0.40, 0.95) for n in limits} == limits


def test_table_equals_the_rule_for_each_number_of_uses() -> None:
    table = success_table(120, 0.40, 0.95)
    assert table.tolist() == [most_successes(n, 0.40, 0.95) for n in range(120)]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 200), st.integers(0, 200))
def test_bounds_hold_the_rate_and_agree_with_the_quick_tests(s: int, failures: int) -> None:
    n = s + failures
    lower, upper = bounds(s, n)
    assert 0.0 <= lower <= (s + 1) / (n + 2) <= upper <= 1.0
    assert surely_below(s, n, 0.40, 0.95) == (upper < 0.40)
    assert surely_above(s, n, 0.50, 0.95) == (lower > 0.50)


@pytest.mark.parametrize(("s", "n"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(s: int, n: int) -> None:
    with pytest.raises(ValueError, match="counts"):
        bounds(s, n)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="level"):
        beta_quantile(1.5, 1, 1)
    with pytest.raises(ValueError, match="positive"):
        beta_cdf(0.5, 0, 1)
    assert (beta_cdf(0.0, 1, 1), beta_cdf(1.0, 1, 1)) == (0.0, 1.0)
