"""Exact bounds for a success rate: the Beta distribution, without scipy.

After s successes in n uses and a uniform prior the rate is Beta(1 + s, 1 + n - s). The
distribution function is the regularised incomplete beta function, here by its continued
fraction (modified Lentz; DLMF 8.17.22), which is exact to about 1e-14.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_TINY = 1e-300
_PRECISION = 1e-15


def beta_cdf(x: float, a: float, b: float) -> float:
    """I_x(a, b): the probability that a Beta(a, b) variable is at most x.

    Raises:
        ValueError: a or b is not positive.

    >>> round(beta_cdf(0.5, 2, 3), 6)
    0.6875
    """
    if a <= 0 or b <= 0:
        raise ValueError(f"a and b must be positive: {a=}, {b=}")
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    # The fraction converges fast on one side of the mean; the other side is its mirror.
    if x < (a + 1.0) / (a + b + 2.0):
        return min(1.0, front * _fraction(x, a, b) / a)
    return max(0.0, 1.0 - front * _fraction(1.0 - x, b, a) / b)


def _fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > _TINY else _TINY)
    value = d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)),
        ):
            d = 1.0 + numerator * d
            d = 1.0 / (d if abs(d) > _TINY else _TINY)
            c = 1.0 + numerator / c
            c = c if abs(c) > _TINY else _TINY
            value *= d * c
        if abs(d * c - 1.0) < _PRECISION:
            break
    return value


@lru_cache(maxsize=65_536)
def beta_quantile(level: float, a: float, b: float) -> float:
    """The x below which a Beta(a, b) variable lies with probability `level`.

    By bisection: the distribution function is monotone, so it cannot go astray.

    Raises:
        ValueError: level is outside 0..1, or a or b is not positive.

    >>> round(beta_quantile(0.95, 1, 6), 4)
    0.393
    """
    if not 0.0 <= level <= 1.0:
        raise ValueError(f"level must lie in 0..1: {level}")
    low, high = 0.0, 1.0
    for _ in range(52):
        middle = (low + high) / 2
        if beta_cdf(middle, a, b) < level:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def bounds(successes: float, uses: float, level: float = 0.95) -> tuple[float, float]:
    """Lower and upper bound of the success rate, each one-sided at `level`.

    Raises:
        ValueError: counts are negative, or there are more successes than uses.
    """
    a, b = _shape(successes, uses)
    return beta_quantile(1.0 - level, a, b), beta_quantile(level, a, b)


@lru_cache(maxsize=262_144)
def surely_below(successes: float, uses: float, limit: float, level: float) -> bool:
    """Whether the upper `level` bound of the rate lies below `limit`.

    One look at the distribution function instead of a quantile: the bound is below the
    limit exactly when more than `level` of the distribution is.

    >>> surely_below(0, 5, 0.40, 0.95), surely_below(0, 4, 0.40, 0.95), surely_below(1, 8, 0.40, 0.95)
    (True, False, False)
    """
    a, b = _shape(successes, uses)
    return beta_cdf(limit, a, b) > level


@lru_cache(maxsize=262_144)
def surely_above(successes: float, uses: float, limit: float, level: float) -> bool:
    """Whether the lower `level` bound of the rate lies above `limit`."""
    a, b = _shape(successes, uses)
    return beta_cdf(limit, a, b) < 1.0 - level


def most_successes(uses: int, limit: float, level: float) -> int:
    """The largest number of successes in `uses` with the rate surely below `limit`; -1 for none.

    >>> [most_successes(n, 0.40, 0.95) for n in (4, 5, 8, 10, 15, 20, 30)]
    [-1, 0, 0, 1, 2, 4, 7]
    """
    most = -1
    while most < uses and surely_below(most + 1, uses, limit, level):
        most += 1
    return most


@lru_cache(maxsize=16)
def success_table(size: int, limit: float, level: float) -> NDArray[np.int64]:
    """`most_successes` of 0..size-1 uses, as an array to look up whole columns in. Read only."""
    table = np.empty(size, dtype=np.int64)
    most = -1
    for uses in range(size):
        # One use more allows at most one success more.
        if most < uses and surely_below(most + 1, uses, limit, level):
            most += 1
        table[uses] = most
    table.flags.writeable = False
    return table


def _shape(successes: float, uses: float) -> tuple[float, float]:
    if successes < 0 or uses < successes:
        raise ValueError(f"counts do not fit: {successes=}, {uses=}")
    return 1.0 + successes, 1.0 + uses - successes
