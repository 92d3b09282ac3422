"""Solo counters and entanglement."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.worth.companions import co_rate, is_entangled, keep_company, own_evidence, solo, top
from memory.worth.policy import POLICY
from memory.worth.state import WorthState


def seen(uses: list[tuple[list[int], bool]]) -> WorthState:
    """A memory after uses with these others and outcomes."""
    state = WorthState()
    for others, good in uses:
        state = keep_company(state, others, good=good, base=0.5)
    return state


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.lists(st.integers(1, 6), unique=True, max_size=4), st.booleans()), max_size=60))
def test_solo_uses_are_those_without_the_top_companion(uses: list[tuple[list[int], bool]]) -> None:
    state = seen(uses)
    companion = top(state)
    apart = [good for others, good in uses if companion is None or companion.card not in others]
    assert (solo(state).uses, solo(state).good) == (len(apart), sum(apart))
    assert 0.0 <= co_rate(state) <= 1.0


def test_a_steady_companion_keeps_its_place_in_a_crowd() -> None:
    state = seen([([1, *range(100 + 7 * t, 107 + 7 * t)], True) for t in range(50)])
    companion = top(state)
    assert companion is not None
    assert (companion.card, companion.uses) == (1, 50)
    assert len(state.companions) == POLICY.companions


@pytest.mark.parametrize("partner", [0, 10_000])
@pytest.mark.parametrize("last", [True, False])
def test_a_frequent_companion_gets_in_wherever_it_stands(partner: int, last: bool) -> None:
    # Two of three uses together, among six passers-by who never come twice; low id or high, first or last.
    uses = []
    for t in range(90):
        passing = list(range(100 + 6 * t, 106 + 6 * t))
        others = passing if t % 3 == 0 else ([*passing, partner] if last else [partner, *passing])
        uses.append((others, True))
    companion = top(seen(uses))
    assert companion is not None
    assert companion.card == partner
    assert companion.uses >= 58


def test_a_second_friend_is_not_pushed_out_by_a_crowd() -> None:
    uses: list[tuple[list[int], bool]] = [([1, 2], True)] * 20 + [([1], True)] * 5
    uses += [(list(range(100 + 7 * t, 107 + 7 * t)), True) for t in range(20)]
    known = {companion.card: companion.uses for companion in seen(uses).companions}
    assert (known[1], known[2]) == (25, 20)


def test_a_new_friend_gets_in_when_all_places_are_taken_by_old_ones() -> None:
    old = list(range(1, 9))
    uses = [(old, True)] * 3 + [([50, 60 + t], True) for t in range(30)]
    known = {companion.card: companion.uses for companion in seen(uses).companions}
    assert known[50] >= 25


def test_never_seen_apart_is_entangled_until_ten_solo_uses() -> None:
    together = [([1], True)] * 60
    assert is_entangled(seen(together))
    assert is_entangled(seen([*together, *[([], True)] * 9]))
    assert not is_entangled(seen([*together, *[([], True)] * 10]))


def test_often_apart_is_not_entangled() -> None:
    assert not is_entangled(seen([*[([1], True)] * 3, *[([], True)] * 3]))


def test_solo_uses_decide_once_there_are_enough() -> None:
    state = seen([*[([1], True)] * 40, *[([], False)] * 12])
    s, n, e = own_evidence(state)
    assert (s, n) == (0.0, 12.0)
    assert e == pytest.approx(6.0)
