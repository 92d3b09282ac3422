"""What the conductor itself says, in five languages."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

_DATA = Path(__file__).parent / "data" / "sentences.toml"


def phrase(name: str, language: str) -> str:
    """One of the conductor's own sentences; English where the language has none."""
    tables = _tables()
    table = tables.get(language, tables["en"])
    return table.get(name, table["error"])


@cache
def _tables() -> dict[str, dict[str, str]]:
    return tomllib.loads(_DATA.read_text(encoding="utf-8"))
