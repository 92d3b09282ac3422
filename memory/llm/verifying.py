"""A configured model as the verifier's second pair of ears: facts and persons, each with its quote.

Nothing is decided here. The verifier checks every proposal against the person's own
words, as it does the embedded listener's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory.listening import Candidate
from memory.llm.interface import Message, Model, ModelRequest, ToolCall, ToolSpec
from memory.llm.prompts import prompt
from memory.records import Category

MOST_CHARS = 8000  # of the sentence; the embedded listener hears all of it anyway
MOST_KEPT = 40
MOST_PROPOSALS = 20


class _CreateCard(BaseModel):
    """Keep one fact or one person that the message holds and that was not kept yet."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    category: Literal["fact", "person"]
    quote: str = Field(min_length=1, description="the words of the message it rests on, letter by letter")
    text: str = Field(min_length=1, max_length=500, description="in the person's own language and words")
    subject: str = Field(
        "", description="facts: whom it is about; empty for the person, else a name or relation"
    )
    name: str = Field("", description="persons: the name, as it was written")
    relation: str = Field("", description="persons: what they are to the person, as it was said")
    attribute: str = Field("", description="stable English key such as name, age, home, job, diet, code:gate")
    value: str = Field("", description="the value of the attribute, in the message's own words")
    sensitive: bool = Field(False, description="codes, identifiers, health")


_TOOL = ToolSpec(
    name="create_card", description=_CreateCard.__doc__ or "", parameters=_CreateCard.model_json_schema()
)


def proposer(model: Model, *, now: datetime) -> Callable[[str, Sequence[str], str], tuple[Candidate, ...]]:
    """What asks this model: the sentence, what is kept already and the language; gives proposals.

    One call, never repeated. The spans of the proposals are places in the sentence as it
    was handed in; what quotes nothing of it is dropped.

    Raises (what it gives, when called):
        ModelFailed: the call failed.
    """

    def propose(said: str, kept: Sequence[str], language: str) -> tuple[Candidate, ...]:
        heard = said[:MOST_CHARS]
        if not heard.strip():
            return ()
        request = ModelRequest(
            instructions=prompt("verifier"),
            overview=_kept(kept),
            settled="",
            messages=(Message(role="user", text=" ".join(heard.split())),),
            tools=(_TOOL,),
            language=language,
            zone="UTC",
            now=now,
        )
        calls = [event for event in model.stream(request) if isinstance(event, ToolCall)]
        found = (_candidate(call, heard) for call in calls[:MOST_PROPOSALS])
        return tuple(each for each in found if each is not None)

    return propose


def span_of(quote: str, said: str) -> tuple[int, int] | None:
    """Where a quote stands in what was said; its spaces may differ, and upper and lower case."""
    words = quote.split()
    if not words:
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), said, re.IGNORECASE)
    return found.span() if found else None


def _candidate(call: ToolCall, said: str) -> Candidate | None:
    if call.name != _TOOL.name or call.malformed:
        return None
    try:
        told = _CreateCard.model_validate(call.arguments)
    except ValidationError:
        return None
    span = span_of(told.quote, said)
    if span is None:
        return None
    person = told.category == "person"
    if person and not (told.name or told.relation):
        return None
    return Candidate(
        category=Category(told.category),
        text=told.text,
        span=span,
        subject="" if person else told.subject,
        relation=told.relation if person else "",
        attribute=told.attribute,
        value=told.value,
        people=(told.name,) if person and told.name else (),
        sensitive=told.sensitive,
        why="model",
    )


def _kept(kept: Sequence[str]) -> str:
    if not kept:
        return ""
    # Quoted data that cannot close its own block.
    lines = [f"- {' '.join(text.split())[:300].replace('<', '‹')}" for text in kept[:MOST_KEPT]]
    return "\n".join(["<kept>", *lines, "</kept>"])
