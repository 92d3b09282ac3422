"""Bring a database to the newest schema."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, text

from memory.storage import nearest

_FOLDER = Path(__file__).parent / "migrations"
_LOCK = 0x41535445  # two machines that start at once must not migrate at once


def _config(engine: Engine) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER))
    config.attributes["engine"] = engine
    return config


def upgrade(engine: Engine) -> None:
    """Apply all migrations that are missing; safe to call from several processes at once."""
    if engine.dialect.name == "postgresql":
        with engine.connect() as guard:
            guard.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _LOCK})
            try:
                command.upgrade(_config(engine), "head")
                nearest.add_extension(engine)
            finally:
                guard.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _LOCK})
                guard.rollback()
        return
    command.upgrade(_config(engine), "head")


def is_current(engine: Engine) -> bool:
    """Whether the database has the newest schema."""
    with engine.connect() as connection:
        current = MigrationContext.configure(connection).get_current_revision()
        connection.rollback()
    return current == ScriptDirectory.from_config(_config(engine)).get_current_head()


def write_migration(engine: Engine, message: str, revision: str) -> None:
    """For developers: write the migration that brings `engine`'s schema to tables.py."""
    command.revision(_config(engine), message=message, autogenerate=True, rev_id=revision)
