"""A memory in doubt on which an answer rests is put to the person, whatever the model forgot."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from zoneinfo import ZoneInfo

from memory import language as lang
from memory.conductor.phrases import phrase
from memory.conductor.tools import ToolContext
from memory.llm.interface import ToolCall

STILL_RIGHT = "still_right"


def doubted(tools: ToolContext, cited: Collection[str]) -> str:
    """The short id of the first doubted memory that the answer cites and nobody asked about; "" for none."""
    if tools.pending:
        return ""  # the model asked itself, or waits for something else
    suspects = {hit.card.id for hit in tools.found if hit.suspect}
    return next(
        (short for short, card in tools.short_ids.items() if short in cited and card.id in suspects), ""
    )


def question(tools: ToolContext, short: str, *, now: datetime) -> str:
    """From when it is, and whether it still holds; a sentence to follow the answer."""
    here = ZoneInfo(tools.zone)
    day = tools.short_ids[short].learned_at.astimezone(here).date()
    date = lang.say_date(day, language=tools.language, now=now.astimezone(here))
    return " " + phrase("still_right", tools.language).format(date=date)


def asking(short: str) -> ToolCall:
    """The call by which a yes or no is understood later."""
    return ToolCall(call_id="doubt", name="ask_back", arguments={"ask": STILL_RIGHT, "data": {"card": short}})
