"""`make bench-worth`: every experiment of Memory Worth on the shipped code, beside the paper's figures.

QUICK=1 runs 6 seeds instead of 20: a look, too noisy to fail. The last line is one JSON object.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from memory.worth.experiments.main import NAMES, SEEDS, run
from memory.worth.experiments.reporting import Goal, missed, scalars, table

QUICK_SEEDS = 6


def main() -> int:
    """Print progress, a table and one JSON line; 1 when a figure that must hold does not, on all seeds."""
    quick = os.environ.get("QUICK", "") not in ("", "0")
    seeds = QUICK_SEEDS if quick else SEEDS
    var = Path(os.environ.get("ASTERISM_VAR") or "var")
    started = time.perf_counter()

    def say(line: str) -> None:
        print(f"[{time.perf_counter() - started:6.1f} s] {line}", flush=True)

    results: dict[str, dict[str, Any]] = {name: run(name, seeds, say, var) for name in NAMES}
    print(table(results))
    line: dict[str, Any] = {
        ("exp" + name if name.isdigit() else name): scalars(result) for name, result in results.items()
    }
    line |= {
        "missed": missed(results),
        "missed_aims": missed(results, Goal.AIM),
        "quick": quick,
        "seeds": seeds,
        "seed": 0,
        "seconds": round(time.perf_counter() - started, 1),
    }
    print(json.dumps(line))
    return 1 if line["missed"] and not quick else 0


if __name__ == "__main__":
    sys.exit(main())
