"""Running counts for the operator, by day (UTC): numbers only, of nobody in particular."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from memory.storage.tables import FigureRow


class Figure(StrEnum):
    """What is counted."""

    TURNS = "turns"  # answered, in whatever way they ended
    CARDS = "cards"  # kept in turns, by tools and verifier together
    FAILURES = "failures"  # turns that ended in a failure
    VERIFIED = "verified"  # turns that the verifier looked at
    MISSED = "missed"  # of these, turns in which it found something that was not kept
    SKIPPED = "skipped"  # of these, turns that surely held nothing
    RECOVERED = "recovered"  # facts and persons that it added
    REFUSED = "refused"  # proposals that its checks turned down
    FIRST_TIME = "first_time"  # facts and persons that the first pass had kept
    DUPLICATES = "duplicates"  # statements that were known already
    SUPERSEDED = "superseded"  # cards that a newer value replaced
    CONTRADICTIONS = "contradictions"  # answers held back: they stated another value than a settled one
    CORRECTED = "corrected"  # of their sentences, those that gave way to the store's
    FORGOTTEN = "forgotten"  # cards that a person had forgotten
    ACCUSED = "accused"  # cards whose worth came into doubt: trials and reviews begun
    CLEARED = "cleared"  # of these, those let go by a trial, by better days, or by the person
    CONVICTED = "convicted"  # cards suppressed, by a trial or by the person
    REINSTATED = "reinstated"  # suppressed cards that came back: false alarms


def add(session: Session, figure: Figure, amount: int = 1, *, now: datetime) -> None:
    """Count, in the database, so that no two processes lose a count."""
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    key = {"day": _day(now), "name": figure.value}
    session.execute(
        insert(FigureRow).values(**key, value=0).on_conflict_do_nothing(index_elements=["day", "name"])
    )
    session.execute(
        update(FigureRow)
        .where(FigureRow.day == key["day"], FigureRow.name == key["name"])
        .values(value=FigureRow.value + amount)
        .execution_options(synchronize_session=False)
    )


def totals(session: Session, *, since: datetime) -> dict[Figure, int]:
    """Each figure's sum from the day of `since` on; 0 where nothing was counted."""
    found = session.execute(
        select(FigureRow.name, func.sum(FigureRow.value))
        .where(FigureRow.day >= _day(since))
        .group_by(FigureRow.name)
    ).all()
    sums = {name: int(value) for name, value in found}
    return {figure: sums.get(figure.value, 0) for figure in Figure}


def _day(moment: datetime) -> str:
    return moment.date().isoformat()
