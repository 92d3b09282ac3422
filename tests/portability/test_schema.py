"""The form of an export: documented by what checks it, true of a real one, closed to harm."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from memory.errors import InvalidInput
from memory.portability import export, importing, schema
from memory.storage import cards as rows
from memory.storage.engine import reading
from tests import factories
from tests.fakes import T0
from tests.portability.test_round_trip import CANARY, bring, fill

DOCUMENTED = Path(__file__).parents[2] / "docs" / "export.schema.json"
_JUNK: tuple[Any, ...] = (
    None, "", "junk", "2026-13-45", "0001-01-01T00:00:00+00:00", "x" * 300_000, "\0", "\ud800", 0, -1, 10**30,
    1.5, float("nan"), float("inf"), True, [], ["a", 1], {}, {"companions": [{"card": "x"}]}, {"s": "many"},
    "../../etc/passwd", "FREQ=NEVER", "9999-12-31T23:59:59+00:00", [[[[]]]], "2026-01-01T10:00+02:00",
)  # fmt: skip


def faults(form: Mapping[str, Any], value: Any, path: str = "") -> list[str]:
    """What of a value breaks a JSON schema, in the part of that language which ours is written in."""
    if "anyOf" in form:
        told = [faults(each, value, path) for each in form["anyOf"]]
        return [] if [] in told else told[0]
    if "const" in form or "enum" in form:
        return [] if value in form.get("enum", [form.get("const")]) else [path]
    types: dict[str, Any] = {
        "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
        "null": type(None),
    }  # fmt: skip
    if not isinstance(value, types[form["type"]]) or (
        isinstance(value, bool) and form["type"] in ("integer", "number")
    ):
        return [path]
    found = [path] if len(value if isinstance(value, str) else "") > form.get("maxLength", 10**9) else []
    if isinstance(value, list):
        for number, each in enumerate(value):
            found += faults(form["items"], each, f"{path}[{number}]")
    if isinstance(value, dict):
        known = form.get("properties", {})
        found += [f"{path}.{name} is missing" for name in form.get("required", ()) if name not in value]
        for name, each in value.items():
            if name in known:
                found += faults(known[name], each, f"{path}.{name}")
            elif form.get("additionalProperties") is False:
                found.append(f"{path}.{name} is not documented")
    return found


def test_the_documented_schema_is_the_one_that_checks() -> None:
    assert json.loads(DOCUMENTED.read_text()) == schema.json_schema(), (
        "python -m memory.portability.schema > docs/export.schema.json"
    )


def test_a_real_export_is_as_documented(engine: Engine) -> None:
    owner = factories.person(engine)
    fill(engine, owner, CANARY)
    told = json.loads(json.dumps(export.as_data(engine, owner, now=T0)))
    assert all(told[name] for name in schema.sections()), "a section without a row proves nothing"
    assert faults(json.loads(DOCUMENTED.read_text()), told) == []
    assert faults(json.loads(DOCUMENTED.read_text()), {**told, "cards": [{"id": 1}]}) != []


@pytest.mark.parametrize("seed", range(4))
def test_whatever_a_file_holds_it_is_refused_in_words_or_does_no_harm(engine: Engine, seed: int) -> None:
    """Any value anywhere in an export replaced by junk: never half an import or an unreadable memory."""
    lots = random.Random(seed)
    owner, friend = factories.person(engine), factories.person(engine, name="Bob")
    fill(engine, owner, CANARY)
    told = json.dumps(export.as_data(engine, owner, now=T0))
    places = [
        (name, field) for name, fields in schema.sections().items() for field in (*fields, "unknown")
    ]  # fmt: skip
    for _ in range(60):
        hurt = json.loads(told)
        for name, field in lots.sample(places, lots.choice((1, 1, 3))):
            if row := hurt[name] and lots.choice(hurt[name]):
                row[field] = lots.choice(_JUNK)
        try:
            done = bring(engine, friend, hurt)
        except InvalidInput:
            continue
        with reading(engine) as session:
            rows.page(session, friend.id)
        export.as_markdown(export.as_data(engine, friend, now=T0))
        importing.undo(engine, friend, done.batch)
        left = export.as_data(engine, friend, now=T0)
        assert not any(left[name] for name in schema.sections())


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"not json", b"[" * 100_000, b'{"format": NaN'])
def test_what_is_no_json_is_refused_in_words(content: bytes) -> None:
    with pytest.raises(InvalidInput):
        importing.parsed(content)


@pytest.mark.parametrize("version", [0, -1, True, "1", None, 1.0])
def test_a_version_that_never_was_is_refused(version: Any) -> None:
    with pytest.raises(InvalidInput):
        schema.checked({"format": schema.FORMAT, "version": version})


def test_a_fault_names_the_entry_and_not_what_it_says(engine: Engine) -> None:
    owner = factories.person(engine)
    fill(engine, owner, CANARY)
    told = export.as_data(engine, owner, now=T0)
    told["cards"][1]["zone"] = f"{CANARY}/Nowhere"
    with pytest.raises(InvalidInput, match="cards, entry 2, zone") as refused:
        schema.checked(told)
    assert CANARY not in refused.value.message
