"""Turns under way: claimed with a lease, renewed, finished once, marked when their process died."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, exists, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, aliased

from memory.records import Turn, TurnState
from memory.storage.tables import TurnRow
from memory.storage.turns import by_id

_LATE = timedelta(minutes=3)  # longer than a store that is merely busy keeps anybody waiting


def claim_next(session: Session, person_id: int, *, owner: str, now: datetime, lease_s: float) -> Turn | None:
    """Claim the person's oldest waiting turn, unless one of theirs is already running anywhere."""
    other = aliased(TurnRow)
    running = exists().where(other.person_id == person_id, other.state == "running")
    first = (
        select(other.id)
        .where(other.person_id == person_id, other.state == "waiting")
        .order_by(other.id)
        .limit(1)
        .scalar_subquery()
    )
    try:
        with session.begin_nested():
            claimed = session.scalar(
                update(TurnRow)
                .where(TurnRow.id == first, TurnRow.state == "waiting", ~running)
                .values(state="running", claimed_by=owner, lease_until=now + timedelta(seconds=lease_s))
                .execution_options(synchronize_session=False)
                .returning(TurnRow.id)
            )
    except IntegrityError:  # another process claimed one at the same instant
        return None
    return None if claimed is None else by_id(session, claimed)


def renew(session: Session, turn_id: int, *, owner: str, now: datetime, lease_s: float) -> bool:
    """Hold a running turn for longer; False when it is no longer ours."""
    return _owned(session, turn_id, owner, lease_until=now + timedelta(seconds=lease_s))


def finish(
    session: Session,
    turn_id: int,
    *,
    owner: str,
    state: TurnState,
    answer: str,
    trace: dict[str, Any],
    kept: Sequence[str],
    error: str,
    now: datetime,
    cut_off: bool = False,
) -> bool:
    """End a running turn once; False when it is no longer ours and nothing was stored."""
    return _owned(
        session,
        turn_id,
        owner,
        state=state.value,
        answer=answer,
        trace=trace,
        kept=list(kept),
        error=error,
        answered_at=now,
        lease_until=None,
        cut_off=cut_off,
    )


def save_progress(session: Session, turn_id: int, *, owner: str, answer: str) -> bool:
    """Keep what has been shown so far, so that a crash does not lose it."""
    return _owned(session, turn_id, owner, answer=answer)


def interrupt(
    session: Session, *, now: datetime, dead: Sequence[str] = (), alive: Sequence[str] = ()
) -> list[Turn]:
    """Mark turns whose process died: the lease ran out, or its owner is in `dead`.

    An owner in `alive` may be late by some minutes.
    """
    statement = (
        update(TurnRow)
        .where(*_lost(now, dead, alive))
        .values(state="interrupted", answered_at=now, lease_until=None)
        .execution_options(synchronize_session=False)
        .returning(TurnRow.id)
    )
    ids = list(session.scalars(statement))
    return [by_id(session, turn_id) for turn_id in ids]


def any_lost(session: Session, *, now: datetime, dead: Sequence[str] = (), alive: Sequence[str] = ()) -> bool:
    """Whether there is a turn that `interrupt` would mark."""
    return session.scalar(select(TurnRow.id).where(*_lost(now, dead, alive)).limit(1)) is not None


def _lost(now: datetime, dead: Sequence[str], alive: Sequence[str]) -> tuple[ColumnElement[bool], ...]:
    gone: ColumnElement[bool] = TurnRow.lease_until < now - _LATE
    if dead:
        gone = gone | TurnRow.claimed_by.in_(dead)
    return TurnRow.state == "running", gone | ((TurnRow.lease_until < now) & TurnRow.claimed_by.not_in(alive))


def running_owners(session: Session) -> set[str]:
    """The processes that hold a running turn."""
    return set(session.scalars(select(TurnRow.claimed_by).where(TurnRow.state == "running").distinct()))


def waits(session: Session, person_id: int) -> bool:
    """Whether the person has a turn that nobody has claimed."""
    return (
        session.scalar(
            select(TurnRow.id).where(TurnRow.person_id == person_id, TurnRow.state == "waiting").limit(1)
        )
        is not None
    )


def people_waiting(session: Session) -> list[int]:
    """People with a waiting turn and none running."""
    other = aliased(TurnRow)
    running = exists().where(other.person_id == TurnRow.person_id, other.state == "running")
    return list(
        session.scalars(
            select(TurnRow.person_id).where(TurnRow.state == "waiting", ~running).distinct().limit(500)
        )
    )


def ask_stop(session: Session, person_id: int, public_id: str) -> bool:
    """Ask whichever process runs the turn to stop; a waiting turn ends at once. False when it is over."""
    changed = session.scalar(
        update(TurnRow)
        .where(
            TurnRow.person_id == person_id,
            TurnRow.public_id == public_id,
            TurnRow.state.in_(("waiting", "running")),
        )
        .values(stop_asked=True)
        .execution_options(synchronize_session=False)
        .returning(TurnRow.id)
    )
    return changed is not None


def stop_all(session: Session, conversation_id: int) -> None:
    """Ask whichever processes run turns of a conversation to stop."""
    session.execute(
        update(TurnRow)
        .where(TurnRow.conversation_id == conversation_id, TurnRow.state == "running")
        .values(stop_asked=True)
        .execution_options(synchronize_session=False)
    )


def is_stopped(session: Session, turn_id: int) -> bool:
    """Whether the person asked to stop, or the turn was taken away."""
    row = session.execute(
        select(TurnRow.stop_asked, TurnRow.state).where(TurnRow.id == turn_id)
    ).one_or_none()
    return row is None or bool(row[0]) or row[1] != "running"


def _owned(session: Session, turn_id: int, owner: str, **values: Any) -> bool:
    changed = session.scalar(
        update(TurnRow)
        .where(TurnRow.id == turn_id, TurnRow.claimed_by == owner, TurnRow.state == "running")
        .values(**values)
        .execution_options(synchronize_session=False)
        .returning(TurnRow.id)
    )
    return changed is not None
