"""What a turn costs the store, whoever else talks: no walk through everybody's rows, no herd of readers."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from memory.llm.scripted import Call, Hang, Say, Step
from memory.storage.engine import make_engine
from memory.storage.migrate import upgrade
from tests import factories
from tests.conductor.playing import stage
from tests.fakes import FakeClock

# Tables of which the whole house shares one: to walk through one of them costs more with every person.
_SHARED = ("turns", "cards", "votes", "frames", "conversations", "worth", "decisions", "retrievals", "people")


def test_no_statement_of_a_turn_walks_through_the_rows_of_the_house(clock: FakeClock, tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path}/cost.db")
    upgrade(engine)
    asked: dict[str, Any] = {}
    searching: list[Step] = [[Call("search_memory", {"query": "heron"})], [Say("A heron.")]]
    with stage(engine, clock, steps=searching, tmp=tmp_path) as play:
        factories.card(engine, play.person, text="A heron lives here.")
        play.say("first")

        @event.listens_for(engine, "before_cursor_execute")
        def note(_c: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool) -> None:
            asked.setdefault(statement, parameters)

        play.say("and then")
    walks = []
    with engine.connect() as connection:
        for statement, parameters in list(asked.items()):
            if statement.lstrip().split()[0] not in ("SELECT", "UPDATE", "DELETE"):
                continue
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            walks += [
                (row[3], statement)
                for row in plan
                if row[3].startswith("SCAN") and row[3].split()[1].rstrip("_0123456789") in _SHARED
            ]
    engine.dispose()
    assert len(asked) > 20
    assert walks == []


def test_who_waits_looks_when_something_happened_to_them_and_not_at_every_end(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    hang = Hang(threading.Event())
    looks: list[str] = []

    @event.listens_for(engine, "before_cursor_execute")
    def note(_c: Any, _cursor: Any, statement: str, _p: Any, _context: Any, _many: bool) -> None:
        if threading.current_thread().name == "patient" and statement.startswith("SELECT turns"):
            looks.append(statement)

    with stage(engine, clock, steps=[[hang, Say("Late.")]], tmp=tmp_path) as play:
        slow = play.send("take your time")
        assert hang.reached.wait(10)
        ended: list[str] = []
        patient = threading.Thread(
            target=lambda: ended.append(play.conductor.wait(slow.id, 30).answer), name="patient"
        )
        patient.start()
        other = factories.person(engine)
        for number in range(15):
            context = play.context()
            turn = play.conductor.accept(other, text="hi", client_id=f"o{number}", context=context)
            play.conductor.wait(turn.id, 10)
        looked = len(looks)
        hang.until.set()
        patient.join(20)
    event.remove(engine, "before_cursor_execute", note)
    assert ended == ["Late."]
    assert looked <= 6
