"""Bringing an export back: looked at first, added once, undone as one."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from memory.embedding import Embedder
from memory.errors import AppError, InvalidInput
from memory.portability.export import FORMAT, VERSION
from memory.records import Person
from memory.storage import portable
from memory.storage.engine import transaction

_BATCH = 200


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What an import would add, by section, and what is there already."""

    added: Mapping[str, int]
    found: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What an import added, and the name by which it can be undone."""

    batch: str
    added: Mapping[str, int]


class _Rollback(Exception):
    """Ends a trial run."""

    def __init__(self, added: dict[str, int]) -> None:
        self.added = added


def checked(data: Any) -> dict[str, list[dict[str, Any]]]:
    """The sections of an export.

    Raises:
        InvalidInput: it is no export of this product, or of a newer version of it.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InvalidInput("This file is no export of Asterism.")
    version = data.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise InvalidInput("This export was made by a newer Asterism. Please update first.")
    sections: dict[str, list[dict[str, Any]]] = {}
    for section in portable.SECTIONS:
        rows = data.get(section.name, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise InvalidInput("This export is damaged: %(section)s cannot be read.", section=section.name)
        sections[section.name] = rows
    return sections


def preview(engine: Engine, person: Person, data: Any) -> Preview:
    """Look what an import would do, without doing it.

    Raises:
        InvalidInput: the export cannot be read.
    """
    sections = checked(data)
    try:
        with transaction(engine) as session:
            raise _Rollback(_load(session, person, sections, batch="preview"))
    except _Rollback as trial:
        return Preview(added=trial.added, found={name: len(rows) for name, rows in sections.items()})


def bring_in(engine: Engine, embedder: Embedder, person: Person, data: Any) -> Imported:
    """Add an export to a person's data, all or nothing; what is there already is not added twice.

    Raises:
        InvalidInput: the export cannot be read.
    """
    sections = checked(data)
    batch = secrets.token_urlsafe(9)
    with transaction(engine) as session:
        added = _load(session, person, sections, batch=batch)
    embed_missing(engine, embedder, person)
    return Imported(batch=batch, added=added)


def undo(engine: Engine, person: Person, batch: str) -> int:
    """Take one import back; returns how many things went.

    Raises:
        InvalidInput: no import is named.
    """
    if not batch:
        raise InvalidInput("Choose which import to take back.")
    with transaction(engine) as session:
        return portable.drop_batch(session, person.id, batch)


def embed_missing(engine: Engine, embedder: Embedder, person: Person) -> int:
    """Give imported memories their vectors, in batches; returns how many."""
    total = 0
    while True:
        with transaction(engine) as session:
            missing = portable.missing_vectors(session, person.id, limit=_BATCH)
            if not missing:
                return total
            vectors = embedder.encode([text for _, text in missing])
            for (card_id, _), vector in zip(missing, vectors, strict=True):
                portable.set_vector(session, card_id, vector, embedder.version)
            total += len(missing)


def _load(
    session: Any, person: Person, sections: dict[str, list[dict[str, Any]]], *, batch: str
) -> dict[str, int]:
    try:
        return portable.load(session, person.id, sections, batch=batch)
    except AppError:
        raise
    except (SQLAlchemyError, KeyError, TypeError, ValueError) as error:
        # What is wrong with which row is not told further: the text is the person's.
        raise InvalidInput("This export is damaged: nothing was imported.") from error
