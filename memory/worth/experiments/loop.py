"""The closed loop on text: what happens when something acts on worth while a fact goes stale.

A household asks 3000 times. After 1000 episodes the bus line changes: the old memory misleads from then on,
and a new one is learned beside it. Five ways to deal with it meet the same requests.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from memory.worth import Episode, Ledger, Offer, Policy, Status, Use, WorthState, draw, explores, record, term
from memory.worth.experiments import household
from memory.worth.experiments.household import Household
from memory.worth.experiments.reporting import Progress
from memory.worth.policy import POLICY
from memory.worth.primitive import worth

EPISODES = 3000
CHANGE = 1000  # the history before the fact goes stale
START = datetime(2026, 1, 1, tzinfo=UTC)
WINDOW = 50  # episodes averaged for one point of a curve
CONTEXT = "request"  # the retriever cannot tell the kinds of request apart here
BLANK = WorthState()


class Way(StrEnum):
    """How stale memories are dealt with."""

    GOVERNED = "governed"  # the shipped code: detector, trial, amnesty
    NOTHING = "do_nothing"
    PLAIN = "plain_mw"  # suppress below .40 after ten uses
    DETECTOR = "detector_only"  # suppress every suspect at once, without a trial
    ORACLE = "oracle"  # knows what went stale, and when


@dataclass(kw_only=True)
class Run:
    """What one way came to on one seed; counts are over the episodes after the change."""

    way: Way
    successes: int = 0
    trial_errors: int = 0  # failures in episodes in which a lot held back what was needed
    withheld: int = 0
    silenced: dict[int, int] = field(default_factory=dict)  # memory -> episode in which it was silenced
    ledger: Ledger = field(default_factory=Ledger)
    curve: list[float] = field(default_factory=list)  # 1 for each success, all episodes


def simulate(world: Household, way: Way, seed: int, policy: Policy = POLICY, change: int = CHANGE) -> Run:
    """Play one way on one seed; the requests and the luck are the same for all ways."""
    rng = np.random.default_rng(seed)
    asked, scores = household.requests(world, EPISODES, rng)
    luck = rng.random(EPISODES)
    lots = Random(seed)
    stale, fresh = world.index(household.STALE), world.index(household.FRESH)
    run = Run(way=way)
    for t in range(EPISODES):
        changed = t >= change
        hidden = set(run.silenced)
        if not changed:
            hidden.add(fresh)
        elif way is Way.ORACLE:
            hidden.add(stale)
        uses, undisturbed = _retrieve(scores[t], hidden, run.ledger, lots, way, policy)
        shown = [use.card for use in uses if use.shown]
        request = int(asked[t])
        good = bool(luck[t] < household.chance_of_success(world, request, shown, changed=changed))
        run.curve.append(float(good))
        if changed:
            run.successes += good
            run.withheld += any(not use.shown for use in uses)
            whole = household.chance_of_success(world, request, undisturbed, changed=True)
            run.trial_errors += not good and bool(luck[t] < whole)
        episode = Episode(id=t, at=START + timedelta(hours=t), context=CONTEXT, uses=tuple(uses), good=good)
        if way not in (Way.NOTHING, Way.ORACLE):
            run.ledger = run.ledger.updated(record(run.ledger, episode, policy=policy))
            for card, state in run.ledger.cards.items():
                if card not in run.silenced and _is_condemned(state, way, policy):
                    run.silenced[card] = t
    return run


def _retrieve(
    scores: household.Floats, hidden: set[int], ledger: Ledger, lots: Random, way: Way, policy: Policy
) -> tuple[list[Use], list[int]]:
    """What the retrieval shows and holds back, and what it would show without lots."""
    relevant = household.retrieve(scores, set(range(len(scores))) - hidden, most=len(scores))
    states = {card: ledger.cards.get(card, BLANK) for card in relevant}
    by_worth = way is Way.GOVERNED and not explores(lots, policy)
    score = {
        card: float(scores[card]) * (1.0 + term(state, policy) if by_worth else 1.0)
        for card, state in states.items()
    }
    ranked = sorted(states, key=lambda card: -score[card])
    undisturbed = ranked[: household.SHOWN]
    if way is not Way.GOVERNED:
        return [Use(card=card, score=score[card]) for card in undisturbed], undisturbed
    offers = [Offer(card=card, asked=False, replaceable=True) for card in undisturbed]
    lot = draw(states, offers, lots, policy)
    # Whoever is held back leaves a place to the next one.
    candidates = ranked[: household.SHOWN + (lot.withheld is not None)]
    uses = [
        Use(card=card, score=score[card], shown=card != lot.withheld, propensity=lot.shown_chance(card))
        for card in candidates
    ]
    return uses, undisturbed


def _is_condemned(state: WorthState, way: Way, policy: Policy) -> bool:
    if way is Way.PLAIN:
        return state.uses >= policy.min_uses and float(worth(state.h_plus, state.h_minus)) < policy.low
    if way is Way.DETECTOR:
        return state.status in (Status.SUSPECT, Status.SUPPRESSED)
    return state.status is Status.SUPPRESSED


def run(
    seeds: int, progress: Progress, folder: Path, episodes_after: int = EPISODES - CHANGE
) -> dict[str, Any]:
    """Play every way on every seed.

    Returns:
        Medians and shares over seeds: success of each way as a share of the oracle's, innocents silenced,
        and how many episodes after the change the stale memory was out.
    """
    world = household.load(folder)
    stale = world.index(household.STALE)
    outcome: dict[Way, list[Run]] = {way: [] for way in Way}
    for seed in range(seeds):
        for way in Way:
            outcome[way].append(simulate(world, way, seed))
        progress(f"closed loop on text: seed {seed + 1} of {seeds}")
    rate = {
        way: float(np.mean([r.successes for r in runs])) / episodes_after for way, runs in outcome.items()
    }
    governed = outcome[Way.GOVERNED]
    out = [r.silenced[stale] - CHANGE for r in governed if r.silenced.get(stale, -1) >= CHANGE]
    innocents = {way: [len(r.silenced.keys() - {stale}) for r in runs] for way, runs in outcome.items()}
    return {
        "success_of_oracle": rate[Way.GOVERNED] / rate[Way.ORACLE],
        "innocents_lost": sum(innocents[Way.GOVERNED]),
        "stale_out_median": float(np.median(out)) if out else None,
        "stale_out_p90": float(np.quantile(out, 0.9)) if out else None,
        "stale_out_share": sum(after <= 200 for after in out) / seeds,
        "do_nothing": rate[Way.NOTHING] / rate[Way.ORACLE],
        "plain_mw": rate[Way.PLAIN] / rate[Way.ORACLE],
        "detector_only": rate[Way.DETECTOR] / rate[Way.ORACLE],
        "plain_innocents_lost": float(np.mean(innocents[Way.PLAIN])),
        "detector_innocents_lost": float(np.mean(innocents[Way.DETECTOR])),
        "trial_errors": float(np.mean([r.trial_errors for r in governed])),
        "withheld": float(np.mean([r.withheld for r in governed])),
        "oracle_success": rate[Way.ORACLE],
        "change": CHANGE,
        "checkpoints": list(range(WINDOW, EPISODES + 1, WINDOW)),
        "curves": {way.value: _smooth([r.curve for r in runs]) for way, runs in outcome.items()},
    }


def _smooth(curves: list[list[float]]) -> list[float]:
    """Share of successes in each window, over all seeds."""
    means: list[float] = np.array(curves).mean(axis=0).reshape(-1, WINDOW).mean(axis=1).tolist()
    return means
