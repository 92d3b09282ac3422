"""Engines and the two kinds of transaction, for SQLite and PostgreSQL alike."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.orm import Session

from memory.errors import Unavailable

BUSY_TIMEOUT_S = 10.0
SYNCHRONOUS = "NORMAL"  # in WAL mode what was committed outlives a killed process, and nothing is ever torn
WRITE_WAIT_S = 30.0  # how long a writer queues behind others of its process
_WRITES = "asterism_writes"
_write_locks: WeakKeyDictionary[Engine, threading.Lock] = WeakKeyDictionary()
_locks_guard = threading.Lock()


def make_engine(url: str, *, pool_size: int = 16) -> Engine:
    """Build the engine for a database address; nothing is connected yet.

    SQLite runs in WAL mode with foreign keys and `secure_delete`, so that what a
    person erases leaves no bytes behind.
    """
    if url.startswith("sqlite"):
        engine = create_engine(
            url,
            pool_size=pool_size,
            max_overflow=48,
            hide_parameters=True,  # an error must not carry a person's words into a log
            connect_args={"timeout": BUSY_TIMEOUT_S, "check_same_thread": False},
        )
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    return create_engine(url, pool_size=pool_size, max_overflow=48, pool_pre_ping=True, hide_parameters=True)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # the driver must not begin by itself: see _begin_sqlite
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        f"synchronous={SYNCHRONOUS}",
        "foreign_keys=ON",
        "secure_delete=ON",
        f"busy_timeout={int(BUSY_TIMEOUT_S * 1000)}",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Any) -> None:
    # SQLAlchemy's default begins at the first write only, and then 75 of 100
    # read-then-write updates of four threads were lost without an error. A writer
    # takes the lock at once; a reader must not wait for it.
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def transaction(engine: Engine) -> Iterator[Session]:
    """Read and write; commits at the end, rolls back on any error.

    Raises:
        Unavailable: the database is down or stayed locked for too long.
    """
    with (
        _translated(),
        _one_writer(engine),
        Session(engine.execution_options(**{_WRITES: True}), expire_on_commit=False) as session,
        session.begin(),
    ):
        yield session


@contextmanager
def _one_writer(engine: Engine) -> Iterator[None]:
    """On SQLite, let the writers of this process queue up.

    Waiting at the file instead, they would wake by chance: of a hundred persons who
    talk at once some would wait until they are turned away.
    """
    if engine.dialect.name != "sqlite":
        yield
        return
    with _locks_guard:
        lock = _write_locks.setdefault(engine, threading.Lock())
    if not lock.acquire(timeout=WRITE_WAIT_S):
        raise _busy()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def reading(engine: Engine, *, timeout_s: float | None = None) -> Iterator[Session]:
    """Read only, from one snapshot, without waiting for writers.

    Args:
        timeout_s: on PostgreSQL, how long one statement may take; SQLite readers never wait.

    Raises:
        Unavailable: the database is down.
    """
    with _translated(), Session(engine, expire_on_commit=False) as session:
        if timeout_s is not None and engine.dialect.name == "postgresql":
            session.execute(
                text("SELECT set_config('statement_timeout', :ms, true)"), {"ms": str(int(timeout_s * 1000))}
            )
        yield session
        session.rollback()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        if is_outage(error):
            raise _busy() from error
        raise


def scrub(engine: Engine) -> bool:
    """Leave no trace of deleted rows: on SQLite in no byte of the file or its log; on PostgreSQL in no row.

    What PostgreSQL's own log and backups keep is the operator's to say; docs/data.md
    does. False when a reader was in the way; the next erasure or restart catches up.
    """
    if engine.dialect.name == "sqlite":
        with _one_writer(engine):
            raw = engine.raw_connection()
            try:
                cursor = raw.cursor()
                cursor.execute("VACUUM")
                busy = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            except sqlite3.OperationalError:
                return False
            finally:
                raw.close()
        return bool(busy == 0)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM"))
    return True


def is_outage(error: OperationalError) -> bool:
    """Whether an error means "try again later", and not a fault in a statement.

    "no such table" is an `OperationalError` too; it must not look like an outage.
    """
    original = error.orig
    if isinstance(original, sqlite3.Error):
        code = getattr(original, "sqlite_errorcode", 0) & 0xFF
        return code in (
            sqlite3.SQLITE_BUSY,
            sqlite3.SQLITE_LOCKED,
            sqlite3.SQLITE_IOERR,
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_FULL,
        )
    return True


def violates(error: IntegrityError, name: str) -> bool:
    """Whether the named constraint refused a row, on either database.

    SQLite names columns, not constraints, so that `name` may also be "table.column".
    """
    return name in str(error.orig)


def _busy() -> Unavailable:
    # Written out here, where the catalogs of translations find it.
    return Unavailable("The memory store does not answer just now. Please try again in a moment.")
