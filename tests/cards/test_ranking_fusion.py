from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.cards.ranking.fusion import Hit, best, fuse, in_order

hits = st.lists(
    st.builds(
        Hit,
        id=st.integers(1, 8),
        score=st.floats(0, 2),
        relevance=st.floats(0, 2),
        angles=st.just(("meaning",)),
        because=st.just(("words",)),
    ),
    max_size=8,
    unique_by=lambda hit: hit.id,
)


@given(st.lists(st.floats(-5, 5, width=32), max_size=40), st.integers(1, 50))
def test_the_best_are_the_first_of_all_in_order(scores: list[float], count: int) -> None:
    array = np.asarray(scores, np.float32)
    assert best(array, count) == [int(at) for at in np.argsort(-array, kind="stable")[:count]]


@settings(max_examples=80)
@given(st.lists(hits, max_size=3))
def test_fusion_invents_nothing_loses_nothing_and_only_raises(angles: list[list[Hit]]) -> None:
    fused = fuse(angles)
    assert {hit.id for hit in fused} == {hit.id for angle in angles for hit in angle}
    assert fused == in_order(fused)
    for hit in fused:
        own = [each.score for angle in angles for each in angle if each.id == hit.id]
        assert hit.score >= max(own)


def test_what_two_angles_share_rises_above_what_one_finds() -> None:
    def hit(number: int, score: float, kind: str) -> Hit:
        return Hit(id=number, score=score, relevance=score, angles=(kind,), because=())

    fused = fuse([[hit(1, 1.0, "person"), hit(2, 0.9, "person")], [hit(2, 0.9, "theme")]])
    assert [each.id for each in fused] == [2, 1]
    assert fused[0].angles == ("person", "theme")
