"""House rules that a machine can see to. Import directions are contracts in pyproject.toml."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted([ROOT / "app.py", *(ROOT / "memory").rglob("*.py"), *(ROOT / "jobs").rglob("*.py")])
_TIME_CALLS = {
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("datetime", "today"),
    ("date", "today"),
    ("time", "time"),
}


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_rows_stay_in_storage() -> None:
    private = {"memory.storage.tables"}
    found = [
        _name(path)
        for path in SOURCES
        if "memory/storage/" not in _name(path) and private & set(_imports(path))
    ]
    assert found == []


# Not queries: they make the engine and the schema, types, and conversions.
_NO_QUERIES = {"engine", "migrate", "tables", "types", "__init__"}


@pytest.mark.parametrize(
    "path",
    [path for path in sorted((ROOT / "memory" / "storage").glob("*.py")) if path.stem not in _NO_QUERIES],
    ids=lambda path: path.stem,
)
def test_a_query_works_in_its_callers_transaction(path: Path) -> None:
    """So that a locked database is told in one place, and several queries are one step."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute):
            assert node.attr not in ("commit", "rollback"), f"{path.name}:{node.lineno} ends a transaction"
        if isinstance(node, ast.Name):
            assert node.id not in ("transaction", "reading"), f"{path.name}:{node.lineno} opens a transaction"


def test_only_the_clock_asks_the_system_for_the_time() -> None:
    found = []
    for path in SOURCES:
        if _name(path) == "memory/clock.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and (node.func.value.id, node.func.attr) in _TIME_CALLS
            ):
                found.append(f"{_name(path)}:{node.lineno}")
    assert found == []


def test_each_room_has_its_place_in_the_import_directions() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    placed = {name.strip(" ()") for line in layers for name in line.split("|")}
    rooms = {f"memory.{path.parent.name}" for path in (ROOT / "memory").glob("*/__init__.py")}
    rooms |= {f"memory.{path.stem}" for path in (ROOT / "memory").glob("*.py") if path.stem != "__init__"}
    assert rooms - placed == set()


@pytest.mark.parametrize("word", ["utils", "helpers", "managers", "misc", "common"])
def test_no_file_is_named_for_nothing(word: str) -> None:
    assert [_name(path) for path in SOURCES if path.stem == word or path.parent.name == word] == []


def test_no_file_is_longer_than_five_hundred_lines() -> None:
    tests = sorted((ROOT / "tests").rglob("*.py"))
    # The tables are one page on purpose, and a migration is written once and never changed.
    long = {"memory/storage/tables.py"}
    found = {
        _name(path): lines
        for path in [*SOURCES, *tests]
        if (lines := path.read_text(encoding="utf-8").count("\n")) > 500 and "/versions/" not in _name(path)
    }
    assert set(found) - long == set()


def test_each_folder_of_tests_is_a_package() -> None:
    folders = {path.parent for path in (ROOT / "tests").rglob("test_*.py")}
    assert [_name(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []
