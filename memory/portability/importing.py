"""Bringing an export back: looked at first, added once, undone as one."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from memory.cards.indexing import MAX_CHARS
from memory.embedding import Embedder
from memory.errors import InvalidInput
from memory.language import surface_terms, terms
from memory.portability.schema import checked
from memory.records import Person
from memory.storage import bringing
from memory.storage.engine import reading, transaction

_AT_ONCE = 200  # texts that are embedded between two commits
_STAMP = "%Y%m%d%H%M%S"  # begins the name of an import: when it was


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What an import would add, by section, what the file holds, and whose it is."""

    added: Mapping[str, int]
    found: Mapping[str, int]
    name: str  # of the person whose data it is, as the file says
    exported_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What an import added, and the name by which it can be undone."""

    batch: str
    added: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Batch:
    """One import that can be taken back."""

    name: str
    at: datetime
    count: int  # memories, messages, rules and decisions


def parsed(text: str | bytes) -> Any:
    """A file's JSON.

    Raises:
        InvalidInput: it is none.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # not JSON, not text, or nested without an end
        raise InvalidInput("This file is no export of Asterism.") from None


def preview(engine: Engine, person: Person, data: Any) -> Preview:
    """Look what an import would do, without writing anything.

    Raises:
        InvalidInput: the export cannot be read.
    """
    sections = checked(data)
    with reading(engine) as session:
        planned = bringing.plan(session, person.id, sections)
    whose = data.get("person")
    name = whose.get("name") if isinstance(whose, dict) else ""
    return Preview(
        added=planned.added,
        found={section: len(rows) for section, rows in sections.items()},
        name=name[:120] if isinstance(name, str) else "",
        exported_at=_moment(data.get("exported_at")),
    )


def bring_in(engine: Engine, person: Person, data: Any, *, now: datetime) -> Imported:
    """Add an export to a person's data, all or nothing; what is there already stays as it is.

    Vectors are missing afterwards: `embed_missing` gives them.

    Raises:
        InvalidInput: the export cannot be read.
    """
    sections = checked(data)
    for card in sections["cards"]:
        _make_searchable(card)
    batch = f"{now.astimezone(UTC):{_STAMP}}-{secrets.token_urlsafe(6)}"
    try:
        with transaction(engine) as session:
            planned = bringing.plan(session, person.id, sections)
            bringing.add(session, person.id, planned, batch=batch)
    except SQLAlchemyError as error:
        if not isinstance(getattr(error, "orig", None), Exception) or getattr(error, "is_disconnect", False):
            raise
        # What is wrong with which row is not told further: the text is the person's.
        raise InvalidInput("This export is damaged: nothing was imported.") from error
    return Imported(batch=batch, added=planned.added)


def undo(engine: Engine, person: Person, batch: str) -> int:
    """Take one import back; returns how many things went.

    Raises:
        InvalidInput: no import is named.
    """
    if not batch:
        raise InvalidInput("Choose which import to take back.")
    with transaction(engine) as session:
        return bringing.taken_back(session, person.id, batch)


def batches(engine: Engine, person: Person) -> list[Batch]:
    """The imports that can be taken back, newest first."""
    with reading(engine) as session:
        found = bringing.batches(session, person.id)
    told = ((name, _stamp(name), count) for name, count in found.items())
    return [Batch(name=name, at=at, count=count) for name, at, count in told if at is not None]


def progress(engine: Engine, person: Person) -> tuple[int, int]:
    """How many memories and messages can be found by their meaning, and how many there are."""
    with reading(engine) as session:
        missing, total = bringing.without_vectors(session, person.id)
    return total - missing, total


def embed_missing(engine: Engine, embedder: Embedder, person_id: int) -> int:
    """Give what was imported its vectors, some at a time; returns how many. It may be stopped anywhere."""
    done = 0
    while True:
        with reading(engine) as session:
            waiting = bringing.missing_vectors(session, person_id, limit=_AT_ONCE)
        if not waiting:
            return done
        vectors = embedder.encode([text[:MAX_CHARS] for _, _, text in waiting])
        with transaction(engine) as session:
            for (section, row_id, _), vector in zip(waiting, vectors, strict=True):
                bringing.set_vector(session, section, row_id, vector, embedder.version)
            bringing.touched(session, person_id)
        done += len(waiting)


def _make_searchable(card: dict[str, Any]) -> None:
    """Give a card from elsewhere the words by which search finds it; one of our own has them."""
    said = " ".join((card.get("title", ""), card["text"], *card.get("people", ())))
    if "surface_terms" not in card:
        card["surface_terms"] = " ".join(surface_terms(said, card["language"]))
    if "terms" not in card:
        card["terms"] = " ".join(terms(said, card["language"]))


def _moment(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo is not None else None


def _stamp(name: str) -> datetime | None:
    try:
        return datetime.strptime(name.partition("-")[0], _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None
