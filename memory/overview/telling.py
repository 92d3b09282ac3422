"""What a person's pages are told about the conversation as a whole."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from memory.frames import Frames
from memory.storage import conversations as rows


def tell_closed(
    session: Session,
    frames: Frames,
    person_id: int,
    conversation_id: int,
    *,
    now: datetime,
    asked: bool = False,
) -> None:
    """Tell every page of the person that a conversation is over; a guest leaves with it.

    Args:
        asked: the person wished it, so that the page says so.
    """
    closed = rows.by_id(session, conversation_id)
    frames.add(
        session,
        person_id=person_id,
        kind="archived",
        # Of a private conversation the page keeps nothing either; its row soon goes with what hangs on it.
        body={"asked": asked, **({"private": closed.public_id} if closed.private else {})},
        now=now,
        conversation_id=None if closed.private else conversation_id,
    )
    if closed.speaker:
        tell_speaker(session, frames, person_id, conversation_id, "", now=now)


def tell_speaker(
    session: Session,
    frames: Frames,
    person_id: int,
    conversation_id: int,
    name: str,
    *,
    now: datetime,
    turn_id: int | None = None,
) -> None:
    """Tell every page of the person who holds the phone."""
    frames.add(
        session,
        person_id=person_id,
        kind="speaker",
        body={"name": name},
        now=now,
        conversation_id=conversation_id,
        turn_id=turn_id,
    )
