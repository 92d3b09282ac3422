"""The check that strips the short ids by which a model says which memories it used."""

from __future__ import annotations

import re

from memory.conductor.gate import GateView

_CITATION = re.compile(r"[ \t]*\[(c\d{1,3}(?:\s*[,;]\s*c\d{1,3})*)\]", re.IGNORECASE)


class Citations:
    """Takes "[c1]" out of what is shown and remembers which were named. One for a turn."""

    name = "citation"

    def __init__(self) -> None:
        self.used: set[str] = set()

    def __call__(self, sentence: str, view: GateView) -> str | None:
        for group in _CITATION.findall(sentence):
            named = {each.strip().lower() for each in re.split(r"[,;]", group)}
            self.used |= named & set(view.short_ids)
        stripped = _CITATION.sub("", sentence)
        if stripped == sentence:
            return sentence
        if _CITATION.match(sentence):
            stripped = stripped.lstrip(" \t")  # one at the start leaves the blank that followed it
        return stripped if stripped.strip() else None
