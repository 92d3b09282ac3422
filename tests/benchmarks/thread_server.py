"""The web process of `bench-thread`: a model that streams and calls a tool, slowly enough to be cut."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator

from flask import Flask

from memory.config import Settings
from memory.llm.interface import Finished, ModelEvent, ModelRequest, TextDelta, ToolCall
from memory.llm.scripted import answered, present
from memory.running.serving import serve
from memory.web import build_web
from memory.wiring import build
from tests.servers import ROOT

_STEP_S = 0.03  # between two pieces of an answer


class SlowModel:
    """Says the person's words back in three sentences; on "remind" it makes a card first."""

    label = "slow"

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        """One model call."""
        said = present(request)
        if "remind" in said and not answered(request):
            time.sleep(_STEP_S)
            yield ToolCall(
                call_id="remind",
                name="create_card",
                arguments={"category": "task", "text": said},
            )
        else:
            for sentence in (f"You said: {said}. ", "The heron is grey. ", "That is all."):
                time.sleep(_STEP_S)
                yield TextDelta(text=sentence)
        yield Finished()


def application(settings: Settings) -> Flask:
    """The web application of one worker process."""
    parts = build(settings, model=SlowModel)
    parts.conductor.start()
    return build_web(parts)


if __name__ == "__main__":
    told = Settings.from_env(os.environ, root=ROOT)
    serve(lambda: application(told), told, workers=int(sys.argv[1]))
