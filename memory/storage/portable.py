"""Everything a person owns, out and in again, and gone: one list of tables serves all three."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    ColumnElement,
    Float,
    Integer,
    String,
    delete,
    func,
    inspect,
    select,
    update,
)
from sqlalchemy.orm import Session

from memory.storage.tables import (
    AuditRow,
    Base,
    CardRow,
    ConversationRow,
    DecisionRow,
    DeliveryRow,
    DeskAgentRow,
    DeviceRow,
    FrameRow,
    HandoverRow,
    LinkRow,
    MatterRow,
    OutcomeRow,
    PersonRow,
    PushSubscriptionRow,
    ReadyTextRow,
    RetrievalRow,
    RuleRow,
    ToolCallRow,
    TurnRow,
    VoteRow,
    WorthActRow,
    WorthLedgerRow,
    WorthRow,
)
from memory.storage.types import UtcDateTime

# Columns that belong to one server: leases, screens, devices, and what can be computed anew.
_LEFT_OUT = frozenset(
    {
        "person_id", "device_id", "vector", "vector_version", "summary_vector", "claimed_by", "lease_until",
        "looks", "next_look_at",
        "screen", "stop_asked", "handled_by", "answered_by", "batch",
        "forgotten_from",
    }
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Section:
    """One table of an export: its rows, and which columns point to rows of other sections."""

    name: str
    row: type[Base]
    refs: Mapping[str, str] = field(default_factory=dict)


SECTIONS: tuple[Section, ...] = (
    Section(name="conversations", row=ConversationRow),
    Section(
        name="turns",
        row=TurnRow,
        refs={"conversation_id": "conversations", "replaces_id": "turns"},
    ),
    Section(
        name="cards",
        row=CardRow,
        refs={"supersedes_id": "cards", "turn_id": "turns", "conversation_id": "conversations"},
    ),
    Section(name="links", row=LinkRow, refs={"a_id": "cards", "b_id": "cards"}),
    Section(name="rules", row=RuleRow, refs={"turn_id": "turns"}),
    Section(name="matters", row=MatterRow, refs={"conversation_id": "conversations"}),
    Section(
        name="decisions",
        row=DecisionRow,
        refs={"matter_id": "matters", "turn_id": "turns", "supersedes_id": "decisions"},
    ),
    Section(name="votes", row=VoteRow, refs={"turn_id": "turns"}),
    Section(
        name="retrievals",
        row=RetrievalRow,
        refs={"turn_id": "turns", "card_id": "cards"},
    ),
    Section(name="outcomes", row=OutcomeRow, refs={"turn_id": "turns"}),
    Section(name="worth_acts", row=WorthActRow, refs={"card_id": "cards"}),
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
    ("desk presence", DeskAgentRow),
    ("ready texts", ReadyTextRow),
    ("audit entries", AuditRow),
    ("memories", CardRow),
    ("turns", TurnRow),
    ("conversations", ConversationRow),
    ("devices", DeviceRow),
)


def dump(session: Session, person_id: int) -> dict[str, list[dict[str, Any]]]:
    """All rows of a person by section, as plain JSON values. `id` is only a name within the export.

    A private conversation that is under way stays out: nothing of it is kept. So does what was just
    forgotten or deleted and only waits for its undo to run out, and whatever hangs on it.
    """
    told: dict[str, list[dict[str, Any]]] = {}
    names: dict[str, set[Any]] = {}
    for section in SECTIONS:
        columns = columns_of(section.row)
        rows = session.execute(
            select(*(getattr(section.row, name) for name, _ in columns))
            .where(section.row.person_id == person_id, *_kept(section.row))  # type: ignore[attr-defined]
            .order_by(*inspect(section.row).primary_key)
        )
        plain = [{name: _plain(value) for (name, _), value in zip(columns, row, strict=True)} for row in rows]
        names[section.name] = {row["id"] for row in plain if "id" in row}
        told[section.name] = [row for row in plain if _stands(section, row, names)]
    return told


def _stands(section: Section, row: dict[str, Any], names: Mapping[str, set[Any]]) -> bool:
    """Empty what points to nothing; whether the row can stand without it."""
    for column, target in section.refs.items():
        if row[column] is not None and row[column] not in names[target]:
            if not section.row.__table__.c[column].nullable:
                return False
            row[column] = None
    return True


def _kept(row: type[Base]) -> tuple[ColumnElement[bool], ...]:
    if row is ConversationRow:
        return (~ConversationRow.private,)
    if row is TurnRow:
        return (
            TurnRow.conversation_id.in_(select(ConversationRow.id).where(~ConversationRow.private)),
            TurnRow.deleted_at.is_(None),
        )
    if row is CardRow:
        return (CardRow.status != "forgotten",)
    return ()


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
    # A page that sleeps meanwhile finds a number missing, and is fetched anew when it wakes.
    session.execute(
        update(PersonRow)
        .where(PersonRow.id == person_id)
        .values(feed_token=None, frame_number=PersonRow.frame_number + 1)
        .execution_options(synchronize_session=False)
    )
    touch(session, person_id)
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


def columns_of(row: type[Base]) -> list[tuple[str, Any]]:
    """The columns of a table that an export holds, by name."""
    return [
        (attribute.key, attribute.columns[0])
        for attribute in inspect(row).column_attrs
        if attribute.key not in _LEFT_OUT
    ]


def kind_of(column: Any) -> str:
    """What a column holds, in the words of the export: text, moment, flag, whole, number, names or object."""
    kinds: tuple[tuple[type, str], ...] = (
        (UtcDateTime, "moment"),
        (JSON, "object"),
        (Boolean, "flag"),
        (Integer, "whole"),
        (Float, "number"),
        (String, "text"),
    )
    kind = next(kind for known, kind in kinds if isinstance(column.type, known))
    return "names" if kind == "object" and isinstance(default_of(column), list) else kind


def default_of(column: Any) -> Any:
    """What a column holds when nothing is said."""
    told = column.default.arg if column.default is not None else None
    return told({}) if callable(told) else told


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def touch(session: Session, person_id: int) -> None:
    """Raise the version that caches of a person's memory compare."""
    session.execute(
        update(PersonRow)
        .where(PersonRow.id == person_id)
        .values(cards_version=PersonRow.cards_version + 1)
        .execution_options(synchronize_session=False)
    )
    session.expire_all()
