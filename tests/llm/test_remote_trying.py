"""The operator's test of a connection says what is wrong in plain words."""

from __future__ import annotations

import threading

import pytest
from pydantic_ai import models

from memory.errors import AppError
from memory.llm.choose import Connection, try_connection
from memory.llm.scripted import Call, Hang, Say
from memory.llm.trying import complaint_about
from tests.llm.openai_server import KEY, Cut, Raw, Status, Step, serving
from tests.servers import free_port


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls are allowed here: the guard on sockets lets them reach this machine only."""
    monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", True)


def complaint(*steps: Step, **changes: str) -> AppError | None:
    with serving(*steps) as server:
        return complaint_about(server.connection(**changes), timeout_s=2)


@pytest.mark.parametrize("step", [[Say("ready")], [Call("say_not_ready")]])
def test_a_model_that_answers_works(step: Step) -> None:
    assert complaint(step) is None


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ([], "its answer is empty"),
        ([Cut()], "Nothing answers at http://127.0.0.1"),
        ([Say("rea"), Cut()], "its answer cannot be read"),
        ([Raw("<html>")], "its answer cannot be read"),
        ([Status(429, headers={"Retry-After": "20"})], "overloaded"),
        ([Status(400, "test-model does not support tools")], "test-model does not support tools"),
        ([Status(500, "out of memory")], "out of memory"),
        ([Hang(threading.Event(), timeout_s=3)], "no answer came within 2 seconds"),
    ],
    ids=["empty", "cut", "half", "no model", "busy", "no tools", "broken", "silent"],
)
def test_what_is_wrong_is_said(step: Step, words: str) -> None:
    told = complaint(step)
    assert told is not None
    assert words in told.message


def test_a_wrong_key_is_named_but_not_shown() -> None:
    told = complaint(key="sk-wrong-42")
    assert told is not None
    assert told.message.startswith("The provider refuses the key.")
    assert "Incorrect API key provided: …" in told.message  # the server's own words, without the key
    assert "sk-wrong" not in told.message


def test_a_wrong_name_is_told_with_the_servers_words() -> None:
    told = complaint(model="gpt-17")
    assert told is not None
    assert "knows no model of this name" in told.message
    assert "The model `gpt-17` does not exist" in told.message


def test_an_address_where_nobody_listens() -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    told = try_connection(Connection(provider="openai", model="m", base_url=url, key=KEY))
    assert told is not None
    assert told.message.startswith(f"Nothing answers at {url}.")
