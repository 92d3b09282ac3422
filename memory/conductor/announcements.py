"""The check that keeps silence: no sentence announces what was kept without being shown."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from memory import language as lang
from memory.conductor.gate import GateView

_DATA = Path(__file__).parent / "data" / "announcements.toml"


class SilentKeeping:
    """Drops "noted", "saved", "I'll remember" and their kin, in all languages.

    A sentence about something visible that the turn made may confirm it; and when the
    person asked whether it was kept, the answer may say so.
    """

    name = "announcement"

    def __init__(self, reads_back: Callable[[str, GateView], bool] = lambda _sentence, _view: False) -> None:
        """`reads_back` says whether a sentence answers with what is settled, which no one keeps silent."""
        self._reads_back = reads_back

    def __call__(self, sentence: str, view: GateView) -> str | None:
        if view.asked_if_kept or not announces(sentence) or self._reads_back(sentence, view):
            return sentence
        if view.visible and self._about_visible(sentence, view):
            return sentence
        # Keep a line break, so that what stands before and after does not run together.
        return "\n" if sentence.endswith("\n") and "\n\n" not in sentence else None

    def _about_visible(self, sentence: str, view: GateView) -> bool:
        words = set(lang.terms(sentence, view.language))
        silent = {word for card in view.silent for word in lang.terms(card.text, view.language)}
        shown = {
            word for card in view.visible for word in lang.terms(f"{card.title} {card.text}", view.language)
        }
        return not view.silent or bool(words & (shown - silent))


def announces(sentence: str) -> bool:
    """Whether a sentence claims or promises to have kept something, in any of the languages.

    All languages are tried: models slip into another one.
    """
    folded = lang.fold(sentence).strip()
    return any(pattern.search(folded) for pattern in _patterns())


def asks_if_kept(said: str) -> bool:
    """Whether the person asks if something was kept."""
    folded = lang.fold(said)
    return any(pattern.search(folded) for pattern in _asking())


@cache
def _asking() -> tuple[re.Pattern[str], ...]:
    tables = tomllib.loads(_DATA.read_text())
    return tuple(re.compile(pattern) for table in tables.values() for pattern in table["asks"])


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    tables = tomllib.loads(_DATA.read_text())
    return tuple(
        re.compile(pattern) for table in tables.values() for pattern in (*table["said"], *table["promise"])
    )
