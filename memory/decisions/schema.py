"""Decision keys: the typed set read from a file at start. What is not in it cannot be decided."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from memory.config import LANGUAGES
from memory.errors import ConfigError

SHIPPED = Path(__file__).parent / "data" / "keys.toml"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,58}")


class KeyType(StrEnum):
    """What values a key takes."""

    TEXT = "text"
    CHOICE = "choice"
    INTEGER = "integer"
    MONEY = "money"
    DATE = "date"
    TIME = "time"
    INTERVAL = "interval"
    ADDRESS = "address"
    LANGUAGE = "language"


@dataclass(frozen=True, kw_only=True)
class Key:
    """One thing that can be decided."""

    name: str
    type: KeyType
    label: Mapping[str, str]
    question: Mapping[str, str]
    choices: tuple[str, ...] = ()
    choice: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # how they are said, by language
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    loose: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # words that may mean other things, too
    least: int | None = None
    most: int | None = None
    retired: bool = False


@dataclass(frozen=True, kw_only=True)
class Keys:
    """All keys, in the order of their file."""

    by_name: Mapping[str, Key]

    def get(self, name: str) -> Key | None:
        """The key of that name, retired or not."""
        return self.by_name.get(name)

    def open(self) -> tuple[Key, ...]:
        """Keys that take new values."""
        return tuple(key for key in self.by_name.values() if not key.retired)


def load(path: Path | None = None) -> Keys:
    """Read and check a file of keys; the shipped one when none is given.

    Raises:
        ConfigError: one line for each thing that is wrong.
    """
    path = path or SHIPPED
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise ConfigError([f"{path.name}: cannot be read"]) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([f"{path.name}: {error}"]) from None
    problems: list[str] = []
    entries = told.get("keys")
    if not isinstance(entries, dict) or not entries:
        raise ConfigError([f"{path.name}: at least one [keys.NAME] was expected"])
    keys = {name: _key(name, entry, problems) for name, entry in entries.items()}
    if problems:
        raise ConfigError(problems)
    return Keys(by_name={name: key for name, key in keys.items() if key is not None})


def _key(name: str, entry: Any, problems: list[str]) -> Key | None:
    def bad(what: str) -> None:
        problems.append(f"keys.{name}: {what}")

    if not _NAME.fullmatch(name):
        bad("a name of small letters, digits and _ was expected")
    if not isinstance(entry, dict):
        bad("a table was expected")
        return None
    unknown = set(entry) - {
        "type", "label", "question", "choices", "choice", "words", "loose", "least", "most",
        "retired",
    }  # fmt: skip
    if unknown:
        bad(f"not understood: {', '.join(sorted(unknown))}")
    try:
        kind = KeyType(entry.get("type", ""))
    except ValueError:
        bad(f"type: one of {', '.join(KeyType)} was expected")
        return None
    texts = {}
    for part in ("label", "question"):
        told = entry.get(part)
        texts[part] = told if isinstance(told, dict) else {}
        missing = [language for language in LANGUAGES if not texts[part].get(language)]
        if missing:
            bad(f"{part}: missing for {', '.join(missing)}")
    choices = tuple(str(each) for each in entry.get("choices", ()))
    if kind is KeyType.CHOICE and len(choices) < 2:
        bad("choices: at least two were expected")
    said = {language: tuple(told) for language, told in entry.get("choice", {}).items()}
    if any(len(told) != len(choices) for told in said.values()):
        bad("choice: each language needs one word for each of the choices")
    least, most = entry.get("least"), entry.get("most")
    if kind is KeyType.INTEGER and (least is None or most is None or least > most):
        bad("least and most: two bounds in order were expected")
    return Key(
        name=name,
        type=kind,
        label=texts["label"],
        question=texts["question"],
        choices=choices,
        choice=said,
        words={language: tuple(told.split()) for language, told in entry.get("words", {}).items()},
        loose={language: tuple(told.split()) for language, told in entry.get("loose", {}).items()},
        least=least,
        most=most,
        retired=bool(entry.get("retired", False)),
    )
