"""Moving points apart and along their threads, all at once. Pure numpy, no square of their number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.float64]
"""Shape (points, 2); both coordinates in 0..1."""
Pairs = NDArray[np.int64]
"""Shape (threads, 2): indices of points."""

EDGE = 0.02  # what is kept free at the border
_ROUNDS = 70
_FORWARD = ((0, 0), (1, 0), (-1, 1), (0, 1), (1, 1))  # of nine neighbouring cells, each two once


def near_pairs(places: Places, radius: float) -> Pairs:
    """All pairs of points closer than `radius`, each once, as indices; shape (pairs, 2).

    >>> near_pairs(np.array([[0.1, 0.1], [0.12, 0.1], [0.9, 0.9]]), 0.05).tolist()
    [[0, 1]]
    """
    cells = np.floor(places / radius).astype(np.int64) + 1
    width = int(cells[:, 0].max(initial=0)) + 3
    keys = cells[:, 1] * width + cells[:, 0]
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    found = []
    for across, down in _FORWARD:
        wanted = ordered + down * width + across
        first = np.searchsorted(ordered, wanted, "left")
        last = np.searchsorted(ordered, wanted, "right")
        if (across, down) == (0, 0):
            first = np.arange(len(ordered)) + 1  # the rest of one's own cell
        numbers = np.maximum(last - first, 0)
        left = np.repeat(np.arange(len(ordered)), numbers)
        within = np.arange(len(left)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
        found.append(np.column_stack([left, np.repeat(first, numbers) + within]))
    both: Pairs = order[np.concatenate(found)]
    apart = places[both[:, 0]] - places[both[:, 1]]
    near: Pairs = both[np.einsum("ij,ij->i", apart, apart) < radius * radius]
    return near


def relax(places: Places, pairs: Pairs, weights: NDArray[np.float64], *, apart: float) -> Places:
    """The places after threads have drawn their ends together and close points have moved apart.

    Args:
        apart: the distance that two points keep, as far as there is room.
    """
    start, now = places, places.copy()
    degree = np.maximum(np.bincount(pairs.ravel(), minlength=len(places)), 1)[:, None]
    for number in range(_ROUNDS):
        if len(pairs) and number < _ROUNDS * 2 // 3:
            now += _pull(now, pairs, weights, apart) / degree
            now += 0.03 * (start - now)  # what was near in meaning stays so
        now = separate(now, apart * (1.6 if number < _ROUNDS // 2 else 1.0), rounds=1)
    return separate(now, apart, rounds=30)


def separate(places: Places, apart: float, *, rounds: int) -> Places:
    """The places with points that are too close moved apart, by halves; stays inside the sky."""
    now = places.copy()
    for _ in range(rounds):
        close = near_pairs(now, apart)
        if not len(close):
            break
        between = now[close[:, 0]] - now[close[:, 1]]
        length = np.linalg.norm(between, axis=1, keepdims=True)
        # Two points in one place part in a direction that their numbers give: the same every time.
        turn = (close[:, :1] * 2.399963) % (2 * np.pi)
        way = np.where(
            length > 1e-9, between / np.maximum(length, 1e-9), np.hstack([np.cos(turn), np.sin(turn)])
        )
        push = way * (apart - length) * 0.5
        np.add.at(now, close[:, 0], push)
        np.subtract.at(now, close[:, 1], push)
        now = _inside(now)
    return now


def _direction(turn: NDArray[np.float64]) -> Places:
    return np.hstack([np.cos(turn), np.sin(turn)])


def _pull(now: Places, pairs: Pairs, weights: NDArray[np.float64], apart: float) -> Places:
    between = now[pairs[:, 1]] - now[pairs[:, 0]]
    length = np.linalg.norm(between, axis=1, keepdims=True)
    stretch = np.maximum(length - 1.5 * apart, 0.0) / np.maximum(length, 1e-9)
    force = between * stretch * (0.12 * weights[:, None])
    total = np.zeros_like(now)
    np.add.at(total, pairs[:, 0], force)
    np.subtract.at(total, pairs[:, 1], force)
    return total


def _inside(places: Places) -> Places:
    """Points outside the ellipse that the sky is, brought to its edge."""
    centred = places - 0.5
    far = np.linalg.norm(centred, axis=1, keepdims=True) / (0.5 - EDGE)
    return np.where(far > 1.0, centred / np.maximum(far, 1.0), centred) + 0.5
