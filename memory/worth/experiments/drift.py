"""How fast a fact that goes stale is noticed, and how often one that does not is accused."""

from __future__ import annotations

from typing import Any

import numpy as np

from memory.worth.estimator import Regime, absorb
from memory.worth.experiments.reporting import Progress
from memory.worth.policy import POLICY
from memory.worth.primitive import Array, tally, worth
from memory.worth.status import damning_rows

BEFORE, AFTER = 0.8, 0.1  # chance of success before and after the change
HISTORIES = (50, 1000)  # uses before the change
WORLDS = 400  # a seed
PATIENCE = 100  # uses after the change that are watched
CALM_USES, CALM_WORLDS = 10_000, 25


def run(seeds: int, progress: Progress) -> dict[str, Any]:
    """Uses until a stale memory is suspect (90th percentile), and false accusations in 10,000 uses.

    `mw_uses_*` is what plain MW needs to fall below .40 on the same outcomes, in the mean.
    """
    result: dict[str, Any] = {}
    for history in HISTORIES:
        found, plain = _after_change(history, seeds)
        result[f"p50_uses_{history}"] = float(np.median(found))
        result[f"p90_uses_{history}"] = float(np.quantile(found, 0.9))
        result[f"mw_uses_{history}"] = float(plain.mean())
        progress(f"drift: after {history} uses, {seeds * WORLDS} worlds")
    result["false_per_10k"] = _calm(seeds)
    progress(f"drift: {CALM_USES} uses without a change, {seeds * CALM_WORLDS} worlds")
    return result


def _after_change(history: int, seeds: int) -> tuple[Array, Array]:
    rng = np.random.default_rng([4, seeds, history])
    worlds = seeds * WORLDS
    regime = Regime.fresh(worlds)
    for _ in range(history):
        regime, _ = absorb(regime, rng.random(worlds) < BEFORE, BEFORE)
    plus = rng.binomial(history, BEFORE, size=worlds).astype(float)
    minus = history - plus
    found, plain = np.full(worlds, np.inf), np.full(worlds, np.inf)
    use = 0
    while use < PATIENCE or np.isinf(plain).any():
        use += 1
        good = (rng.random(worlds) < AFTER).astype(float)
        plus, minus = tally(plus, minus, 1.0, good)
        plain = np.where(np.isinf(plain) & (worth(plus, minus) < POLICY.low), use, plain)
        if use <= PATIENCE:
            regime, _ = absorb(regime, good, BEFORE)
            suspect = damning_rows(regime.s, regime.n, regime.e)
            found = np.where(np.isinf(found) & suspect, use, found)
    return found, plain


def _calm(seeds: int) -> float:
    """Accusations in 10,000 uses of a memory that goes on serving; each starts afresh, as once cleared."""
    rng = np.random.default_rng([4, seeds, 0])
    worlds = seeds * CALM_WORLDS
    regime = Regime.fresh(worlds)
    accusations = 0
    for _ in range(CALM_USES):
        regime, _ = absorb(regime, rng.random(worlds) < BEFORE, BEFORE)
        accused = damning_rows(regime.s, regime.n, regime.e)
        if accused.any():
            accusations += int(accused.sum())
            regime = Regime(*(np.where(accused, 0.0, column) for column in regime))
    return accusations / worlds * 10_000 / CALM_USES
