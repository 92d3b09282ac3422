"""Decision keys: the typed set read from a file at start. What is not in it cannot be decided."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeGuard

from memory.config import LANGUAGES
from memory.errors import ConfigError

SHIPPED = Path(__file__).parent / "data" / "keys.toml"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,58}")
_FIELDS = frozenset(
    ("type", "label", "question", "choices", "choice", "words", "loose", "least", "most", "retired")
)
_Bad = Callable[[str], None]  # notes a problem of a key


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
    except UnicodeDecodeError:
        raise ConfigError([f"{path.name}: text in UTF-8 was expected"]) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([f"{path.name}: {error}"]) from None
    problems: list[str] = []
    entries = told.get("keys")
    if not isinstance(entries, dict) or not entries:
        raise ConfigError([f"{path.name}: at least one [keys.NAME] was expected"])
    if strange := sorted(set(told) - {"keys"}):
        problems.append(f"{path.name}: not understood: {', '.join(strange)}")
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
    if unknown := sorted(set(entry) - _FIELDS):
        bad(f"not understood: {', '.join(unknown)}")
    kind = next((each for each in KeyType if each == entry.get("type")), None)
    if kind is None:
        bad(f"type: one of {', '.join(KeyType)} was expected")
        return None
    retired = entry.get("retired", False)
    if not isinstance(retired, bool):
        bad("retired: true or false was expected")
    least, most = _bounds(kind, entry, bad)
    choices, choice = _choices(kind, entry, bad)
    return Key(
        name=name,
        type=kind,
        label=_texts(entry, "label", bad, required=True),
        question=_texts(entry, "question", bad, required=True),
        choices=choices,
        choice=choice,
        words=_words(entry, "words", bad),
        loose=_words(entry, "loose", bad),
        least=least,
        most=most,
        retired=retired is True,
    )


def _texts(entry: Mapping[str, Any], part: str, bad: _Bad, *, required: bool = False) -> dict[str, str]:
    """A text for each language, where it is one."""
    told = entry.get(part, {})
    if not isinstance(told, dict):
        bad(f"{part}: a text for each language was expected")
        return {}
    if strange := sorted(set(told) - set(LANGUAGES)):
        bad(f"{part}: no language of ours: {', '.join(strange)}")
    if wrong := [language for language, text in told.items() if not isinstance(text, str)]:
        bad(f"{part}: a text was expected for {', '.join(wrong)}")
    texts = {language: text for language, text in told.items() if isinstance(text, str)}
    missing = [language for language in LANGUAGES if not str(told.get(language, "")).strip()]
    if required and missing:
        bad(f"{part}: missing for {', '.join(missing)}")
    return texts


def _words(entry: Mapping[str, Any], part: str, bad: _Bad) -> dict[str, tuple[str, ...]]:
    return {language: tuple(text.split()) for language, text in _texts(entry, part, bad).items()}


def _bounds(kind: KeyType, entry: Mapping[str, Any], bad: _Bad) -> tuple[int | None, int | None]:
    least, most = entry.get("least"), entry.get("most")
    if kind is not KeyType.INTEGER:
        if least is not None or most is not None:
            bad("least and most: only a whole number has bounds")
        return None, None
    if not _is_whole(least) or not _is_whole(most) or least > most:
        bad("least and most: two whole numbers in order were expected")
        return None, None
    return least, most


def _is_whole(told: Any) -> TypeGuard[int]:
    """Whether it is a whole number; `true` is one for Python, and for nobody else."""
    return isinstance(told, int) and not isinstance(told, bool)


def _are_names(told: Any) -> TypeGuard[list[str]]:
    return isinstance(told, list) and all(isinstance(each, str) and each.strip() for each in told)


def _choices(
    kind: KeyType, entry: Mapping[str, Any], bad: _Bad
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """The choices, and how they are said in each language that has words for them."""
    told, said = entry.get("choices", []), entry.get("choice", {})
    if kind is not KeyType.CHOICE:
        if told or said:
            bad("choices and choice: only a choice has them")
        return (), {}
    if not _are_names(told):
        bad("choices: a list of names was expected")
        return (), {}
    if len(set(told)) < 2 or len(set(told)) < len(told):
        bad("choices: at least two were expected, each once")
    words: dict[str, tuple[str, ...]] = {}
    for language, names in said.items() if isinstance(said, dict) else [("", None)]:
        if language not in LANGUAGES or not _are_names(names) or len(names) != len(told):
            bad("choice: each language needs one word for each of the choices")
            break
        words[language] = tuple(names)
    return tuple(told), words
