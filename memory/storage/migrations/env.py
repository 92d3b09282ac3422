"""Runs migrations on the engine that `memory.storage.migrate` hands over."""

from __future__ import annotations

from typing import Any, Literal

from alembic import context

from memory.storage.tables import Base
from memory.storage.types import UnitVector, UtcDateTime


def _render(kind: str, item: Any, autogen_context: Any) -> str | Literal[False]:
    if kind == "type" and isinstance(item, UtcDateTime | UnitVector):
        name = type(item).__name__
        autogen_context.imports.add(f"from memory.storage.types import {name}")
        return f"{name}()"
    return False


def run() -> None:
    """Upgrade inside one transaction, so that a failed migration leaves nothing behind."""
    engine = context.config.attributes["engine"].execution_options(asterism_writes=True)
    with engine.connect() as connection:
        context.configure(connection=connection, target_metadata=Base.metadata, render_item=_render)
        with context.begin_transaction():
            context.run_migrations()
        connection.commit()


run()
