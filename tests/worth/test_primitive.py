"""The paper's Memory Worth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.worth.primitive import Verdict, Weighting, tally, verdict, weights, worth


@pytest.mark.parametrize("how", list(Weighting))
@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0, 10), min_size=1, max_size=12))
def test_weights_share_one_credit(how: Weighting, scores: list[float]) -> None:
    share = weights(how, scores)
    assert share.sum() == pytest.approx(1.0)
    assert (share >= 0).all()


def test_weightings_differ_only_in_the_share() -> None:
    assert weights(Weighting.UNIFORM, [3, 1]).tolist() == [0.5, 0.5]
    assert weights(Weighting.SCORE, [3, 1]).tolist() == [0.75, 0.25]
    assert weights(Weighting.ORACLE, [[3, 1], [0, 0]]).tolist() == [[0.75, 0.25], [0.5, 0.5]]


def test_negative_scores_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        weights(Weighting.SCORE, [1, -1])


@settings(max_examples=50, deadline=None)
@given(st.floats(0, 1e4), st.floats(0, 1e4), st.floats(0.01, 5))
def test_worth_is_a_rate_and_follows_the_outcome(plus: float, minus: float, weight: float) -> None:
    before = float(worth(plus, minus))
    assert 0.0 <= before <= 1.0
    assert float(worth(*tally(plus, minus, weight, 1.0))) >= before or (plus, minus) == (0, 0)
    assert float(worth(*tally(plus, minus, weight, 0.0))) <= before


def test_without_data_it_is_one_half_elementwise() -> None:
    assert worth(np.array([0.0, 3.0]), np.array([0.0, 1.0])).tolist() == [0.5, 0.75]


@pytest.mark.parametrize(
    ("plus", "minus", "uses", "expected"),
    [
        (0, 9, 9, Verdict.UNPROVEN),
        (7, 3, 10, Verdict.TRUST),
        (6, 4, 10, Verdict.NEUTRAL),
        (4, 6, 10, Verdict.NEUTRAL),
        (3, 7, 10, Verdict.LOW),
    ],
)
def test_thresholds_of_the_paper(plus: float, minus: float, uses: int, expected: Verdict) -> None:
    assert verdict(plus, minus, uses) is expected
