"""Experiment 1: does Memory Worth rank memories by their true utility?

100 memories with utility U(0, 1); each of 10,000 episodes retrieves 8 at random and goes well with the mean
utility of the eight. Credit is shared evenly, by retrieval score, or by an oracle; static scores and
popularity serve as baselines, and credit of the one memory that decided the episode as the way out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.worth.experiments.reporting import Progress
from memory.worth.experiments.statistics import spearman
from memory.worth.primitive import Array, Weighting, tally, weights, worth

MEMORIES, SHOWN, EPISODES = 100, 8, 10_000
CHECKPOINTS = (500, 1000, 2000, 5000, 10_000)


def run(seeds: int, progress: Progress) -> dict[str, Any]:
    """Spearman correlations with the true utility, means over seeds; `curves` by checkpoint."""
    found: dict[str, list[float]] = {}
    for seed in range(seeds):
        for name, value in _seed(np.random.default_rng([1, seed])).items():
            found.setdefault(name, []).append(value)
        progress(f"experiment 1: seed {seed + 1} of {seeds}")
    mean = {name: float(np.mean(values)) for name, values in found.items()}
    result: dict[str, Any] = {name: value for name, value in mean.items() if "@" not in name}
    result |= {
        "mw_rho_2k": mean["uniform@2000"],
        "mw_rho_5k": mean["uniform@5000"],
        "mw_rho_10k": mean["uniform@10000"],
        "mw_rho_10k_sd": float(np.std(found["uniform@10000"])),
        "score_rho_10k": mean["score@10000"],
        "oracle_rho_10k": mean["oracle@10000"],
        "used_rho_2k": mean["used@2000"],
        "used_rho_10k": mean["used@10000"],
        "curves": {
            name: [mean[f"{name}@{checkpoint}"] for checkpoint in CHECKPOINTS]
            for name in ("uniform", "score", "oracle", "used")
        },
        "checkpoints": list(CHECKPOINTS),
    }
    return result


def _seed(rng: np.random.Generator) -> dict[str, float]:
    utility = rng.random(MEMORIES)
    shown = rng.random((EPISODES, MEMORIES)).argpartition(SHOWN, axis=1)[:, :SHOWN]
    good = (rng.random(EPISODES) < utility[shown].mean(axis=1)).astype(float)
    scores = rng.random((EPISODES, SHOWN))
    credit = {
        "uniform": weights(Weighting.UNIFORM, scores),
        "score": weights(Weighting.SCORE, scores),
        "oracle": weights(Weighting.ORACLE, utility[shown]),
    }
    found: dict[str, float] = {}
    final: dict[str, Array] = {}
    for name, share in credit.items():
        for checkpoint in CHECKPOINTS:
            final[name] = _worth_after(checkpoint, shown, share, good)
            found[f"{name}@{checkpoint}"] = spearman(utility, final[name])
    # One of the eight decides the episode: the same chance of success, but now somebody knows whose it was.
    decisive = rng.integers(SHOWN, size=EPISODES)
    used = shown[np.arange(EPISODES), decisive][:, None]
    outcome = (rng.random(EPISODES) < utility[used[:, 0]]).astype(float)
    for checkpoint in CHECKPOINTS:
        estimate = _worth_after(checkpoint, used, np.ones((EPISODES, 1)), outcome)
        found[f"used@{checkpoint}"] = spearman(utility, estimate)
    found["weighting_difference"] = max(
        float(np.abs(final[name] - final["uniform"]).mean()) for name in ("score", "oracle")
    )
    found["static_rho"] = spearman(utility, rng.random(MEMORIES))  # importance given at write time
    found["popularity_rho"] = spearman(utility, np.bincount(shown.ravel(), minlength=MEMORIES))
    return found


def _worth_after(episodes: int, shown: NDArray[np.int64], share: Array, good: Array) -> Array:
    plus, minus = tally(0.0, 0.0, share[:episodes], good[:episodes, None])
    rows = shown[:episodes].ravel()
    return worth(
        np.bincount(rows, weights=plus.ravel(), minlength=MEMORIES),
        np.bincount(rows, weights=minus.ravel(), minlength=MEMORIES),
    )
