"""A store that is held, a queue that is down, sources that hang: the answer comes, no secret is logged."""

from __future__ import annotations

import io
import json
import logging
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from memory.conductor import assembly, run, waiting
from memory.errors import Unavailable
from memory.llm.scripted import Call, Hang, Say, Step
from memory.overview.blocks import Entry
from memory.overview.sources import sources_for
from memory.records import TurnState
from memory.running.logs import LineFormatter
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction
from tests import factories
from tests.conductor.playing import Stage, stage
from tests.fakes import FakeClock

SOURCES = ("recent", "warm", "lately", "sample", "rules", "settled", "people")
CANARY = "zinnober-4820"


def trace_of(play: Stage, turn_id: int) -> dict[str, Any]:
    with reading(play.engine) as session:
        return turn_rows.trace_of(session, turn_id)


@pytest.mark.parametrize("hanging", [*((name,) for name in SOURCES), ("recent", "people")])
def test_the_answer_comes_whichever_sources_hang(
    sqlite_engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    hanging: tuple[str, ...],
) -> None:
    release = threading.Event()
    whole = sources_for

    def hangs(session: Session) -> Sequence[Entry]:
        release.wait(20)
        return []

    monkeypatch.setattr(
        assembly, "sources_for", lambda *a, **k: {**whole(*a, **k), **dict.fromkeys(hanging, hangs)}
    )
    env = {"ASTERISM_OVERVIEW_DEADLINE": "0.05"}
    with stage(sqlite_engine, clock, steps=[[Say("Here.")]], tmp=tmp_path, env=env) as play:
        turn = play.say("where is my passport?")
        missing = trace_of(play, turn.id)["missing"]
        release.set()
    assert turn.answer == "Here."
    assert set(hanging) <= set(missing)
    assert {missing[name] for name in hanging} == {"late"}


@pytest.mark.postgresql
def test_a_table_that_is_locked_for_long_delays_the_answer_by_the_deadline_only(
    postgresql_url: str, clock: FakeClock, tmp_path: Path
) -> None:
    from memory.storage.engine import make_engine

    engine = make_engine(postgresql_url)
    env = {"ASTERISM_OVERVIEW_DEADLINE": "0.5"}
    with stage(engine, clock, steps=[[Say("Here.")]], tmp=tmp_path, env=env) as play:
        play.parts.embedder.preload()
        holder = engine.connect()
        holder.execute(text("LOCK TABLE cards IN ACCESS EXCLUSIVE MODE"))
        try:
            turn = play.say("hi, is the dentist this week?")
        finally:
            holder.rollback()
            holder.close()
        trace = trace_of(play, turn.id)
    engine.dispose()
    assert turn.answer == "Here."
    assert {"warm", "lately", "sample", "people"} <= set(trace["missing"])
    assert trace["sources"]["recent"] == 0
    assert "recent" not in trace["missing"]


class Away:
    """A store that is away for the next few transactions."""

    def __init__(self, times: int) -> None:
        self.left = times
        self.lock = threading.Lock()

    def __call__(self, engine: Engine) -> Any:
        with self.lock:
            self.left -= 1
            if self.left >= 0:
                raise Unavailable("The memory store does not answer just now. Please try again in a moment.")
        return transaction(engine)


def test_a_store_that_is_away_for_a_moment_costs_time_and_nothing_else(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "_PAUSE_S", 0.0)
    gate = Hang(threading.Event())
    steps: list[Step] = [
        [Call("create_card", {"category": "fact", "text": "my gate code is 4820"})],
        [gate, Say("First. "), Say("Second. "), Say("Third.")],
    ]
    with stage(sqlite_engine, clock, steps=steps, tmp=tmp_path) as play:
        turn = play.send("my gate code is 4820")
        assert gate.reached.wait(20)
        monkeypatch.setattr(run, "transaction", Away(5))
        gate.until.set()
        ended = play.conductor.wait(turn.id, 20)
        shown = "".join(frame.body["delta"] for frame in play.seen() if frame.kind == "text")
        assert len(play.cards()) == 1
    assert (ended.state, ended.answer) == (TurnState.ANSWERED, "First. Second. Third.")
    assert shown == ended.answer


def test_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_PAUSE_S", 0.0)
    told: list[bool] = []

    def never(again: bool) -> None:
        told.append(again)
        raise Unavailable("away")

    with pytest.raises(Unavailable):
        waiting.patiently(never, patience_s=0.01)
    assert told[:2] == [False, True]


def test_a_queue_and_a_valkey_that_are_down_are_nobodys_business(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    nowhere = Redis(
        unix_socket_path=str(tmp_path / "nobody"), retry=Retry(NoBackoff(), 1)
    )  # as the product's
    with stage(sqlite_engine, clock, steps=[[Say("A lovely ride.")]], tmp=tmp_path, redis=nowhere) as play:
        play.queue.down = True
        turn = play.say("My bike key is on the blue ring. What's the weather like for a ride?")
        assert turn.answer == "A lovely ride."
        assert [frame.kind for frame in play.seen()][-1] == "answered"


@pytest.fixture
def log_lines() -> Iterator[io.StringIO]:
    """Everything that is logged, as the product writes it."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LineFormatter())
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(before)


def test_one_line_a_turn_with_numbers_and_no_word_of_anybody(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, log_lines: io.StringIO
) -> None:
    look = Call("search_memory", {"angles": [{"query": CANARY}]})
    steps: list[Step] = [[look], [Say(f"It is {CANARY}.")]]
    with stage(sqlite_engine, clock, steps=steps, tmp=tmp_path) as play:
        factories.card(sqlite_engine, play.person, text=f"The gate opens with {CANARY}", people=["Zacharias"])
        thread = factories.conversation(
            sqlite_engine, play.person, opened_at=clock(), archived_at=clock(), summary=f"About {CANARY}"
        )
        factories.turn(sqlite_engine, play.person, thread, said=f"{CANARY}?", answer=f"{CANARY}!")
        turn = play.say(f"is it {CANARY}?")
    written = log_lines.getvalue()
    (line,) = [each for each in written.splitlines() if f"turn_id={turn.id} " in each and ": turn " in each]
    for part in (
        "'recent': 1",
        "'warm': 1",
        "missing={}",
        "tokens=",
        "state=answered",
        "calls=2",
        "failure=",
    ):
        assert part in line
    for word in (CANARY, "zinnober", "Zacharias", "Alice"):
        assert word not in written


def test_not_even_a_bug_brings_words_into_the_log(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, log_lines: io.StringIO
) -> None:
    def broken(request: Any) -> Any:
        raise ValueError(f"cannot take {CANARY}")

    class Check:
        name = "broken"

        def __call__(self, sentence: str, view: Any) -> str | None:
            raise KeyError(sentence)

    with stage(sqlite_engine, clock, steps=[broken], tmp=tmp_path) as play:
        assert play.say(f"is it {CANARY}?").state is TurnState.FAILED
    with stage(
        sqlite_engine, clock, steps=[[Say(f"It is {CANARY}. Yes.")]], checks=[Check()], tmp=tmp_path
    ) as play:
        assert play.say(f"is it {CANARY}?").state is TurnState.FAILED
    written = log_lines.getvalue()
    assert "KeyError" in written  # what broke and where is told
    assert "test_faults.py" in written
    assert CANARY not in written
    assert json.dumps(CANARY) not in written
