"""Candidates out of a very large store by the database's own indexes. On PostgreSQL with pgvector only.

Nothing is ranked here: the ids that come back are loaded and ranked exactly like a
store that is held in memory whole. Every statement names its owner. The indexes are
partial, one pair for each person with so large a store, so that nobody else pays
for them and nobody else's rows can crowd a person's out of an approximate scan.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import ColumnElement, Engine, func, literal, literal_column, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from memory.storage.search import active, standing, summarised
from memory.storage.tables import CardRow, ConversationRow, TurnRow
from memory.storage.types import Vector

log = logging.getLogger(__name__)

_EXTENSION = "SELECT 1 FROM pg_extension WHERE extname = 'vector'"
_SCAN_WIDTH = 400  # hnsw.ef_search: how many an approximate scan keeps in hand; more than any limit here
_has_extension: WeakKeyDictionary[Engine, bool] = WeakKeyDictionary()


def add_extension(engine: Engine) -> None:
    """Have pgvector where the database offers it and the user may; without it search stays as it is."""
    if engine.dialect.name != "postgresql":
        return
    try:
        with engine.begin() as connection:
            if not connection.scalar(text(_EXTENSION)):
                connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
    except DBAPIError as error:  # not installed there, or only an administrator may
        log.info("pgvector cannot be added", extra={"error": type(error.orig).__name__})


def is_there(session: Session) -> bool:
    """Whether this database can give candidates."""
    engine = session.get_bind().engine
    if engine.dialect.name != "postgresql":
        return False
    if engine not in _has_extension:
        _has_extension[engine] = bool(session.scalar(text(_EXTENSION)))
    return _has_extension[engine]


def size_of(session: Session, person_id: int) -> int:
    """How many cards and turns a search of the person looks at."""
    cards = select(func.count()).select_from(CardRow).where(*active(person_id))
    turns = select(func.count()).select_from(TurnRow).where(*standing(person_id))
    return (session.scalar(cards) or 0) + (session.scalar(turns) or 0)


def cards(
    session: Session,
    person_id: int,
    vectors: Sequence[Vector],
    sought: Sequence[Sequence[str]],
    *,
    version: str,
    today: str,
    limit: int,
) -> set[int]:
    """Ids of the person's cards that may answer.

    For each vector the nearest, for each word the newest that hold a form of it, the
    soonest dated ones and the newest of all, `limit` of each.

    Args:
        version: of the vectors.
        today: ISO date; what is dated before it is no coming event.
    """
    where = active(person_id)
    found = _near(session, CardRow, CardRow.vector, where, vectors, version, limit)
    found |= _holding(session, CardRow, CardRow.terms, where, sought, limit)
    coming = select(CardRow.id).where(*where, CardRow.starts_local >= today).order_by(CardRow.starts_local)
    newest = select(CardRow.id).where(*where).order_by(CardRow.id.desc())
    for statement in (coming, newest):
        found |= set(session.scalars(statement.limit(limit)))
    return found


def turns(
    session: Session,
    person_id: int,
    vectors: Sequence[Vector],
    sought: Sequence[Sequence[str]],
    *,
    version: str,
    limit: int,
) -> set[int]:
    """Ids of all turns of the person's conversations in which one may answer: its neighbours count, too."""
    where = standing(person_id)
    found = _near(session, TurnRow, TurnRow.vector, where, vectors, version, limit)
    found |= _holding(session, TurnRow, TurnRow.terms, where, sought, limit)
    newest = select(TurnRow.id).where(*where).order_by(TurnRow.id.desc())
    found |= set(session.scalars(newest.limit(limit)))
    talks = select(TurnRow.conversation_id).where(TurnRow.person_id == person_id, TurnRow.id.in_(found))
    return set(session.scalars(select(TurnRow.id).where(*where, TurnRow.conversation_id.in_(talks))))


def summaries(
    session: Session,
    person_id: int,
    vectors: Sequence[Vector],
    sought: Sequence[Sequence[str]],
    *,
    version: str,
    limit: int,
) -> set[int]:
    """Ids of the person's conversations whose summary may answer."""
    where = summarised(person_id)
    found = _near(session, ConversationRow, ConversationRow.summary_vector, where, vectors, version, limit)
    return found | _holding(session, ConversationRow, ConversationRow.summary_terms, where, sought, limit)


def tend(engine: Engine, person_id: int, *, most: int) -> bool:
    """Make the person's indexes when their store holds more than `most` entries, or let go of them.

    Others read and write meanwhile. Killed half-way it leaves an index that is not
    valid; the next call makes it anew.

    Returns:
        Whether the person has indexes now.
    """
    with Session(engine) as session:
        if not is_there(session):
            return False
        is_large = size_of(session, person_id) > most
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        names = {name: made for name, made in _indexes(person_id).items()}
        valid = set(connection.scalars(text(_VALID), {"names": list(names)}))
        if not is_large and not valid:
            return False
        for name, made in names.items():
            if is_large and name in valid:
                continue
            connection.execute(text(f"DROP INDEX CONCURRENTLY IF EXISTS {name}"))
            if is_large:
                connection.execute(text(made))
    return is_large


def let_go_of_the_gone(engine: Engine) -> int:
    """Drop the indexes of persons who are no longer here; how many there were."""
    if engine.dialect.name != "postgresql":
        return 0
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        names = list(connection.scalars(text(_ORPHANED)))
        for name in names:
            connection.execute(text(f"DROP INDEX CONCURRENTLY IF EXISTS {name}"))
    return len(names)


_ORPHANED = (
    "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()"
    " AND indexname ~ '^ix_(cards|turns)_(near|words)_[0-9]+$'"
    " AND NOT EXISTS (SELECT 1 FROM people WHERE id = substring(indexname FROM '[0-9]+$')::bigint)"
)
_VALID = (
    "SELECT relname FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid"
    " WHERE indisvalid AND relname = ANY(:names)"
)


def _indexes(person_id: int) -> dict[str, str]:
    """Name -> statement. The person's number is a number, never a text."""
    number = int(person_id)
    made = {}
    for table in ("cards", "turns"):
        near, words = f"ix_{table}_near_{number}", f"ix_{table}_words_{number}"
        made[near] = (
            f"CREATE INDEX CONCURRENTLY {near} ON {table} USING hnsw"
            f" (({_as_vector('vector')}) vector_ip_ops) WHERE person_id = {number}"
        )
        made[words] = (
            f"CREATE INDEX CONCURRENTLY {words} ON {table} USING gin"
            f" (({_as_words('terms')})) WHERE person_id = {number}"
        )
    return made


def _as_vector(column: str) -> str:
    return f"{column}::vector(512)"


def _as_words(column: str) -> str:
    return f"array_to_tsvector(array_remove(string_to_array({column}, ' '), ''))"


def _name(column: Any) -> str:
    return f"{column.class_.__tablename__}.{column.key}"


def _near(
    session: Session,
    row: Any,
    column: Any,
    where: Sequence[Any],
    vectors: Sequence[Vector],
    version: str,
    limit: int,
) -> set[int]:
    session.execute(
        select(
            func.set_config("hnsw.iterative_scan", "relaxed_order", True),
            func.set_config("hnsw.ef_search", str(_SCAN_WIDTH), True),
        )
    )
    found: set[int] = set()
    for vector in vectors:
        if not vector.any():
            continue
        near: ColumnElement[Any] = literal_column(_as_vector(_name(column)))
        wanted = literal("[" + ",".join(map(repr, vector.tolist())) + "]")
        order = near.op("<#>")(wanted.op("::")(literal_column("vector(512)")))
        statement = select(row.id).where(*where, column.is_not(None), row.vector_version == version)
        found |= set(session.scalars(statement.order_by(order).limit(limit)))
    return found


def _holding(
    session: Session,
    row: Any,
    column: Any,
    where: Sequence[Any],
    sought: Sequence[Sequence[str]],
    limit: int,
) -> set[int]:
    words: ColumnElement[Any] = literal_column(_as_words(_name(column)))
    found: set[int] = set()
    for forms in sought:
        wanted = literal(_any_of(forms)).op("::")(literal_column("tsquery"))
        statement = select(row.id).where(*where, words.op("@@")(wanted)).order_by(row.id.desc())
        found |= set(session.scalars(statement.limit(limit)))
    return found


def _any_of(forms: Collection[str]) -> str:
    """A tsquery for any of these words, each quoted whole."""
    quoted = (form.replace("\\", "\\\\").replace("'", "''") for form in forms)
    return " | ".join(f"'{form}'" for form in quoted)
