"""Folding: the one spelling in which words are compared, whatever the keyboard made of them."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_SINGLE = {
    "ß": "ss",
    "œ": "oe",
    "æ": "ae",
    "ø": "o",
    "ł": "l",
    "đ": "d",
    "’": "'",
    "‘": "'",
    "ʼ": "'",
    "´": "'",
    "`": "'",
    "–": "-",
    "—": "-",
    "‑": "-",
    "‐": "-",
    "−": "-",
    "“": '"',
    "”": '"',
    "„": '"',
    "«": '"',
    "»": '"',
    "\u00a0": " ",
    "\u202f": " ",
    "\u2009": " ",
    "\u00ad": "",
    "\u200b": "",
}


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    if char.isascii():
        return char.lower()
    folded = []
    for lower in char.casefold():
        for part in unicodedata.normalize("NFKD", lower):
            if unicodedata.combining(part):
                continue
            folded.append(_SINGLE.get(part, part))
    return _SINGLE.get(char, "".join(folded)).casefold()


def fold(text: str) -> str:
    """Text for comparing: lower case, without accents, ß = ss, œ = oe, ’ = ', all dashes = -.

    >>> fold("Straße à l’Œuvre – ÀÉ")
    "strasse a l'oeuvre - ae"
    """
    if text.isascii():
        return text.lower()
    return "".join(map(_fold_char, text))


def fold_map(text: str) -> tuple[str, list[int]]:
    """Folded text, and for each of its characters the offset in `text` it came from.

    The list has one entry more than the folded text has characters (the end of
    `text`), so that a match `m` on the folded text is `text[at[m.start()]:at[m.end()]]`.
    A combining accent belongs to the letter before it.

    >>> folded, at = fold_map("die Straße")
    >>> folded, at[4], at[len(folded)]
    ('die strasse', 4, 10)
    """
    if text.isascii():
        return text.lower(), list(range(len(text) + 1))
    folded: list[str] = []
    at: list[int] = []
    for index, char in enumerate(text):
        part = _fold_char(char)
        folded.append(part)
        at.extend([index] * len(part))
    at.append(len(text))
    return "".join(folded), at
