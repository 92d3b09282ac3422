"""Every number that Memory Worth acts on, in one place, with its unit and its reason."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The parameters of the estimator, the detector, the trials and the statuses.

    The thresholds of the paper (trust .60, low .40, ten episodes) are kept; the rest
    is ours, chosen on the experiments in `memory/worth/experiments`.
    """

    trust: float = 0.60  # the paper's: worth above it is trusted
    low: float = 0.40  # the paper's: worth below it is low
    min_uses: int = 10  # the paper's: fewer uses say nothing about being good

    kappa: float = 20.0  # uses; how strongly lift is drawn towards 0
    variance: float = 0.2  # of one outcome around its expectation; sd of W is sqrt(variance / (n + kappa))
    z_lower: float = 1.645  # one-sided 95 %

    alarm: float = 9.0  # nats of evidence for a change before the detector alarms
    freeze: float = 4.5  # nats from which the reference no longer learns what may be the new regime

    min_negative_uses: int = 5  # fewer failures than this never make a suspect
    negative_level: float = 0.95  # of the upper bound that must lie below `low`
    z_negative: float = 3.0  # sd of W by which it must lie below one half; each use is another look
    strict_uses: int = 10  # uses before a suppressed memory may be proposed for forgetting
    strict_level: float = 0.99
    deprecate_after: timedelta = timedelta(days=30)

    min_arm: int = 5  # episodes in each arm before a trial may end
    convict_z: float = -2.33  # one-sided 1 % for one look
    exonerate_z: float = 1.28  # one-sided 10 %: letting go is cheap
    max_trial: int = 60  # episodes after which an undecided trial exonerates
    sequential: bool = False  # convict by the boundary that holds at every look (thousands on trial)
    sequential_level: float = 0.01  # chance ever to convict a memory that makes no difference
    sequential_scale: float = 0.5  # variance of U at which the boundary is tightest

    entangled_rate: float = 0.7  # share of uses together with one companion
    min_solo: int = 10  # uses apart that are needed before a companion's evidence counts as its own
    companions: int = 8  # how many companions a memory remembers

    ask_after: int = 2  # doubts, two a named failure, from which an answer asks "still right?"
    ask_doublings: int = 3  # each "yes" doubles that number, so often at most: who was answered does not nag
    in_vain: int = 12  # doubts at which asking has brought no answer, so that lots may decide
    lean: float = 0.125  # of `span`: how far each doubt lowers the term

    explore: float = 0.05  # share of retrievals ranked without worth, and of entangled pairs taken apart
    span: float = 0.15  # largest share by which worth may raise or lower a ranking score


POLICY = Policy()
