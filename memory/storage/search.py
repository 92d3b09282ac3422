"""What recall loads of one person's store: words, vectors and marks, the same on both databases.

Ranking happens in memory over these; no query here ranks, and none looks at
anybody else's rows, so that neither a database's text search nor another
person's words can move a result.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, cast

from sqlalchemy import BindParameter, ColumnElement, Integer, bindparam, select
from sqlalchemy.orm import Session

from memory.records import Card, TranscriptHit
from memory.storage import cards as card_rows
from memory.storage import conversations as conversation_rows
from memory.storage import turns as turn_rows
from memory.storage.tables import Base, CardRow, ConversationRow, PersonRow, TurnRow, WorthRow
from memory.storage.types import Vector

_BATCH = 500  # ids in one statement


def _columns(row: type[Base], names: Iterable[str]) -> list[Any]:
    """Columns of a table. Columns instead of ORM rows: a search reads dozens of rows, changes none, and has
    milliseconds."""
    return [row.__table__.columns[name] for name in names]


_ONLY_INDEXED = ("terms", "surface_terms", "vector", "vector_version", "x", "y")  # most of a card's bytes
_CARD_COLUMNS = [each for each in CardRow.__table__.columns if each.key not in _ONLY_INDEXED]
_TURN_COLUMNS = _columns(TurnRow, turn_rows.FIELDS)
_CONVERSATION_COLUMNS = _columns(ConversationRow, conversation_rows.FIELDS)


@dataclass(frozen=True, kw_only=True)
class CardWords:
    """What search needs of one active card."""

    id: int
    language: str
    terms: str  # stemmed, separated by blanks
    vector: Vector | None
    vector_version: str
    text: str
    subject: str
    relation: str
    people: tuple[str, ...]
    starts: str | None  # naive wall clock, ISO
    sensitive: bool


@dataclass(frozen=True, kw_only=True)
class TurnWords:
    """What search needs of one turn that still stands."""

    id: int
    conversation_id: int
    language: str
    zone: str
    terms: str  # stemmed, separated by blanks, with marks
    vector: Vector | None
    vector_version: str
    speaker: str
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class SummaryWords:
    """What search needs of one past conversation's summary."""

    id: int  # of the conversation
    terms: str  # stemmed, separated by blanks
    vector: Vector | None
    vector_version: str


def version_of(session: Session, person_id: int) -> int:
    """The number that every change to a person's memory raises; -1 when the person is gone."""
    version = session.connection().scalar(_VERSION, {"person": person_id})
    return -1 if version is None else version


def card_stamps(session: Session, person_id: int) -> dict[int, int]:
    """Id and version of each of the person's active cards."""
    rows = session.execute(select(CardRow.id, CardRow.version).where(*active(person_id)))
    return {card_id: version for card_id, version in rows}


def turn_ids(session: Session, person_id: int) -> set[int]:
    """Ids of the person's turns that search may find: indexed ones that still stand."""
    return set(session.scalars(select(TurnRow.id).where(*standing(person_id))))


def summary_stamps(session: Session, person_id: int) -> dict[int, datetime]:
    """Id of each of the person's summarised conversations, and when it was summarised."""
    rows = session.execute(
        select(ConversationRow.id, ConversationRow.summarised_at).where(*summarised(person_id))
    )
    return {conversation_id: at for conversation_id, at in rows if at is not None}


def card_words(session: Session, person_id: int, card_ids: Collection[int]) -> Iterator[CardWords]:
    """The words and vectors of these active cards of the person, by rising id."""
    columns = (
        CardRow.id,
        CardRow.language,
        CardRow.terms,
        CardRow.vector,
        CardRow.vector_version,
        CardRow.text,
        CardRow.subject,
        CardRow.relation,
        CardRow.people,
        CardRow.starts_local,
        CardRow.sensitive,
    )
    for row in _in_batches(session, columns, CardRow.id, card_ids, active(person_id)):
        told = dict(row._mapping)
        yield CardWords(people=tuple(told.pop("people")), starts=told.pop("starts_local"), **told)


def turn_words(session: Session, person_id: int, turn_ids: Collection[int]) -> Iterator[TurnWords]:
    """The words and vectors of these turns of the person, by rising id."""
    columns = (
        TurnRow.id,
        TurnRow.conversation_id,
        TurnRow.language,
        TurnRow.zone,
        TurnRow.terms,
        TurnRow.vector,
        TurnRow.vector_version,
        TurnRow.speaker,
        TurnRow.created_at,
    )
    for row in _in_batches(session, columns, TurnRow.id, turn_ids, standing(person_id)):
        yield TurnWords(**row._mapping)


def summary_words(
    session: Session, person_id: int, conversation_ids: Collection[int]
) -> Iterator[SummaryWords]:
    """The words and vectors of these summaries of the person, by rising id of the conversation."""
    columns = (
        ConversationRow.id,
        ConversationRow.summary_terms,
        ConversationRow.summary_vector,
        ConversationRow.vector_version,
    )
    where = summarised(person_id)
    for row in _in_batches(session, columns, ConversationRow.id, conversation_ids, where):
        yield SummaryWords(id=row[0], terms=row[1], vector=row[2], vector_version=row[3])


def cards(
    session: Session, person_id: int, card_ids: Collection[int]
) -> dict[int, tuple[Card, dict[str, Any] | None]]:
    """The active ones of these cards of the person, each with its stored worth or None."""
    found = session.connection().execute(_CARDS, {"person": person_id, "ids": list(card_ids)})
    return {row.id: (card_rows.to_record(cast(CardRow, row)), row.worth) for row in found}


def talks(session: Session, person_id: int, scores: dict[int, float]) -> list[TranscriptHit]:
    """The turns with these ids that still stand, with their conversations, best score first."""
    # One statement, past the session: loading rows through it costs more than the ranking before it.
    found = session.connection().execute(_TALKS, {"person": person_id, "ids": list(scores)}).all()
    hits = [
        TranscriptHit(
            turn=(turn := turn_rows.record_of(row[: len(_TURN_COLUMNS)])),
            conversation=conversation_rows.record_of(row[len(_TURN_COLUMNS) :]),
            score=scores[turn.id],
        )
        for row in found
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.turn.id))


def active(person_id: int | BindParameter[int]) -> tuple[ColumnElement[bool], ...]:
    """Which cards of the person search may find."""
    return (CardRow.person_id == person_id, CardRow.status == "active", CardRow.category != "theme")


def standing(person_id: int | BindParameter[int]) -> tuple[ColumnElement[bool], ...]:
    """Which turns of the person search may find: indexed ones that still stand."""
    private = select(ConversationRow.id).where(
        ConversationRow.person_id == person_id, ConversationRow.private
    )
    return (*_standing(person_id), TurnRow.conversation_id.not_in(private))


def _standing(person_id: int | BindParameter[int]) -> tuple[ColumnElement[bool], ...]:
    """The part of `standing` that looks at the turn alone."""
    return (
        TurnRow.person_id == person_id,
        ~TurnRow.superseded,
        ~TurnRow.withheld,
        TurnRow.deleted_at.is_(None),
        TurnRow.vector_version != "",
    )


def summarised(person_id: int) -> tuple[ColumnElement[bool], ...]:
    """Which conversations of the person search may find by their summary."""
    return (
        ConversationRow.person_id == person_id,
        ConversationRow.summarised_at.is_not(None),
        ConversationRow.vector_version != "",
        ~ConversationRow.private,
    )


def _in_batches(
    session: Session,
    columns: Sequence[Any],
    key: Any,
    ids: Collection[int],
    where: Sequence[ColumnElement[bool]],
) -> Iterator[Any]:
    rest = iter(sorted(ids))
    while batch := list(islice(rest, _BATCH)):
        yield from session.execute(select(*columns).where(key.in_(batch), *where).order_by(key))


# Built once: building and hashing such statements takes longer than running them.
_PERSON: BindParameter[int] = bindparam("person", type_=Integer())
_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
_VERSION = select(PersonRow.cards_version).where(PersonRow.id == _PERSON)
_CARDS = (
    select(*_CARD_COLUMNS, WorthRow.state.label("worth"))
    .outerjoin(WorthRow, WorthRow.card_id == CardRow.id)
    .where(CardRow.id.in_(_IDS), *active(_PERSON))
)
_TALKS = (
    select(*_TURN_COLUMNS, *_CONVERSATION_COLUMNS)
    .join(ConversationRow, ConversationRow.id == TurnRow.conversation_id)
    .where(
        TurnRow.id.in_(_IDS),
        ConversationRow.person_id == _PERSON,
        ~ConversationRow.private,
        *_standing(_PERSON),
    )
)
