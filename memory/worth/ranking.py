"""What recall does with worth: a bounded term, lots over suspects, and a floor of exploration."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from random import Random

from memory.worth import trial
from memory.worth.companions import is_entangled, own_evidence, top
from memory.worth.estimator import lift
from memory.worth.policy import POLICY, Policy
from memory.worth.state import Status, WorthState
from memory.worth.status import SILENCED
from memory.worth.trial import Lots


@dataclass(frozen=True, kw_only=True)
class Offer:
    """One memory that a retrieval would show, as far as the lots need to know it."""

    card: int
    asked: bool  # a direct question is about it; False: it would be offered unasked
    replaceable: bool  # another retrieved memory can answer as well
    protected: bool = False  # pinned, sensitive or about safety, by what its card says now


def is_served(state: WorthState, *, asked: bool) -> bool:
    """Whether recall may show it: silenced memories only answer a direct question."""
    return asked or state.status not in SILENCED


def needs_asking(state: WorthState, policy: Policy = POLICY) -> bool:
    """Whether an answer that rests on it alone says its date and puts it to the person ("still right?").

    What is accused or silenced, and what failed by itself since it last served: whoever was told that an
    answer was wrong does not state it as so once more. That is a question and no judgement, and the person's
    word settles it long before a detector could; each "yes" doubles the failures until it is asked again.
    """
    if state.status in SILENCED or state.status in (Status.SUSPECT, Status.REVIEW):
        return True
    return state.doubts >= policy.ask_after << min(state.confirmed, policy.ask_doublings)


def was_asked_in_vain(state: WorthState, policy: Policy = POLICY) -> bool:
    """Whether a suspect was put to the person again and again, and failed on without a word of theirs.

    Then anything else that may answer has its turn by lot, though the suspect is the better hit.
    """
    return state.status is Status.SUSPECT and state.doubts >= policy.in_vain


def term(state: WorthState, policy: Policy = POLICY) -> float:
    """The share by which worth moves a ranking score: in -span..span, multiply by 1 + term.

    Twice the lift, and a little less for each doubt since it last served, so that among memories that
    answer alike the next one has its turn; clipped, so that no worth outweighs what the words
    say. An entangled memory gets no lift: its evidence is not its own.

    >>> term(WorthState())
    0.0
    """
    leaning = -policy.lean * state.doubts
    if not is_entangled(state, policy):
        leaning += 2.0 * float(lift(*own_evidence(state, policy), policy))
    return policy.span * max(-1.0, min(1.0, leaning))


def explores(rng: Random, policy: Policy = POLICY) -> bool:
    """Whether this retrieval ranks without worth, so that no memory starves for lack of evidence."""
    return rng.random() < policy.explore


def may_withhold(state: WorthState, offer: Offer) -> bool:
    """Whether a lot may hold it back: never a protected one, nor the only answer to a direct question."""
    protected = state.protected or offer.protected
    return not protected and (offer.replaceable or not offer.asked)


def draw(
    states: Mapping[int, WorthState], offers: Collection[Offer], rng: Random, policy: Policy = POLICY
) -> Lots:
    """Draw the lots of one retrieval: over its suspects, else now and then over an entangled pair.

    Args:
        states: of the offered memories; one without a state is new.
        offers: what the retrieval would show.
        rng: seeded by the caller.

    Returns:
        At most one memory to hold back, and the chances to log.
    """
    blank = WorthState()
    free = {
        offer.card: states.get(offer.card, blank)
        for offer in offers
        if may_withhold(states.get(offer.card, blank), offer)
    }
    suspects = [card for card, state in free.items() if state.status is Status.SUSPECT]
    if suspects:
        return trial.draw(sorted(suspects), rng)
    pair = _pair(free, policy)
    return trial.draw(pair, rng, chance=policy.explore) if pair else Lots(propensity={})


def _pair(free: Mapping[int, WorthState], policy: Policy) -> list[int]:
    """The first entangled memory and its companion, if both could be held back."""
    for card in sorted(free):
        companion = top(free[card])
        if companion is None or companion.card not in free:
            continue
        # Two uses together are no entanglement yet.
        if free[card].shared_uses >= policy.min_uses and is_entangled(free[card], policy):
            return sorted((card, companion.card))
    return []
