"""Worth as a page shows it: never a ratio without its counts and interval."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from memory.worth.companions import co_rate, is_entangled, solo, top
from memory.worth.episode import Episode
from memory.worth.estimator import deviation, lifted_worth
from memory.worth.evidence import bounds
from memory.worth.policy import POLICY, Policy
from memory.worth.primitive import worth
from memory.worth.state import Status, Trial, WorthState
from memory.worth.trial import z_score


@dataclass(frozen=True, kw_only=True)
class Description:
    """The numbers of one memory. Rates and bounds in 0..1; bounds are one-sided 95 % each."""

    status: Status
    since: datetime | None
    # Over all time: "7 of 9, 0.49-0.91". Association, not cause.
    successes: int
    uses: int
    worth: float
    lower: float
    upper: float
    # Since the last change.
    recent_successes: int
    recent_uses: int
    recent_lower: float
    recent_upper: float
    run: int  # outcomes alike in a row, negative for failures
    changes: int
    # Against what its contexts let expect: one half is as expected.
    lifted: float
    lifted_lower: float
    lifted_upper: float
    # Company.
    never_seen_apart: bool
    companion: int | None
    co_rate: float
    solo_successes: int
    solo_uses: int
    # The trial, while there is one.
    trial: Trial | None
    trial_z: float
    protected: bool


@dataclass(frozen=True, kw_only=True)
class Point:
    """One use of a memory in its history, and how it stood after it."""

    at: datetime
    good: bool
    successes: int
    uses: int
    lower: float
    upper: float


def history(episodes: Iterable[Episode], card: int, *, last: int = 60) -> tuple[Point, ...]:
    """How one memory's uses went, oldest first, for a small plot: the `last` ones, counted from the first."""
    judged = sorted((e for e in episodes if e.good is not None), key=lambda e: (e.at, e.id))
    outcomes = [(e.at, bool(e.good)) for e in judged if any(use.card == card for use in e.credited)]
    points, successes = [], 0
    for uses, (at, good) in enumerate(outcomes, start=1):
        successes += good
        if uses > len(outcomes) - last:
            lower, upper = bounds(successes, uses)
            points.append(Point(at=at, good=good, successes=successes, uses=uses, lower=lower, upper=upper))
    return tuple(points)


def describe(state: WorthState, policy: Policy = POLICY) -> Description:
    """Everything a page may say about one memory's worth."""
    lower, upper = bounds(state.good, state.uses)
    recent_lower, recent_upper = bounds(state.s, state.n)
    lifted = float(lifted_worth(state.s, state.n, state.e, policy))
    margin = policy.z_lower * float(deviation(state.n, policy))
    companion, apart = top(state), solo(state)
    on_trial = state.trial if state.status is Status.SUSPECT else None
    return Description(
        status=state.status,
        since=state.since,
        successes=state.good,
        uses=state.uses,
        worth=float(worth(state.h_plus, state.h_minus)),
        lower=lower,
        upper=upper,
        recent_successes=round(state.s),
        recent_uses=round(state.n),
        recent_lower=recent_lower,
        recent_upper=recent_upper,
        run=state.run,
        changes=state.changes,
        lifted=lifted,
        lifted_lower=max(0.0, lifted - margin),
        lifted_upper=min(1.0, lifted + margin),
        never_seen_apart=is_entangled(state, policy),
        companion=companion.card if companion else None,
        co_rate=co_rate(state),
        solo_successes=apart.good,
        solo_uses=apart.uses,
        trial=on_trial,
        trial_z=z_score(on_trial) if on_trial else 0.0,
        protected=state.protected,
    )
