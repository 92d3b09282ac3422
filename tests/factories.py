"""Common situations in the database, one function a noun. Every argument has a plain default."""

from __future__ import annotations

import itertools
from datetime import datetime
from typing import Any

from sqlalchemy import Engine

from memory.records import Author, CardStatus, Category, Person, Role, TurnState
from memory.storage.engine import transaction
from memory.storage.tables import CardRow, ConversationRow, DeviceRow, PersonRow, TurnRow
from tests.fakes import T0

_numbers = itertools.count(1)


def person(
    engine: Engine,
    *,
    name: str = "Alice",
    email: str = "",
    role: Role = Role.PERSON,
    language: str = "en",
    zone: str = "Europe/Berlin",
    password_hash: str = "",
    now: datetime = T0,
) -> Person:
    """An account; its address is unique unless one is given."""
    row = PersonRow(
        email=email or f"{name.lower()}-{next(_numbers)}@example.org",
        name=name,
        password_hash=password_hash,
        role=role.value,
        language=language,
        zone=zone,
        created_at=now,
    )
    with transaction(engine) as session:
        session.add(row)
        session.flush()
        return Person(
            id=row.id,
            public_id=row.public_id,
            email=row.email,
            name=row.name,
            role=role,
            language=language,
            zone=zone,
            created_at=now,
            session_epoch=row.session_epoch,
            version=row.cards_version,
        )


def device(engine: Engine, owner: Person, *, label: str = "phone", now: datetime = T0) -> int:
    """One browser of a person; gives its id."""
    return _add(engine, DeviceRow(person_id=owner.id, label=label, last_seen_at=now))


def conversation(
    engine: Engine,
    owner: Person,
    *,
    opened_at: datetime = T0,
    last_exchange_at: datetime | None = None,
    archived_at: datetime | None = None,
    **more: Any,
) -> int:
    """A conversation, open unless `archived_at` is given; gives its id."""
    row = ConversationRow(
        person_id=owner.id,
        opened_at=opened_at,
        last_exchange_at=last_exchange_at or opened_at,
        archived_at=archived_at,
        **more,
    )
    return _add(engine, row)


def turn(
    engine: Engine,
    owner: Person,
    conversation_id: int,
    *,
    said: str = "hello",
    answer: str = "Hello.",
    state: TurnState = TurnState.ANSWERED,
    created_at: datetime = T0,
    **more: Any,
) -> int:
    """An answered exchange; gives its id."""
    row = TurnRow(
        conversation_id=conversation_id,
        person_id=owner.id,
        client_id=more.pop("client_id", f"client-{next(_numbers)}"),
        zone=owner.zone,
        language=owner.language,
        said=said,
        answer=answer,
        state=state.value,
        created_at=created_at,
        answered_at=created_at if state is TurnState.ANSWERED else None,
        **more,
    )
    return _add(engine, row)


def card(
    engine: Engine,
    owner: Person,
    *,
    category: Category = Category.FACT,
    text: str = "Claire is my wife.",
    learned_at: datetime = T0,
    status: CardStatus = CardStatus.ACTIVE,
    author: Author = Author.OWNER,
    **more: Any,
) -> int:
    """A remembered statement, straight into the table; gives its id."""
    row = CardRow(
        person_id=owner.id,
        category=category.value,
        text=text,
        language=owner.language,
        author=author.value,
        status=status.value,
        learned_at=learned_at,
        mentioned_at=more.pop("mentioned_at", learned_at),
        changed_at=learned_at,
        **more,
    )
    return _add(engine, row)


def _add(engine: Engine, row: DeviceRow | ConversationRow | TurnRow | CardRow) -> int:
    with transaction(engine) as session:
        session.add(row)
        session.flush()
        return row.id
