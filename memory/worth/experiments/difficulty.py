"""Experiment 2: are memories of hard requests blamed for the requests?

70 generalists with utility U(0, 1), and 30 specialists of .85 that only hard requests retrieve. An easy
request goes well with .78, a hard one with .28, plus a (mean utility of the eight shown - .5).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.worth.episode import Episode, Use
from memory.worth.estimator import Regime, absorb, context_base, lifted_worth
from memory.worth.experiments.reporting import Progress
from memory.worth.experiments.statistics import mean_spearman
from memory.worth.ledger import Ledger, record
from memory.worth.primitive import Array, worth
from memory.worth.ranking import Offer, draw
from memory.worth.state import Status
from memory.worth.status import damning_rows

GENERALISTS, SPECIALISTS, SHOWN, EPISODES = 70, 30, 8, 10_000
FEWEST = 20  # worlds that run side by side; fewer would not be faster, only noisier
BASE = np.array([0.78, 0.28])  # easy, hard
START = datetime(2026, 1, 1, tzinfo=UTC)
MEMORIES = GENERALISTS + SPECIALISTS


@dataclass(kw_only=True)
class Worlds:
    """Counters of all seeds at once, (worlds, memories)."""

    utility: Array
    good: Array  # [2 contexts, worlds, memories]
    bad: Array
    regime: Regime
    accused: NDArray[np.bool_]  # ever damning: would have been put on trial


def run(seeds: int, progress: Progress) -> dict[str, Any]:
    """Correlations of MW, of MW within hard requests, and of lift with the true utility."""
    strengths = {"": 0.1, "_a05": 0.5, "_a1": 1.0}
    together = max(seeds, FEWEST)
    result: dict[str, Any] = {}
    for suffix, strength in strengths.items():
        worlds = _play(together, strength)
        r = worlds.regime
        mw = worth(worlds.good.sum(axis=0), worlds.bad.sum(axis=0))
        within = worth(worlds.good[1], worlds.bad[1])
        result[f"mw_rho{suffix}"] = mean_spearman(worlds.utility, mw)
        result[f"mw_within_rho{suffix}"] = mean_spearman(worlds.utility, within)
        result[f"lift_rho{suffix}"] = mean_spearman(worlds.utility, lifted_worth(r.s, r.n, r.e))
        result[f"specialists_accused{suffix}"] = int(worlds.accused[:, GENERALISTS:].sum())
        result[f"low_mw_specialists{suffix}"] = float((mw[:, GENERALISTS:] < 0.40).sum(axis=1).mean())
        progress(f"experiment 2: a = {strength}, {together} seeds")
    for wrong in (0.02, 0.10):
        r = (worlds := _play(together, strengths[""], mislabelled=wrong)).regime
        name = f"lift_rho_mislabelled_{wrong * 100:.0f}"
        result[name] = mean_spearman(worlds.utility, lifted_worth(r.s, r.n, r.e))
    condemned = []
    for seed in range(seeds):
        condemned.append(_govern(seed, strengths[""]))
        progress(f"experiment 2, governed: seed {seed + 1} of {seeds}")
    result["specialists_condemned"] = sum(specialists for specialists, _ in condemned)
    result["generalists_condemned"] = sum(generalists for _, generalists in condemned)
    return result


def _govern(seed: int, strength: float) -> tuple[int, int]:
    """How many specialists and generalists are ever suppressed when the shipped code is in charge."""
    rng, lots = np.random.default_rng([2, seed, 99]), Random(seed)
    utility = np.concatenate([rng.random(GENERALISTS), np.full(SPECIALISTS, 0.85)])
    ledger = Ledger()
    suppressed: set[int] = set()
    for t in range(EPISODES):
        hard = int(rng.integers(2))
        lottery = rng.random(MEMORIES)
        lottery[list(suppressed)] = 3.0
        if not hard:
            lottery[GENERALISTS:] += 2.0  # easy requests find no specialist
        found = lottery.argpartition(SHOWN)[:SHOWN].tolist()
        lot = draw(ledger.cards, [Offer(card=c, asked=False, replaceable=True) for c in found], lots)
        uses = tuple(Use(card=c, shown=c != lot.withheld, propensity=lot.shown_chance(c)) for c in found)
        served = utility[[use.card for use in uses if use.shown]].mean()
        good = bool(rng.random() < BASE[hard] + strength * (served - 0.5))
        at = START + timedelta(minutes=t)
        change = record(ledger, Episode(id=t, at=at, context=str(hard), uses=uses, good=good))
        suppressed.update(c for c, state in change.cards.items() if state.status is Status.SUPPRESSED)
        ledger = ledger.updated(change)
    specialists = sum(card >= GENERALISTS for card in suppressed)
    return specialists, len(suppressed) - specialists


def _play(seeds: int, strength: float, mislabelled: float = 0.0) -> Worlds:
    rng = np.random.default_rng([2, seeds, int(strength * 10)])
    utility = np.concatenate([rng.random((seeds, GENERALISTS)), np.full((seeds, SPECIALISTS), 0.85)], axis=1)
    tallies = np.zeros((2, seeds, 2))  # good, episodes by context
    worlds = Worlds(
        utility=utility,
        good=np.zeros((2, seeds, MEMORIES)),
        bad=np.zeros((2, seeds, MEMORIES)),
        regime=Regime.fresh((seeds, MEMORIES)),
        accused=np.zeros((seeds, MEMORIES), dtype=bool),
    )
    world = np.arange(seeds)
    for _ in range(EPISODES):
        hard = rng.integers(2, size=seeds)
        lottery = rng.random((seeds, MEMORIES))
        lottery[:, GENERALISTS:] += 2.0 * (hard == 0)[:, None]  # easy requests find no specialist
        shown = lottery.argpartition(SHOWN, axis=1)[:, :SHOWN]
        effect = strength * (np.take_along_axis(utility, shown, axis=1).mean(axis=1) - 0.5)
        good = (rng.random(seeds) < BASE[hard] + effect).astype(float)
        # What the retriever takes the request for.
        label = np.where(rng.random(seeds) < mislabelled, 1 - hard, hard)
        base = np.array([context_base(*tallies[label[w], w]) for w in world])
        tallies[label, world] += np.stack([good, np.ones(seeds)], axis=1)
        _count(worlds, world[:, None], shown, label[:, None], good[:, None], base[:, None])
    return worlds


def _count(
    worlds: Worlds,
    world: NDArray[np.int64],
    shown: NDArray[np.int64],
    hard: NDArray[np.int64],
    good: Array,
    base: Array,
) -> None:
    """Move the counters of what each world showed, in place."""
    worlds.good[hard, world, shown] += good
    worlds.bad[hard, world, shown] += 1.0 - good
    now, _ = absorb(Regime(*(column[world, shown] for column in worlds.regime)), good, base)
    for column, values in zip(worlds.regime, now, strict=True):
        column[world, shown] = values
    worlds.accused[world, shown] |= damning_rows(now.s, now.n, now.e)
