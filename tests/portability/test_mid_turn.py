"""Everything is erased while an answer is being made: what comes after leaves nothing behind."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select

from memory.llm.interface import Finished, ModelEvent, ModelRequest, TextDelta, ToolCall
from memory.llm.scripted import answered
from memory.portability import erase
from memory.storage.engine import reading
from memory.storage.tables import Base
from tests.conductor.playing import stage
from tests.fakes import FakeClock

WORD = "Zinnoberwort"
_PATIENCE_S = 20.0


class Waiting:
    """Begins to answer, waits, then keeps a memory and says more."""

    label = "waiting"

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        """One model call."""
        if not answered(request):
            yield TextDelta(text="I see. ")
            self.begun.set()
            self.go_on.wait(_PATIENCE_S)
            told = {"category": "fact", "text": f"The word is {WORD}."}
            yield ToolCall(call_id="one", name="create_card", arguments=told)
        else:
            yield TextDelta(text=f"You said {WORD}. ")
        yield Finished()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_answer_under_way_writes_nothing_of_it_anew(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    model = Waiting()
    with stage(engine, clock, model=lambda: model, tmp=tmp_path) as scene:
        scene.send(f"The word is {WORD}.")
        assert model.begun.wait(_PATIENCE_S)
        erase.erase(engine, scene.person, redis=None, frames=scene.frames, now=clock())
        model.go_on.set()
        scene.conductor.close(wait=True)
        with reading(engine) as session:
            for table in Base.metadata.sorted_tables:
                if table.name == "people" or "person_id" not in table.c:
                    continue
                own = select(func.count()).select_from(table).where(table.c.person_id == scene.person.id)
                assert session.scalar(own) == 0, table.name
        if engine.dialect.name == "sqlite":
            path = Path(str(engine.url.database))
            for file in path.parent.glob(f"{path.name}*"):
                assert WORD.encode() not in file.read_bytes(), file.name
