"""Cut a stream of text into sentences. Pure; nothing is lost and nothing is added."""

from __future__ import annotations

import re

# A full stop after these does not end a sentence.
_SHORT = frozenset(
    re.findall(
        r"\w+",
        "dr mr mrs ms st no nr vs etc prof herr fr hr bzw ca usw str tel mme mlle sr sra srta dona av ex ej "
        "eng jr approx min std vgl inkl evtl",
    )
)
_END = re.compile(r"[.!?…]+[\"'»”’)\]]*(?=\s)|\n+")


def split(text: str) -> tuple[list[str], str]:
    """Cut off whole sentences; the rest may still grow.

    A sentence is whole when the next one has begun: only then is it sure that a full
    stop ended it. It keeps the white space that follows it, so that joining all parts
    gives the text back.

    >>> split("It is on 3. October. At nine")
    (['It is on 3. October. '], 'At nine')
    """
    sentences: list[str] = []
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        while end < len(text) and text[end].isspace():
            end += 1
        if end == len(text):
            break
        if match.start() >= start and _ends(text, match):
            sentences.append(text[start:end])
            start = end
    return sentences, text[start:]


def _ends(text: str, match: re.Match[str]) -> bool:
    mark = match.group()
    if mark.startswith("\n") or mark[0] in "!?…":
        return True
    word = re.search(r"[^\W_]+$", text[: match.start()])
    if word is None:
        return True
    token = word.group().lower()
    following = text[match.end() :].lstrip()
    if token.isdigit():  # "3. Oktober", "1. the list": a number and a stop before a word
        return not following[:1].isalpha() or len(token) > 2
    if len(token) == 1 and token.isalpha():  # initials: "J. Held"
        return False
    return token not in _SHORT
