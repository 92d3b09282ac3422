"""Turns that a dead process left: marked once, the words kept, what had been done told truthfully."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory.cards.chips import chips
from memory.frames import Frames
from memory.records import Turn
from memory.storage import cards as card_rows
from memory.storage import leases, tool_calls
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction

log = logging.getLogger(__name__)


def mark_interrupted(
    engine: Engine, frames: Frames, *, now: datetime, dead: Sequence[str] = (), alive: Sequence[str] = ()
) -> int:
    """Mark turns whose lease ran out or whose owner is known to be gone; returns how many.

    Nothing is run again. The person sees what was shown by then, that it broke off,
    and what the turn's tools had made.

    Args:
        dead: owners that are gone.
        alive: owners that are there; a busy store may keep them from renewing a lease for a while.
    """
    with reading(engine) as session:
        if not leases.any_lost(session, now=now, dead=dead, alive=alive):
            return 0  # nearly always: a look costs no place among the writers
    with transaction(engine) as session:
        turns = leases.interrupt(session, now=now, dead=dead, alive=alive)
        for turn in turns:
            _tell(session, frames, turn, now=now)
    for turn in turns:
        log.warning("turn interrupted", extra={"turn_id": turn.id})
        frames.wake(turn.person_id)
    return len(turns)


def done(session: Session, turn: Turn) -> list[str]:
    """What the tools of a broken-off turn did, from the store: cards that are still there."""
    made = {card.public_id: card for card in card_rows.of_turn(session, turn.id)}
    told = []
    for name, result in tool_calls.of_turn(session, turn.id):
        if not result.get("ok"):
            continue
        card = made.get(result.get("card", ""))
        if card is None:
            known = card_rows.by_public_ids(session, turn.person_id, [result.get("card", "")])
            card = next(iter(known), None)
        if card is not None:
            told.append(f"{name}: {card.category.value} “{card.text}”")
    return told


def _tell(session: Session, frames: Frames, turn: Turn, *, now: datetime) -> None:
    visible = [card for card in card_rows.of_turn(session, turn.id) if card.visible]
    turn_rows.add_kept(session, turn.id, [card.public_id for card in visible])
    body = {
        "answer": turn.answer.rstrip(),
        "state": turn.state.value,
        "at": now.isoformat(timespec="seconds"),
    }
    frames.add(
        session,
        person_id=turn.person_id,
        kind="answered",
        body=body,
        now=now,
        conversation_id=turn.conversation_id,
        turn_id=turn.id,
    )
    if visible:
        frames.add(
            session,
            person_id=turn.person_id,
            kind="cards",
            body={"cards": chips(visible)},
            now=now,
            conversation_id=turn.conversation_id,
            turn_id=turn.id,
            screen=turn.screen,
        )
