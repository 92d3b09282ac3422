"""Cold start: how likely a new memory that serves well is accused on its first uses."""

from __future__ import annotations

from typing import Any

import numpy as np

from memory.worth.estimator import Regime, absorb
from memory.worth.experiments.reporting import Progress
from memory.worth.status import damning_rows

SUCCESS, USES, WORLDS = 0.8, 50, 20_000  # worlds a seed


def run(seeds: int, progress: Progress) -> dict[str, Any]:
    """The share of memories that succeed in 80 % of their uses and are suspect at any of the first 50."""
    rng = np.random.default_rng([5, seeds])
    worlds = seeds * WORLDS
    regime = Regime.fresh(worlds)
    condemned = np.zeros(worlds, dtype=bool)
    for _ in range(USES):
        regime, _ = absorb(regime, rng.random(worlds) < SUCCESS, SUCCESS)
        condemned |= damning_rows(regime.s, regime.n, regime.e)
    progress(f"cold start: {worlds} memories")
    return {"p_condemned": float(condemned.mean()), "memories": worlds}
