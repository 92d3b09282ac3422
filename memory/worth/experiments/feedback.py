"""Experiment 3: does Memory Worth collapse when it drives the retrieval that feeds it?

100 memories with utility U(0, 1); 8 are retrieved by a softmax over their MW, so that what looked good early
is asked more often. A floor mixes in some uniform retrieval.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from memory.worth.experiments.reporting import Progress
from memory.worth.experiments.statistics import mean_spearman
from memory.worth.policy import POLICY
from memory.worth.primitive import Array, tally, worth

MEMORIES, SHOWN, EPISODES = 100, 8, 10_000

FEWEST = 20  # worlds that run side by side; fewer would not be faster, only noisier

SETTINGS = {  # name: temperature, floor
    "tau1": (1.0, 0.0),
    "tau05": (0.5, 0.0),
    "tau01": (0.1, 0.0),
    "tau01_floor": (0.1, POLICY.explore),
}


def run(seeds: int, progress: Progress) -> dict[str, Any]:
    """Correlation with the true utility after 10,000 episodes for each temperature, and how much was seen."""
    result: dict[str, Any] = {}
    together = max(seeds, FEWEST)
    for name, (temperature, floor) in SETTINGS.items():
        utility, estimate, uses = _play(together, temperature, floor)
        result[name] = mean_spearman(utility, estimate)
        result[f"{name}_fewest_uses"] = float(uses.min(axis=1).mean())
        progress(f"experiment 3: temperature {temperature}, floor {floor}, {together} seeds")
    return result


def _play(seeds: int, temperature: float, floor: float) -> tuple[Array, Array, Array]:
    """True utility, MW and number of uses, (seeds, memories)."""
    rng = np.random.default_rng([3, seeds, int(temperature * 10), int(floor * 100)])
    utility = rng.random((seeds, MEMORIES))
    plus, minus = np.zeros((seeds, MEMORIES)), np.zeros((seeds, MEMORIES))
    uses = np.zeros((seeds, MEMORIES))
    rows = np.arange(seeds)[:, None]
    for _ in range(EPISODES):
        logits = worth(plus, minus) / temperature
        explore = rng.random((seeds, 1)) < floor
        # Gumbel noise and the best eight: a softmax draw without putting back.
        keys = np.where(explore, 0.0, logits) + rng.gumbel(size=logits.shape)
        shown = keys.argpartition(MEMORIES - SHOWN, axis=1)[:, -SHOWN:]
        good = (rng.random(seeds) < utility[rows, shown].mean(axis=1)).astype(float)[:, None]
        plus[rows, shown], minus[rows, shown] = tally(
            plus[rows, shown], minus[rows, shown], 1.0 / SHOWN, good
        )
        uses[rows, shown] += 1
    return utility, worth(plus, minus), uses
