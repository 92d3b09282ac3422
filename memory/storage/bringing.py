"""An export's rows as a person's own: looked at without writing, then added at once.

`plan` compares by what rows say, never by their number, and gives what is new with
stand-ins (negative numbers) for ids that do not exist yet; `add` writes a plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import bindparam, delete, func, insert, inspect, select, update
from sqlalchemy.orm import Session

from memory.storage.portable import SECTIONS, Section, columns_of, default_of, touch
from memory.storage.tables import (
    Base,
    CardRow,
    ConversationRow,
    DecisionRow,
    MatterRow,
    OutcomeRow,
    RuleRow,
    TurnRow,
    WorthLedgerRow,
    new_public_id,
)
from memory.storage.types import UtcDateTime, Vector

_AT_ONCE = 500  # names in one question to a database
# By which columns a row is known, the surest first; a row of its own is told apart by all of one list.
_IDENTITY: dict[str, tuple[tuple[str, ...], ...]] = {
    "conversations": (("public_id",), ("opened_at", "last_exchange_at")),
    "turns": (("public_id",), ("client_id",)),
    "cards": (
        ("public_id",),
        ("category", "text", "status", "learned_at"),
        ("category", "text", "subject_key"),
    ),
    "links": (("a_id", "b_id", "kind"),),
    "rules": (("public_id",), ("text",)),
    "matters": (("name",),),
    "decisions": (("matter_id", "key", "value", "decided_at"),),
    "votes": (("turn_id",),),
    "retrievals": (("turn_id", "card_id"),),
    "outcomes": (("turn_id",),),
    "worth_acts": (("card_id", "move", "at"),),
    "worth": (("card_id",),),
    "worth_ledgers": ((),),
}
_BATCHES: tuple[type[Base], ...] = (CardRow, TurnRow, ConversationRow, RuleRow, DecisionRow, MatterRow)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What an import would add: by section, each new row's values under its stand-in."""

    rows: Mapping[str, Mapping[int, dict[str, Any]]]
    within: Mapping[str, Mapping[int, dict[str, int]]]  # columns that point into the same section

    @property
    def added(self) -> dict[str, int]:
        """How many rows of each section are new."""
        return {name: len(rows) for name, rows in self.rows.items()}


@dataclass
class _Ids:
    """Ids of the file by section: what is here already, or a stand-in for what will be."""

    by_name: dict[str, dict[Any, int]] = field(
        default_factory=lambda: {section.name: {} for section in SECTIONS}
    )
    public: dict[str, str] = field(default_factory=dict)  # public ids of cards: in the file, and here
    last: int = 0

    def stand_in(self) -> int:
        self.last -= 1
        return self.last


def plan(session: Session, person_id: int, told: Mapping[str, Sequence[Mapping[str, Any]]]) -> Plan:
    """Compare an export, already checked, with what a person has. Nothing is written.

    What is there already stays as it is, also where the file says something older of it.
    References are kept; those that lead nowhere are left empty, and rows that cannot
    stand without them are left out. What hangs on a row (votes, worth, links) comes only
    with a row that is new.
    """
    ids = _Ids()
    rows: dict[str, dict[int, dict[str, Any]]] = {}
    within: dict[str, dict[int, dict[str, int]]] = {}
    for section in SECTIONS:
        known = _known(session, person_id, section)
        taken = _taken(session, section, told.get(section.name, ()))
        rows[section.name], pending = {}, {}
        for plain in told.get(section.name, ()):
            values, inner = _resolved(section, plain, ids)
            if values is None:
                continue
            names = [name for name in _names(section, values) if name in known]
            if names:
                ids.by_name[section.name][plain.get("id")] = known[names[0]]
                continue
            if not _comes_along(section, values):
                continue
            at = ids.stand_in()
            ids.by_name[section.name][plain.get("id")] = at
            known |= dict.fromkeys(_names(section, values), at)  # the same twice in a file is one
            if values.get("public_id") in taken:
                fresh = new_public_id()
                ids.public[values["public_id"]] = fresh
                values["public_id"] = fresh
            rows[section.name][at], pending[at] = values, inner
        within[section.name] = {
            at: {
                column: ids.by_name[section.name][old]
                for column, old in inner.items()
                if old in ids.by_name[section.name]
            }
            for at, inner in pending.items()
        }
    _make_current(session, person_id, rows["decisions"])
    for values in rows["turns"].values():
        values["kept"] = [ids.public.get(each, each) for each in values.get("kept", [])]
    for values in rows["worth"].values():
        values["state"] = _with_ids(values.get("state") or {}, ids.by_name["cards"])
    return Plan(rows=rows, within=within)


def add(session: Session, person_id: int, planned: Plan, *, batch: str) -> None:
    """Write a plan in the caller's transaction, under a name by which it can be taken back."""
    real: dict[int, int] = {}
    for section in SECTIONS:
        waiting = planned.rows[section.name]
        if not waiting:
            continue
        fresh = [
            {**_settled(section, values, real), "person_id": person_id}
            | ({"batch": batch} if section.row in _BATCHES else {})
            for values in waiting.values()
        ]
        real |= _inserted(session, section, list(waiting), fresh)
        _point_within(session, section, planned.within[section.name], real)
    touch(session, person_id)


def taken_back(session: Session, person_id: int, batch: str) -> int:
    """Take one import back; returns how many memories, talks, messages, rules and decisions went."""
    gone = 0
    for row in _BATCHES:
        gone += len(
            session.execute(
                delete(row)
                .where(row.person_id == person_id, row.batch == batch)  # type: ignore[attr-defined]
                .execution_options(synchronize_session=False)
                .returning(row.id)  # type: ignore[attr-defined]
            ).all()
        )
    if not session.scalar(select(func.count()).where(OutcomeRow.person_id == person_id)):
        session.execute(delete(WorthLedgerRow).where(WorthLedgerRow.person_id == person_id))
    touch(session, person_id)
    return gone


def batches(session: Session, person_id: int) -> dict[str, int]:
    """The imports that can be taken back, and how many memories and messages each brought; newest first."""
    counts: dict[str, int] = {}
    for row in (CardRow, TurnRow, RuleRow, DecisionRow):
        for batch, number in session.execute(
            select(row.batch, func.count())
            .where(row.person_id == person_id, row.batch != "")
            .group_by(row.batch)
        ):
            counts[batch] = counts.get(batch, 0) + number
    return dict(sorted(counts.items(), reverse=True))


def without_vectors(session: Session, person_id: int) -> tuple[int, int]:
    """How many memories, messages and summaries still wait for their vectors, and how many there are."""
    missing = total = 0
    for row, vector, where in _EMBEDDED:
        own = select(func.count()).where(row.person_id == person_id, where)
        total += session.scalar(own) or 0
        missing += session.scalar(own.where(vector.is_(None))) or 0
    return missing, total


def missing_vectors(session: Session, person_id: int, *, limit: int) -> list[tuple[str, int, str]]:
    """What waits for its vector, as after an import: section, id and the text to embed."""
    found: list[tuple[str, int, str]] = [
        ("cards", card_id, f"{title} {text}".strip())
        for card_id, title, text in session.execute(
            select(CardRow.id, CardRow.title, CardRow.text)
            .where(CardRow.person_id == person_id, CardRow.vector.is_(None), CardRow.text != "")
            .limit(limit)
        )
    ]
    found += [
        ("turns", turn_id, f"{speaker}: {said}" if speaker else said)
        for turn_id, speaker, said in session.execute(
            select(TurnRow.id, TurnRow.speaker, TurnRow.said)
            .where(TurnRow.person_id == person_id, TurnRow.vector.is_(None), TurnRow.terms != "")
            .limit(limit)
        )
    ]
    found += [
        ("conversations", each, summary)
        for each, summary in session.execute(
            select(ConversationRow.id, ConversationRow.summary)
            .where(
                ConversationRow.person_id == person_id,
                ConversationRow.summary_vector.is_(None),
                ConversationRow.summary != "",
            )
            .limit(limit)
        )
    ]
    return found[:limit]


def set_vector(session: Session, section: str, row_id: int, vector: Vector, version: str) -> None:
    """Store a vector."""
    row: Any = {"cards": CardRow, "turns": TurnRow, "conversations": ConversationRow}[section]
    column = "summary_vector" if row is ConversationRow else "vector"
    session.execute(
        update(row)
        .where(row.id == row_id)
        .values({column: vector, "vector_version": version})
        .execution_options(synchronize_session=False)
    )


def touched(session: Session, person_id: int) -> None:
    """Say that what search reads has changed."""
    touch(session, person_id)


_EMBEDDED: tuple[tuple[Any, Any, Any], ...] = (
    (CardRow, CardRow.vector, CardRow.text != ""),
    (TurnRow, TurnRow.vector, TurnRow.terms != ""),
    (ConversationRow, ConversationRow.summary_vector, ConversationRow.summary != ""),
)


def _known(session: Session, person_id: int, section: Section) -> dict[tuple[Any, ...], int]:
    """The person's rows by all that they are known by."""
    row: Any = section.row
    wanted = sorted({column for each in _IDENTITY[section.name] for column in each})
    if section.name == "cards":
        wanted.append("status")
    key = row.id if _has_id(section) else row.person_id
    statement = select(key, *(getattr(row, column) for column in wanted)).where(row.person_id == person_id)
    if row is CardRow:
        statement = statement.where(CardRow.status != "forgotten")  # what waits to go does not hold back
    known: dict[tuple[Any, ...], int] = {}
    for found, *values in session.execute(statement):
        for name in _names(section, dict(zip(wanted, values, strict=True))):
            known.setdefault(name, found)
    return known


def _names(section: Section, values: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    for number, columns in enumerate(_IDENTITY[section.name]):
        # Only an active memory is the same by its words alone: an old value may have come again.
        if section.name == "cards" and number == 2 and values.get("status", "active") != "active":
            continue
        if all(values.get(column) not in (None, "") or column == "subject_key" for column in columns):
            yield (number, *(values.get(column, "") for column in columns))


def _taken(session: Session, section: Section, told: Sequence[Mapping[str, Any]]) -> set[str]:
    """Public ids of the file that somebody has already: a copied account, or a row that waits to go."""
    row: Any = section.row
    names = [plain["public_id"] for plain in told if plain.get("public_id")]
    found: set[str] = set()
    for at in range(0, len(names), _AT_ONCE):
        found |= set(
            session.scalars(select(row.public_id).where(row.public_id.in_(names[at : at + _AT_ONCE])))
        )
    return found


def _resolved(
    section: Section, plain: Mapping[str, Any], ids: _Ids
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """A row's values with its references turned, and those within its own section, for later.

    None instead of values when a reference that the row cannot do without leads nowhere.
    """
    values, inner = _values(section, plain), {}
    for column, target in section.refs.items():
        old = values.get(column)
        if old is None:
            continue
        if target == section.name:
            inner[column], values[column] = old, None
            continue
        values[column] = ids.by_name[target].get(old)
        if values[column] is None and not section.row.__table__.c[column].nullable:
            return None, {}
    if section.name == "links":
        if values["a_id"] == values["b_id"]:  # two of the file are one here
            return None, {}
        # The order of the pair is settled when the ids are; until then the pair is told apart either way.
        values["a_id"], values["b_id"] = sorted((values["a_id"], values["b_id"]))
    return values, inner


def _values(section: Section, plain: Mapping[str, Any]) -> dict[str, Any]:
    """Column values from plain JSON; what is not a column of the section is ignored."""
    values: dict[str, Any] = {}
    for name, column in columns_of(section.row):
        if name == "id" or name not in plain:
            continue
        value = plain[name]
        if isinstance(column.type, UtcDateTime) and isinstance(value, str):
            value = datetime.fromisoformat(value).astimezone(UTC)
        values[name] = value
    if section.name == "conversations":
        values["private"] = False  # what is in a file is kept already
        if values.get("archived_at") is None:
            values["archived_at"] = values["last_exchange_at"]  # at most one may be open: this server's
    if section.name == "turns" and values.get("state") in ("waiting", "running"):
        values["state"] = "interrupted"
    return values


def _comes_along(section: Section, values: Mapping[str, Any]) -> bool:
    """Whether a row without a name of its own hangs on something that is new, so that it can go with it."""
    if section.row in _BATCHES or not section.refs:
        return True
    return any((values.get(column) or 0) < 0 for column in section.refs)


def _make_current(session: Session, person_id: int, rows: Mapping[int, dict[str, Any]]) -> None:
    """Leave one current value a matter and key: the one that is here, or the file's last."""
    current = {
        (matter_id, key)
        for matter_id, key in session.execute(
            select(DecisionRow.matter_id, DecisionRow.key).where(
                DecisionRow.person_id == person_id, DecisionRow.active
            )
        )
    }
    for values in sorted(rows.values(), key=lambda each: each["decided_at"], reverse=True):
        if values.get("active", True):
            place = (values["matter_id"], values["key"])
            values["active"] = place not in current
            current.add(place)


def _with_ids(state: dict[str, Any], cards: Mapping[Any, int]) -> dict[str, Any]:
    """A state of worth whose companions are named by this store's ids (or stand-ins)."""
    company = [
        {**each, "card": cards[each["card"]]} for each in state.get("companions", ()) if each["card"] in cards
    ]
    return {**state, "companions": company} if "companions" in state else dict(state)


def _settled(section: Section, values: dict[str, Any], real: Mapping[int, int]) -> dict[str, Any]:
    """Values with ids in the place of stand-ins, and every column that a bulk insert must name."""
    told: dict[str, Any] = {
        name: None for name, column in columns_of(section.row) if column.nullable and name != "id"
    }
    told |= {
        name: default_of(column) for name, column in columns_of(section.row) if column.default is not None
    }
    told |= values
    for column, target in section.refs.items():
        if told.get(column) is not None and target != section.name:
            told[column] = real.get(told[column], told[column])
    if section.name == "links":
        told["a_id"], told["b_id"] = sorted((told["a_id"], told["b_id"]))
    if section.name == "worth" and told["state"].get("companions"):
        company = [
            {**each, "card": real.get(each["card"], each["card"])} for each in told["state"]["companions"]
        ]
        told["state"] = {**told["state"], "companions": company}
    return told


def _inserted(
    session: Session, section: Section, ids: list[int], fresh: list[dict[str, Any]]
) -> dict[int, int]:
    """Insert rows at once; the ids that they got, by their stand-ins, where others may point to them."""
    row: Any = section.row
    if "public_id" in fresh[0]:
        session.execute(insert(row), fresh)
        names = [values["public_id"] for values in fresh]
        made: dict[str, int] = {}
        for at in range(0, len(names), _AT_ONCE):
            some = select(row.public_id, row.id).where(row.public_id.in_(names[at : at + _AT_ONCE]))
            made |= {name: row_id for name, row_id in session.execute(some)}
        return {each: made[name] for each, name in zip(ids, names, strict=True)}
    if any(section.name in other.refs.values() for other in SECTIONS):
        found = session.scalars(insert(row).returning(row.id, sort_by_parameter_order=True), fresh)
        return dict(zip(ids, found, strict=True))
    session.execute(insert(row), fresh)
    return {}


def _point_within(
    session: Session, section: Section, within: Mapping[int, Mapping[str, int]], real: Mapping[int, int]
) -> None:
    table: Any = section.row.__table__
    for column in (name for name, target in section.refs.items() if target == section.name):
        told = [
            {"the_id": real[at], "target": real.get(inner[column], inner[column])}
            for at, inner in within.items()
            if column in inner
        ]
        if told:
            session.connection().execute(
                update(table).where(table.c.id == bindparam("the_id")).values({column: bindparam("target")}),
                told,
            )


def _has_id(section: Section) -> bool:
    return [column.key for column in inspect(section.row).primary_key] == ["id"]
