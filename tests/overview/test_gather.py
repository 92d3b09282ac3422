"""Sources fail, hang and answer, each for itself."""

from __future__ import annotations

import itertools
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory.llm.scripted import Say
from memory.overview import gather
from memory.overview.blocks import Entry
from memory.overview.sources import sources_for
from memory.storage.engine import reading
from memory.storage.tables import TurnRow
from tests import factories
from tests.conductor.playing import stage
from tests.fakes import T0, FakeClock

NAMES = ("recent", "warm", "lately", "sample", "rules")


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    executor = ThreadPoolExecutor(16)
    yield executor
    executor.shutdown(wait=True)


def answers(name: str) -> Any:
    return lambda session: [Entry(key=name, text=name)]


def fails(session: Session) -> Sequence[Entry]:
    raise RuntimeError("a delay in the database")


@pytest.mark.parametrize("broken", [*itertools.combinations(NAMES, 1), *itertools.combinations(NAMES, 2)])
def test_whatever_answers_is_kept(
    sqlite_engine: Engine, pool: ThreadPoolExecutor, broken: tuple[str, ...]
) -> None:
    sources = {name: fails if name in broken else answers(name) for name in NAMES}
    found = gather(sources, engine=sqlite_engine, executor=pool, deadline_s=5)
    assert found.missing == dict.fromkeys(sorted(broken), "RuntimeError")
    assert {block.source for block in found.blocks if block.entries} == set(NAMES) - set(broken)


@pytest.mark.parametrize("hanging", [*itertools.combinations(NAMES, 1), *itertools.combinations(NAMES, 2)])
def test_whichever_sources_hang_the_others_are_kept(
    sqlite_engine: Engine, pool: ThreadPoolExecutor, hanging: tuple[str, ...]
) -> None:
    release = threading.Event()

    def hangs(session: Session) -> Sequence[Entry]:
        release.wait(20)
        return []

    def quick(name: str) -> Any:
        def ask(session: Session) -> Sequence[Entry]:
            return [Entry(key=name, text=name)]

        return ask

    sources = {name: hangs if name in hanging else quick(name) for name in NAMES}
    found = gather(sources, engine=sqlite_engine, executor=pool, deadline_s=0.5)
    release.set()
    assert set(hanging) <= set(found.missing)
    assert {found.missing[name] for name in hanging} == {"late"}
    assert all(not block.entries for block in found.blocks if block.source in hanging)


def test_a_source_that_hangs_is_late_and_does_not_hold_the_others(
    sqlite_engine: Engine, pool: ThreadPoolExecutor
) -> None:
    release = threading.Event()

    def hangs(session: Session) -> Sequence[Entry]:
        release.wait(20)
        return []

    sources = {**{name: answers(name) for name in NAMES[:3]}, "sample": hangs, "rules": fails}
    started = perf_counter()
    found = gather(sources, engine=sqlite_engine, executor=pool, deadline_s=0.3)
    took = perf_counter() - started
    release.set()
    assert found.missing == {"rules": "RuntimeError", "sample": "late"}
    assert took < 10


@pytest.mark.parametrize("broken", NAMES)
def test_an_answer_comes_whichever_source_fails_and_the_trace_tells(
    engine: Engine, clock: FakeClock, tmp_path: Path, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaking(*args: Any, **options: Any) -> Any:
        return {**sources_for(*args, **options), broken: fails}

    monkeypatch.setattr("memory.conductor.assembly.sources_for", breaking)
    with stage(engine, clock, steps=[[Say("In the green folder.")]], tmp=tmp_path) as play:
        factories.card(engine, play.person, text="The passport is in the green folder", learned_at=T0)
        turn = play.say("where's my passport?")
        with reading(engine) as session:
            row = session.get(TurnRow, turn.id)
            assert row is not None
            trace = dict(row.trace)
        given = play.model.requests[0].overview
    assert turn.answer == "In the green folder."
    assert trace["missing"] == {broken: "RuntimeError"}
    assert trace["sources"][broken] == 0
    if broken != "warm":
        assert "green folder" in given


def test_a_writer_that_holds_the_database_delays_no_reading(
    sqlite_url: str, sqlite_engine: Engine, pool: ThreadPoolExecutor
) -> None:
    person = factories.person(sqlite_engine)
    factories.card(sqlite_engine, person, text="The dentist is on Friday")
    writer = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    try:
        found = gather(
            sources_for(person, language="en", zone="Europe/Berlin", now=T0),
            engine=sqlite_engine,
            executor=pool,
            deadline_s=5,
        )
    finally:
        writer.execute("ROLLBACK")
        writer.close()
    assert found.missing == {}
    assert sum(len(block.entries) for block in found.blocks) >= 1
