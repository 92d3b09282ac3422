"""Statuses: a detector opens a case, only a trial or the person convicts, nothing is deleted.

unproven <-> neutral <-> trusted
    \\          |          /
     suspect (protected: review) --trial--> suppressed --30 days, strict bound--> deprecated
        ^__cleared: starts afresh as unproven__|  (restored by the person or by new good evidence)
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memory.worth.companions import is_entangled, own_evidence
from memory.worth.estimator import deviation, lifted_worth
from memory.worth.evidence import success_table, surely_above, surely_below
from memory.worth.policy import POLICY, Policy
from memory.worth.state import Status, Trial, WorthState
from memory.worth.trial import Finding, finding

Array = NDArray[np.float64]

SILENCED = frozenset({Status.SUPPRESSED, Status.DEPRECATED})


def is_damning(state: WorthState, policy: Policy = POLICY) -> bool:
    """The evidence rule: at least five uses, surely below .40, and surely worse than its contexts let expect.

    The second half keeps memories of hard requests out of court: failing where everything fails is no case.
    """
    if state.n < policy.min_negative_uses:
        return False
    if not surely_below(state.s, state.n, policy.low, policy.negative_level):
        return False
    return _upper(state.s, state.n, state.e, policy) < 0.5


def damning_rows(s: Array, n: Array, e: Array, policy: Policy = POLICY) -> NDArray[np.bool_]:
    """`is_damning` for whole columns of counters, as the experiments need it. Counts are whole numbers."""
    size = 1 << int(n.max(initial=0)).bit_length()  # so that a growing history asks for few tables
    most = success_table(size, policy.low, policy.negative_level)[n.astype(np.int64)]
    upper = lifted_worth(s, n, e, policy) + policy.z_negative * deviation(n, policy)
    return (n >= policy.min_negative_uses) & (s <= most) & (upper < 0.5)


def is_proven(state: WorthState, policy: Policy = POLICY) -> bool:
    """Whether it surely serves better than expected, on at least ten uses that are its own."""
    if state.n < policy.min_uses or is_entangled(state, policy):
        return False
    s, n, e = own_evidence(state, policy)
    return _lower(s, n, e, policy) > 0.5


def judge(state: WorthState, now: datetime, policy: Policy = POLICY) -> WorthState:
    """The state with the status that its counters call for, after a use or an episode of its trial."""
    match state.status:
        case Status.SUSPECT:
            return _judge_suspect(state, now, policy)
        case Status.REVIEW:
            if not state.protected:
                return open_trial(state, now)
            return state if not _recovered(state, policy) else _take(state, _plain(state, policy), now)
        case Status.SUPPRESSED | Status.DEPRECATED:
            return _judge_silenced(state, now, policy)
        case _:
            if not is_damning(state, policy):
                return _take(state, _plain(state, policy), now)
            return _take(state, Status.REVIEW, now) if state.protected else open_trial(state, now)


def open_trial(state: WorthState, now: datetime) -> WorthState:
    """The state as a suspect, its trial at the beginning."""
    return replace(_take(state, Status.SUSPECT, now), trial=Trial())


def suppress(state: WorthState, now: datetime) -> WorthState:
    """The state as suppressed; its trial's counters now count the uses since."""
    return replace(_take(state, Status.SUPPRESSED, now), trial=Trial())


def denied(state: WorthState, now: datetime) -> WorthState:
    """The state after the person said it no longer holds: suppressed, or in review where protected."""
    if state.protected:
        return replace(_take(state, Status.REVIEW, now), trial=None)
    return suppress(state, now)


def clear(state: WorthState, now: datetime) -> WorthState:
    """The state of a memory that was tried and let go, or restored: unproven, with a fresh regime."""
    return replace(_take(state.fresh_start(), Status.UNPROVEN, now), denied=False)


def ripen(state: WorthState, now: datetime, policy: Policy = POLICY) -> WorthState:
    """DEPRECATED instead of SUPPRESSED, when that has lasted and the strict bound holds.

    Deprecated means: proposed to the person for forgetting, with its evidence. Time alone can bring it
    about, so a tidy job calls this too; it then holds since the 30 days were over, whenever the job ran.
    """
    if state.status is not Status.SUPPRESSED or state.since is None or state.protected:
        return state
    due = state.since + policy.deprecate_after
    ripe = (
        now >= due
        and state.n >= policy.strict_uses
        and surely_below(state.s, state.n, policy.low, policy.strict_level)
    )
    return _take(state, Status.DEPRECATED, due) if ripe else state


def _judge_suspect(state: WorthState, now: datetime, policy: Policy) -> WorthState:
    if state.protected:
        return replace(_take(state, Status.REVIEW, now), trial=None)
    match finding(state.trial or Trial(), policy):
        case Finding.GUILTY:
            return suppress(state, now)
        case Finding.CLEARED:
            return clear(state, now)
    return (
        replace(_take(state, _plain(state, policy), now), trial=None) if _recovered(state, policy) else state
    )


def _judge_silenced(state: WorthState, now: datetime, policy: Policy) -> WorthState:
    since = state.trial or Trial()
    served_again = since.shown >= policy.min_negative_uses and surely_above(
        since.shown_good, since.shown, 0.5, policy.negative_level
    )
    if served_again:
        return clear(state, now)
    ripe = ripen(state, now, policy)
    # Ripe before this use is the business of `ledger.record`; ripe by this use means ripe now.
    return ripe if ripe is state else replace(ripe, since=now)


def _recovered(state: WorthState, policy: Policy) -> bool:
    """Whether the evidence is no longer near to damning; wider than the rule, so that it does not flap."""
    return not surely_below(state.s, state.n, policy.trust, policy.negative_level)


def _plain(state: WorthState, policy: Policy) -> Status:
    if state.n < policy.min_uses:
        return Status.UNPROVEN
    return Status.TRUSTED if is_proven(state, policy) else Status.NEUTRAL


def _take(state: WorthState, status: Status, now: datetime) -> WorthState:
    return state if state.status is status else replace(state, status=status, since=now)


def _lower(s: float, n: float, e: float, policy: Policy) -> float:
    return float(lifted_worth(s, n, e, policy) - policy.z_lower * deviation(n, policy))


def _upper(s: float, n: float, e: float, policy: Policy) -> float:
    return float(lifted_worth(s, n, e, policy) + policy.z_negative * deviation(n, policy))
