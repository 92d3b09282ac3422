"""The rows of a life that was never lived: past talks of a demo account, with how they went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from memory.records import Person, TurnState
from memory.storage.tables import (
    ConversationRow,
    OutcomeRow,
    PersonRow,
    RetrievalRow,
    TurnRow,
    WorthLedgerRow,
    WorthRow,
)


@dataclass(frozen=True, kw_only=True)
class PastTurn:
    """One exchange of a past talk."""

    said: str
    answer: str
    at: datetime


@dataclass(frozen=True, kw_only=True)
class PastUse:
    """One card in a past turn."""

    card_id: int
    shown: bool = True  # False: a lot held it back
    used: bool = True
    propensity: float = 1.0
    protected: bool = False


def mark(session: Session, person_id: int) -> None:
    """Say that an account is there to be looked at only."""
    session.execute(update(PersonRow).where(PersonRow.id == person_id).values(demo=True))


def remove_all(session: Session) -> int:
    """Delete every demo account with all that is its own; gives how many there were."""
    total = session.scalar(select(func.count()).select_from(PersonRow).where(PersonRow.demo)) or 0
    session.execute(delete(PersonRow).where(PersonRow.demo).execution_options(synchronize_session=False))
    return total


def add_talk(session: Session, owner: Person, turns: Sequence[PastTurn]) -> list[int]:
    """An archived conversation of these turns; gives their ids. Nothing of it is looked at by a job again."""
    talk = ConversationRow(
        person_id=owner.id,
        opened_at=turns[0].at,
        last_exchange_at=turns[-1].at,
        archived_at=turns[-1].at + timedelta(minutes=35),
    )
    session.add(talk)
    session.flush()
    ids = []
    for number, turn in enumerate(turns):
        row = TurnRow(
            conversation_id=talk.id,
            person_id=owner.id,
            client_id=f"demo-{talk.id}-{number}",
            zone=owner.zone,
            language=owner.language,
            said=turn.said,
            answer=turn.answer,
            state=TurnState.ANSWERED.value,
            created_at=turn.at,
            answered_at=turn.at,
            verified_at=turn.at,
            warmed_at=turn.at,
            judged_at=turn.at,
        )
        session.add(row)
        session.flush()
        ids.append(row.id)
    return ids


def add_outcome(
    session: Session,
    person_id: int,
    turn_id: int,
    uses: Sequence[PastUse],
    *,
    good: bool,
    context: str,
    at: datetime,
) -> None:
    """How a past turn went, on which cards it rested, and which were held back."""
    session.add(
        OutcomeRow(person_id=person_id, turn_id=turn_id, value=1 if good else -1, source="judged", at=at)
    )
    for use in uses:
        session.add(
            RetrievalRow(
                person_id=person_id,
                turn_id=turn_id,
                card_id=use.card_id,
                angle="meaning",
                score=0.5,
                context=context,
                shown=use.shown,
                propensity=use.propensity,
                protected=use.protected,
                used=use.used,
                created_at=at,
            )
        )


def add_worth(
    session: Session, person_id: int, states: Mapping[int, Mapping[str, Any]], *, now: datetime
) -> None:
    """The worth of cards, by id, each as `WorthState.to_dict` gives it."""
    for card_id, state in states.items():
        session.add(
            WorthRow(
                card_id=card_id,
                person_id=person_id,
                status=state["status"],
                state=dict(state),
                successes=float(state["good"]),
                uses=float(state["uses"]),
                changed_at=now,
            )
        )


def add_ledger(session: Session, person_id: int, state: Mapping[str, Any], *, now: datetime) -> None:
    """What the worth of all cards is counted against, as `Ledger.to_dict` gives it."""
    session.add(WorthLedgerRow(person_id=person_id, state=dict(state), changed_at=now))
