"""Letters that were typed in two parts, as some phones do, and places in the text as given."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from memory.listening.heard import Candidate


def composed_letters(text: str) -> tuple[str, list[int] | None]:
    """The text with composed letters, and for each of its characters the place in the text given."""
    if unicodedata.is_normalized("NFC", text):
        return text, None
    parts: list[str] = []
    places: list[int] = []
    at = 0
    while at < len(text):
        end = at + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        part = unicodedata.normalize("NFC", text[at:end])
        parts.append(part)
        places.extend([at] * len(part))
        at = end
    places.append(len(text))
    return "".join(parts), places


def placed(candidate: Candidate, places: list[int] | None) -> Candidate:
    """The candidate with its span in the text as it was given."""
    if places is None:
        return candidate
    start, end = candidate.span
    return replace(candidate, span=(places[start], places[end]))
