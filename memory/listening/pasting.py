"""Which parts of a message are somebody else's text, and not the person's own words. Pure.

Fences, quoted lines, and a text that is handed over to be worked on ("shorten this: ...") tell nothing of
the person and give no orders, whatever they say. The table of words is `data/pasting.toml`.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path

_DATA = Path(__file__).parent / "data" / "pasting.toml"
_FENCED = re.compile(
    r"<(pasted|paste|document|doc|text|email|mail|quote|quoted|file|article|content|data|context)\b[^>]*>"
    r".*?(?:</\1\s*>|\Z)"
    r"|<([a-z][\w-]{1,20})\b[^<>\n]*>.*?</\2\s*>"
    r"|```.*?(?:```|\Z)"
    r"|\"{3}.*?(?:\"{3}|\Z)"
    r"|^[ \t]*>[^\n]*$",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_QUOTES = {"«": "»", "»": "«", "“": "”", "„": "“”", '"': '"', "‹": "›", "'": "'", "‘": "’"}
_HEAD = re.compile(r"\A\s*(?P<head>[^\n:?.!]{3,140})(?P<sign>:|\n|[?.!](?=\s))\s*", re.DOTALL)
_SHORTEST = 60  # characters of a text that neither a colon nor a line's end announces
_ASIDE_WITHIN = 500  # how far from the end the person's own words can go on
_SENTENCE = re.compile(r"(?:(?<=[.!?…])[ \t]+|\n+)")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    with _DATA.open("rb") as file:
        words = tomllib.load(file)[name]
    joined = "|".join(f"(?:{word})" for word in words)
    if name in ("machine", "address"):
        return re.compile(joined)
    return re.compile(rf"(?<!\w)(?:{joined})(?!\w)" if name != "work" else rf"(?<!\w)(?:{joined})")


def pasted(text: str) -> list[tuple[int, int]]:
    """Spans of `text` that are somebody else's words, in order; none overlaps another."""
    spans = [match.span() for match in _FENCED.finditer(text)]
    handed = _handed_over(text)
    if handed is not None and not any(start < handed[1] and handed[0] < end for start, end in spans):
        spans.append(handed)
    return sorted(spans)


def own_words(text: str) -> str:
    """The message with what was pasted blanked out, every word in its place."""
    own = list(text)
    for start, end in pasted(text):
        own[start:end] = " " * (end - start)
    return "".join(own)


def handed(text: str) -> str:
    """The pasted text of a message, "" when it has none."""
    parts = [_inside(text[start:end]) for start, end in pasted(text)]
    return "\n".join(part for part in parts if part)


def speaks_to_machine(sentence: str) -> bool:
    """Whether a sentence of a text gives orders to an assistant that may read it."""
    plain = _plain(sentence).strip()
    return is_order(sentence) or _pattern("machine").search(plain) is not None


def is_order(text: str) -> bool:
    """Whether a text is but an order to a machine that it calls by name ("SYSTEM: from now on ...")."""
    return _pattern("address").match(_plain(text).strip()) is not None


def _handed_over(text: str) -> tuple[int, int] | None:
    """The span of a text that the person asks to have shortened, translated or put right."""
    match = _HEAD.match(text)
    if match is None:
        return None
    head, sign, start = _plain(match["head"]), match["sign"], match.end()
    work = _pattern("work").search(head)
    if work is None or start >= len(text):
        return None
    if sign not in ":\n":
        names_it = _pattern("this").search(head) is not None
        if not names_it or len(text) - start < _SHORTEST:
            return None
    closing = _QUOTES.get(text[start])
    if closing is not None:
        end = max((text.rfind(mark) for mark in closing), default=-1)
        if end > start:
            return start, end + 1
    return start, _own_again(text, start)


def _own_again(text: str, start: int) -> int:
    """Where the person's own words go on behind an open text: at a last "by the way", else at the end."""
    for cut in _SENTENCE.finditer(text, max(start, len(text) - _ASIDE_WITHIN)):
        rest = _plain(text[cut.end() :])
        if _pattern("aside").match(rest) and not speaks_to_machine(rest):
            return cut.start()
    return len(text)


def _inside(block: str) -> str:
    """A pasted block without its fence."""
    bare = re.sub(r"\A\s*(?:<[^>\n]*>|```\w*|\"{3})|(?:</[^>\n]*>|```|\"{3})\s*\Z", "", block)
    bare = re.sub(r"^[ \t]*>[ \t]?", "", bare, flags=re.MULTILINE).strip()
    if len(bare) > 1 and bare[-1] in _QUOTES.get(bare[0], ""):
        bare = bare[1:-1]
    return bare.strip()


def _plain(text: str) -> str:
    """Lower case without accents, each letter in its place."""
    return "".join(_letter(letter) for letter in text)


@cache
def _letter(letter: str) -> str:
    plain = unicodedata.normalize("NFD", letter)[0].lower()
    return plain if len(plain) == 1 else letter


__all__: Sequence[str] = ("handed", "is_order", "own_words", "pasted", "speaks_to_machine")
