from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime

import pytest
from sqlalchemy import Engine, insert, select, text, update
from sqlalchemy.exc import DBAPIError, OperationalError, StatementError
from sqlalchemy.orm import Session

from memory.errors import Unavailable
from memory.storage import engine as engines
from memory.storage.engine import reading, transaction
from memory.storage.migrate import is_current, upgrade
from memory.storage.tables import FigureRow, PersonRow
from tests import factories
from tests.fakes import T0


def _in_threads(count: int, work: Callable[[], None]) -> None:
    """Run `work` in threads that start together, and raise what any of them raised."""
    start = threading.Barrier(count)
    failures: list[BaseException] = []

    def run() -> None:
        start.wait()
        try:
            work()
        except BaseException as error:  # handed to the test below
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_no_read_then_write_is_lost_between_threads_on_sqlite(sqlite_engine: Engine) -> None:
    engine = sqlite_engine
    with transaction(engine) as session:
        session.add(FigureRow(day="2026-03-02", name="count", value=0))
    pause = threading.Event()

    def add_twenty() -> None:
        for _ in range(20):
            with transaction(engine) as session:
                value = session.scalar(select(FigureRow.value)) or 0
                pause.wait(0.001)  # long enough that another thread would read the same value
                session.execute(update(FigureRow).values(value=value + 1))

    _in_threads(4, add_twenty)
    with reading(engine) as session:
        assert session.scalar(select(FigureRow.value)) == 80


def test_a_reader_does_not_wait_for_a_writer(engine: Engine) -> None:
    with transaction(engine) as session:
        session.add(FigureRow(day="2026-03-02", name="count", value=1))
    with transaction(engine) as writer:
        writer.execute(update(FigureRow).values(value=2))
        writer.flush()
        with reading(engine) as reader:
            assert reader.scalar(select(FigureRow.value)) == 1


def test_an_error_leaves_nothing_behind(engine: Engine) -> None:
    def write_and_fail() -> None:
        with transaction(engine) as session:
            session.add(FigureRow(day="2026-03-02", name="count", value=1))
            session.flush()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()
    with reading(engine) as session:
        assert session.scalar(select(FigureRow.value)) is None


def test_a_reading_session_writes_nothing(engine: Engine) -> None:
    with reading(engine) as session:
        session.execute(insert(FigureRow).values(day="2026-03-02", name="count", value=1))
    with reading(engine) as session:
        assert session.scalar(select(FigureRow.value)) is None


def test_times_come_back_aware_and_in_utc(engine: Engine) -> None:
    person = factories.person(engine)
    with reading(engine) as session:
        stored = session.scalar(select(PersonRow.created_at).where(PersonRow.id == person.id))
    assert stored is not None
    assert stored == T0
    assert stored.tzinfo is T0.tzinfo


def test_a_naive_time_is_refused(engine: Engine) -> None:
    naive = datetime(2026, 3, 2, 9, 0)  # noqa: DTZ001 (that is the point)
    with pytest.raises((StatementError, ValueError), match="naive"), transaction(engine) as session:
        session.execute(update(PersonRow).values(created_at=naive))


def test_a_locked_database_is_said_to_be_unavailable(
    sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "BUSY_TIMEOUT_S", 0.05)
    impatient = engines.make_engine(str(sqlite_engine.url))
    with transaction(sqlite_engine) as holder:
        holder.execute(text("SELECT 1"))  # the lock is taken with the first statement
        with pytest.raises(Unavailable, match="try again"), transaction(impatient) as session:
            session.execute(text("SELECT 1"))
    impatient.dispose()


def test_a_fault_in_a_statement_does_not_look_like_an_outage(sqlite_engine: Engine) -> None:
    with pytest.raises(OperationalError, match="no such table"), reading(sqlite_engine) as session:
        session.execute(text("SELECT * FROM no_such_table"))


def test_an_error_repeats_nobodys_words(engine: Engine) -> None:
    with pytest.raises(DBAPIError) as caught, reading(engine) as session:
        session.execute(text("SELECT no_such_column, :words"), {"words": "the gate code is 4711"})
    assert "4711" not in str(caught.value)


def test_erased_text_leaves_no_bytes_in_the_file(sqlite_engine: Engine) -> None:
    with transaction(sqlite_engine) as session:
        session.add(FigureRow(day="2026-03-02", name="xylophone-secret", value=1))
    with transaction(sqlite_engine) as session:
        session.execute(text("DELETE FROM figures"))
    raw = sqlite_engine.raw_connection()
    raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()
    path = sqlite_engine.url.database
    assert path is not None
    with open(path, "rb") as file:
        assert b"xylophone-secret" not in file.read()


def test_migrating_twice_changes_nothing(engine: Engine) -> None:
    upgrade(engine)
    assert is_current(engine)


def test_the_tables_page_and_the_migrations_tell_the_same_schema(engine: Engine) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from memory.storage.tables import Base

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False})
        assert compare_metadata(context, Base.metadata) == []
        connection.rollback()


def test_what_a_person_owns_goes_with_the_person(engine: Engine) -> None:
    person = factories.person(engine)
    factories.card(engine, person)
    with transaction(engine) as session:
        session.execute(text("DELETE FROM people"))
    with Session(engine) as session:
        assert session.scalar(text("SELECT count(*) FROM cards")) == 0
