"""What the next words of a person say about the answer before them. Pure; a table of cues a language."""

from __future__ import annotations

import re
import tomllib
from enum import StrEnum
from functools import cache
from pathlib import Path

from memory import language as lang
from memory.listening import Act, Heard

_DATA = Path(__file__).parent / "data"
_SAME = 0.8  # share of content words from which a question is the same one again
_LONG = 12  # words: in a longer message a cue is about something else


class Verdict(StrEnum):
    """How the answer before was taken."""

    WRONG = "wrong"  # put right, or called wrong
    AGAIN = "again"  # the same question once more
    THANKED = "thanked"
    UNKNOWN = "unknown"

    @property
    def value_of_turn(self) -> int | None:
        """1 for a turn that went well, -1 for one that did not, None where nobody can tell."""
        return {Verdict.WRONG: -1, Verdict.AGAIN: -1, Verdict.THANKED: 1}.get(self)


def read(asked: str, heard: Heard, *, put_right: bool = False) -> Verdict:
    """How the answer to `asked` was taken, from what was heard next.

    Only plain signs count; in doubt it stays unknown, because a wrong outcome costs more than none.

    Args:
        asked: what the person had said before.
        put_right: the next words replaced a memory that the answer had used.
    """
    folded = lang.fold(heard.text)
    if put_right or _says(heard.language, "wrong", folded):
        return Verdict.WRONG
    if heard.correction is not None and Act.QUESTION not in heard.acts and not heard.candidates:
        return Verdict.WRONG
    if _is_same(asked, heard):
        return Verdict.AGAIN
    if _says(heard.language, "not_thanks", folded):
        return Verdict.UNKNOWN
    if Act.THANKS in heard.acts or _says(heard.language, "right", folded):
        return Verdict.THANKED
    return Verdict.UNKNOWN


def _is_same(asked: str, heard: Heard) -> bool:
    before = set(lang.terms(asked, heard.language))
    now = set(lang.terms(heard.text, heard.language))
    if len(before) < 2 or ("?" not in heard.text and Act.QUESTION not in heard.acts):
        return False
    return len(before & now) >= _SAME * len(before | now)


def _says(language: str, kind: str, folded: str) -> bool:
    if len(folded.split()) > _LONG:
        return False
    return any(pattern.search(folded) for pattern in _cues(language)[kind])


@cache
def _cues(language: str) -> dict[str, tuple[re.Pattern[str], ...]]:
    path = _DATA / f"{language}.toml"
    told = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {
        kind: tuple(re.compile(rf"\b(?:{lang.fold(cue)})\b") for cue in told.get(kind, ()))
        for kind in ("wrong", "right", "not_thanks")
    }
