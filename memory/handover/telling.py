"""What the person's pages are told about who speaks. Never a note, never the agent's address."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from memory.frames import Frames
from memory.storage.handovers import Handover


def tell(
    session: Session,
    frames: Frames,
    handover: Handover,
    state: str,
    *,
    agent: str = "",
    place: int = 0,
    now: datetime,
) -> None:
    """Tell every page of the person what became of the request.

    Args:
        state: requested, claimed, returned, expired or withdrawn.
        agent: the name of who came or left.
        place: in the queue, from 1, while nobody came.
    """
    frames.add(
        session,
        person_id=handover.person_id,
        kind="handover",
        body={
            "state": state,
            "agent": agent,
            "place": place,
            "at": now.isoformat(timespec="seconds"),
        },
        now=now,
        conversation_id=handover.conversation_id,
    )
