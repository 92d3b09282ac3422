"""Votes: helpful or not, one for a person and turn."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from memory.errors import Conflict
from memory.storage import outcomes
from memory.storage.tables import VoteRow

# Why an answer did not help, as the page offers it.
REASONS = ("outdated", "other", "missing")
ASIDE = frozenset({"other", "missing"})  # what the answer said may well be right


def vote(
    session: Session, person_id: int, turn_id: int, value: int, *, now: datetime, reason: str = ""
) -> None:
    """Store the person's one vote on a turn; 0 takes it back.

    Raises:
        Conflict: two devices voted at the same instant; asking again is safe.
    """
    row = session.scalar(select(VoteRow).where(VoteRow.person_id == person_id, VoteRow.turn_id == turn_id))
    if value == 0:
        if row is not None:
            session.delete(row)
    elif row is None:
        try:
            with session.begin_nested():
                session.add(
                    VoteRow(person_id=person_id, turn_id=turn_id, value=value, reason=reason, voted_at=now)
                )
        except IntegrityError as error:
            raise Conflict("Another of your devices voted just now. Please look again.") from error
    else:
        row.value, row.reason, row.voted_at = value, reason, now
    # Should the queue be down, the sweep finds the turn.
    outcomes.unmark(session, turn_id)
