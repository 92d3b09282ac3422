"""How turns went, and what was counted from it: the log of Memory Worth and its projection as rows.

The log is retrievals, outcomes and acts. `worth` and `worth_ledgers` are a projection of it that can be
thrown away and counted again; what the numbers mean is memory/worth's business, here they are JSON.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, bindparam, delete, exists, func, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from memory.records import Card, Turn
from memory.storage import cards as card_rows
from memory.storage import turns as turn_rows
from memory.storage import undone
from memory.storage.tables import (
    CardRow,
    ConversationRow,
    OutcomeRow,
    PersonRow,
    RetrievalRow,
    TurnRow,
    VoteRow,
    WorthActRow,
    WorthLedgerRow,
    WorthRow,
)


class LoggedUse(NamedTuple):
    """One card in one turn, as it was logged."""

    card_id: int
    weight: float
    score: float
    shown: bool
    used: bool | None
    propensity: float
    protected: bool


@dataclass(frozen=True, kw_only=True)
class LoggedEpisode:
    """One turn that retrieved something, with its outcome: 1, -1, or None while there is none."""

    turn_id: int
    at: datetime
    context: str
    value: int | None
    source: str | None  # where the outcome came from: "vote", "aside", "still_right", "judged", "model" ...
    uses: tuple[LoggedUse, ...]


class LoggedAct(NamedTuple):
    """What a person did about one card's worth."""

    id: int
    at: datetime
    card_id: int
    move: str


class Counted(NamedTuple):
    """One card's projection: `state` is what memory/worth wrote, the rest is for filters and lists."""

    status: str
    successes: float
    uses: float
    state: dict[str, Any]


def outcome(session: Session, turn_id: int) -> tuple[int, str] | None:
    """The stored outcome of a turn and where it came from; None when there is none."""
    row = session.execute(
        select(OutcomeRow.value, OutcomeRow.source).where(OutcomeRow.turn_id == turn_id)
    ).first()
    return None if row is None else (row.value, row.source)


def put(session: Session, person_id: int, turn_id: int, value: int, source: str, *, at: datetime) -> None:
    """Store the one outcome of a turn, in place of an earlier one."""
    row = session.scalar(select(OutcomeRow).where(OutcomeRow.turn_id == turn_id))
    if row is None:
        session.add(OutcomeRow(person_id=person_id, turn_id=turn_id, value=value, source=source, at=at))
    else:
        row.value, row.source, row.at = value, source, at
    session.flush()


def withdraw(session: Session, turn_id: int) -> None:
    """Take the outcome of a turn back."""
    session.execute(delete(OutcomeRow).where(OutcomeRow.turn_id == turn_id))


def voted(session: Session, person_id: int, turn_id: int) -> tuple[int, str] | None:
    """The person's vote on a turn, 1 or -1, and its reason ("" is none); None when there is no vote."""
    row = session.execute(
        select(VoteRow.value, VoteRow.reason).where(
            VoteRow.person_id == person_id, VoteRow.turn_id == turn_id
        )
    ).first()
    return None if row is None else (row.value, row.reason or "")


def following(session: Session, turn: Turn) -> Turn | None:
    """What the same speaker said next in the same conversation; None when nothing, or someone else did."""
    row = session.scalar(
        select(TurnRow)
        .where(
            TurnRow.conversation_id == turn.conversation_id,
            TurnRow.id > turn.id,
            ~TurnRow.superseded,
            TurnRow.deleted_at.is_(None),
        )
        .order_by(TurnRow.id)
        .limit(1)
    )
    return None if row is None or row.speaker != turn.speaker else turn_rows.to_record(row)


def corrected_in(session: Session, turn_id: int, card_ids: Collection[int]) -> list[int]:
    """Which of these cards a turn put right: a card made in it took their place."""
    if not card_ids:
        return []
    found = session.scalars(
        select(CardRow.supersedes_id).where(
            CardRow.turn_id == turn_id,
            CardRow.supersedes_id.in_(card_ids),
            CardRow.category.in_(("fact", "person", "memo")),
        )
    )
    return [each for each in found if each is not None]


def used_in(session: Session, turn_id: int) -> list[int]:
    """The cards that an answer rests on: those it used, or all it was shown where that is not known."""
    found = session.execute(
        select(RetrievalRow.card_id, RetrievalRow.used).where(
            RetrievalRow.turn_id == turn_id, RetrievalRow.shown
        )
    ).all()
    known = any(row.used is not None for row in found)
    return [row.card_id for row in found if row.used or not known]


def episode(session: Session, turn_id: int) -> LoggedEpisode | None:
    """One turn as the log holds it; None when it retrieved nothing."""
    return next(iter(_episodes(session, RetrievalRow.turn_id == turn_id, judged=False)), None)


def judged(session: Session, person_id: int, *, card_id: int | None = None) -> list[LoggedEpisode]:
    """A person's turns that retrieved something and have an outcome; only those with one card if given."""
    where = RetrievalRow.person_id == person_id
    if card_id is not None:
        with_card = select(RetrievalRow.turn_id).where(RetrievalRow.card_id == card_id)
        where = where & RetrievalRow.turn_id.in_(with_card)
    return _episodes(session, where, judged=True)


def _episodes(session: Session, where: ColumnElement[bool], *, judged: bool) -> list[LoggedEpisode]:
    statement = (
        select(
            RetrievalRow.turn_id,
            TurnRow.created_at,
            RetrievalRow.context,
            OutcomeRow.value,
            OutcomeRow.source,
            RetrievalRow.card_id,
            RetrievalRow.weight,
            RetrievalRow.score,
            RetrievalRow.shown,
            RetrievalRow.used,
            RetrievalRow.propensity,
            RetrievalRow.protected,
        )
        .join(TurnRow, TurnRow.id == RetrievalRow.turn_id)
        .join(OutcomeRow, OutcomeRow.turn_id == RetrievalRow.turn_id, isouter=not judged)
        .where(where)
        .order_by(RetrievalRow.turn_id, RetrievalRow.id)
    )
    grouped: dict[int, list[Any]] = {}
    for row in session.execute(statement):
        grouped.setdefault(row[0], []).append(row)
    return [
        LoggedEpisode(
            turn_id=turn_id,
            at=rows[0][1],
            context=rows[0][2],
            value=rows[0][3],
            source=rows[0][4],
            uses=tuple(LoggedUse(*row[5:]) for row in rows),
        )
        for turn_id, rows in grouped.items()
    ]


def acts(session: Session, person_id: int) -> list[LoggedAct]:
    """Everything a person did about the worth of cards, in order."""
    found = session.execute(
        select(WorthActRow.id, WorthActRow.at, WorthActRow.card_id, WorthActRow.move)
        .where(WorthActRow.person_id == person_id)
        .order_by(WorthActRow.id)
    )
    return [LoggedAct(*row) for row in found]


def add_act(session: Session, person_id: int, card_id: int, move: str, *, at: datetime) -> LoggedAct | None:
    """Log an act; None when this very act is in the log already, so that a job may run twice."""
    same = (
        WorthActRow.person_id == person_id,
        WorthActRow.card_id == card_id,
        WorthActRow.move == move,
        WorthActRow.at == at,
    )
    if session.scalar(select(WorthActRow.id).where(*same)) is not None:
        return None
    row = WorthActRow(person_id=person_id, card_id=card_id, move=move, at=at)
    session.add(row)
    session.flush()
    return LoggedAct(row.id, row.at, card_id, move)


def states(
    session: Session, person_id: int, card_ids: Collection[int] | None = None
) -> dict[int, dict[str, Any]]:
    """The stored states of a person's cards, of these or of all."""
    statement = select(WorthRow.card_id, WorthRow.state).where(WorthRow.person_id == person_id)
    if card_ids is not None:
        statement = statement.where(WorthRow.card_id.in_(card_ids))
    return {card_id: state for card_id, state in session.execute(statement)}


def statuses(session: Session, person_id: int, card_ids: Collection[int]) -> dict[int, str]:
    """The stored status of those of these cards that have one."""
    found = session.execute(
        select(WorthRow.card_id, WorthRow.status).where(
            WorthRow.person_id == person_id, WorthRow.card_id.in_(card_ids)
        )
    )
    return {card_id: status for card_id, status in found}


def save_states(
    session: Session,
    person_id: int,
    counted: Mapping[int, Counted],
    *,
    now: datetime,
    all_of_them: bool = False,
) -> None:
    """Store states of cards; with `all_of_them` those of the person's other cards go away."""
    wanted = select(WorthRow).where(WorthRow.person_id == person_id)
    if not all_of_them:
        wanted = wanted.where(WorthRow.card_id.in_(counted))
    rows = {row.card_id: row for row in session.scalars(wanted)}
    for card_id, row in rows.items():
        if card_id not in counted:
            session.delete(row)
    for card_id, each in counted.items():
        known = rows.get(card_id)
        if known is None:
            session.add(WorthRow(card_id=card_id, person_id=person_id, changed_at=now, **each._asdict()))
        elif known.state != each.state:
            known.status, known.successes, known.uses = each.status, each.successes, each.uses
            known.state, known.changed_at = each.state, now
    session.flush()


def people_counted(session: Session) -> list[int]:
    """Everybody of whom something is logged or counted."""
    logged = select(OutcomeRow.person_id).union(
        select(WorthLedgerRow.person_id), select(WorthActRow.person_id), select(WorthRow.person_id)
    )
    return sorted(session.scalars(logged))


def people_with_suppressed(session: Session, *, since: datetime) -> list[int]:
    """Who has a suppressed card whose state was last changed before a moment."""
    return list(
        session.scalars(
            select(WorthRow.person_id)
            .where(WorthRow.status == "suppressed", WorthRow.changed_at < since)
            .distinct()
        )
    )


def unjudged(session: Session, *, before: datetime, since: datetime, now: datetime, limit: int) -> list[int]:
    """Ended turns that the judge has not looked at, or not since a vote changed."""
    return list(
        session.scalars(
            select(TurnRow.id)
            .join(ConversationRow, ConversationRow.id == TurnRow.conversation_id)
            .where(
                TurnRow.judged_at.is_(None),
                TurnRow.answered_at < before,
                TurnRow.answered_at >= since,
                exists().where(RetrievalRow.turn_id == TurnRow.id),
                TurnRow.deleted_at.is_(None),
                undone.due(TurnRow, now=now),
            )
            .order_by(*undone.order(TurnRow))
            .limit(limit)
        )
    )


def unmark(session: Session, turn_id: int) -> None:
    """Have the sweep find a turn again if the judge does not come to it."""
    again = {"judged_at": None, "looks": 0, "next_look_at": None}
    session.execute(update(TurnRow).where(TurnRow.id == turn_id).values(again))


# Built once: several sources of every turn ask it.
_IN_DOUBT = select(WorthRow.card_id).where(
    WorthRow.person_id == bindparam("person"),
    WorthRow.status.in_(("suspect", "suppressed", "deprecated")),
)


def in_doubt(session: Session, person_id: int) -> frozenset[int]:
    """Cards of a person that are on trial or not to be offered unasked."""
    return frozenset(session.scalars(_IN_DOUBT, {"person": person_id}))


def by_status(
    session: Session, person_id: int, statuses: Collection[str], *, limit: int = 200
) -> list[tuple[Card, dict[str, Any]]]:
    """A person's active cards in these statuses with their states, the last changed first."""
    found = session.execute(
        select(CardRow, WorthRow.state)
        .join(WorthRow, WorthRow.card_id == CardRow.id)
        .where(
            CardRow.person_id == person_id, CardRow.status == "active", WorthRow.status.in_(list(statuses))
        )
        .order_by(WorthRow.changed_at.desc(), CardRow.id.desc())
        .limit(limit)
    )
    return [(card_rows.to_record(row), state) for row, state in found]


def tallies(session: Session, person_id: int) -> dict[int, tuple[float, float, str]]:
    """Successes, uses and status of each of a person's cards that was counted."""
    found = session.execute(
        select(WorthRow.card_id, WorthRow.successes, WorthRow.uses, WorthRow.status).where(
            WorthRow.person_id == person_id, WorthRow.uses > 0
        )
    )
    return {card_id: (good, uses, status) for card_id, good, uses, status in found}


def counts(session: Session) -> dict[str, int]:
    """How many cards of everybody stand in each status; demo accounts are left out."""
    found = session.execute(
        select(WorthRow.status, func.count()).where(_lived(WorthRow.person_id)).group_by(WorthRow.status)
    )
    return {status: number for status, number in found}


def rates(session: Session, *, since: datetime) -> dict[str, int]:
    """Figures of everybody's episodes since a moment, for the operator: numbers, never texts, and no demo."""
    good, bad = (
        session.scalar(
            select(func.count())
            .select_from(OutcomeRow)
            .where(OutcomeRow.at >= since, OutcomeRow.value == value, _lived(OutcomeRow.person_id))
        )
        or 0
        for value in (1, -1)
    )
    seen = (RetrievalRow.created_at >= since, _lived(RetrievalRow.person_id))
    drawn = (*seen, RetrievalRow.propensity < 1.0)
    lots = session.scalar(select(func.count()).select_from(RetrievalRow).where(*drawn)) or 0
    held = session.scalar(select(func.count()).select_from(RetrievalRow).where(*drawn, ~RetrievalRow.shown))
    failed = session.scalar(
        select(func.count(func.distinct(OutcomeRow.turn_id)))
        .join(RetrievalRow, RetrievalRow.turn_id == OutcomeRow.turn_id)
        .where(OutcomeRow.value == -1, ~RetrievalRow.shown, *seen)
    )
    episodes = session.scalar(select(func.count(func.distinct(RetrievalRow.turn_id))).where(*seen))
    moves = dict(
        session.execute(
            select(WorthActRow.move, func.count())
            .where(WorthActRow.at >= since, _lived(WorthActRow.person_id))
            .group_by(WorthActRow.move)
        ).all()
    )
    return {
        "episodes": episodes or 0,
        "good": good,
        "bad": bad,
        "lots": lots,
        "withheld": held or 0,
        "failed_while_withheld": failed or 0,
        **{f"act_{move}": number for move, number in moves.items()},
    }


def _lived(person_id: InstrumentedAttribute[int]) -> ColumnElement[bool]:
    """Rows of people: a demo account's life was never lived."""
    return person_id.not_in(select(PersonRow.id).where(PersonRow.demo))
