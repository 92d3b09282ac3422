"""Experiment 4: a useless memory that always comes along with a useful one.

An anchor of utility .90 and a hitchhiker of .05 are retrieved with six fillers; in a share f of the episodes
only one of the two is there. The true gap is that of the solo success rates. With f = 0 nothing but a lot
can tell them apart.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from memory.worth import trial
from memory.worth.companions import is_entangled, keep_company, solo, top
from memory.worth.experiments.reporting import Progress
from memory.worth.policy import Policy
from memory.worth.primitive import worth
from memory.worth.state import Trial, WorthState
from memory.worth.trial import boundary, z_score

ANCHOR, HITCHHIKER = 0, 1
ANCHOR_UTILITY, HITCHHIKER_UTILITY = 0.90, 0.05
FILLERS, SHOWN_FILLERS, EPISODES = 98, 6, 10_000
SHARES = {"f0": 0.0, "f10": 0.10, "f30": 0.30, "f50": 0.50}
PAIRS = {"f10": 3}  # a seed; the difference of two solo rates is noisy while they are seldom apart
TRUE_GAP = (ANCHOR_UTILITY - HITCHHIKER_UTILITY) / (SHOWN_FILLERS + 1)

# The pair's trial looks after each episode, so it needs the boundary that holds at every look.
PAIR = Policy(sequential=True, sequential_level=0.05, sequential_scale=15.0)
TRIALS = 50  # a seed
TRIAL_LIMIT = 1000  # then the better arm wins


def run(seeds: int, progress: Progress) -> dict[str, Any]:
    """How much of the true gap MW and the solo counters show, and how the pair's trial ends."""
    result: dict[str, Any] = {"true_gap": TRUE_GAP}
    for name, share in SHARES.items():
        pairs = [
            _pair(np.random.default_rng([6, seed, again, int(share * 100)]), share)
            for seed in range(seeds)
            for again in range(PAIRS.get(name, 1))
        ]
        result[f"{name}_mw_share"] = float(np.mean([_mw_gap(*pair) for pair in pairs])) / TRUE_GAP
        result[f"{name}_entangled"] = float(np.mean([is_entangled(pair[1]) for pair in pairs]))
        if share > 0:
            result[f"{name}_gap_share"] = float(np.mean([_solo_gap(*pair) for pair in pairs])) / TRUE_GAP
        progress(f"experiment 4: apart in {share:.0%} of episodes, {seeds} seeds")
    needed, wrong = _trials(seeds)
    result["f0_median_episodes"] = float(np.median(needed))
    result["f0_p90_episodes"] = float(np.quantile(needed, 0.9))
    result["f0_at_limit"] = float(np.mean([episodes == TRIAL_LIMIT for episodes in needed]))
    result["f0_wrong"] = wrong
    result["f0_trials"] = len(needed)
    progress(f"experiment 4: {len(needed)} trials of a pair that is never apart")
    return result


def _pair(rng: np.random.Generator, apart: float) -> tuple[WorthState, WorthState]:
    """Anchor and hitchhiker after all episodes, with the shipped code's counters."""
    utility = np.concatenate([[ANCHOR_UTILITY, HITCHHIKER_UTILITY], rng.random(FILLERS)])
    states = [WorthState(), WorthState()]
    fillers = 2 + rng.random((EPISODES, FILLERS)).argpartition(SHOWN_FILLERS, axis=1)[:, :SHOWN_FILLERS]
    split, first, luck = rng.random(EPISODES) < apart, rng.integers(2, size=EPISODES), rng.random(EPISODES)
    for t in range(EPISODES):
        pair = [int(first[t])] if split[t] else [ANCHOR, HITCHHIKER]
        shown = pair + fillers[t].tolist()
        good = bool(luck[t] < utility[shown].mean())
        for card in pair:
            others = [other for other in shown if other != card]
            states[card] = keep_company(states[card], others, good=good, base=0.5)
    return states[ANCHOR], states[HITCHHIKER]


def _mw_gap(anchor: WorthState, hitchhiker: WorthState) -> float:
    good = np.array([anchor.shared_good, hitchhiker.shared_good])
    uses = np.array([anchor.shared_uses, hitchhiker.shared_uses])
    gap = worth(good, uses - good)
    return float(gap[0] - gap[1])


def _solo_gap(anchor: WorthState, hitchhiker: WorthState) -> float:
    """Difference of the solo success rates; the top companion of each must be the other."""
    for state, other in ((anchor, HITCHHIKER), (hitchhiker, ANCHOR)):
        companion = top(state)
        if companion is None or companion.card != other:
            return 0.0
    own, theirs = solo(anchor), solo(hitchhiker)
    return own.good / own.uses - theirs.good / theirs.uses


def _trials(seeds: int) -> tuple[list[int], float]:
    """Episodes until the lot has decided each pair, and the share decided for the hitchhiker."""
    needed: list[int] = []
    wrong = 0
    for seed in range(seeds):
        rng, lots = np.random.default_rng([7, seed]), Random(seed)
        for _ in range(TRIALS):
            episodes, right = _trial(rng, lots)
            needed.append(episodes)
            wrong += not right
    return needed, wrong / len(needed)


def _trial(rng: np.random.Generator, lots: Random) -> tuple[int, bool]:
    """One pair, one of the two held back in each episode: episodes used, and whether the anchor won."""
    state = Trial()
    fillers = rng.random((TRIAL_LIMIT, SHOWN_FILLERS)).sum(axis=1)
    luck = rng.random(TRIAL_LIMIT)
    for t in range(TRIAL_LIMIT):
        lot = trial.draw((ANCHOR, HITCHHIKER), lots, chance=1.0)
        shown = lot.withheld == HITCHHIKER  # the trial is the anchor's
        kept = ANCHOR_UTILITY if shown else HITCHHIKER_UTILITY
        good = bool(luck[t] < (fillers[t] + kept) / (SHOWN_FILLERS + 1))
        state = trial.count(state, shown=shown, propensity=lot.shown_chance(ANCHOR), good=good)
        z = z_score(state)
        if abs(z) > boundary(state.v, PAIR.sequential_level, PAIR.sequential_scale):
            return t + 1, z > 0
    return TRIAL_LIMIT, z_score(state) > 0
