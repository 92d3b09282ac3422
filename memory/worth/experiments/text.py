"""Experiment 5: the paper's Memory Worth over real sentence vectors; nothing acts on it.

3000 requests of a household, answered from the four memories whose all-MiniLM-L6-v2 vectors are closest.
At episode 100 a fact goes stale. Uniform credit.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.worth.experiments import household
from memory.worth.experiments.household import Household
from memory.worth.experiments.reporting import Progress
from memory.worth.policy import POLICY
from memory.worth.primitive import Weighting, tally, weights, worth

EPISODES = 3000
CHANGE = 100


def simulate(world: Household, seed: int) -> NDArray[np.float64]:
    """MW of each memory after each episode, (episodes, memories); one half before its first use."""
    rng = np.random.default_rng(seed)
    asked, scores = household.requests(world, EPISODES, rng)
    luck = rng.random(EPISODES)
    h_plus, h_minus = np.zeros(len(world.names)), np.zeros(len(world.names))
    history = np.zeros((EPISODES, len(world.names)))
    for t in range(EPISODES):
        shown = household.retrieve(scores[t], range(len(world.names)))
        chance = household.chance_of_success(world, int(asked[t]), shown, changed=t >= CHANGE)
        share = weights(Weighting.UNIFORM, scores[t, shown])
        h_plus[shown], h_minus[shown] = tally(h_plus[shown], h_minus[shown], share, float(luck[t] < chance))
        history[t] = worth(h_plus, h_minus)
    return history


def run(seeds: int, progress: Progress, folder: Path) -> dict[str, Any]:
    """Final MW of the three memories that the paper follows, and when the stale one fell below .40.

    Means over seeds; `crossing_episode` is the median, counted from the first episode, and
    `crossing_after_change` the same from the change.
    """
    world = household.load(folder)
    stale = world.index(household.STALE)
    specialist, hitchhiker = world.index(household.SPECIALIST), world.index(household.HITCHHIKER)
    histories = []
    for seed in range(seeds):
        histories.append(simulate(world, seed))
        progress(f"experiment 5: seed {seed + 1} of {seeds}")
    final = np.mean([history[-1] for history in histories], axis=0)
    crossings = []
    for history in histories:
        below = history[CHANGE:, stale] < POLICY.low
        crossings.append(CHANGE + int(np.argmax(below)) if below.any() else EPISODES)
    return {
        "stale_before": float(np.mean([history[CHANGE - 1, stale] for history in histories])),
        "stale_mw": float(final[stale]),
        "crossing_episode": float(np.median(crossings)),
        "crossing_after_change": float(np.median(crossings)) - CHANGE,
        "crossing_latest": float(max(crossings)),
        "specialist_mw": float(final[specialist]),
        "hitchhiker_mw": float(final[hitchhiker]),
        "change": CHANGE,
        "curves": {
            "stale": np.mean([history[:, stale] for history in histories], axis=0).tolist(),
            "specialist": np.mean([history[:, specialist] for history in histories], axis=0).tolist(),
            "hitchhiker": np.mean([history[:, hitchhiker] for history in histories], axis=0).tolist(),
        },
    }
