"""A configured model summarises a talk; its words are taken only when they rest on the talk."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from memory import language as lang
from memory.llm.interface import FailureKind, Message, Model, ModelFailed, ModelRequest, TextDelta
from memory.llm.prompts import prompt
from memory.records import Turn

MOST_CHARS = 24_000  # of the transcript, shared by its messages
MOST_SUMMARY = 1000
_LEAST_SHARE = 60
_ENOUGH = 0.5  # share of a summary's stems that the talk has too
_NUMBER = re.compile(r"\d+")


def summariser(model: Model, *, now: datetime) -> Callable[[Sequence[Turn]], str]:
    """What asks this model for the summary of a talk; "" when what it wrote does not rest on the talk.

    One call, never repeated. A talk that is too long for the model is given as "" as well:
    asking again would not make it shorter.

    Raises (what it gives, when called):
        ModelFailed: the call failed otherwise.
    """

    def summarises(turns: Sequence[Turn]) -> str:
        told = transcript(turns)
        if not told:
            return ""
        request = ModelRequest(
            instructions=prompt("summary"),
            overview="",
            settled="",
            messages=(Message(role="user", text=f"<transcript>\n{told}\n</transcript>"),),
            tools=(),
            language=turns[-1].language,
            zone="UTC",
            now=now,
        )
        try:
            written = "".join(
                event.text for event in model.stream(request) if isinstance(event, TextDelta)
            ).strip()
        except ModelFailed as failure:
            if failure.kind is FailureKind.TOO_LONG:
                return ""
            raise
        summary = " ".join(written[:MOST_SUMMARY].split())
        return summary if rests_on(summary, told, turns[-1].language) else ""

    return summarises


def transcript(turns: Sequence[Turn]) -> str:
    """The talk as lines of who said what, at most about `MOST_CHARS` long.

    Each message gets the same share; of a talk with very many, the newest are taken.
    """
    said = [
        (who, text)
        for turn in turns
        for who, text in (("Person", turn.said), ("Assistant", turn.answer))
        if text.strip()
    ]
    said = said[-(MOST_CHARS // _LEAST_SHARE) :]
    share = MOST_CHARS // max(1, len(said))
    return "\n".join(f"{who}: {_cut(' '.join(text.split()), share)}" for who, text in said)


def rests_on(summary: str, told: str, language: str) -> bool:
    """Whether a summary's numbers all stand in the talk, and enough of its words do."""
    if not set(_NUMBER.findall(summary)) <= set(_NUMBER.findall(told)):
        return False
    stems = set(lang.terms(summary, language))
    held = set(lang.terms(told, language))
    return bool(stems) and len(stems & held) >= _ENOUGH * len(stems)


def _cut(text: str, most: int) -> str:
    # Quoted data that cannot close its own block.
    text = text.replace("<", "‹")
    return text if len(text) <= most else f"{text[:most]}…"
