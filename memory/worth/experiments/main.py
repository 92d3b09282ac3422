"""`worth experiment N [--seeds 20] [--out DIR]`: progress, a table beside the paper, plots, one JSON line."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from memory.worth.experiments import (
    cold,
    convergence,
    difficulty,
    drift,
    feedback,
    hitchhiker,
    loop,
    minilm,
    plots,
    text,
)
from memory.worth.experiments.reporting import Progress, missed, scalars, table

SEEDS = 20

SYNTHETIC: dict[str, Callable[[int, Progress], dict[str, Any]]] = {
    "1": convergence.run,
    "2": difficulty.run,
    "3": feedback.run,
    "4": hitchhiker.run,
    "drift": drift.run,
    "cold": cold.run,
}
ON_TEXT: dict[str, Callable[[int, Progress, Path], dict[str, Any]]] = {"5": text.run, "loop": loop.run}
NAMES = ("1", "2", "3", "4", "5", "drift", "cold", "loop")


def run(name: str, seeds: int, progress: Progress, var: Path) -> dict[str, Any]:
    """Run one experiment.

    Args:
        name: one of `NAMES`.
        seeds: how many worlds; 20 for the figures in the documentation.
        progress: is told one line now and then.
        var: the product's folder; the sentence model is installed below it when the experiment needs it.

    Raises:
        Unavailable: the sentence model could not be installed.
    """
    if name in SYNTHETIC:
        return SYNTHETIC[name](seeds, progress)
    folder = model_home(var)
    if not minilm.is_installed(folder):
        progress("installing the sentence model, for the experiments only (90 MB)")
        minilm.install(folder)
    return ON_TEXT[name](seeds, progress, folder)


def model_home(var: Path) -> Path:
    """Where the experiments keep the sentence model."""
    return var / "experiments" / "minilm"


def main(argv: Sequence[str], *, var: Path = Path("var")) -> int:
    """Run the command line; 0 when every figure that must hold does."""
    parser = argparse.ArgumentParser(prog="worth experiment", description=__doc__)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--out", type=Path, help="folder for the plots; none without it")
    options = parser.parse_args(argv)
    if options.seeds < 1:
        parser.error("--seeds: at least 1")
    started = time.perf_counter()
    result = run(options.name, options.seeds, _say, var)
    results = {options.name: result}
    print(table(results))
    if options.out is not None:
        print(f"plot: {plots.write(options.name, result, options.out)}")
    line = {
        "experiment": options.name,
        **scalars(result),
        "missed": missed(results),
        "seeds": options.seeds,
        "seed": 0,
        "seconds": round(time.perf_counter() - started, 1),
    }
    print(json.dumps(line))
    return 1 if line["missed"] else 0


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
