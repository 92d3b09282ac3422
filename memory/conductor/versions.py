"""What follows when a turn is said anew or taken out, for its cards and for the question it asked."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from memory import cards
from memory.records import Card, CardStatus, Turn
from memory.storage import cards as card_rows
from memory.storage import conversations as conversation_rows
from memory.storage import turns as turn_rows

_UNDO = "undo"  # in the trace of a deleted turn: how its cards stood
_KEPT = (CardStatus.ACTIVE, CardStatus.SUPERSEDED, CardStatus.DONE, CardStatus.CANCELLED)


def supersede(session: Session, old: Turn, *, said_anew: bool, now: datetime) -> None:
    """Take the old version of a turn out of the thread, for a new one.

    Said anew, its cards are no longer what the person says. Answered anew, they
    stand: the words are the same, and the new answer merges with them. The question
    that was open before the turn is open again, so that "yes" means what it meant.
    """
    if said_anew:
        made = card_rows.of_turn(session, old.id)
        card_rows.set_status(
            session, [card.id for card in made], CardStatus.SUPERSEDED, now=now, was=CardStatus.ACTIVE
        )
        _revive(session, old.person_id, made, now=now)
    _reopen_question(session, old)
    turn_rows.supersede(session, old.id)


def delete(session: Session, turn: Turn, *, now: datetime) -> None:
    """Hide a turn with all its cards; what these had replaced holds again."""
    made = [card for status in _KEPT for card in card_rows.of_turn(session, turn.id, status=status)]
    current = [card for card in made if card.status is CardStatus.ACTIVE]
    revived = _revive(session, turn.person_id, current, now=now)
    _reopen_question(session, turn)
    cards.forget(session, made, now=now)
    turn_rows.mark_deleted(session, turn.id, at=now)
    turn_rows.redo_summaries(session, [turn.id])
    undo: dict[str, Any] = {
        "cards": {card.public_id: card.status.value for card in made},
        "revived": [card.public_id for card in revived],
    }
    turn_rows.note(session, turn.id, **{_UNDO: undo})


def restore(session: Session, turn: Turn, *, now: datetime) -> None:
    """Bring a deleted turn back, with its cards as they stood."""
    undo = turn_rows.trace_of(session, turn.id).get(_UNDO) or {}
    turn_rows.mark_deleted(session, turn.id, at=None)
    turn_rows.redo_summaries(session, [turn.id])
    forgotten = {
        card.public_id: card
        for card in card_rows.of_turn(session, turn.id, status=CardStatus.FORGOTTEN)
        if card.public_id in undo.get("cards", {})
    }
    cards.undo_forget(session, list(forgotten.values()), now=now)
    for status in _KEPT[1:]:
        ids = [card.id for name, card in forgotten.items() if undo["cards"][name] == status.value]
        card_rows.set_status(session, ids, status, now=now, was=CardStatus.ACTIVE)
    revived = card_rows.by_public_ids(session, turn.person_id, undo.get("revived", ()))
    card_rows.set_status(
        session, [card.id for card in revived], CardStatus.SUPERSEDED, now=now, was=CardStatus.ACTIVE
    )
    turn_rows.note(session, turn.id, **{_UNDO: None})


def _revive(session: Session, person_id: int, gone: list[Card], *, now: datetime) -> list[Card]:
    """Make what these cards had replaced current again; those that came back."""
    ids = [card.supersedes_id for card in gone if card.supersedes_id is not None]
    before = [
        card
        for card in card_rows.by_ids(session, person_id, ids).values()
        if card.status is CardStatus.SUPERSEDED and card.id not in {each.id for each in gone}
    ]
    card_rows.set_status(
        session, [card.id for card in before], CardStatus.ACTIVE, now=now, was=CardStatus.SUPERSEDED
    )
    return before


def _reopen_question(session: Session, turn: Turn) -> None:
    """The question that was open before a turn is open again when nothing came after it."""
    if turn_rows.is_newest(session, turn):
        pending = turn_rows.trace_of(session, turn.id).get("pending") or {}
        conversation_rows.set_pending(session, turn.conversation_id, pending)
