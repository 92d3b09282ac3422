"""Frames as rows."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.orm import Session

from memory.errors import NotFound
from memory.storage.tables import ConversationRow, FrameRow, PersonRow, TurnRow


def add(
    session: Session,
    *,
    person_id: int,
    kind: str,
    body: dict[str, Any],
    now: datetime,
    conversation_id: int | None,
    turn_id: int | None,
    screen: str,
) -> int:
    """Store a frame under the person's next number, which the database hands out.

    Raises:
        NotFound: the person is gone.
    """
    number: int | None = session.scalar(
        update(PersonRow)
        .where(PersonRow.id == person_id)
        .values(frame_number=PersonRow.frame_number + 1)
        .execution_options(synchronize_session=False)
        .returning(PersonRow.frame_number)
    )
    if number is None:
        raise NotFound("person", person_id)
    session.add(
        FrameRow(
            person_id=person_id,
            number=number,
            kind=kind,
            body=body,
            created_at=now,
            conversation_id=conversation_id,
            turn_id=turn_id,
            screen=screen,
        )
    )
    session.flush()
    return number


def since(session: Session, person_id: int, after: int, *, screen: str, limit: int) -> list[dict[str, Any]]:
    """Frames of a person after a number, oldest first, without those of other screens."""
    found = session.execute(
        select(FrameRow, ConversationRow.public_id, TurnRow.public_id)
        .outerjoin(ConversationRow, ConversationRow.id == FrameRow.conversation_id)
        .outerjoin(TurnRow, TurnRow.id == FrameRow.turn_id)
        .where(
            FrameRow.person_id == person_id,
            FrameRow.number > after,
            or_(FrameRow.screen == "", FrameRow.screen == screen),
        )
        .order_by(FrameRow.number)
        .limit(limit)
    )
    return [
        {
            "number": row.number,
            "conversation": conversation or "",
            "turn": turn or "",
            "screen": row.screen,
            "kind": row.kind,
            "body": row.body,
        }
        for row, conversation, turn in found
    ]


def latest(session: Session, person_id: int) -> int:
    """The newest frame's number; 0 when the person had none."""
    return session.scalar(select(PersonRow.frame_number).where(PersonRow.id == person_id)) or 0


def oldest(session: Session, person_id: int) -> int | None:
    """The number of the oldest frame still kept: a browser further back needs the page anew."""
    return session.scalar(select(func.min(FrameRow.number)).where(FrameRow.person_id == person_id))


def text_of(session: Session, turn_id: int, *, upto: int) -> str:
    """What a running turn has shown in frames up to a number."""
    bodies = session.scalars(
        select(FrameRow.body)
        .where(FrameRow.turn_id == turn_id, FrameRow.kind == "text", FrameRow.number <= upto)
        .order_by(FrameRow.number)
    )
    return "".join(body["delta"] for body in bodies)


def drop_before(session: Session, moment: datetime, *, limit: int = 20_000) -> int:
    """Remove frames older than a moment; their turns hold what they said. Returns how many.

    Args:
        limit: how many of the oldest are looked at, so that nobody waits long for it.
    """
    oldest = select(FrameRow.id).order_by(FrameRow.id).limit(limit)
    gone = session.execute(
        delete(FrameRow)
        .where(FrameRow.id.in_(oldest), FrameRow.created_at < moment)
        .execution_options(synchronize_session=False)
        .returning(FrameRow.id)
    )
    return len(gone.all())
