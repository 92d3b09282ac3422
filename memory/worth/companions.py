"""Hitchhikers: whose evidence is its own, and who was only seen together with another.

A memory remembers a few companions and what it shared with each. What is left after the top companion
is taken out are its solo uses. Counting the shared part and subtracting gives exact solo counters for
whichever companion is on top, in O(companions) a use.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from memory.worth.policy import POLICY, Policy
from memory.worth.state import Companion, WorthState


@dataclass(frozen=True, kw_only=True)
class Solo:
    """The uses of a memory without its top companion."""

    uses: int
    good: int
    expected: float


def mingled(
    companions: Iterable[Companion],
    others: Iterable[int],
    *,
    good: bool,
    base: float,
    policy: Policy = POLICY,
) -> tuple[Companion, ...]:
    """The companions after one more use together with `others`.

    When all places are taken a newcomer replaces the companion with the fewest shared uses. One that
    always comes along gains a use each time, so it keeps its place however many others pass by.
    """
    table = {companion.card: companion for companion in companions}
    for card in others:
        known = table.get(card)
        if known is not None:
            table[card] = Companion(known.uses + 1, card, known.good + good, known.expected + base)
            continue
        if len(table) >= policy.companions:
            del table[min(table.values()).card]
        table[card] = Companion(1, card, int(good), base)
    return tuple(table.values())


def keep_company(
    state: WorthState, others: Iterable[int], *, good: bool, base: float, policy: Policy = POLICY
) -> WorthState:
    """The state after one use together with `others`; its other counters stay."""
    return replace(
        state,
        shared_uses=state.shared_uses + 1,
        shared_good=state.shared_good + good,
        shared_expected=state.shared_expected + base,
        companions=mingled(state.companions, others, good=good, base=base, policy=policy),
    )


def top(state: WorthState) -> Companion | None:
    """The companion it shared most uses with; the higher id among equals."""
    return max(state.companions, default=None)


def co_rate(state: WorthState) -> float:
    """Share of its uses that it had together with its top companion, 0..1."""
    companion = top(state)
    return companion.uses / state.shared_uses if companion and state.shared_uses else 0.0


def solo(state: WorthState) -> Solo:
    """Its uses without the top companion; all of them when it has none."""
    companion = top(state) or Companion(uses=0, card=0)
    return Solo(
        uses=state.shared_uses - companion.uses,
        good=state.shared_good - companion.good,
        expected=state.shared_expected - companion.expected,
    )


def is_entangled(state: WorthState, policy: Policy = POLICY) -> bool:
    """Whether it was hardly ever seen apart from one other, so that its evidence is not its own."""
    return co_rate(state) > policy.entangled_rate and solo(state).uses < policy.min_solo


def stands_alone(state: WorthState, policy: Policy = POLICY) -> bool:
    """Whether it usually comes with another, but has enough solo uses to be judged by those."""
    return co_rate(state) > policy.entangled_rate and solo(state).uses >= policy.min_solo


def own_evidence(state: WorthState, policy: Policy = POLICY) -> tuple[float, float, float]:
    """Successes, uses and expected successes to judge it by: its solo uses where it usually has company."""
    if stands_alone(state, policy):
        apart = solo(state)
        return float(apart.good), float(apart.uses), apart.expected
    return state.s, state.n, state.e
