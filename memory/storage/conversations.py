"""Conversations: one open for each person, continued or closed by the rule of silence."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, delete, exists, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from memory.errors import NotFound
from memory.records import Conversation
from memory.storage import undone
from memory.storage.tables import ConversationRow, FrameRow, HandoverRow, PersonRow, TurnRow

FIELDS = tuple(field.name for field in fields(Conversation) if field.name != "turns")  # which the row has too


def to_record(row: ConversationRow, turns: int = 0) -> Conversation:
    """The conversation as the rest of the product knows it."""
    return record_of([getattr(row, name) for name in FIELDS], turns)


def record_of(values: Iterable[Any], turns: int = 0) -> Conversation:
    """The conversation with these values, in the order of `FIELDS`."""
    told = dict(zip(FIELDS, values, strict=True))
    told["pending"] = dict(told["pending"])
    return Conversation(**told, turns=turns)


def is_over(last_exchange_at: datetime, *, now: datetime, idle_s: float) -> bool:
    """Whether silence has ended a conversation: strictly more than `idle_s` seconds of it."""
    return now - last_exchange_at > timedelta(seconds=idle_s)


def open_of(session: Session, person_id: int) -> Conversation | None:
    """The person's open conversation, however old."""
    row = _open_row(session, person_id)
    return None if row is None else to_record(row, _turns(session, row.id))


def take_open(
    session: Session, person_id: int, *, now: datetime, idle_s: float
) -> tuple[Conversation, int | None, bool]:
    """The conversation that a message arriving now belongs to, held until the transaction ends.

    The sweep waits for it, so that it cannot archive a conversation that is just gone on with.

    Returns:
        The conversation, the id of the one that was archived to make room (or
        None), and whether the conversation is new.
    """
    row = _open_row(session, person_id, lock=True)
    closed: int | None = None
    # A conversation that a human holds or is asked for stays open: the person may wait for them.
    if (
        row is not None
        and row.handled_by is None
        and is_over(row.last_exchange_at, now=now, idle_s=idle_s)
        and not _awaits_human(session, row.id)
    ):
        close(session, row.id, now=now)
        closed, row = row.id, None
    if row is not None:
        return to_record(row, _turns(session, row.id)), closed, False
    try:
        with session.begin_nested():
            fresh = ConversationRow(person_id=person_id, opened_at=now, last_exchange_at=now, pending={})
            session.add(fresh)
            session.flush()
        return to_record(fresh), closed, True
    except IntegrityError:  # another process opened one just now; the index keeps it at one
        row = _open_row(session, person_id, lock=True)
        if row is None:
            raise
        return to_record(row, _turns(session, row.id)), closed, False


def close(session: Session, conversation_id: int, *, now: datetime) -> bool:
    """Archive a conversation; False when it already was. Of a private one nothing is left."""
    private = session.scalar(
        update(ConversationRow)
        .where(ConversationRow.id == conversation_id, ConversationRow.archived_at.is_(None))
        .values(archived_at=now, pending={})
        .execution_options(synchronize_session=False)
        .returning(ConversationRow.private)
    )
    if private:
        _empty(session, [conversation_id])
    session.expire_all()
    return private is not None


def close_if_silent(session: Session, conversation_id: int, moment: datetime, *, now: datetime) -> bool:
    """Archive a conversation if its person has been silent since before a moment.

    False when that is no longer so, when a turn is under way or when a human holds
    it. One statement, so that no message can slip in between looking and closing.
    """
    private = session.scalar(
        update(ConversationRow)
        .where(
            ConversationRow.id == conversation_id,
            ConversationRow.archived_at.is_(None),
            ConversationRow.handled_by.is_(None),
            ConversationRow.last_exchange_at < moment,
            ~_busy(),
            ~_requested(),
        )
        .values(archived_at=now, pending={})
        .execution_options(synchronize_session=False)
        .returning(ConversationRow.private)
    )
    if private:
        _empty(session, [conversation_id])
    session.expire_all()
    return private is not None


def open_private(session: Session, person_id: int, *, now: datetime) -> Conversation:
    """A new conversation that keeps nothing, for a person who has none open."""
    row = ConversationRow(person_id=person_id, opened_at=now, last_exchange_at=now, pending={}, private=True)
    session.add(row)
    session.flush()
    return to_record(row)


def purge_private(session: Session) -> int:
    """Remove what is left of private conversations that are over; returns how many went.

    That is their empty rows, and an answer that was under way when one of them ended.
    """
    ended = list(
        session.scalars(
            select(ConversationRow.id).where(
                ConversationRow.private, ConversationRow.archived_at.is_not(None), ~_busy()
            )
        )
    )
    if ended:
        _empty(session, ended)
        session.execute(
            delete(ConversationRow)
            .where(ConversationRow.id.in_(ended))
            .execution_options(synchronize_session=False)
        )
        session.expire_all()
    return len(ended)


def is_busy(session: Session, conversation_id: int) -> bool:
    """Whether a turn of a conversation waits or runs."""
    return bool(session.scalar(select(_busy()).where(ConversationRow.id == conversation_id)))


def lock(session: Session, conversation_id: int) -> None:
    """Hold a conversation's row until the transaction ends.

    Whoever writes to turns, frames and the conversation takes it first, so that no two wait for each other.
    """
    session.execute(select(ConversationRow.id).where(ConversationRow.id == conversation_id).with_for_update())


def by_id(session: Session, conversation_id: int) -> Conversation:
    """One conversation, for code that already checked whose it is.

    Raises:
        NotFound: it is gone.
    """
    row = session.get(ConversationRow, conversation_id, populate_existing=True)
    if row is None:
        raise NotFound("conversation", conversation_id)
    return to_record(row, _turns(session, row.id))


def find(session: Session, conversation_id: int) -> Conversation | None:
    """One conversation, or None when it is gone: for jobs, which may come late."""
    row = session.get(ConversationRow, conversation_id, populate_existing=True)
    return None if row is None else to_record(row, _turns(session, row.id))


def held_by(session: Session, conversation_id: int) -> int | None:
    """The agent who holds a conversation, read under a lock, so that no claim slips in before the commit."""
    return session.scalar(
        select(ConversationRow.handled_by).where(ConversationRow.id == conversation_id).with_for_update()
    )


def silent_since(session: Session, moment: datetime, *, limit: int) -> list[Conversation]:
    """Open conversations whose person has been silent since before a moment, oldest first.

    Those with a turn under way or with a human are left alone.
    """
    rows = session.scalars(
        select(ConversationRow)
        .where(
            ConversationRow.archived_at.is_(None),
            ConversationRow.handled_by.is_(None),
            ConversationRow.last_exchange_at < moment,
            ~_busy(),
            ~_requested(),
        )
        .order_by(ConversationRow.last_exchange_at)
        .limit(limit)
    )
    return [to_record(row) for row in rows]


def unsummarised(session: Session, *, now: datetime, limit: int) -> list[Conversation]:
    """Archived conversations that still lack their summary: the least tried first, then the oldest."""
    rows = session.scalars(
        select(ConversationRow)
        .where(
            ConversationRow.archived_at.is_not(None),
            ConversationRow.summarised_at.is_(None),
            ~ConversationRow.private,
            undone.due(ConversationRow, now=now),
        )
        .order_by(*undone.order(ConversationRow))
        .limit(limit)
    )
    return [to_record(row) for row in rows]


def write_summary(
    session: Session,
    conversation_id: int,
    *,
    summary: str,
    terms: str,
    vector: Any,
    vector_version: str,
    now: datetime,
) -> bool:
    """Store the summary once; False when another worker was first."""
    changed = session.scalar(
        update(ConversationRow)
        .where(ConversationRow.id == conversation_id, ConversationRow.summarised_at.is_(None))
        .values(
            summary=summary,
            summary_terms=terms,
            summary_vector=vector,
            vector_version=vector_version,
            summarised_at=now,
        )
        .execution_options(synchronize_session=False)
        .returning(ConversationRow.person_id)
    )
    if changed is None:
        return False
    session.execute(  # search holds summaries too
        update(PersonRow)
        .where(PersonRow.id == changed)
        .values(cards_version=PersonRow.cards_version + 1)
        .execution_options(synchronize_session=False)
    )
    return True


def recent(session: Session, person_id: int, *, limit: int) -> list[Conversation]:
    """Archived conversations, newest first, without private and empty ones."""
    rows = session.scalars(
        select(ConversationRow)
        .where(
            ConversationRow.person_id == person_id,
            ConversationRow.archived_at.is_not(None),
            ~ConversationRow.private,
        )
        .order_by(ConversationRow.opened_at.desc(), ConversationRow.id.desc())
        .limit(4 * limit)  # some may be empty; counting the turns of all would read the whole history
    ).all()
    counted = session.execute(
        select(TurnRow.conversation_id, func.count())
        .where(
            TurnRow.conversation_id.in_([row.id for row in rows]),
            ~TurnRow.superseded,
            ~TurnRow.withheld,
            TurnRow.deleted_at.is_(None),
        )
        .group_by(TurnRow.conversation_id)
    )
    turns = {conversation_id: count for conversation_id, count in counted}
    return [to_record(row, turns[row.id]) for row in rows if turns.get(row.id)][:limit]


def by_public_ids(session: Session, person_id: int, public_ids: Collection[str]) -> list[Conversation]:
    """The person's own ones of these conversations, newest first; the number of turns is left out."""
    if not public_ids:
        return []
    rows = session.scalars(
        select(ConversationRow)
        .where(ConversationRow.person_id == person_id, ConversationRow.public_id.in_(public_ids))
        .order_by(ConversationRow.opened_at.desc())
    )
    return [to_record(row) for row in rows]


def set_speaker(session: Session, conversation_id: int, *, name: str, relation: str) -> None:
    """Declare who holds the phone: "" is the owner again."""
    session.execute(
        update(ConversationRow)
        .where(ConversationRow.id == conversation_id)
        .values(speaker=name, speaker_relation=relation)
    )


def set_pending(session: Session, conversation_id: int, pending: dict[str, Any]) -> None:
    """Keep the question that the assistant waits on; {} when it waits on none."""
    session.execute(
        update(ConversationRow).where(ConversationRow.id == conversation_id).values(pending=pending)
    )


def count_failure(session: Session, conversation_id: int, *, failed: bool) -> int:
    """Count failures in a row; any success clears them. Returns the count."""
    value = ConversationRow.failures + 1 if failed else 0
    return (
        session.scalar(
            update(ConversationRow)
            .where(ConversationRow.id == conversation_id)
            .values(failures=value)
            .execution_options(synchronize_session=False)
            .returning(ConversationRow.failures)
        )
        or 0
    )


def _open_row(session: Session, person_id: int, *, lock: bool = False) -> ConversationRow | None:
    statement = (
        select(ConversationRow)
        .where(ConversationRow.person_id == person_id, ConversationRow.archived_at.is_(None))
        .execution_options(populate_existing=True)
    )
    return session.scalar(statement.with_for_update() if lock else statement)


def _empty(session: Session, conversation_ids: Collection[int]) -> None:
    """Remove every turn that is not being answered, with its frames, votes and tool calls; and who spoke."""
    for gone in (
        delete(TurnRow).where(TurnRow.conversation_id.in_(conversation_ids), TurnRow.state != "running"),
        delete(FrameRow).where(FrameRow.conversation_id.in_(conversation_ids)),
    ):
        session.execute(gone.execution_options(synchronize_session=False))


def _busy() -> ColumnElement[bool]:
    return exists().where(
        TurnRow.conversation_id == ConversationRow.id, TurnRow.state.in_(("waiting", "running"))
    )


def _requested() -> ColumnElement[bool]:
    return exists().where(HandoverRow.conversation_id == ConversationRow.id, HandoverRow.ended_at.is_(None))


def _awaits_human(session: Session, conversation_id: int) -> bool:
    return bool(session.scalar(select(_requested()).where(ConversationRow.id == conversation_id)))


def _turns(session: Session, conversation_id: int) -> int:
    return (
        session.scalar(
            select(func.count())
            .select_from(TurnRow)
            .where(
                TurnRow.conversation_id == conversation_id,
                ~TurnRow.superseded,
                TurnRow.deleted_at.is_(None),
            )
        )
        or 0
    )
