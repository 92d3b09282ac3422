"""The tools about who talks: a guest takes the phone, a human is asked for, a question is kept in mind."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import Field
from sqlalchemy.orm import Session

from memory import handover
from memory.conductor.arguments import Arguments
from memory.handover.asking import ASKED
from memory.storage import conversations as conversation_rows
from memory.storage import turns as turn_rows

if TYPE_CHECKING:
    from memory.conductor.tools import ToolContext


class SetSpeaker(Arguments):
    """The phone changed hands: a guest's name and relation; empty when the owner is back."""

    name: str = Field("", max_length=120)
    relation: str = Field("", max_length=120)


class AskBack(Arguments):
    """Remember the question that you ask now, so that the answer is understood later."""

    ask: str = Field(max_length=40)
    data: dict[str, Any] = Field(default_factory=dict)


class AskForHuman(Arguments):
    """A person is to take over: the owner or the guest wishes it, or you cannot help any further."""

    reason: str = Field("", description="is not passed on: the human reads the conversation itself")


def set_speaker(session: Session, context: ToolContext, told: SetSpeaker, now: datetime) -> dict[str, Any]:
    """Write down who holds the phone from now on."""
    conversation_rows.set_speaker(session, context.conversation.id, name=told.name, relation=told.relation)
    turn_rows.speak_after(session, context.turn, told.name)
    if not told.name:  # the owner is back: already this message is theirs
        context.conversation = replace(context.conversation, speaker="", speaker_relation="")
    context.speaker_changed = True
    return {"ok": True, "speaker": told.name}


def ask_back(session: Session, context: ToolContext, told: AskBack, now: datetime) -> dict[str, Any]:
    """Keep the question for the next turn."""
    context.pending = {"ask": told.ask, **told.data}
    # Which card is in doubt is read back by the judge once the answer has come: an id, no text.
    name = str(told.data.get("card", "")) if told.ask == "still_right" else ""
    card = context.short_ids.get(name)
    return {"ok": True, "ask": told.ask, **({"card": card.public_id if card else name} if name else {})}


def ask_for_human(session: Session, context: ToolContext, told: AskForHuman, now: datetime) -> dict[str, Any]:
    """Ask for a human; asking again keeps the place in the queue."""
    standing = handover.ask(session, context.frames, context.conversation, reason=ASKED, now=now)
    return {"ok": True, "state": standing.state, "place": standing.place}
