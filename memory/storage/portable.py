"""Everything a person owns, out and in again, and gone: one list of tables serves all three."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, inspect, select, update
from sqlalchemy.orm import Session

from memory.storage.tables import (
    AuditRow,
    Base,
    CardRow,
    ConversationRow,
    DecisionRow,
    DeliveryRow,
    DeviceRow,
    FrameRow,
    HandoverRow,
    LinkRow,
    MatterRow,
    OutcomeRow,
    PersonRow,
    PushSubscriptionRow,
    RetrievalRow,
    RuleRow,
    ToolCallRow,
    TurnRow,
    VoteRow,
    WorthActRow,
    WorthLedgerRow,
    WorthRow,
    new_public_id,
)
from memory.storage.types import UnitVector, UtcDateTime

# Columns that belong to one server: leases, screens, devices, and what can be computed anew.
_LEFT_OUT = frozenset(
    {
        "person_id", "device_id", "vector", "vector_version", "summary_vector", "claimed_by", "lease_until",
        "screen", "stop_asked", "handled_by", "answered_by", "batch",
    }
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Section:
    """One table of an export: its rows, and which columns point to rows of other sections."""

    name: str
    row: type[Base]
    refs: Mapping[str, str] = field(default_factory=dict)
    same: tuple[str, ...] = ()  # columns that two rows share only when they are the same thing


SECTIONS: tuple[Section, ...] = (
    Section(name="conversations", row=ConversationRow, same=("opened_at", "last_exchange_at")),
    Section(
        name="turns",
        row=TurnRow,
        refs={"conversation_id": "conversations", "replaces_id": "turns"},
        same=("client_id",),
    ),
    Section(
        name="cards",
        row=CardRow,
        refs={"supersedes_id": "cards", "turn_id": "turns", "conversation_id": "conversations"},
        same=("category", "text", "status", "learned_at"),
    ),
    Section(
        name="links", row=LinkRow, refs={"a_id": "cards", "b_id": "cards"}, same=("a_id", "b_id", "kind")
    ),
    Section(name="rules", row=RuleRow, refs={"turn_id": "turns"}, same=("text",)),
    Section(name="matters", row=MatterRow, refs={"conversation_id": "conversations"}, same=("name",)),
    Section(
        name="decisions",
        row=DecisionRow,
        refs={"matter_id": "matters", "turn_id": "turns", "supersedes_id": "decisions"},
        same=("matter_id", "key", "value", "decided_at", "active"),
    ),
    Section(name="votes", row=VoteRow, refs={"turn_id": "turns"}, same=("turn_id",)),
    Section(
        name="retrievals",
        row=RetrievalRow,
        refs={"turn_id": "turns", "card_id": "cards"},
        same=("turn_id", "card_id"),
    ),
    Section(name="outcomes", row=OutcomeRow, refs={"turn_id": "turns"}, same=("turn_id",)),
    Section(name="worth_acts", row=WorthActRow, refs={"card_id": "cards"}, same=("card_id", "move", "at")),
    Section(name="worth", row=WorthRow, refs={"card_id": "cards"}),
    Section(name="worth_ledgers", row=WorthLedgerRow),
)

# What an erasure empties, in this order; tables without an owner go with their turn.
_ERASED: tuple[tuple[str, type[Base]], ...] = (
    ("frames", FrameRow),
    ("deliveries", DeliveryRow),
    ("push subscriptions", PushSubscriptionRow),
    ("votes", VoteRow),
    ("outcomes", OutcomeRow),
    ("retrievals", RetrievalRow),
    ("worth", WorthRow),
    ("worth acts", WorthActRow),
    ("worth ledgers", WorthLedgerRow),
    ("links", LinkRow),
    ("decisions", DecisionRow),
    ("matters", MatterRow),
    ("rules", RuleRow),
    ("handovers", HandoverRow),
    ("audit entries", AuditRow),
    ("memories", CardRow),
    ("turns", TurnRow),
    ("conversations", ConversationRow),
    ("devices", DeviceRow),
)


def dump(session: Session, person_id: int) -> dict[str, list[dict[str, Any]]]:
    """All rows of a person by section, as plain JSON values. `id` is only a name within the export.

    A private conversation that is under way stays out: nothing of it is kept.
    """
    told: dict[str, list[dict[str, Any]]] = {}
    for section in SECTIONS:
        columns = _columns(section.row)
        rows = session.execute(
            select(*(column for _, column in columns))
            .where(section.row.person_id == person_id, *_kept(section.row))  # type: ignore[attr-defined]
            .order_by(*inspect(section.row).primary_key)
        )
        told[section.name] = [
            {name: _plain(value) for (name, _), value in zip(columns, row, strict=True)} for row in rows
        ]
    return told


def _kept(row: type[Base]) -> tuple[ColumnElement[bool], ...]:
    if row is ConversationRow:
        return (~ConversationRow.private,)
    if row is TurnRow:
        return (TurnRow.conversation_id.in_(select(ConversationRow.id).where(~ConversationRow.private)),)
    return ()


def load(
    session: Session, person_id: int, told: Mapping[str, list[dict[str, Any]]], *, batch: str
) -> dict[str, int]:
    """Add rows of an export to a person; returns how many of each section are new.

    A card that the person has already, word for word, is not added again, and neither
    is a turn or conversation that is there. References are kept; those that lead nowhere
    are left empty, and rows that cannot stand without them are left out.
    """
    ids: dict[str, dict[Any, int]] = {section.name: {} for section in SECTIONS}
    added = dict.fromkeys((section.name for section in SECTIONS), 0)
    for section in SECTIONS:
        later: list[tuple[int, str, Any]] = []
        for plain in told.get(section.name, ()):
            values = _values(section, plain)
            pending = _resolve(section, values, ids)
            if pending is None:
                continue
            known = _known(session, person_id, section, values)
            if known is not None:
                ids[section.name][plain.get("id")] = known
                continue
            made = _insert(session, person_id, section, values, batch=batch)
            added[section.name] += 1
            if made is not None:
                ids[section.name][plain.get("id")] = made
                later += [(made, column, old) for column, old in pending.items()]
        for made, column, old in later:
            target = ids[section.name].get(old)
            if target is not None:
                session.execute(
                    update(section.row)
                    .where(section.row.id == made)  # type: ignore[attr-defined]
                    .values({column: target})
                )
    _touch(session, person_id)
    return added


def missing_vectors(session: Session, person_id: int, *, limit: int = 500) -> list[tuple[int, str]]:
    """Cards without a vector, as after an import: ids and the text to embed."""
    rows = session.execute(
        select(CardRow.id, CardRow.title, CardRow.text)
        .where(CardRow.person_id == person_id, CardRow.vector.is_(None))
        .limit(limit)
    )
    return [(card_id, f"{title} {text}".strip()) for card_id, title, text in rows]


def set_vector(session: Session, card_id: int, vector: Any, version: str) -> None:
    """Store a card's vector."""
    session.execute(
        update(CardRow).where(CardRow.id == card_id).values(vector=vector, vector_version=version)
    )


def drop_batch(session: Session, person_id: int, batch: str) -> int:
    """Take one import back; returns how many memories, conversations, rules and matters went."""
    gone = 0
    for row in (CardRow, TurnRow, ConversationRow, RuleRow, MatterRow):
        if not hasattr(row, "batch"):
            continue
        gone += len(
            session.execute(
                delete(row)
                .where(row.person_id == person_id, row.batch == batch)
                .execution_options(synchronize_session=False)
                .returning(row.id)
            ).all()
        )
    _touch(session, person_id)
    return gone


def erase(session: Session, person_id: int) -> dict[str, int]:
    """Delete everything a person owns except the account itself; the receipt counts each layer."""
    turns = select(TurnRow.id).where(TurnRow.person_id == person_id)
    receipt: dict[str, int] = {}
    receipt["tool results"] = len(
        session.execute(
            delete(ToolCallRow)
            .where(ToolCallRow.turn_id.in_(turns))
            .execution_options(synchronize_session=False)
            .returning(ToolCallRow.id)
        ).all()
    )
    vectors = (
        select(func.count())
        .select_from(CardRow)
        .where(CardRow.person_id == person_id, CardRow.vector.is_not(None))
    )
    summaries = (
        select(func.count())
        .select_from(ConversationRow)
        .where(ConversationRow.person_id == person_id, ConversationRow.summary != "")
    )
    receipt["vectors"] = session.scalar(vectors) or 0
    receipt["summaries"] = session.scalar(summaries) or 0
    for name, row in _ERASED:
        owner = row.person_id  # type: ignore[attr-defined]
        total = session.scalar(select(func.count()).select_from(row).where(owner == person_id)) or 0
        session.execute(delete(row).where(owner == person_id).execution_options(synchronize_session=False))
        receipt[name] = total
    session.execute(update(PersonRow).where(PersonRow.id == person_id).values(feed_token=None))
    _touch(session, person_id)
    return receipt


def own_ids(session: Session, person_id: int) -> dict[str, set[int]]:
    """Ids by which queued jobs may name a person's things."""
    return {
        "turn_id": set(session.scalars(select(TurnRow.id).where(TurnRow.person_id == person_id))),
        "conversation_id": set(
            session.scalars(select(ConversationRow.id).where(ConversationRow.person_id == person_id))
        ),
        "delivery_id": set(session.scalars(select(DeliveryRow.id).where(DeliveryRow.person_id == person_id))),
        "person_id": {person_id},
    }


def _columns(row: type[Base]) -> list[tuple[str, Any]]:
    return [
        (attribute.key, getattr(row, attribute.key))
        for attribute in inspect(row).column_attrs
        if attribute.key not in _LEFT_OUT
    ]


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _values(section: Section, plain: Mapping[str, Any]) -> dict[str, Any]:
    """Column values from plain JSON; what is not a column of the section is ignored."""
    values: dict[str, Any] = {}
    for attribute in inspect(section.row).column_attrs:
        name, kind = attribute.key, attribute.columns[0].type
        if name in _LEFT_OUT or name == "id" or name not in plain or isinstance(kind, UnitVector):
            continue
        value = plain[name]
        if isinstance(kind, UtcDateTime) and isinstance(value, str):
            value = datetime.fromisoformat(value)
        values[name] = value
    return values


def _known(session: Session, person_id: int, section: Section, values: Mapping[str, Any]) -> int | None:
    """The id of a row that says the same already; an active card is the same by its words."""
    row: Any = section.row
    if not section.same:
        return None
    own = select(row.id).where(row.person_id == person_id).limit(1)
    found: int | None = session.scalar(
        own.where(*(getattr(row, column) == values.get(column) for column in section.same))
    )
    if found is None and section.name == "cards" and values.get("status") == "active":
        found = session.scalar(
            own.where(
                *(
                    getattr(row, column) == values.get(column, "")
                    for column in ("category", "text", "status", "subject_key")
                )
            )
        )
    return found


def _resolve(
    section: Section, values: dict[str, Any], ids: Mapping[str, Mapping[Any, int]]
) -> dict[str, Any] | None:
    """Turn references into new ids in place; gives those within the section, for later.

    None when a reference that the row cannot do without leads nowhere.
    """
    pending: dict[str, Any] = {}
    table = section.row.__table__
    for column, target in section.refs.items():
        old = values.get(column)
        if old is None:
            continue
        if target == section.name:
            pending[column], values[column] = old, None
            continue
        new = ids[target].get(old)
        if new is None and not table.c[column].nullable:
            return None
        values[column] = new
    if section.name == "links" and values["a_id"] > values["b_id"]:
        values["a_id"], values["b_id"] = values["b_id"], values["a_id"]
    return pending


def _insert(
    session: Session, person_id: int, section: Section, values: dict[str, Any], *, batch: str
) -> int | None:
    row: Any = section.row
    if "public_id" in values and session.scalar(select(row.id).where(row.public_id == values["public_id"])):
        values["public_id"] = new_public_id()  # someone else has it: an account that was copied
    if section.name == "conversations" and values.get("archived_at") is None:
        values["archived_at"] = values["last_exchange_at"]  # at most one may be open, and it is this server's
    if section.name == "turns" and values.get("state") in ("waiting", "running"):
        values["state"] = "interrupted"
    if hasattr(row, "batch"):
        values["batch"] = batch
    primary = [column.key for column in inspect(row).primary_key]
    if primary != ["id"]:
        known = session.get(row, values.get(primary[0], person_id))
        if known is not None:
            return None
    fresh = row(person_id=person_id, **values)
    session.add(fresh)
    session.flush()
    return fresh.id if primary == ["id"] else None


def _touch(session: Session, person_id: int) -> None:
    session.execute(
        update(PersonRow)
        .where(PersonRow.id == person_id)
        .values(cards_version=PersonRow.cards_version + 1)
        .execution_options(synchronize_session=False)
    )
    session.expire_all()
