"""Hitchhikers: whose evidence is its own, and who was only seen together with another.

A memory remembers a few companions and what it shared with each. What is left after the top companion
is taken out are its solo uses. Counting the shared part and subtracting gives exact solo counters for
whichever companion is on top, in O(companions) a use.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    companions: tuple[Companion, ...],
    others: Sequence[int],
    *,
    use: int,
    good: bool,
    base: float,
    policy: Policy = POLICY,
) -> tuple[Companion, ...]:
    """The companions after one more use together with `others`.

    When all places are taken, newcomers replace those that were seen once and are absent now; if all have
    been seen more often, one newcomer replaces the weakest absent one. So passers-by push each other out,
    and whoever comes along often keeps its place. Which newcomer goes first rotates with `use`, the number
    of the use, so that the order of retrieval favours nobody.
    """
    table = {companion.card: companion for companion in companions}
    absent = sorted(companion for companion in companions if companion.card not in others)
    newcomers = [card for card in others if card not in table]
    for card in others:
        if (known := table.get(card)) is not None:
            table[card] = Companion(known.uses + 1, card, known.good + good, known.expected + base)
    places = [companion.card for companion in absent if companion.uses == 1]
    if not places and len(table) >= policy.companions:
        places = [companion.card for companion in absent[:1]]
    first = use % len(newcomers) if newcomers else 0
    for card in newcomers[first:] + newcomers[:first]:
        if len(table) >= policy.companions:
            if not places:
                break
            del table[places.pop(0)]
        table[card] = Companion(1, card, int(good), base)
    return tuple(table.values())


def keep_company(
    state: WorthState, others: Sequence[int], *, good: bool, base: float, policy: Policy = POLICY
) -> WorthState:
    """The state after one use together with `others`; its other counters stay."""
    return replace(
        state,
        shared_uses=state.shared_uses + 1,
        shared_good=state.shared_good + good,
        shared_expected=state.shared_expected + base,
        companions=mingled(
            state.companions, others, use=state.shared_uses, good=good, base=base, policy=policy
        ),
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
