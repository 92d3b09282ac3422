"""A conductor that plays scenes, and the real web process around it under gunicorn.

What is said tells the scene: "hold" says its first sentence and waits for the
test's word, "cards" makes two visible cards, "refuse" is not taken, "break" is a
fault; everything else is answered at once with the same words in bold.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from flask import Flask

from memory.clock import system_clock
from memory.config import Settings
from memory.errors import InvalidInput
from memory.records import Person, Turn, TurnContext, TurnState
from memory.storage import conversations, turns
from memory.storage.engine import reading, transaction
from memory.web import build_web
from memory.wiring import Wiring, build

ROOT = Path(__file__).parents[2]
_OWNER = "scene"
_LEASE_S = 60.0
_STEP_S = 0.01  # how often the scene looks whether the test or the person said something


@dataclass
class Scenes:
    """Takes turns as the conductor does, and plays what was said."""

    parts: Wiring
    release: Path  # while this file exists, nothing is held

    def accept(self, person: Person, *, text: str, client_id: str, context: TurnContext) -> Turn:
        """Write the turn, tell the browser, play it in the background."""
        if text == "refuse":
            raise InvalidInput("Not like this.")
        if text == "break":
            raise RuntimeError("broken on purpose")
        now = system_clock()
        with transaction(self.parts.engine) as session:
            conversation, _, _ = conversations.take_open(session, person.id, now=now, idle_s=1800)
            turn, fresh = turns.write(
                session, conversation, client_id=client_id, text=text, context=context, now=now
            )
            if fresh:
                self._tell(turn, "accepted", session, client_id=client_id, said=text, at=now.isoformat())
        if fresh:
            self.parts.frames.wake(person.id)
            threading.Thread(target=self._play, args=(turn,), daemon=True).start()
        return turn

    def stop(self, person_id: int, turn_public_id: str) -> None:
        """Ask the scene to end."""
        with transaction(self.parts.engine) as session:
            turns.by_public_id(session, person_id, turn_public_id)
            turns.ask_stop(session, person_id, turn_public_id)

    def wait(self, turn_id: int, *, timeout_s: float) -> Turn:
        """Give the turn when it is over, or as it is when the time is."""
        end = time.monotonic() + timeout_s
        while True:
            with reading(self.parts.engine) as session:
                turn = turns.by_id(session, turn_id)
            if turn.state not in (TurnState.WAITING, TurnState.RUNNING) or time.monotonic() > end:
                return turn
            time.sleep(_STEP_S)

    def _play(self, turn: Turn) -> None:
        while not self._claim(turn):
            time.sleep(_STEP_S)
        self._publish(turn, "running")
        if turn.said == "hold":
            self._publish(turn, "text", delta="The first sentence. ")
            stopped = self._held(turn)
            rest = "" if stopped else "The **second** one."
        else:
            stopped, rest = False, f"You said **{turn.said}**."
        if rest:
            self._publish(turn, "text", delta=rest)
        answer = ("The first sentence. " if turn.said == "hold" else "") + rest
        state = TurnState.STOPPED if stopped else TurnState.ANSWERED
        self._finish(turn, answer, state)
        if turn.said == "cards":
            cards = [
                {"id": f"card-{n}", "category": "reminder", "label": f"Rent {n}", "when": "Thu"}
                for n in (1, 2)
            ]
            self._publish(turn, "cards", screen=turn.screen, cards=cards, more=0)

    def _claim(self, turn: Turn) -> bool:
        with transaction(self.parts.engine) as session:
            claimed = turns.claim_next(
                session, turn.person_id, owner=_OWNER, now=system_clock(), lease_s=_LEASE_S
            )
        return claimed is not None and claimed.id == turn.id

    def _held(self, turn: Turn) -> bool:
        while not self.release.exists():
            with reading(self.parts.engine) as session:
                if turns.is_stopped(session, turn.id):
                    return True
            time.sleep(_STEP_S)
        return False

    def _finish(self, turn: Turn, answer: str, state: TurnState) -> None:
        now = system_clock()
        with transaction(self.parts.engine) as session:
            turns.finish(
                session,
                turn.id,
                owner=_OWNER,
                state=state,
                answer=answer,
                trace={},
                kept=(),
                error="",
                now=now,
            )
            self._tell(turn, "answered", session, answer=answer, state=state.value, at=now.isoformat())
        self.parts.frames.wake(turn.person_id)

    def _publish(self, turn: Turn, kind: str, *, screen: str = "", **body: Any) -> None:
        with transaction(self.parts.engine) as session:
            self._tell(turn, kind, session, screen=screen, **body)
        self.parts.frames.wake(turn.person_id)

    def _tell(self, turn: Turn, kind: str, session: Any, *, screen: str = "", **body: Any) -> None:
        self.parts.frames.add(
            session,
            person_id=turn.person_id,
            kind=kind,
            body=body,
            now=system_clock(),
            conversation_id=turn.conversation_id,
            turn_id=turn.id,
            screen=screen,
        )


def application() -> Flask:
    """The web application of gunicorn's worker, with scenes in the conductor's place."""
    settings = Settings.from_env(os.environ, root=ROOT)
    parts = build(settings)
    scenes = Scenes(parts=parts, release=settings.var / "release")
    known = {field.name: getattr(parts, field.name) for field in fields(parts)}
    return build_web(cast(Wiring, SimpleNamespace(**{**known, "conductor": scenes})))


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
        port = self.url.rpartition(":")[2]
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "gunicorn", "--worker-class", "gthread", "--threads", "40"),
                *("--workers", str(self.processes), "--bind", f"127.0.0.1:{port}", "--graceful-timeout", "1"),
                "tests.web.playing:application()",
            ],
            cwd=ROOT,
            env={**os.environ, **self.env},
        )

    def kill(self) -> None:
        """End it at once, its workers too."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
