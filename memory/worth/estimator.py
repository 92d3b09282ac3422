"""Lift over the context's base rate, and the detector of changes. Elementwise on arrays.

The product folds the memories of one turn as one row each, the experiments thousands of
simulated memories at once, through the same two functions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memory.worth.policy import POLICY, Policy

Array = NDArray[np.float64]


class Regime(NamedTuple):
    """The counters of the current regime and of the one that may be beginning; arrays of one shape.

    A regime is a stretch in which a memory serves equally well. `s n e` describe the current one, `c` is
    the evidence that it is over, `s1 n1 e1` what has happened since that evidence began to grow.
    """

    s: Array  # successes
    n: Array  # uses
    e: Array  # expected successes: sum of the context base at each use
    c: Array  # CUSUM, nats
    s1: Array
    n1: Array
    e1: Array

    @classmethod
    def fresh(cls, shape: int | tuple[int, ...]) -> Regime:
        """Counters without any data."""
        return cls(*(np.zeros(shape) for _ in cls._fields))


def context_base(successes: float, episodes: float) -> float:
    """The chance that an episode of this context goes well, whatever was retrieved.

    Laplace's rule over all earlier episodes of the context; read before the episode's own outcome counts.

    >>> context_base(0, 0), context_base(3, 4)
    (0.5, 0.6666666666666666)
    """
    return (successes + 1.0) / (episodes + 2.0)


def absorb(
    regime: Regime, good: ArrayLike, base: ArrayLike, policy: Policy = POLICY
) -> tuple[Regime, NDArray[np.bool_]]:
    """Fold one use each and say where the detector alarmed.

    A cumulative sum of log-likelihood ratios (Page 1954) of "success has dropped from p to q" against "it
    is still p": p is what the reference says, q half of it and at most .30. When the sum returns to 0 the
    suspicion is over; above `policy.freeze` the reference stops learning; above `policy.alarm` what came
    since the suspicion began becomes the new reference.

    Args:
        regime: counters before the use.
        good: 1 where the episode went well, else 0.
        base: context base of the episode, 0..1.

    Returns:
        The counters after the use, and True where the regime changed with it.
    """
    y, b = np.asarray(good, dtype=np.float64), np.asarray(base, dtype=np.float64)
    p = np.clip((regime.s + 2.0) / (regime.n + 4.0), 0.05, 0.95)
    q = np.clip(np.minimum(p / 2.0, 0.30), 0.02, 0.9)
    step = np.where(y > 0, np.log(q / p), np.log((1.0 - q) / (1.0 - p)))
    c = np.maximum(0.0, regime.c + step)

    suspicious = c > 0.0
    s1 = np.where(suspicious, regime.s1 + y, 0.0)
    n1 = np.where(suspicious, regime.n1 + 1.0, 0.0)
    e1 = np.where(suspicious, regime.e1 + b, 0.0)

    alarmed = c > policy.alarm
    learning = c < policy.freeze
    after = Regime(
        s=np.where(alarmed, s1, regime.s + y * learning),
        n=np.where(alarmed, n1, regime.n + learning),
        e=np.where(alarmed, e1, regime.e + b * learning),
        c=np.where(alarmed, 0.0, c),
        s1=np.where(alarmed, 0.0, s1),
        n1=np.where(alarmed, 0.0, n1),
        e1=np.where(alarmed, 0.0, e1),
    )
    return after, alarmed


def lift(s: ArrayLike, n: ArrayLike, e: ArrayLike, policy: Policy = POLICY) -> Array:
    """How much better than expected the uses went, a use: -1..1, drawn towards 0 while uses are few."""
    uses = np.asarray(n, dtype=np.float64)
    return np.asarray((np.asarray(s) - np.asarray(e)) / (uses + policy.kappa), dtype=np.float64)


def lifted_worth(s: ArrayLike, n: ArrayLike, e: ArrayLike, policy: Policy = POLICY) -> Array:
    """W in 0..1: one half for a memory that serves as its contexts let expect."""
    return np.clip(0.5 + lift(s, n, e, policy), 0.0, 1.0)


def deviation(n: ArrayLike, policy: Policy = POLICY) -> Array:
    """Standard deviation of W after n uses."""
    return np.sqrt(policy.variance / (np.asarray(n, dtype=np.float64) + policy.kappa))
