from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory.constellation import place, spacing
from memory.constellation.relaxing import near_pairs

Sky = tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.int64], NDArray[np.float64]]


def sky(count: int, seed: int) -> Sky:
    """Cards around common meanings, linked mostly within one."""
    noise = np.random.default_rng(seed)
    centres = noise.standard_normal((max(count // 12, 1), 32))
    group = noise.integers(0, len(centres), count)
    vectors = centres[group] + 0.8 * noise.standard_normal((count, 32))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    pairs = noise.integers(0, count, (count, 2))
    return (
        vectors.astype(np.float32),
        np.arange(count) % 20 == 0,
        pairs[pairs[:, 0] != pairs[:, 1]].astype(np.int64),
        np.full(int((pairs[:, 0] != pairs[:, 1]).sum()), 0.7),
    )


def nowhere(count: int) -> NDArray[np.float64]:
    return np.full((count, 2), np.nan)


@settings(max_examples=15, deadline=None)
@given(st.integers(20, 220), st.integers(0, 10_000))
def test_the_sky_is_the_same_after_a_tenth_more(count: int, seed: int) -> None:
    vectors, themes, pairs, weights = sky(count, seed)
    old = count - count // 10
    among = (pairs < old).all(axis=1)
    before = place(vectors[:old], themes[:old], nowhere(old), pairs[among], weights[among])
    known = np.vstack([before, nowhere(count - old)])
    after = place(vectors, themes, known, pairs, weights)
    moved = np.linalg.norm(after[:old] - before, axis=1)
    assert np.median(moved) <= 0.02
    assert moved.max() == 0.0  # more than that: nothing else moves at all
    assert np.isfinite(after).all()


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 250), st.integers(0, 10_000))
def test_all_stand_inside_and_apart_and_the_same_every_time(count: int, seed: int) -> None:
    vectors, themes, pairs, weights = sky(count, seed)
    placed = place(vectors, themes, nowhere(count), pairs, weights)
    assert placed.shape == (count, 2)
    assert ((placed >= 0) & (placed <= 1)).all()
    assert len(near_pairs(placed, spacing(count) * 0.5)) == 0
    assert (placed == place(vectors, themes, nowhere(count), pairs, weights)).all()


@pytest.mark.parametrize("seed", range(5))
def test_a_new_card_lands_near_what_it_is_linked_to(seed: int) -> None:
    vectors, themes, pairs, weights = sky(200, seed)
    known = place(
        vectors[:199], themes[:199], nowhere(199), pairs[(pairs < 199).all(axis=1)][:0], weights[:0]
    )
    friend = 7
    linked = np.array([[friend, 199]], dtype=np.int64)
    vectors[199] = vectors[friend]
    after = place(vectors, themes, np.vstack([known, nowhere(1)]), linked, np.array([1.0]))
    assert np.linalg.norm(after[199] - after[friend]) < 0.2


def test_alike_cards_stand_closer_than_others() -> None:
    noise = np.random.default_rng(3)
    centres = noise.standard_normal((2, 32))
    vectors = np.repeat(centres, 40, axis=0) + 0.4 * noise.standard_normal((80, 32))
    none = np.empty((0, 2), dtype=np.int64)
    placed = place(vectors.astype(np.float32), np.zeros(80, dtype=np.bool_), nowhere(80), none, np.empty(0))
    first, second = placed[:40], placed[40:]
    within = np.linalg.norm(first - first.mean(axis=0), axis=1).mean()
    assert np.linalg.norm(first.mean(axis=0) - second.mean(axis=0)) > within


def test_cards_without_any_meaning_still_find_a_place() -> None:
    none = np.empty((0, 2), dtype=np.int64)
    empty = np.zeros((30, 32), dtype=np.float32)
    placed = place(empty, np.zeros(30, dtype=np.bool_), nowhere(30), none, np.empty(0))
    assert len({tuple(each) for each in placed.round(4).tolist()}) == 30


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 120), st.integers(0, 10_000), st.floats(0.01, 0.4))
def test_near_pairs_are_those_that_a_look_at_all_finds(count: int, seed: int, radius: float) -> None:
    places = np.random.default_rng(seed).random((count, 2))
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    expected = {(a, b) for a in range(count) for b in range(a + 1, count) if apart[a, b] < radius}
    found = [tuple(sorted(pair)) for pair in near_pairs(places, radius).tolist()]
    assert len(found) == len(set(found))
    assert set(found) == expected
