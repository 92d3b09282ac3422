"""The real web process under gunicorn, with a model that plays scenes.

What is said tells the scene: "hold" gets a first sentence and then waits for the
test's word, "cards" makes two reminders, "silent" keeps three facts, and in the
incident a window is settled and another one named later; everything else is
answered at once with the same words in bold.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface

from memory.config import Settings
from memory.llm.interface import Finished, ModelEvent, ModelRequest, TextDelta, ToolCall
from memory.llm.scripted import answered, present
from memory.records import Person
from memory.running.serving import serve
from memory.web import build_web
from memory.wiring import Wiring, build
from tests import factories
from tests.servers import ROOT, LiveServer, new_server

_STEP_S = 0.01  # how often a held scene looks whether it may go on
_CARDS: dict[str, list[dict[str, Any]]] = {
    "cards": [
        {"category": "reminder", "text": text, "when": {"start": "2030-12-05T17:00"}}
        for text in ("Pay the rent", "Call Ada")
    ],
    "silent": [
        {"category": "fact", "text": text}
        for text in ("Lives in Graz.", "Has an old bicycle.", "Plays the violin.")
    ],
}


# What the person says for a scene with cards: the product keeps only what stands in their words.
SAID = {
    "cards": "Remind me on 5 December 2030 at five pm: pay the rent, and call Ada",
    "silent": "Someone lives in Graz, has an old bicycle and plays the violin",
}


# The incident: a window is confirmed, two questions about packaging, and another window is named,
# each time it is asked for.
WINDOW = "Thursday, 5 December 2030 between 9 and 12 suits me for the delivery."
PACKAGING = {
    "Is it packed in paper?": "Yes, in **brown** paper.",
    "And is the box sealed?": "Yes, with **tape**.",
}
ASKED = "When do you deliver again?"
OTHER_WINDOW = "We deliver on **Friday, 6 December 2030** between 14:00 and 16:00. The box is sealed."


class SceneModel:
    """Plays the scene that the person names."""

    label = "scenes"

    def __init__(self, release: Path) -> None:
        self._release = release  # while this file exists, nothing is held

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        """One model call."""
        said = present(request)
        scene = next((name for name, words in SAID.items() if words == said), "")
        if scene and not answered(request):
            for number, arguments in enumerate(_CARDS[scene]):
                yield ToolCall(call_id=f"{scene}-{number}", name="create_card", arguments=arguments)
        elif said == WINDOW and not answered(request):
            yield ToolCall(
                call_id="window",
                name="record_decision",
                arguments={"key": "delivery_window", "value": "Thursday, 5 December 2030 between 9 and 12"},
            )
        elif said in PACKAGING or said == ASKED:
            yield TextDelta(text=PACKAGING.get(said, OTHER_WINDOW))
        elif said.startswith("hold"):
            yield TextDelta(text="The first sentence. And")
            while not self._release.exists():
                time.sleep(_STEP_S)
            yield TextDelta(text=" then the **second** one.")
        else:
            yield TextDelta(text=f"You said **{said}**.")
        yield Finished()


def application(settings: Settings) -> Flask:
    """The web application of one worker process."""
    model = SceneModel(settings.var / "release")
    parts = build(settings, model=lambda: model)
    parts.conductor.start()
    return build_web(parts)


@dataclass
class Stage(LiveServer):
    """A web process that plays scenes."""

    def command(self) -> list[str]:
        """What starts the web process."""
        return [sys.executable, "-m", "tests.stage", str(self.workers)]

    @contextmanager
    def holding(self) -> Iterator[Callable[[], None]]:
        """Hold the scenes that wait; call what this gives to let them go on. They go on at the end anyway."""
        release = self.var / "release"
        release.unlink(missing_ok=True)
        try:
            yield release.touch
        finally:
            release.touch()

    @cached_property
    def parts(self) -> Wiring:
        """Parts in this process that work on the same database, queue and clock."""
        return self.wiring()

    def person(self, **told: Any) -> Person:
        """A new account."""
        return factories.person(self.parts.engine, **told)

    @cached_property
    def _application(self) -> Flask:
        return build_web(self.parts)

    def cookie(self, person: Person) -> str:
        """The session cookie of a browser on which the person is signed in, as `name=value`."""
        app = self._application
        session = SecureCookieSession(
            {"_user_id": f"{person.public_id}:{person.session_epoch}", "_fresh": True}
        )
        serializer = SecureCookieSessionInterface().get_signing_serializer(app)
        assert serializer is not None
        return f"{app.config['SESSION_COOKIE_NAME']}={serializer.dumps(dict(session))}"


@pytest.fixture(scope="session")
def stage(
    sqlite_template: Path, valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stage]:
    """One stage for the whole session, on SQLite, with two processes; each test makes accounts of its own."""
    var = tmp_path_factory.mktemp("stage")
    database = var / "asterism.db"
    database.write_bytes(sqlite_template.read_bytes())
    made = new_server(Stage, var, f"sqlite:///{database}", f"{valkey_url}?db=3", 2, {})
    yield made
    made.stop()
    made.parts.engine.dispose()


if __name__ == "__main__":
    told = Settings.from_env(os.environ, root=ROOT)
    serve(lambda: application(told), told, workers=int(sys.argv[1]))
