"""Turns: written first, and what is read of them. Claiming and finishing is in `leases`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, exists, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from memory.errors import NotFound
from memory.records import Conversation, Turn, TurnContext, TurnState
from memory.storage import conversations, ledgers, undone
from memory.storage.tables import ConversationRow, PersonRow, RetrievalRow, TurnRow, VoteRow

FIELDS = tuple(field.name for field in fields(Turn) if field.name != "feedback")  # which the row has too


def to_record(row: TurnRow, feedback: int = 0) -> Turn:
    """The turn as the rest of the product knows it."""
    return record_of([getattr(row, name) for name in FIELDS], feedback)


def record_of(values: Iterable[Any], feedback: int = 0) -> Turn:
    """The turn with these values, in the order of `FIELDS`."""
    told = dict(zip(FIELDS, values, strict=True))
    told["state"] = TurnState(told["state"])
    told["kept"] = tuple(told["kept"])
    return Turn(**told, feedback=feedback)


def write(
    session: Session,
    conversation: Conversation,
    *,
    client_id: str,
    text: str,
    context: TurnContext,
    now: datetime,
    state: TurnState = TurnState.WAITING,
    replaces_id: int | None = None,
) -> tuple[Turn, bool]:
    """Write down what was said, before anything else happens with it.

    The conversation's silence is counted from here. The same `client_id` twice is
    one turn.

    Returns:
        The turn and whether it is new.
    """
    known = _by_client(session, conversation.person_id, client_id)
    if known is not None:
        return to_record(known), False
    row = TurnRow(
        conversation_id=conversation.id,
        person_id=conversation.person_id,
        client_id=client_id,
        device_id=context.device_id,
        screen=context.screen,
        zone=context.zone,
        language=context.language,
        speaker=conversation.speaker,
        said=text,
        state=state.value,
        created_at=now,
        answered_at=now if state is TurnState.WITH_HUMAN else None,
        replaces_id=replaces_id,
        kept=[],
        trace={},
    )
    try:
        with session.begin_nested():
            session.add(row)
            session.flush()
    except IntegrityError:
        known = _by_client(session, conversation.person_id, client_id)
        if known is None:
            raise
        return to_record(known), False
    session.execute(
        update(ConversationRow).where(ConversationRow.id == conversation.id).values(last_exchange_at=now)
    )
    return to_record(row), True


def by_id(session: Session, turn_id: int) -> Turn:
    """One turn, for code that already checked whose it is.

    Raises:
        NotFound: it is gone.
    """
    row = session.get(TurnRow, turn_id, populate_existing=True)
    if row is None:
        raise NotFound("turn", turn_id)
    return to_record(row, _feedback(session, row))


def find(session: Session, turn_id: int) -> Turn | None:
    """One turn, or None when it is gone: for jobs, which may come late."""
    row = session.get(TurnRow, turn_id, populate_existing=True)
    return None if row is None or row.deleted_at is not None else to_record(row)


def before(session: Session, turn: Turn) -> Turn | None:
    """The turn before one, in the same conversation."""
    row = session.scalar(
        select(TurnRow)
        .where(TurnRow.conversation_id == turn.conversation_id, TurnRow.id < turn.id, *_standing())
        .order_by(TurnRow.id.desc())
        .limit(1)
    )
    return None if row is None else to_record(row)


def by_public_id(session: Session, person_id: int, public_id: str) -> Turn:
    """One of the person's own turns.

    Raises:
        NotFound: there is none, or it is someone else's.
    """
    row = session.scalar(
        select(TurnRow).where(TurnRow.person_id == person_id, TurnRow.public_id == public_id)
    )
    if row is None:
        raise NotFound("turn", public_id)
    return to_record(row, _feedback(session, row))


def public_ids(session: Session, person_id: int, turn_ids: Collection[int]) -> dict[int, str]:
    """By which ids the outside knows these turns of the person; deleted ones are left out."""
    if not turn_ids:
        return {}
    found = session.execute(
        select(TurnRow.id, TurnRow.public_id).where(
            TurnRow.person_id == person_id, TurnRow.id.in_(turn_ids), TurnRow.deleted_at.is_(None)
        )
    )
    return {turn_id: public_id for turn_id, public_id in found}


def of_conversation(session: Session, conversation_id: int, *, limit: int = 200) -> list[Turn]:
    """The newest turns of a conversation that still stand, oldest first."""
    rows = session.scalars(
        select(TurnRow)
        .where(TurnRow.conversation_id == conversation_id, *_standing())
        .order_by(TurnRow.id.desc())
        .limit(limit)
    )
    return [to_record(row) for row in reversed(list(rows))]


def language_of(session: Session, conversation_id: int) -> str:
    """The language that a conversation was last held in; "" when nothing was said yet."""
    return (
        session.scalar(
            select(TurnRow.language)
            .where(TurnRow.conversation_id == conversation_id, *_standing())
            .order_by(TurnRow.id.desc())
            .limit(1)
        )
        or ""
    )


def timeline(
    session: Session, person_id: int, *, before_turn_id: int | None = None, limit: int = 40
) -> list[tuple[Turn, Conversation]]:
    """The person's newest turns with their conversations, oldest first; older ones by `before_turn_id`."""
    statement: Select[TurnRow, ConversationRow, int] = (
        select(TurnRow, ConversationRow, VoteRow.value)
        .join(ConversationRow, ConversationRow.id == TurnRow.conversation_id)
        .outerjoin(VoteRow, (VoteRow.turn_id == TurnRow.id) & (VoteRow.person_id == person_id))
        .where(
            TurnRow.person_id == person_id,
            ~TurnRow.superseded,
            TurnRow.deleted_at.is_(None),
            # An answer that was under way when a private conversation ended is removed by the sweep.
            ~(ConversationRow.private & ConversationRow.archived_at.is_not(None)),
        )
        .order_by(TurnRow.id.desc())
        .limit(limit)
    )
    if before_turn_id is not None:
        statement = statement.where(TurnRow.id < before_turn_id)
    found = [
        (to_record(turn, vote or 0), conversations.to_record(conversation))
        for turn, conversation, vote in session.execute(statement)
    ]
    return list(reversed(found))


def under_way(session: Session, person_id: int) -> list[Turn]:
    """The person's turns that wait or run, oldest first."""
    rows = session.scalars(
        select(TurnRow)
        .where(
            TurnRow.person_id == person_id,
            TurnRow.state.in_(("waiting", "running")),
            ~TurnRow.superseded,
            TurnRow.deleted_at.is_(None),
        )
        .order_by(TurnRow.id)
    )
    return [to_record(row) for row in rows]


def supersede(session: Session, turn_id: int) -> None:
    """Take a turn out of the thread because a newer version replaces it."""
    session.execute(update(TurnRow).where(TurnRow.id == turn_id).values(superseded=True))
    _touch_owners(session, [turn_id])


def mark_deleted(session: Session, turn_id: int, *, at: datetime | None) -> None:
    """Hide a turn, or bring it back with None. It is removed when its undo runs out."""
    session.execute(update(TurnRow).where(TurnRow.id == turn_id).values(deleted_at=at))
    _touch_owners(session, [turn_id])


def trace_of(session: Session, turn_id: int) -> dict[str, Any]:
    """What was noted about how a turn was answered; {} when nothing was."""
    return dict(session.scalar(select(TurnRow.trace).where(TurnRow.id == turn_id)) or {})


def note(session: Session, turn_id: int, **noted: Any) -> None:
    """Add to a turn's trace; None takes a note away."""
    trace = {**trace_of(session, turn_id), **noted}
    kept = {name: value for name, value in trace.items() if value is not None}
    session.execute(update(TurnRow).where(TurnRow.id == turn_id).values(trace=kept))


def is_newest(session: Session, turn: Turn) -> bool:
    """Whether no later turn of its conversation stands, but for a new version of it."""
    later = exists().where(
        TurnRow.conversation_id == turn.conversation_id,
        TurnRow.id > turn.id,
        or_(TurnRow.replaces_id.is_(None), TurnRow.replaces_id != turn.id),
        *_standing(),
    )
    return not session.scalar(select(later))


def speak_after(session: Session, turn: Turn, speaker: str) -> None:
    """Who holds the phone changed by a turn's words: what waits behind it is the new speaker's.

    When the owner is back, the turn that says so is the owner's already.
    """
    session.execute(
        update(TurnRow)
        .where(
            TurnRow.conversation_id == turn.conversation_id, TurnRow.id > turn.id, TurnRow.state == "waiting"
        )
        .values(speaker=speaker)
        .execution_options(synchronize_session=False)
    )
    if not speaker:
        session.execute(update(TurnRow).where(TurnRow.id == turn.id).values(speaker=""))
    session.expire_all()


def withhold(session: Session, turn_ids: Sequence[int], *, withheld: bool) -> None:
    """Take turns out of every excerpt and search, or put them back; their summaries are written anew."""
    if not turn_ids:
        return
    session.execute(
        update(TurnRow)
        .where(TurnRow.id.in_(turn_ids))
        .values(withheld=withheld)
        .execution_options(synchronize_session=False)
    )
    _touch_owners(session, turn_ids)
    redo_summaries(session, turn_ids)


def redo_summaries(session: Session, turn_ids: Sequence[int]) -> None:
    """Drop the summaries of the turns' archived conversations; the sweep writes them anew."""
    session.execute(
        update(ConversationRow)
        .where(
            ConversationRow.id.in_(select(TurnRow.conversation_id).where(TurnRow.id.in_(turn_ids))),
            # Also without a summary: one that is being written just now waits here, and looks again.
            ConversationRow.archived_at.is_not(None),
        )
        .values(summary="", summary_terms="", summary_vector=None, summarised_at=None)
        .values(looks=0, next_look_at=None)
        .execution_options(synchronize_session=False)
    )
    session.expire_all()


def holding(session: Session, person_id: int, terms: Sequence[str]) -> list[int]:
    """Turns of a person whose words hold all of these terms."""
    if not terms:
        return []
    rows = session.execute(
        select(TurnRow.id, TurnRow.terms).where(
            TurnRow.person_id == person_id,
            *(TurnRow.terms.contains(term, autoescape=True) for term in terms),
        )
    )
    wanted = set(terms)
    return [turn_id for turn_id, held in rows if wanted <= set(held.split())]


def purge_deleted(session: Session, moment: datetime) -> int:
    """Remove turns deleted before a moment, with their frames, votes, retrievals; returns how many."""
    gone = session.execute(
        delete(TurnRow)
        .where(TurnRow.deleted_at < moment)
        .execution_options(synchronize_session=False)
        .returning(TurnRow.id, TurnRow.person_id)
    ).all()
    ledgers.mark_stale(session, {row.person_id for row in gone})
    return len(gone)


def index(session: Session, turn_id: int, *, terms: str, vector: Any, vector_version: str) -> None:
    """Store what recall needs to find a turn."""
    session.execute(
        update(TurnRow)
        .where(TurnRow.id == turn_id)
        .values(terms=terms, vector=vector, vector_version=vector_version)
    )
    _touch_owners(session, [turn_id])


def mark(session: Session, turn_id: int, what: str, *, now: datetime) -> bool:
    """Note once that a job is done with a turn; False when it already was.

    Args:
        what: "verified", "warmed" or "judged".
    """
    column = {"verified": TurnRow.verified_at, "warmed": TurnRow.warmed_at, "judged": TurnRow.judged_at}[what]
    changed = session.scalar(
        update(TurnRow)
        .where(TurnRow.id == turn_id, column.is_(None))
        .values({column: now, TurnRow.looks: 0, TurnRow.next_look_at: None})
        .execution_options(synchronize_session=False)
        .returning(TurnRow.id)
    )
    return changed is not None


def unverified(session: Session, *, before: datetime, now: datetime, limit: int) -> list[int]:
    """Ended turns whose verifier never ran, for the sweep."""
    return list(
        session.scalars(
            select(TurnRow.id)
            .join(ConversationRow, ConversationRow.id == TurnRow.conversation_id)
            .where(
                TurnRow.verified_at.is_(None),
                TurnRow.answered_at < before,
                # To a human, too, people tell things; what the human wrote is a turn without their words.
                or_(
                    TurnRow.state.in_(("answered", "stopped", "interrupted", "failed")),
                    (TurnRow.state == "with_human") & (TurnRow.said != ""),
                ),
                ~ConversationRow.private,
                undone.due(TurnRow, now=now),
                *_standing(),
            )
            .order_by(*undone.order(TurnRow))
            .limit(limit)
        )
    )


def unwarmed(session: Session, *, before: datetime, since: datetime, now: datetime, limit: int) -> list[int]:
    """Turns verified since a moment whose searches found something and warmed nothing yet."""
    return list(
        session.scalars(
            select(TurnRow.id)
            .where(
                TurnRow.verified_at >= since,
                TurnRow.answered_at < before,
                TurnRow.warmed_at.is_(None),
                exists().where(RetrievalRow.turn_id == TurnRow.id),
                TurnRow.deleted_at.is_(None),
                undone.due(TurnRow, now=now),
            )
            .order_by(*undone.order(TurnRow))
            .limit(limit)
        )
    )


def add_kept(session: Session, turn_id: int, public_ids: Sequence[str]) -> None:
    """Add visible cards to the list of what a turn made."""
    row = session.get(TurnRow, turn_id)
    if row is not None:
        row.kept = [*row.kept, *(each for each in public_ids if each not in row.kept)]


def _touch_owners(session: Session, turn_ids: Sequence[int]) -> None:
    """Tell every process's search that what it holds of these people's talks changed."""
    session.execute(
        update(PersonRow)
        .where(PersonRow.id.in_(select(TurnRow.person_id).where(TurnRow.id.in_(turn_ids))))
        .values(cards_version=PersonRow.cards_version + 1)
        .execution_options(synchronize_session=False)
    )


def _standing() -> tuple[ColumnElement[bool], ...]:
    return (~TurnRow.superseded, ~TurnRow.withheld, TurnRow.deleted_at.is_(None))


def _by_client(session: Session, person_id: int, client_id: str) -> TurnRow | None:
    return session.scalar(
        select(TurnRow).where(TurnRow.person_id == person_id, TurnRow.client_id == client_id)
    )


def _feedback(session: Session, row: TurnRow) -> int:
    # By the person too: votes are indexed by person and turn, and every read of a turn comes through here.
    vote = select(VoteRow.value).where(VoteRow.person_id == row.person_id, VoteRow.turn_id == row.id)
    return session.scalar(vote) or 0
