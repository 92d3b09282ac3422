"""The form of an export: one description, from the tables themselves, that documents and checks.

`docs/export.schema.json` is what `json_schema` gives (a test compares them);
`checked` refuses what does not fit, and says which entry.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, get_type_hints
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

from memory.config import LANGUAGES
from memory.errors import InvalidInput
from memory.records import Author, CardStatus, Category, LinkKind, TurnState
from memory.storage import portable
from memory.worth import Companion, Ledger, Move, Status, Trial, WorthState

FORMAT = "asterism-export"
VERSION = 1
MOST_TEXT = 200_000  # characters of one text
MOST_NUMBER = 2**53  # a whole number that every reader of JSON keeps
_FIRST, _LAST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2300, 1, 1, tzinfo=UTC)
_CHOICES: dict[tuple[str, str], tuple[str, ...]] = {
    ("cards", "category"): tuple(Category),
    ("cards", "status"): tuple(each for each in CardStatus if each is not CardStatus.FORGOTTEN),
    ("cards", "author"): tuple(Author),
    ("turns", "state"): tuple(TurnState),
    ("links", "kind"): tuple(LinkKind),
    ("worth_acts", "move"): tuple(Move),
    ("worth", "status"): tuple(Status),
}
_VOTES = frozenset({("votes", "value"), ("outcomes", "value")})
_NEVER_EMPTY = frozenset({("cards", "text"), ("rules", "text"), ("matters", "name"), ("decisions", "key")})


@dataclass(frozen=True, kw_only=True)
class Field:
    """What one column of a section may hold."""

    kind: str  # text, moment, flag, whole, number, names, object
    is_required: bool
    may_be_null: bool
    most_chars: int = MOST_TEXT
    choices: tuple[str, ...] = ()
    target: str = ""  # the section that it points to


@cache
def sections() -> Mapping[str, Mapping[str, Field]]:
    """Each section's fields."""
    return {
        section.name: {
            name: _field(section, name, column) for name, column in portable.columns_of(section.row)
        }
        for section in portable.SECTIONS
    }


def checked(data: Any) -> dict[str, list[dict[str, Any]]]:
    """The sections of an export, every value of a kind that can be kept; unknown fields are left out.

    Raises:
        InvalidInput: it is no export of this product, or of a newer one, or something in it cannot be read.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InvalidInput("This file is no export of Asterism.")
    version = data.get("version")
    if type(version) is not int or version < 1:
        raise InvalidInput("This file is no export of Asterism.")
    if version > VERSION:
        raise InvalidInput("This export was made by a newer Asterism. Please update first.")
    result: dict[str, list[dict[str, Any]]] = {}
    for name, fields in sections().items():
        rows = data.get(name, [])
        if not isinstance(rows, list):
            raise InvalidInput("This export is damaged: %(section)s cannot be read.", section=name)
        result[name] = [_row(name, fields, row, number) for number, row in enumerate(rows, 1)]
        _told_apart(name, fields, result[name])
    return result


def json_schema() -> dict[str, Any]:
    """The form as JSON Schema (2020-12)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Asterism export",
        "type": "object",
        "required": ["format", "version", "exported_at", "person"],
        "properties": {
            "format": {"const": FORMAT},
            "version": {"const": VERSION},
            "exported_at": {"type": "string", "format": "date-time"},
            "person": {
                "type": "object",
                "required": ["name", "language", "zone"],
                "properties": {name: {"type": "string"} for name in ("name", "language", "zone")},
            },
            **{
                name: {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": [key for key, each in fields.items() if each.is_required],
                        "properties": {key: _as_schema(name, key, each) for key, each in fields.items()},
                        "additionalProperties": False,
                    },
                }
                for name, fields in sections().items()
            },
        },
        "additionalProperties": False,
    }


def _field(section: portable.Section, name: str, column: Any) -> Field:
    return Field(
        kind=portable.kind_of(column),
        is_required=not column.nullable and column.default is None,
        may_be_null=column.nullable,
        most_chars=getattr(column.type, "length", None) or MOST_TEXT,
        choices=tuple(str(each) for each in _CHOICES.get((section.name, name), ())),
        target=section.refs.get(name, ""),
    )


def _as_schema(section: str, name: str, each: Field) -> dict[str, Any]:
    kinds: dict[str, dict[str, Any]] = {
        "text": {"type": "string", "maxLength": each.most_chars},
        "moment": {"type": "string", "format": "date-time"},
        "flag": {"type": "boolean"},
        "whole": {"type": "integer"},
        "number": {"type": "number"},
        "names": {"type": "array", "items": {"type": "string"}},
        "object": {"type": "object"},
    }
    told = kinds[each.kind]
    if each.choices:
        told = {"enum": list(each.choices)}
    elif (section, name) in _VOTES:
        told = {"enum": [-1, 1]}
    if each.target:
        told["description"] = f"id of one of {each.target}"
    return {"anyOf": [told, {"type": "null"}]} if each.may_be_null else told


def _row(section: str, fields: Mapping[str, Field], row: Any, number: int) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise _damaged(section, number, "")
    for name, each in fields.items():
        if name not in row:
            if each.is_required:
                raise _damaged(section, number, name)
        elif not _fits(section, name, each, row[name]):
            raise _damaged(section, number, name)
    for check in _WHOLE.get(section, ()):
        if name := check(row):
            raise _damaged(section, number, name)
    return {name: row[name] for name in fields if name in row}


def _told_apart(section: str, fields: Mapping[str, Field], rows: list[dict[str, Any]]) -> None:
    seen: set[Any] = set()
    for number, row in enumerate(rows, 1):
        if "id" not in fields:
            return
        if row["id"] in seen:
            raise _damaged(section, number, "id")
        seen.add(row["id"])


def _damaged(section: str, number: int, name: str) -> InvalidInput:
    # Which entry, never what it says: the text is the person's.
    return InvalidInput(
        "This export is damaged: %(section)s, entry %(number)s, %(field)s. Nothing was imported.",
        section=section,
        number=number,
        field=name or "-",
    )


def _fits(section: str, name: str, each: Field, value: Any) -> bool:
    if value is None:
        return each.may_be_null
    if each.choices:
        return isinstance(value, str) and value in each.choices
    if not _KINDS[each.kind](value):
        return False
    if each.kind == "text":
        empty = (section, name) in _NEVER_EMPTY and not value.strip()
        return len(value) <= each.most_chars and not empty
    if (section, name) in _VOTES:
        return value in (-1, 1)
    return True


def _is_text(value: Any) -> bool:
    return (
        isinstance(value, str)
        and "\0" not in value
        and not any("\ud800" <= each <= "\udfff" for each in value)
    )


def _is_moment(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        moment = datetime.fromisoformat(value)
        return moment.tzinfo is not None and _FIRST <= moment <= _LAST
    except (ValueError, OverflowError):
        return False


def _is_whole(value: Any) -> bool:
    return type(value) is int and abs(value) <= MOST_NUMBER


def _is_number(value: Any) -> bool:
    return (_is_whole(value) or isinstance(value, float)) and math.isfinite(value)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict) and _is_plain(value)


def _is_plain(value: Any, depth: int = 0) -> bool:
    """Whether a value is JSON that both databases keep: no NaN, no endless number, not too deep."""
    if depth > 20:
        return False
    if isinstance(value, dict):
        return all(_is_text(key) and _is_plain(each, depth + 1) for key, each in value.items())
    if isinstance(value, list):
        return all(_is_plain(each, depth + 1) for each in value)
    return value is None or isinstance(value, bool) or _is_number(value) or _is_text(value)


_KINDS: dict[str, Callable[[Any], bool]] = {
    "text": _is_text,
    "moment": _is_moment,
    "flag": lambda value: isinstance(value, bool),
    "whole": _is_whole,
    "number": _is_number,
    "names": lambda value: (
        isinstance(value, list) and all(_is_text(each) and len(each) <= 200 for each in value)
    ),
    "object": _is_object,
}


def _zone_fault(row: Mapping[str, Any]) -> str:
    """The name of the field when the zone is none that exists."""
    zone = row.get("zone")
    if zone is None:
        return "zone" if row.get("starts_local") is not None else ""
    try:
        ZoneInfo(zone)
    # Broad on purpose: a zone's name is a path, and what opening that raises depends on the system.
    except Exception:
        return "zone"
    return ""


def _moment_fault(row: Mapping[str, Any]) -> str:
    """The name of the field when a card's moment on the wall clock cannot be read."""
    for name in ("starts_local", "ends_local"):
        if row.get(name) is None:
            continue
        try:
            local = datetime.fromisoformat(row[name])
        except ValueError:
            return name
        if local.tzinfo is not None or not _FIRST.year <= local.year <= _LAST.year:
            return name
    if row.get("ends_local") is not None and row.get("starts_local") is None:
        return "ends_local"
    if row.get("rrule"):
        if row.get("starts_local") is None:
            return "rrule"
        try:
            rrulestr(row["rrule"], dtstart=datetime.fromisoformat(row["starts_local"]), ignoretz=True)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
            return "rrule"
    return ""


def _card_fault(row: Mapping[str, Any]) -> str:
    if row.get("visible") and row["category"] in (Category.FACT, Category.PERSON, Category.THEME):
        return "visible"
    if row["language"] not in LANGUAGES:
        return "language"
    return next((name for name in ("x", "y") if row.get(name) is not None and not 0 <= row[name] <= 1), "")


def _worth_fault(row: Mapping[str, Any]) -> str:
    """The name of the field when a state of worth is none that can be counted on with."""
    plain = row.get("state", {})
    try:
        WorthState.from_dict(plain)
    # Broad on purpose: what is wrong inside may raise anything, and is refused all the same.
    except Exception:
        return "state"
    parts = [(WorthState, plain), (Trial, plain.get("trial") or {})]
    parts += [(Companion, each) for each in plain.get("companions") or ()]
    sound = all(
        _is_number(told[name])
        for shape, told in parts
        for name, kind in get_type_hints(shape).items()
        if kind in (int, float) and name in told
    )
    counted = 0 <= row.get("successes", 0) <= row.get("uses", 0)
    return "" if sound and counted else "state"


def _ledger_fault(row: Mapping[str, Any]) -> str:
    try:
        told = Ledger.from_dict(row.get("state", {}), {})
        if not all(_is_number(each) for tally in told.contexts.values() for each in asdict(tally).values()):
            return "state"
    # Broad on purpose: as above.
    except Exception:
        return "state"
    return ""


_WHOLE: dict[str, tuple[Callable[[Mapping[str, Any]], str], ...]] = {
    "cards": (_zone_fault, _moment_fault, _card_fault),
    "turns": (_zone_fault,),
    "worth": (_worth_fault,),
    "worth_ledgers": (_ledger_fault,),
}


if __name__ == "__main__":
    print(json.dumps(json_schema(), indent=1))
