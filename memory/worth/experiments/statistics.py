"""The few statistics that the experiments report."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Ranks from 1, equal values sharing the mean of theirs."""
    given = np.asarray(values, dtype=np.float64)
    _, inverse, counts = np.unique(given, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2.0)[inverse], dtype=np.float64)


def spearman(left: ArrayLike, right: ArrayLike) -> float:
    """Spearman's rank correlation, -1..1; 0 when one side is constant.

    >>> spearman([1, 2, 3, 4], [1, 4, 9, 16]), spearman([1, 2, 3], [3, 2, 1]), spearman([1, 2], [5, 5])
    (1.0, -1.0, 0.0)
    """
    a, b = ranks(left), ranks(right)
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale > 0 else 0.0


def mean_spearman(truth: NDArray[np.float64], estimate: NDArray[np.float64]) -> float:
    """Mean correlation over worlds, both (worlds, memories)."""
    return float(np.mean([spearman(t, e) for t, e in zip(truth, estimate, strict=True)]))


def deviation_spearman(truth: NDArray[np.float64], estimate: NDArray[np.float64]) -> float:
    """Standard deviation of the correlation over worlds."""
    return float(np.std([spearman(t, e) for t, e in zip(truth, estimate, strict=True)]))
