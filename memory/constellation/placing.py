"""Where each card stands: by meaning, drawn together along links, and then for good.

The first layout projects the embeddings on their two main axes, gathers what
belongs to a theme around it and relaxes the whole along the links. A later card
takes a free place near its neighbours, and nothing else moves, so that the sky
is tomorrow what it is today.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.constellation.relaxing import EDGE, Pairs, Places, relax, separate

Vectors = NDArray[np.float32]
_NEAR = 4  # neighbours by meaning that have a say in a new card's place
_TURN = math.pi * (3 - math.sqrt(5))  # the golden angle: spots of a spiral never line up
_SPOTS = 600
_AT_ONCE = 24  # spots that are tried together: mostly one of the first is free
_AXES, _SWEEPS = 8, 12
_BLOCK = 256  # new cards whose nearness to all others is looked up at once
_FLOOD = 3  # so many times more new cards than placed ones begin a new sky


def spacing(count: int) -> float:
    """The distance that points keep in a sky of `count`, in parts of its width.

    >>> round(spacing(300), 3), spacing(1)
    (0.033, 0.06)
    """
    return min(0.06, 0.58 / math.sqrt(max(count, 1)))


def place(
    vectors: Vectors,
    themes: NDArray[np.bool_],
    known: Places,
    pairs: Pairs,
    weights: NDArray[np.float64],
) -> Places:
    """A place for every card, in 0..1; those that have one keep it to the last digit.

    Only a flood (an import of many times what was there) lays the whole sky out anew.

    Args:
        vectors: unit vectors, shape (cards, dimensions); zero where there is none.
        themes: which cards are themes.
        known: the places so far, NaN where there is none, shape (cards, 2).
        pairs: the links as indices of cards, shape (links, 2).
        weights: of the links, in 0..1.
    """
    is_new = np.isnan(known[:, 0])
    old = int((~is_new).sum())
    if not is_new.any():
        return known.copy()
    if old == 0 or int(is_new.sum()) > _FLOOD * max(old, 8):
        return _lay_out(vectors, themes, pairs, weights)
    return _add(vectors, known, is_new, pairs, weights)


def _lay_out(
    vectors: Vectors, themes: NDArray[np.bool_], pairs: Pairs, weights: NDArray[np.float64]
) -> Places:
    count = len(vectors)
    if count == 1:
        return np.full((1, 2), 0.5)
    flat = _even(_project(vectors))
    if len(pairs):
        flat = _even(_gather(flat, themes, pairs, weights))
    drawn = relax(_round_off(flat), pairs, weights, apart=spacing(count))
    # Threads have crowded the middle: spread once more, with everyone's neighbours as they are.
    return separate(_round_off(_even(drawn)), spacing(count), rounds=40)


def _project(vectors: Vectors) -> Places:
    """The two main axes of the vectors' spread, each pointing the same way every time."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    # Subspace iteration: all 512 axes of an exact solution would take seconds, and two are wanted.
    basis = np.random.default_rng(0).standard_normal((centred.shape[1], _AXES))
    for _ in range(_SWEEPS):
        basis, _upper = np.linalg.qr(centred.T @ (centred @ basis))
    _, turned = np.linalg.eigh((centred @ basis).T @ (centred @ basis))
    main = basis @ turned[:, :-3:-1]
    main *= np.sign(main[np.abs(main).argmax(axis=0), [0, 1]])
    flat: Places = centred @ main
    spread = flat.std(axis=0)
    if (spread < 1e-9).any():  # all alike, or no vectors at all
        number = np.arange(len(vectors))
        radius = np.sqrt(number + 0.5)
        return np.column_stack([radius * np.cos(number * _TURN), radius * np.sin(number * _TURN)])
    scaled: Places = flat / spread
    return scaled


def _even(flat: Places) -> Places:
    """Coordinates spread over 0..1: mostly by rank, so that no corner is crowded and none is empty."""
    count = len(flat)
    rank = np.argsort(np.argsort(flat, axis=0, kind="stable"), axis=0, kind="stable") / max(count - 1, 1)
    low, high = flat.min(axis=0), flat.max(axis=0)
    straight = (flat - low) / np.maximum(high - low, 1e-9)
    mixed: Places = 0.75 * rank + 0.25 * straight
    return mixed


def _gather(flat: Places, themes: NDArray[np.bool_], pairs: Pairs, weights: NDArray[np.float64]) -> Places:
    """The places drawn towards those of their links, themes as centres that draw three times as hard."""
    now = flat.copy()
    pull = np.column_stack([weights * (1 + 2 * themes[pairs[:, 1]]), weights * (1 + 2 * themes[pairs[:, 0]])])
    for _ in range(12):
        total, sums = np.full(len(now), 1.0), flat.copy()
        for here, there, weight in ((0, 1, pull[:, 0]), (1, 0, pull[:, 1])):
            np.add.at(total, pairs[:, here], weight)
            np.add.at(sums, pairs[:, here], now[pairs[:, there]] * weight[:, None])
        now = sums / total[:, None]
    return now


def _round_off(flat: Places) -> Places:
    """A square's points in a disc: a sky has no corners."""
    x, y = 2 * flat[:, 0] - 1, 2 * flat[:, 1] - 1
    disc = np.column_stack([x * np.sqrt(1 - y * y / 2), y * np.sqrt(1 - x * x / 2)])
    return 0.5 + disc * (0.5 - EDGE)


def _add(
    vectors: Vectors, known: Places, is_new: NDArray[np.bool_], pairs: Pairs, weights: NDArray[np.float64]
) -> Places:
    """New cards one after the other, those with most ties to placed ones first."""
    now = known.copy()
    apart = spacing(len(now)) * 0.85  # what is there already leaves no more room
    ties: dict[int, list[tuple[int, float]]] = {}
    for (a, b), weight in zip(pairs.tolist(), weights.tolist(), strict=True):
        ties.setdefault(a, []).append((b, weight))
        ties.setdefault(b, []).append((a, weight))
    placed = ~is_new
    waiting = np.flatnonzero(is_new).tolist()
    waiting.sort(key=lambda at: (-sum(placed[other] for other, _ in ties.get(at, ())), at))
    for first in range(0, len(waiting), _BLOCK):
        block = waiting[first : first + _BLOCK]
        alike = vectors[block] @ vectors.T
        for row, at in enumerate(block):
            target, reach = _target(np.where(placed, alike[row], -1.0), now, placed, ties.get(at, ()))
            now[at] = _free_spot(target, now[placed], apart, reach, turn=at)
            placed[at] = True
    return now


def _target(
    alike: NDArray[np.float64],
    now: Places,
    placed: NDArray[np.bool_],
    ties: Sequence[tuple[int, float]],
) -> tuple[Places, float]:
    """Where a new card belongs, and how far from there it should begin to look."""
    best = np.argpartition(-alike, min(_NEAR, len(alike) - 1))[:_NEAR]
    votes = [(int(each), max(float(alike[each]), 0.0) ** 2 + 1e-6) for each in best if placed[each]]
    tied = [(other, 1.0 + weight) for other, weight in ties if placed[other]]
    votes += tied
    strength = np.array([weight for _, weight in votes])
    target: Places = strength @ now[[other for other, _ in votes]] / strength.sum()
    # What has no thread and little in common with anything stands by itself.
    strange = 0.0 if tied else max(0.0, 0.55 - float(alike.max()))
    return target, 0.45 * strange


def _free_spot(target: Places, others: Places, apart: float, reach: float, *, turn: int) -> Places:
    """The spot nearest to the target, at least `reach` from it, that keeps its distance from all others."""
    number = np.arange(_SPOTS)
    radius = reach + 0.35 * apart * np.sqrt(number)
    angle = (number + turn) * _TURN
    spots = target + np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    inside = np.linalg.norm(spots - 0.5, axis=1) <= 0.5 - EDGE
    spots = spots[inside] if inside.any() else np.array([[0.5, 0.5]])
    best, widest = spots[0], -1.0
    for first in range(0, len(spots), _AT_ONCE):
        tried = spots[first : first + _AT_ONCE]
        low, high = tried.min(axis=0) - apart, tried.max(axis=0) + apart
        close = others[((others >= low) & (others <= high)).all(axis=1)]
        if not len(close):
            return np.asarray(tried[0])
        gap = ((tried[:, None, :] - close[None, :, :]) ** 2).sum(axis=2).min(axis=1)
        free = np.flatnonzero(gap >= apart * apart)
        if len(free):
            return np.asarray(tried[free[0]])
        if float(gap.max()) > widest:
            best, widest = tried[int(gap.argmax())], float(gap.max())
    return np.asarray(best)
