"""Export, erase, import: the same memories, links, decisions and worth come back, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from sqlalchemy import Engine, select
from sqlalchemy.event import listen

from memory.errors import InvalidInput
from memory.frames import Frames
from memory.portability import erase, export, importing
from memory.queue import JobName, JobQueue
from memory.records import Category, Link, LinkKind, Person
from memory.storage import decisions as decision_rows
from memory.storage import links as link_rows
from memory.storage import rules as rule_rows
from memory.storage.engine import reading, transaction
from memory.storage.tables import (
    Base,
    CardRow,
    ConversationRow,
    OutcomeRow,
    RetrievalRow,
    TurnRow,
    VoteRow,
    WorthActRow,
    WorthLedgerRow,
    WorthRow,
)
from tests import factories
from tests.conductor.playing import EMBEDDER
from tests.fakes import T0, FakeClock

CANARY = "Zinnobergeheimnis"


def fill(engine: Engine, owner: Person, word: str) -> int:
    """Something of everything; gives the id of its turn."""
    talk = factories.conversation(engine, owner, archived_at=T0, summary=f"About {word}", summarised_at=T0)
    turn = factories.turn(
        engine, owner, talk, said=f"my {word}", answer=f"I see, {word}.", terms=word.lower()
    )
    fact = factories.card(
        engine, owner, text=f"The word is {word}", turn_id=turn, statement_key=word, terms=word
    )
    old = factories.card(engine, owner, text=f"The word was not {word}", statement_key=f"not {word}")
    event = factories.card(
        engine,
        owner,
        category=Category.EVENT,
        text=f"{word} fair",
        starts_local="2026-06-01T10:00",
        zone="Europe/Berlin",
        visible=True,
        statement_key=f"fair {word}",
        supersedes_id=old,
        people=["Claire"],
    )
    with transaction(engine) as session:
        link = Link(a_id=fact, b_id=event, kind=LinkKind.SAME_TURN, weight=0.4, reason="told together")
        link_rows.add(session, owner.id, [link], now=T0)
        rule_rows.add(session, owner.id, f"always say {word}", now=T0, turn_id=turn)
        matter = decision_rows.take_matter(session, owner.id, f"order {word}", conversation_id=talk, now=T0)
        for value in ("1", "2"):
            decision_rows.record(
                session, matter, key="quantity", value=value, turn_id=turn, decided_by="person", now=T0
            )
        state = {"n": 1, "companions": [{"uses": 1, "card": event, "good": 1, "expected": 0.5}]}
        used = {"angle": "meaning", "score": 1.0, "used": True, "created_at": T0}
        session.add_all(
            [
                VoteRow(person_id=owner.id, turn_id=turn, value=1, voted_at=T0),
                RetrievalRow(person_id=owner.id, turn_id=turn, card_id=fact, **used),
                OutcomeRow(person_id=owner.id, turn_id=turn, value=1, source="vote", at=T0),
                WorthRow(card_id=fact, person_id=owner.id, state=state, uses=1, changed_at=T0),
                WorthActRow(person_id=owner.id, card_id=fact, move="pin", at=T0),
                WorthLedgerRow(person_id=owner.id, state={"at": 3}, changed_at=T0),
            ]
        )  # fmt: skip
    importing.embed_missing(engine, EMBEDDER, owner.id)
    return turn


def comparable(engine: Engine, owner: Person) -> dict[str, Any]:
    """An export in which ids are replaced by what they stand for, so that two can be compared."""
    told = export.as_data(engine, owner, now=T0)
    names: dict[tuple[str, Any], str] = {}
    for section in ("conversations", "turns", "cards"):
        names |= {(section, row["id"]): row["public_id"] for row in told[section]}
    names |= {("matters", row["id"]): row["name"] for row in told["matters"]}
    names |= {
        ("decisions", row["id"]): f"{names['matters', row['matter_id']]}={row['value']}"
        for row in told["decisions"]
    }
    from memory.storage.portable import SECTIONS

    result: dict[str, Any] = {}
    for part in SECTIONS:
        rows = []
        for row in told[part.name]:
            plain = {key: value for key, value in row.items() if key != "id"}
            plain |= {key: names.get((target, row[key]), row[key]) for key, target in part.refs.items()}
            if part.name == "worth":
                company = plain["state"].get("companions", [])
                plain["state"] = {
                    **plain["state"],
                    "companions": [{**each, "card": names["cards", each["card"]]} for each in company],
                }
            rows.append(plain)
        result[part.name] = sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))
    return result


def wipe(engine: Engine, owner: Person, redis: Redis | None = None) -> erase.Receipt:
    return erase.erase(engine, owner, redis=redis, frames=Frames(engine, None), now=T0)


def bring(engine: Engine, owner: Person, told: Any) -> importing.Imported:
    done = importing.bring_in(engine, owner, told, now=T0)
    importing.embed_missing(engine, EMBEDDER, owner.id)
    return done


def test_what_is_exported_erased_and_imported_is_the_same_field_by_field(engine: Engine) -> None:
    owner, other = factories.person(engine), factories.person(engine, name="Bob")
    fill(engine, owner, CANARY)
    fill(engine, other, "Pixel")
    before, others = comparable(engine, owner), comparable(engine, other)
    told = json.loads(json.dumps(export.as_data(engine, owner, now=T0)))
    wipe(engine, owner)
    assert all(rows == [] for rows in comparable(engine, owner).values())
    bring(engine, owner, told)
    assert comparable(engine, owner) == before
    assert comparable(engine, other) == others


def test_importing_twice_adds_nothing_and_undo_takes_one_import_back(engine: Engine) -> None:
    owner, friend = factories.person(engine), factories.person(engine, name="Bob")
    fill(engine, owner, CANARY)
    told = export.as_data(engine, owner, now=T0)
    looked = importing.preview(engine, friend, told)
    assert looked.added["cards"] == 3
    assert all(rows == [] for rows in comparable(engine, friend).values())
    first = bring(engine, friend, told)
    assert first.added["cards"] == 3
    again = bring(engine, friend, told)
    assert again.added["cards"] == 0
    importing.undo(engine, friend, first.batch)
    left = comparable(engine, friend)
    assert left["cards"] == left["turns"] == left["conversations"] == left["decisions"] == []
    assert len(comparable(engine, owner)["cards"]) == 3


def test_an_erasure_counts_each_layer_and_leaves_no_row_and_no_byte(
    engine: Engine, tmp_path: Path, valkey: Redis
) -> None:
    owner, other = factories.person(engine), factories.person(engine, name="Bob")
    turn = fill(engine, owner, CANARY)
    spared = fill(engine, other, "Pixel")
    frames = Frames(engine, None)
    frames.publish(person_id=owner.id, kind="text", body={"delta": CANARY}, now=T0, turn_id=turn)
    queue = JobQueue(valkey)
    for each in (turn, spared):
        queue.enqueue(JobName.VERIFY, unique=str(each), turn_id=each)
    receipt = wipe(engine, owner, valkey)
    assert receipt.layers["memories"] == 3
    assert receipt.layers["turns"] == 1
    assert receipt.layers["frames"] == 1
    assert receipt.layers["queued jobs"] == 1
    assert receipt.scrubbed
    with reading(engine) as session:
        for table in Base.metadata.sorted_tables:
            columns = [
                column
                for column in table.c
                if str(column.type) in ("TEXT", "JSON") or "VARCHAR" in str(column.type)
            ]
            for row in session.execute(select(*columns)) if columns else ():
                assert CANARY not in str(row), table.name
            if "person_id" in table.c:
                assert not session.execute(select(table).where(table.c.person_id == owner.id)).all(), (
                    table.name
                )
    assert "Pixel" in str(comparable(engine, other)["cards"])
    if engine.dialect.name == "sqlite":
        path = Path(str(engine.url.database))
        for file in path.parent.glob(f"{path.name}*"):
            assert CANARY.encode() not in file.read_bytes(), file.name


@pytest.mark.parametrize(
    "damage",
    [
        lambda told: [],
        lambda told: {**told, "format": "other"},
        lambda told: {**told, "version": 99},
        lambda told: {**told, "cards": "none"},
        lambda told: {**told, "cards": [{**told["cards"][0], "public_id": "x" * 20, "category": "planet"}]},
        lambda told: {**told, "cards": [{"id": 1}]},
    ],
)
def test_a_damaged_export_is_refused_and_nothing_is_added(
    engine: Engine, damage: Callable[[dict[str, Any]], Any]
) -> None:
    owner, friend = factories.person(engine), factories.person(engine, name="Bob")
    fill(engine, owner, CANARY)
    with pytest.raises(InvalidInput):
        bring(engine, friend, damage(export.as_data(engine, owner, now=T0)))
    assert all(rows == [] for rows in comparable(engine, friend).values())


def test_an_open_conversation_comes_back_archived(engine: Engine, clock: FakeClock) -> None:
    owner = factories.person(engine)
    talk = factories.conversation(engine, owner, last_exchange_at=T0 + timedelta(minutes=1))
    factories.turn(engine, owner, talk, said="hello")
    told = export.as_data(engine, owner, now=T0)
    wipe(engine, owner)
    factories.conversation(engine, owner)
    bring(engine, owner, told)
    assert (
        sum(row["archived_at"] is None for row in export.as_data(engine, owner, now=T0)["conversations"]) == 1
    )


def test_an_older_file_changes_nothing_that_is_here(engine: Engine) -> None:
    """Since it was taken a task was done, a memory corrected, a value decided anew: the present holds."""
    owner = factories.person(engine)
    talk = factories.conversation(engine, owner)
    task = factories.card(engine, owner, category=Category.TASK, text="Water the plants", statement_key="w")
    wrong = factories.card(engine, owner, text="Lives in Porto", statement_key="p")
    with transaction(engine) as session:
        matter = decision_rows.take_matter(session, owner.id, "order 7", conversation_id=talk, now=T0)
        decision_rows.record(
            session, matter, key="quantity", value="1", turn_id=None, decided_by="person", now=T0
        )
    told = export.as_data(engine, owner, now=T0)
    later = T0 + timedelta(hours=1)
    with transaction(engine) as session:
        session.get_one(CardRow, task).status = "done"
        session.get_one(CardRow, wrong).text = "Lives in Lisbon"
        session.get_one(ConversationRow, talk).last_exchange_at = later
        decision_rows.record(
            session, matter, key="quantity", value="2", turn_id=None, decided_by="person", now=later
        )
    now_here = comparable(engine, owner)
    assert not any(importing.preview(engine, owner, told).added.values())
    bring(engine, owner, told)
    assert comparable(engine, owner) == now_here


def test_one_value_of_a_matter_stays_current(engine: Engine) -> None:
    owner, friend = factories.person(engine), factories.person(engine, name="Bob")
    for each, value in ((owner, "1"), (friend, "2")):
        with transaction(engine) as session:
            matter = decision_rows.take_matter(session, each.id, "order 7", conversation_id=None, now=T0)
            decision_rows.record(
                session, matter, key="quantity", value=value, turn_id=None, decided_by="person", now=T0
            )
    done = bring(engine, friend, export.as_data(engine, owner, now=T0))
    found = export.as_data(engine, friend, now=T0)["decisions"]
    assert sorted((row["value"], row["active"]) for row in found) == [("1", False), ("2", True)]
    importing.undo(engine, friend, done.batch)
    assert [row["value"] for row in export.as_data(engine, friend, now=T0)["decisions"]] == ["2"]


def test_undo_leaves_what_was_there_before_to_the_last_field(engine: Engine) -> None:
    owner, friend = factories.person(engine), factories.person(engine, name="Bob")
    fill(engine, owner, CANARY)
    fill(engine, friend, "Pixel")
    before = comparable(engine, friend)
    told = export.as_data(engine, owner, now=T0)
    told["cards"][0]["text"] = "The word is Pixel"  # one of the friend's, so that links lead to it
    done = bring(engine, friend, told)
    importing.undo(engine, friend, done.batch)
    assert comparable(engine, friend) == before


def test_two_of_a_file_that_are_one_here_are_not_tied_to_themselves(engine: Engine) -> None:
    owner = factories.person(engine)
    fill(engine, owner, CANARY)
    told = export.as_data(engine, owner, now=T0)
    wipe(engine, owner)
    first, twin = told["cards"][0], {**told["cards"][0], "id": 999, "public_id": "another-public-id"}
    told["cards"].append(twin)
    told["links"].append({**told["links"][0], "id": 998, "a_id": first["id"], "b_id": 999})
    done = bring(engine, owner, told)
    assert (done.added["cards"], done.added["links"]) == (3, 1)


def test_what_was_just_forgotten_or_deleted_is_in_no_file(engine: Engine) -> None:
    owner = factories.person(engine)
    turn = fill(engine, owner, CANARY)
    with transaction(engine) as session:
        session.query(CardRow).update({"status": "forgotten", "forgotten_at": T0})
        session.get_one(TurnRow, turn).deleted_at = T0
        session.query(ConversationRow).update({"summary": ""})
    told = export.as_data(engine, owner, now=T0)
    assert told["cards"] == told["turns"] == told["links"] == told["votes"] == told["worth"] == []
    assert all(row["turn_id"] is None for row in told["rules"])


def test_forgotten_a_moment_ago_and_brought_back_it_is_there(engine: Engine) -> None:
    owner = factories.person(engine)
    factories.card(engine, owner, text="The gate code is 0042", statement_key="g")
    told = export.as_data(engine, owner, now=T0)
    with transaction(engine) as session:
        session.query(CardRow).update({"status": "forgotten", "forgotten_at": T0})
    assert bring(engine, owner, told).added["cards"] == 1
    assert [row["text"] for row in export.as_data(engine, owner, now=T0)["cards"]] == [
        "The gate code is 0042"
    ]


def test_what_comes_is_found_by_its_meaning_its_words_and_in_talks(engine: Engine) -> None:
    owner = factories.person(engine)
    fill(engine, owner, CANARY)
    told = export.as_data(engine, owner, now=T0)
    wipe(engine, owner)
    for card in told["cards"]:
        del card["terms"], card["surface_terms"], card["statement_key"]  # written by hand
    importing.bring_in(engine, owner, told, now=T0)
    assert importing.progress(engine, owner) == (0, 5)
    assert importing.embed_missing(engine, EMBEDDER, owner.id) == 5
    assert importing.progress(engine, owner) == (5, 5)
    with reading(engine) as session:
        words = session.scalars(
            select(CardRow.surface_terms).where(CardRow.text == f"The word is {CANARY}")
        ).one()
    assert CANARY.lower() in words


def test_a_large_import_is_quick(engine: Engine) -> None:
    """Thousands of rows in a few questions: one each would hold the database for a minute."""
    owner, friend = factories.person(engine), factories.person(engine, name="Bob")
    fill(engine, owner, CANARY)
    told = export.as_data(engine, owner, now=T0)
    card = told["cards"][0]
    told["cards"] += [
        {**card, "id": 10_000 + number, "public_id": f"many-{number}", "text": f"Memory {number}"}
        for number in range(3000)
    ]
    asked: list[str] = []
    listen(engine, "before_cursor_execute", lambda _c, _cu, statement, *_: asked.append(statement))
    assert importing.bring_in(engine, friend, told, now=T0).added["cards"] == 3003
    assert len(asked) < 300


def test_markdown_reads_well_and_escapes(engine: Engine) -> None:
    owner = factories.person(engine)
    fill(engine, owner, CANARY)
    factories.card(engine, owner, text="a <b>bold</b> *claim*", statement_key="b")
    read = export.as_markdown(export.as_data(engine, owner, now=T0))
    assert f"- The word is {CANARY}" in read
    assert "\\<b\\>bold" in read
    assert "(2026-06-01 10:00) [Claire]" in read


def test_every_table_with_an_owner_is_erased() -> None:
    from memory.storage import portable

    erased = {row.__tablename__ for _, row in portable._ERASED}
    owned = {
        table.name
        for table in Base.metadata.sorted_tables
        if "person_id" in table.c and table.name not in ("people",)
    }
    assert owned == erased
