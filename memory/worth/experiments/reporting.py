"""How experiments tell of themselves: progress, and a table beside the paper's figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Progress = Callable[[str], None]


class Goal(StrEnum):
    """What a figure is held to."""

    MUST = "must"  # fails the run
    AIM = "aim"  # is reported
    NONE = ""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One figure: where it stands in the results, what the paper says, and between what it must lie."""

    experiment: str
    key: str
    says: str
    paper: str = ""
    goal: Goal = Goal.NONE
    least: float | None = None
    most: float | None = None

    def is_met(self, value: float | None) -> bool:
        """Whether the value lies within the bounds; a missing one does not."""
        if value is None:
            return False
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)


def _must(
    experiment: str,
    key: str,
    says: str,
    paper: str = "",
    least: float | None = None,
    most: float | None = None,
) -> Row:
    return Row(experiment=experiment, key=key, says=says, paper=paper, goal=Goal.MUST, least=least, most=most)


def _aim(
    experiment: str,
    key: str,
    says: str,
    paper: str = "",
    least: float | None = None,
    most: float | None = None,
) -> Row:
    return Row(experiment=experiment, key=key, says=says, paper=paper, goal=Goal.AIM, least=least, most=most)


ROWS: tuple[Row, ...] = (
    Row(experiment="1", key="mw_rho_2k", says="MW, rank correlation at 2,000 episodes", paper="0.66"),
    Row(experiment="1", key="mw_rho_5k", says="MW at 5,000", paper="0.81"),
    _must("1", "mw_rho_10k", "MW at 10,000", "0.89 ± 0.02", least=0.87),
    _must("1", "score_rho_10k", "MW weighted by score", "same value", least=0.85),
    _must("1", "oracle_rho_10k", "MW weighted by an oracle", "0.90", least=0.87),
    _must("1", "weighting_difference", "largest mean difference of weightings", "same value", most=0.02),
    _must("1", "static_rho", "no feedback: importance at write time", "0.00", least=-0.1, most=0.1),
    _must("1", "popularity_rho", "no feedback: popularity", "0.00", least=-0.1, most=0.1),
    _aim("1", "used_rho_2k", "credit of the memory that was used, at 2,000", least=0.93),
    _must("2", "mw_rho", "MW over all requests", "-0.33", least=-0.40, most=-0.25),
    _must("2", "mw_within_rho", "MW within hard requests", "+0.14", least=0.05),
    _must("2", "lift_rho", "lift", least=0.13),
    _aim("2", "lift_rho_a05", "lift, memories matter more (a = .5)", least=0.60),
    _aim("2", "lift_rho_a1", "lift, memories matter most (a = 1)", least=0.80),
    Row(experiment="2", key="lift_rho_mislabelled_2", says="lift, 2 % of the contexts labelled wrongly"),
    Row(experiment="2", key="lift_rho_mislabelled_10", says="lift, 10 % labelled wrongly"),
    _must("2", "specialists_condemned", "good specialists suppressed, all seeds", most=0),
    Row(experiment="2", key="specialists_accused", says="good specialists ever put on trial, all seeds"),
    Row(experiment="2", key="low_mw_specialists", says="good specialists that MW < .40 would drop, of 30"),
    _must("3", "tau1", "softmax over MW, temperature 1", "0.895-0.899", least=0.87),
    _must("3", "tau05", "temperature .5", "0.895-0.899", least=0.87),
    Row(experiment="3", key="tau01", says="temperature .1, no floor"),
    _aim("3", "tau01_floor", "temperature .1 with a floor of 5 %", least=0.86),
    Row(experiment="4", key="f10_mw_share", says="share of the true gap that MW shows, apart in 10 %"),
    _must("4", "f10_gap_share", "share that the solo counters show, apart in 10 %", "needs 30 %", least=0.85),
    Row(experiment="4", key="f30_gap_share", says="the same, apart in 30 %", paper="separable"),
    _aim("4", "f0_median_episodes", "never apart: episodes until the lot decides", most=1000),
    _aim("4", "f0_wrong", "never apart: share decided wrongly", most=0.01),
    Row(experiment="5", key="stale_before", says="MW of the stale fact before the change", paper="0.97"),
    _must("5", "stale_mw", "MW of the stale fact at the end", "0.17", most=0.20),
    _must("5", "crossing_after_change", "episodes from the change until below .40", most=300),
    _must("5", "specialist_mw", "MW of the specialist", "0.77", least=0.74, most=0.80),
    Row(experiment="5", key="hitchhiker_mw", says="MW of its hitchhiker", paper="0.73-0.77"),
    _aim("loop", "success_of_oracle", "success, as a share of the oracle's", least=0.97),
    _aim("loop", "innocents_lost", "innocents suppressed, all seeds", most=0),
    _aim("loop", "stale_out_share", "seeds with the stale fact out within 200 episodes", least=0.95),
    Row(experiment="loop", key="stale_out_median", says="episodes until it was out, median"),
    Row(experiment="loop", key="do_nothing", says="doing nothing, as a share of the oracle's success"),
    Row(experiment="loop", key="plain_mw", says="suppressing at MW < .40"),
    Row(experiment="loop", key="detector_only", says="suppressing every suspect without a trial"),
    Row(experiment="loop", key="plain_innocents_lost", says="innocents lost a seed: suppressing at MW < .40"),
    Row(experiment="loop", key="detector_innocents_lost", says="innocents lost a seed: without a trial"),
    Row(
        experiment="loop",
        key="trial_errors",
        says="failures a seed that the trials caused, of 2,000 episodes",
    ),
    _must("drift", "p90_uses_50", "uses until suspect, 90th percentile, history 50", "MW: 66", most=20),
    _must("drift", "p90_uses_1000", "the same, history 1000", "MW: 1331", most=20),
    _must("drift", "false_per_10k", "false accusations in 10,000 uses", most=1.5),
    _must("cold", "p_condemned", "good newcomers accused within 50 uses", most=0.001),
)


def table(results: Mapping[str, Mapping[str, Any]], rows: Iterable[Row] = ROWS) -> str:
    """The results as text, one line a figure: measured, the paper's, its goal, and whether it is met."""
    lines = [f"{'exp':5} {'figure':58} {'measured':>9}  {'paper':12} {'held to':16} "]
    for row in rows:
        if row.experiment not in results:
            continue
        value = results[row.experiment].get(row.key)
        shown = "-" if value is None else f"{value:9.4g}"
        verdict = "" if row.goal is Goal.NONE else ("yes" if row.is_met(value) else "NO")
        line = f"{row.experiment:5} {row.says:58} {shown:>9}  {row.paper:12} {_bounds(row):16} {verdict}"
        lines.append(line.rstrip())
    return "\n".join(lines)


def missed(results: Mapping[str, Mapping[str, Any]], goal: Goal = Goal.MUST) -> list[str]:
    """The figures that are held to `goal` and do not reach it, as experiment.key."""
    return [
        f"{row.experiment}.{row.key}"
        for row in ROWS
        if row.goal is goal
        and row.experiment in results
        and not row.is_met(results[row.experiment].get(row.key))
    ]


def scalars(result: Mapping[str, Any]) -> dict[str, float | int | None]:
    """The figures of a result without its curves, rounded to what 20 seeds can tell."""
    return {
        key: round(value, 5) if isinstance(value, float) else value
        for key, value in result.items()
        if value is None or isinstance(value, int | float)
    }


def _bounds(row: Row) -> str:
    if row.least is not None and row.most is not None:
        return f"{row.goal} {row.least:g}..{row.most:g}"
    if row.least is not None:
        return f"{row.goal} >= {row.least:g}"
    return f"{row.goal} <= {row.most:g}" if row.most is not None else ""
