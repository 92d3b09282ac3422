"""What every test can ask for. The fixtures live by kind: databases.py, servers.py, browsers.py."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memory.running.logs import LineFormatter
from tests.fakes import FakeClock, FakeQueue

if TYPE_CHECKING:
    from memory.llm.interface import Model
    from memory.wiring import Wiring

pytest_plugins = ["tests.databases", "tests.servers", "tests.browsers", "tests.stage"]

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session", autouse=True)
def no_network() -> Iterator[None]:
    """Refuse every connection that leaves this machine: a test must not depend on the world."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(str(address[0])):
            raise AssertionError(f"a test tried to reach {address!r}")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        yield


def _is_local(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


@pytest.fixture(autouse=True)
def no_paid_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a call to a paid model impossible by accident, and keep the developer's settings out."""
    for name in list(os.environ):
        if name.startswith("ASTERISM_") or name in ("DATABASE_URL", "REDIS_URL") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    models = sys.modules.get("pydantic_ai.models")
    if models is not None:
        monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", False)


@pytest.fixture(autouse=True)
def no_lasting_logs() -> Iterator[None]:
    """Take away what a command set up in this process: its standard error is closed after its test."""
    yield
    root = logging.getLogger()
    for handler in root.handlers[:]:
        if isinstance(handler.formatter, LineFormatter):
            root.removeHandler(handler)


@pytest.fixture
def clock() -> FakeClock:
    """A clock that stands still at `fakes.T0`."""
    return FakeClock()


@pytest.fixture
def queue() -> FakeQueue:
    """A queue that remembers."""
    return FakeQueue()


@pytest.fixture
def model() -> Model:
    """What answers in the `wiring` fixture; a test that wants another overrides this one."""
    from memory.llm.scripted import Say, ScriptedModel

    return ScriptedModel([], then=[Say("All right.")])


@pytest.fixture
def wiring(
    sqlite_url: str, valkey: object, valkey_url: str, clock: FakeClock, model: Model, tmp_path: Path
) -> Iterator[Wiring]:
    """The real parts on a fresh SQLite file and an empty Valkey, with a scripted model and a still clock."""
    from memory.config import Settings
    from memory.wiring import build

    env = {"ASTERISM_VAR": str(tmp_path / "var"), "DATABASE_URL": sqlite_url, "REDIS_URL": valkey_url}
    parts = build(Settings.from_env(env, root=ROOT), clock=clock, model=lambda: model)
    yield parts
    parts.conductor.close()
    parts.engine.dispose()
    parts.redis.close()
