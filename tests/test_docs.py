"""The documentation stays true: what exists is named, what is named exists."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from memory.config import VARIABLES, Settings
from memory.queue import JobName

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]


def _page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def _rooms() -> list[str]:
    """Folders of memory/ that hold code."""
    folders = sorted({path.parent.name for path in (ROOT / "memory").glob("*/*.py")})
    return [name for name in folders if not name.startswith("_")]


@pytest.mark.parametrize("variable", sorted(VARIABLES.values()))
def test_each_setting_is_explained(variable: str) -> None:
    assert re.search(rf"^\| `{variable}` \|", _page("configuration.md"), re.MULTILINE)


def test_no_setting_is_explained_that_does_not_exist() -> None:
    named = set(re.findall(r"^\| `([A-Z_]+)` \|", _page("configuration.md"), re.MULTILINE))
    assert named == set(VARIABLES.values())


@pytest.mark.parametrize("field", sorted(VARIABLES))
def test_the_default_that_is_told_is_the_one_that_holds(field: str) -> None:
    default = Settings.__dataclass_fields__[field].default
    row = next(
        line
        for line in _page("configuration.md").splitlines()
        if line.startswith(f"| `{VARIABLES[field]}` |")
    )
    told = row.split("|")[2].strip().strip("`")
    if isinstance(default, int | float):
        assert float(told) == default
    elif isinstance(default, str) and default:
        assert told == default


@pytest.mark.parametrize("room", _rooms())
def test_each_room_is_on_the_map(room: str) -> None:
    assert f"| `memory/{room}/` |" in _page("architecture.md")


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "memory").glob("*.py")))
def test_each_single_file_room_is_on_the_map(name: str) -> None:
    assert name == "__init__.py" or f"| `memory/{name}` |" in _page("architecture.md")


@pytest.mark.parametrize("job", JobName)
def test_each_job_is_explained(job: JobName) -> None:
    assert f"| `{job.value}` |" in _page("architecture.md")


def test_each_tool_is_named() -> None:
    from memory.conductor.tools import TOOLS

    page = _page("architecture.md")
    assert [name for name in TOOLS if f"`{name}`" not in page] == []


def test_each_dependency_says_what_it_is_for() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())
    declared = told["project"]["dependencies"] + told["dependency-groups"]["dev"]
    names = {re.split(r"[\[ ;=<>]", each)[0] for each in declared}
    assert names == set(re.findall(r"^\| ([a-z0-9-]+) \|", _page("dependencies.md"), re.MULTILINE)) - {
        "package"
    }


def test_the_lock_files_hold_what_is_declared_with_hashes_and_no_address() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())
    for lock, declared in (
        ("run.txt", told["project"]["dependencies"]),
        ("dev.txt", told["project"]["dependencies"] + told["dependency-groups"]["dev"]),
    ):
        text = (ROOT / ".lock" / lock).read_text()
        pinned = set(re.findall(r"^([a-z0-9.-]+)(?:\[.*\])?==", text, re.MULTILINE))
        assert {re.split(r"[\[ ;=<>]", each)[0] for each in declared} <= pinned
        assert text.count("--hash=sha256:") >= len(pinned)
        assert "://" not in text


def test_the_first_screen_names_both_commands() -> None:
    first = "\n".join((ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:24])
    assert "make run" in first
    assert "make test" in first


def test_each_command_is_documented() -> None:
    told = subprocess.run(
        [sys.executable, str(ROOT / "app.py"), "--help"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    pages = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    commands = re.findall(r"^    ([a-z-]+) ", told, re.MULTILINE)
    assert "doctor" in commands
    assert [name for name in commands if name != "run" and f"app.py {name}" not in pages] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s]+)\)", text)
    pictures = {"docs/chat.png", "docs/remembers.png"}
    broken = [
        target
        for target in targets
        if "://" not in target and not (page.parent / target).exists() and target not in pictures
    ]
    assert broken == []


def test_files_that_are_named_exist() -> None:
    for page in ("architecture.md", "operating.md", "configuration.md"):
        for path in re.findall(r"`((?:memory|jobs|docs|tests)/[\w/]+\.\w+)`", _page(page)):
            assert (ROOT / path).exists(), f"{page} names {path}"


def test_the_project_speaks_of_itself_alone() -> None:
    """No path of one machine, no word about how it was made."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    words = ["/" + "work/", ".lib" + "rary", "../" + "shared", "agent" + " session"]
    allowed = {("Makefile", "../" + "shared")}
    found = []
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        if not path.is_file() or path.stat().st_size > 2_000_000:
            continue
        text = path.read_bytes().decode("utf-8", errors="ignore")
        found += [(name, word) for word in words if word in text and (name, word) not in allowed]
    assert found == []
