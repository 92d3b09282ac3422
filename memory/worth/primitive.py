"""The paper's Memory Worth: two weighted counters a memory (arXiv 2604.12007, section 3).

`MW(m) = hits+ / (hits+ + hits-)`: how the episodes went in which m was retrieved. It is an
association, not a cause, and nothing is decided by it alone; see `status.py` for what is.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memory.worth.policy import POLICY, Policy

Array = NDArray[np.float64]


class Weighting(StrEnum):
    """How one episode's credit is shared among the k memories it retrieved."""

    UNIFORM = "uniform"  # 1/k each
    SCORE = "score"  # in proportion to the retrieval score
    ORACLE = "oracle"  # in proportion to the true utility; only a simulation knows it


class Verdict(StrEnum):
    """What the paper's thresholds say of a memory. Informs; it starts nothing."""

    UNPROVEN = "unproven"
    TRUST = "trust"
    NEUTRAL = "neutral"
    LOW = "low"


def weights(how: Weighting, scores: ArrayLike) -> Array:
    """The weight of each retrieved memory, summing to 1 over the last axis.

    Args:
        how: the weighting.
        scores: retrieval scores (SCORE) or true utilities (ORACLE), shape (..., k), not negative; for UNIFORM
            only the shape counts.

    Raises:
        ValueError: a score is negative.
    """
    given = np.asarray(scores, dtype=np.float64)
    if how is Weighting.UNIFORM:
        return np.full(given.shape, 1.0 / given.shape[-1])
    if (given < 0).any():
        raise ValueError("scores must not be negative")
    total = given.sum(axis=-1, keepdims=True)
    share = np.full(given.shape, 1.0 / given.shape[-1])
    np.divide(given, total, out=share, where=total > 0)
    return share


def tally(h_plus: Any, h_minus: Any, weight: Any, good: Any) -> tuple[Any, Any]:
    """Both counters after one more episode: the weight goes to the side of the outcome.

    Works on floats and on arrays alike; `good` is 1 or 0.
    """
    return h_plus + weight * good, h_minus + weight * (1.0 - good)


def worth(h_plus: ArrayLike, h_minus: ArrayLike) -> Array:
    """MW in 0..1, one half where there is no data (the paper's definition), elementwise.

    >>> float(worth(40, 12)), float(worth(0, 0))
    (0.7692307692307693, 0.5)
    """
    plus, minus = np.asarray(h_plus, dtype=np.float64), np.asarray(h_minus, dtype=np.float64)
    total = plus + minus
    rate = np.full(total.shape, 0.5)
    np.divide(plus, total, out=rate, where=total > 0)
    return rate


def verdict(h_plus: float, h_minus: float, uses: int, policy: Policy = POLICY) -> Verdict:
    """The paper's reading: trust above .60, low below .40, nothing before ten episodes."""
    if uses < policy.min_uses:
        return Verdict.UNPROVEN
    value = float(worth(h_plus, h_minus))
    if value > policy.trust:
        return Verdict.TRUST
    return Verdict.LOW if value < policy.low else Verdict.NEUTRAL
