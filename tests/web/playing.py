"""The real web process under gunicorn, with a model that plays scenes.

What is said tells the scene: "hold" gets a first sentence and then waits for the
test's word, "cards" makes two reminders, "silent" keeps three facts; everything
else is answered at once with the same words in bold.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from flask import Flask

from memory.config import Settings
from memory.llm.interface import Finished, ModelEvent, ModelRequest, TextDelta, ToolCall
from memory.llm.scripted import answered, present
from memory.web import build_web
from memory.wiring import build

ROOT = Path(__file__).parents[2]
_STEP_S = 0.01  # how often a held scene looks whether it may go on
_CARDS = {
    "cards": [
        {"category": "reminder", "text": text, "when": {"start": "2030-12-05T17:00"}}
        for text in ("Pay the rent", "Call Ada")
    ],
    "silent": [
        {"category": "fact", "text": text}
        for text in ("Lives in Graz.", "Has an old bicycle.", "Plays the violin.")
    ],
}


class SceneModel:
    """Plays the scene that the person names."""

    label = "scenes"

    def __init__(self, release: Path) -> None:
        self._release = release  # while this file exists, nothing is held

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        """One model call."""
        said = present(request)
        if said in _CARDS and not answered(request):
            for number, arguments in enumerate(_CARDS[said]):
                yield ToolCall(call_id=f"{said}-{number}", name="create_card", arguments=arguments)
        elif said.startswith("hold"):
            yield TextDelta(text="The first sentence. And")
            while not self._release.exists():
                time.sleep(_STEP_S)
            yield TextDelta(text=" then the **second** one.")
        else:
            yield TextDelta(text=f"You said **{said}**.")
        yield Finished()


def application() -> Flask:
    """The web application of one gunicorn worker."""
    settings = Settings.from_env(os.environ, root=ROOT)
    model = SceneModel(settings.var / "release")
    parts = build(settings, model=lambda: model)
    parts.conductor.start()
    return build_web(parts)


@dataclass
class Stage:
    """A gunicorn that plays scenes."""

    url: str
    env: Mapping[str, str]
    processes: int = 1
    _process: subprocess.Popen[bytes] | None = None

    @property
    def release(self) -> Path:
        """Make this file to let held answers go on."""
        return Path(self.env["ASTERISM_VAR"]) / "release"

    def start(self) -> None:
        """Start gunicorn; the caller waits until it answers."""
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "gunicorn", "--worker-class", "gthread", "--threads", "60"),
                *("--workers", str(self.processes), "--graceful-timeout", "1", "--no-control-socket"),
                *("--bind", self.url.removeprefix("http://"), "tests.web.playing:application()"),
            ],
            cwd=ROOT,
            env={**os.environ, **self.env},
            start_new_session=True,
        )

    def stop(self) -> None:
        """End it politely."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self.kill()
            self._process = None

    def kill(self) -> None:
        """End it and its workers at once, as a power cut would."""
        if self._process is not None:
            os.killpg(self._process.pid, 9)
            self._process.wait()
            self._process = None
