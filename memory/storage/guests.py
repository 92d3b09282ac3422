"""Guests: who spoke on a person's account besides its owner, when, and what was kept of it.

A guest is a name, as it was said when the phone changed hands; names that differ in case or
accents only are one guest. Private conversations leave no guest.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session

from memory.language import fold
from memory.records import Card
from memory.storage import turns
from memory.storage.cards import to_record
from memory.storage.tables import CardRow, ConversationRow, TurnRow

MOST_TALKS = 12  # of one guest, the newest
_NOTE = "forgotten_with"  # in a turn's trace: the step that took its words out of use


@dataclass(frozen=True, kw_only=True)
class Talk:
    """One conversation that a guest took part in."""

    first_turn: str  # public id of the first thing they said in it
    at: datetime
    until: datetime  # their last message in it
    messages: int


@dataclass(frozen=True, kw_only=True)
class Guest:
    """Somebody who held the phone."""

    name: str  # as it was written last
    relation: str  # to the owner; "" when it was never said
    messages: int
    last_at: datetime | None  # None: nothing but memories is left of them
    talks: tuple[Talk, ...]  # newest first, at most `MOST_TALKS`
    more_talks: int
    cards: tuple[Card, ...]  # what they told, newest first
    is_here: bool  # they speak just now


def key(name: str) -> str:
    """What makes two names one guest.

    >>> key(" Zoé ") == key("zoe")
    True
    """
    return " ".join(fold(name).split())


def of_person(session: Session, person_id: int) -> list[Guest]:
    """Everybody who spoke as a guest, who spoke last first."""
    talks = _talks(session, person_id)
    cards: dict[str, list[Card]] = {}
    for card in _cards(session, person_id, CardRow.status == "active"):
        cards.setdefault(key(card.speaker), []).append(card)
    names = {key(card.speaker): card.speaker for told in cards.values() for card in reversed(told)}
    names |= {each: said[0][0] for each, said in talks.items()}
    relations, here = _relations(session, person_id, names), _here(session, person_id)
    found = [
        Guest(
            name=name,
            relation=relations.get(each, ""),
            messages=sum(talk.messages for _, talk in talks.get(each, ())),
            last_at=max((talk.until for _, talk in talks.get(each, ())), default=None),
            talks=tuple(talk for _, talk in talks.get(each, ())[:MOST_TALKS]),
            more_talks=max(0, len(talks.get(each, ())) - MOST_TALKS),
            cards=tuple(cards.get(each, ())),
            is_here=each == here,
        )
        for each, name in names.items()
    ]
    return sorted(found, key=lambda guest: (guest.last_at is None, -_seconds(guest), guest.name))


def told(session: Session, person_id: int, name: str) -> list[Card]:
    """All that a guest told and that is not forgotten, in whatever status."""
    kept = _cards(session, person_id, CardRow.status != "forgotten")
    return [card for card in kept if key(card.speaker) == key(name)]


def withhold_words(session: Session, person_id: int, name: str, *, moment: datetime) -> int:
    """Take a guest's words out of every excerpt, search and summary; gives how many messages."""
    chosen = [
        row
        for row in session.scalars(select(TurnRow).where(*_said(person_id)))
        if key(row.speaker) == key(name)
    ]
    _note(session, {row.id: {**row.trace, _NOTE: moment.isoformat()} for row in chosen})
    turns.withhold(session, [row.id for row in chosen], withheld=True)
    return len(chosen)


def give_back_words(session: Session, person_id: int, *, moment: datetime) -> int:
    """Take back what `withhold_words` did at a moment, and no other forgetting."""
    rows = session.scalars(select(TurnRow).where(TurnRow.person_id == person_id, TurnRow.speaker != ""))
    chosen = [row for row in rows if row.trace.get(_NOTE) == moment.isoformat()]
    _note(session, {row.id: {k: v for k, v in row.trace.items() if k != _NOTE} for row in chosen})
    turns.withhold(session, [row.id for row in chosen], withheld=False)
    return len(chosen)


def _talks(session: Session, person_id: int) -> dict[str, list[tuple[str, Talk]]]:
    """The conversations of each guest, newest first, with the name as it was written in each."""
    rows = session.execute(
        select(
            TurnRow.speaker,
            TurnRow.conversation_id,
            func.min(TurnRow.id),
            func.min(TurnRow.created_at),
            func.max(TurnRow.created_at),
            func.count(),
        )
        .where(*_said(person_id))
        .group_by(TurnRow.speaker, TurnRow.conversation_id)
        .order_by(func.min(TurnRow.created_at).desc(), func.min(TurnRow.id).desc())
    ).all()
    public_ids = turns.public_ids(session, person_id, [row[2] for row in rows])
    found: dict[str, list[tuple[str, Talk]]] = {}
    for speaker, _conversation, first, at, until, messages in rows:
        talk = Talk(first_turn=public_ids[first], at=at, until=until, messages=messages)
        found.setdefault(key(speaker), []).append((speaker, talk))
    return found


def _said(person_id: int) -> tuple[ColumnElement[bool], ...]:
    """Turns in which a guest spoke and that may be quoted."""
    private = select(ConversationRow.id).where(
        ConversationRow.person_id == person_id, ConversationRow.private
    )
    return (
        TurnRow.person_id == person_id,
        TurnRow.speaker != "",
        ~TurnRow.superseded,
        ~TurnRow.withheld,
        TurnRow.deleted_at.is_(None),
        TurnRow.conversation_id.not_in(private),
    )


def _cards(session: Session, person_id: int, status: ColumnElement[bool]) -> list[Card]:
    rows = session.scalars(
        select(CardRow)
        .where(CardRow.person_id == person_id, CardRow.speaker != "", status)
        .order_by(CardRow.learned_at.desc(), CardRow.id.desc())
    )
    return [to_record(row) for row in rows]


def _relations(session: Session, person_id: int, names: dict[str, str]) -> dict[str, str]:
    """Who guests are to the owner: as it was said when they took the phone, else as their card says."""
    rows = session.execute(
        select(CardRow.people, CardRow.relation)
        .where(
            CardRow.person_id == person_id,
            CardRow.category == "person",
            CardRow.status == "active",
            CardRow.relation != "",
        )
        .order_by(CardRow.mentioned_at)
    )
    known = {key(people[0]): relation for people, relation in rows if people}
    declared = session.execute(
        select(ConversationRow.speaker, ConversationRow.speaker_relation)
        .where(ConversationRow.person_id == person_id, ConversationRow.speaker_relation != "")
        .order_by(ConversationRow.opened_at)
    )
    known |= {key(speaker): relation for speaker, relation in declared}
    return {each: known[each] for each in names if each in known}


def _here(session: Session, person_id: int) -> str | None:
    speaker = session.scalar(
        select(ConversationRow.speaker).where(
            ConversationRow.person_id == person_id, ConversationRow.archived_at.is_(None)
        )
    )
    return key(speaker) if speaker else None


def _note(session: Session, traces: dict[int, dict[str, object]]) -> None:
    if traces:
        session.execute(update(TurnRow), [{"id": each, "trace": trace} for each, trace in traces.items()])


def _seconds(guest: Guest) -> float:
    return guest.last_at.timestamp() if guest.last_at else 0.0
