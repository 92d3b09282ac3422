"""`make bench-listen DATA=file [MODEL=embedded|lazy|greedy|hostile|any model setting] [OUT=file]`."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from memory.config import LANGUAGES
from memory.llm.interface import Model
from memory.llm.personalities import greedy, hostile, lazy
from memory.llm.scripted import ScriptedModel
from tests.benchmarks.listening import Judged, Player, figures

_PERSONALITIES = {"lazy": lazy, "greedy": greedy, "hostile": hostile}


def chosen(name: str, var: Path) -> Callable[[], Model] | None:
    """The model that MODEL names; None leaves the choice to the product's own settings.

    Raises:
        SystemExit: the name is not understood.
    """
    if name in ("", "embedded"):
        return None
    if name in _PERSONALITIES:
        model = ScriptedModel(then=_PERSONALITIES[name], label=name)
        return lambda: model
    from memory.config import Settings
    from memory.llm.choose import load_connection
    from memory.llm.remote import RemoteModel

    env = {**os.environ, "ASTERISM_MODEL": name, "ASTERISM_VAR": str(var)}
    settings = Settings.from_env(env, root=Path.cwd())
    connection = load_connection(settings)
    if connection is None:
        sys.exit(f"MODEL={name} is no model")
    remote = RemoteModel(
        connection, timeout_s=settings.model_timeout_s, longest_chars=settings.model_longest_chars
    )
    return lambda: remote


def main() -> None:
    """Play all dialogues, print figures by language, and one JSON object at the end."""
    started = perf_counter()
    data = os.environ.get("DATA", "")
    if not data:
        sys.exit("DATA=file with one dialogue a line is needed")
    dialogues = [json.loads(line) for line in Path(data).read_text().splitlines() if line.strip()]
    if os.environ.get("QUICK"):
        dialogues = dialogues[::5]
    if only := os.environ.get("ONLY"):
        dialogues = [each for each in dialogues if any(name in each["id"] for name in only.split(","))]
    name = os.environ.get("MODEL", "embedded")
    results: dict[str, list[Judged]] = {}
    with tempfile.TemporaryDirectory() as folder:
        connected = name not in ("", "embedded", *_PERSONALITIES)
        player = Player(var=Path(folder), model=chosen(name, Path(folder)), proposes=connected)
        player.embedder.preload()
        for number, dialogue in enumerate(dialogues):
            results[dialogue["id"]] = player.play(dialogue)
            if (number + 1) % 20 == 0:
                print(f"{number + 1} of {len(dialogues)}", flush=True)
        player.close()
    _write_out(dialogues, results)
    aside = {d["id"] for index, d in enumerate(dialogues) if index % 3 == 2}
    report: dict[str, Any] = {
        "all": figures(results.values()),
        "languages": {
            language: figures(results[d["id"]] for d in dialogues if d["lang"] == language)
            for language in LANGUAGES
        },
        "tuned_on": figures(judged for each, judged in results.items() if each not in aside),
        "kept_aside": figures(judged for each, judged in results.items() if each in aside),
        "model": name,
        "quick": bool(os.environ.get("QUICK")),
        "seed": 0,
        "seconds": round(perf_counter() - started, 1),
    }
    _print_table(report)
    print(json.dumps(report))


def _write_out(dialogues: list[dict[str, Any]], results: dict[str, list[Judged]]) -> None:
    out = os.environ.get("OUT")
    if not out:
        return
    with Path(out).open("w") as file:
        for dialogue in dialogues:
            judged = results[dialogue["id"]]
            line = {
                "id": dialogue["id"],
                "right": all(each.right for each in judged),
                "expected": [turn["expect"] for turn in dialogue["turns"]],
                "found": [each.notes for each in judged],
                "said": [turn["user"] for turn in dialogue["turns"]],
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _print_table(report: dict[str, Any]) -> None:
    keys = list(report["all"])
    rows = {
        "all": report["all"],
        **report["languages"],
        "tuned on": report["tuned_on"],
        "aside": report["kept_aside"],
    }
    print(f"{'':10}" + "".join(f"{key[:14]:>16}" for key in keys))
    for name, row in rows.items():
        print(f"{name:10}" + "".join(f"{row[key]:>16}" for key in keys))


if __name__ == "__main__":
    main()
