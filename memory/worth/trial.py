"""Trials: lots that hold a suspect back, and what their outcomes say of it.

The statistic is the score of a randomisation test. With a_t = 1 where the suspect was shown, p_t the
chance of that, y_t the outcome and m_t the mean outcome of the trial before t,

    U = sum (a_t - p_t) (y_t - m_t),    V = sum p_t (1 - p_t) (y_t - m_t)^2,    z = U / sqrt(V).

If the suspect makes no difference, U is a martingale whatever the outcomes do: only our own lots make it
move. So a drifting world, lots of changing propensity, and a choice of suspects that looks at the past
leave the test valid (Rosenbaum, "Observational Studies", ch. 2, on randomisation inference).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from memory.worth.policy import POLICY, Policy
from memory.worth.state import Trial


class Finding(StrEnum):
    """How a trial stands."""

    OPEN = "open"
    GUILTY = "guilty"  # episodes go worse with it
    CLEARED = "cleared"  # they go better with it, or no difference was found in time


@dataclass(frozen=True, kw_only=True)
class Lots:
    """What the lots decided for one retrieval. Logged with the episode."""

    withheld: int | None = None  # at most one
    propensity: Mapping[int, float]  # chance of being shown, for each card that a lot was drawn over

    def shown_chance(self, card: int) -> float:
        """The chance with which this card was shown; 1 where no lot was drawn over it."""
        return self.propensity.get(card, 1.0)


def draw(cards: Sequence[int], rng: Random, *, chance: float | None = None) -> Lots:
    """Hold back one of `cards` or none.

    All of them and "none" have the same chance by default, so that a lone suspect is held back in one
    half of its episodes, and several are tried side by side against the same undisturbed episodes.

    Args:
        cards: those that may be held back in this episode.
        rng: seeded by the caller.
        chance: of holding back any, 0..1; by default len(cards) / (len(cards) + 1).
    """
    if not cards:
        return Lots(propensity={})
    held = len(cards) / (len(cards) + 1) if chance is None else chance
    shown = {card: 1.0 - held / len(cards) for card in cards}
    withheld = rng.choice(sorted(cards)) if rng.random() < held else None
    return Lots(withheld=withheld, propensity=shown)


def count(trial: Trial, *, shown: bool, propensity: float, good: bool) -> Trial:
    """The trial after one more episode over which a lot was drawn."""
    y = float(good)
    mean = (trial.shown_good + trial.withheld_good + 1.0) / (trial.episodes + 2.0)
    residual = y - mean
    return replace(
        trial,
        shown=trial.shown + shown,
        shown_good=trial.shown_good + (shown and good),
        withheld=trial.withheld + (not shown),
        withheld_good=trial.withheld_good + (not shown and good),
        u=trial.u + (float(shown) - propensity) * residual,
        v=trial.v + propensity * (1.0 - propensity) * residual * residual,
    )


def z_score(trial: Trial) -> float:
    """Standard score of the suspect's effect: negative when episodes go worse with it; 0 without lots."""
    return trial.u / math.sqrt(trial.v) if trial.v > 0 else 0.0


def boundary(v: float, level: float, scale: float) -> float:
    """|z| that a useless statistic reaches at any look with probability of at most `level`.

    Robbins' normal mixture (1970): sqrt((1 + scale / v) (ln(1 + v / scale) + 2 ln(1 / level))), for one side
    a little conservative. `v` and `scale` are variances of U; at `scale` the boundary is tightest.
    """
    if v <= 0:
        return math.inf
    return math.sqrt((1.0 + scale / v) * (math.log1p(v / scale) + 2.0 * math.log(1.0 / level)))


def finding(trial: Trial, policy: Policy = POLICY) -> Finding:
    """Whether the trial is over. Never before `min_arm` episodes in each arm."""
    if trial.shown < policy.min_arm or trial.withheld < policy.min_arm:
        return Finding.OPEN
    z = z_score(trial)
    convict = (
        -boundary(trial.v, policy.sequential_level, policy.sequential_scale)
        if policy.sequential
        else policy.convict_z
    )
    if z < convict:
        return Finding.GUILTY
    if z > policy.exonerate_z or trial.episodes >= policy.max_trial:
        return Finding.CLEARED
    return Finding.OPEN
