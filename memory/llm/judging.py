"""A configured model as the judge of what a person said next: irony, roundabout corrections, other words.

It only hears what the plain rules cannot tell, and what it says is taken only with
the person's own words as its evidence.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory.llm.interface import Message, Model, ModelRequest, ToolCall, ToolSpec
from memory.llm.prompts import prompt
from memory.llm.verifying import span_of

MOST_CHARS = 2000  # of each of the three texts
_FEWEST = 2  # letters and digits of a quote

Opinion = Literal["wrong", "again", "good", "unknown"]


class _Verdict(BaseModel):
    """Say how the person took the answer."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    how: Opinion
    quote: str = Field("", max_length=500, description="the words of <next> that show it, letter by letter")


_TOOL = ToolSpec(name="verdict", description=_Verdict.__doc__ or "", parameters=_Verdict.model_json_schema())


def hearer(model: Model, *, now: datetime) -> Callable[[str, str, str, str], Opinion]:
    """What asks this model: the question, the answer, the next words and their language; gives its opinion.

    One call, never repeated. "unknown" for whatever rests on no words of the person, and for several
    verdicts that differ.

    Raises (what it gives, when called):
        ModelFailed: the call failed.
    """

    def hear(asked: str, answered: str, following: str, language: str) -> Opinion:
        heard = following[:MOST_CHARS]
        if not heard.strip():
            return "unknown"
        told = (("asked", asked), ("answered", answered), ("next", heard))
        request = ModelRequest(
            instructions=prompt("judge"),
            overview="",
            settled="",
            messages=(
                Message(
                    role="user", text="\n".join(f"<{name}>{_data(text)}</{name}>" for name, text in told)
                ),
            ),
            tools=(_TOOL,),
            language=language,
            zone="UTC",
            now=now,
        )
        calls = [event for event in model.stream(request) if isinstance(event, ToolCall)]
        said = {_opinion(call, heard) for call in calls} or {"unknown"}
        return said.pop() if len(said) == 1 else "unknown"

    return hear


def _data(text: str) -> str:
    # Quoted data that cannot close its own block.
    return " ".join(text.split())[:MOST_CHARS].replace("<", "‹")


def _opinion(call: ToolCall, following: str) -> Opinion:
    if call.name != _TOOL.name or call.malformed:
        return "unknown"
    try:
        told = _Verdict.model_validate(call.arguments)
    except ValidationError:
        return "unknown"
    rests = (
        sum(char.isalnum() for char in told.quote) >= _FEWEST and span_of(told.quote, following) is not None
    )
    return told.how if rests else "unknown"
