"""Anthropic, Google and Mistral through their own libraries, against a real server of their protocols.

Each streams a text in pieces, then one tool call; each refuses a key and has a bad day.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic_ai import models

from memory.llm.choose import Connection
from memory.llm.interface import FailureKind, Finished, ModelFailed, TextDelta, ToolCall
from memory.llm.remote import RemoteModel
from tests.llm.test_remote import KEEP
from tests.llm.test_scripted import ask

KEY = "key-right-0123456789"
PIECES = ("One moment. ", "I keep ", "that.")
ARGUMENTS = {"text": "Claire lives in Graz, «Österreich»"}
PROVIDERS = ("anthropic", "google", "mistral")


def _anthropic() -> Iterator[tuple[str, dict[str, Any]]]:
    usage = {"input_tokens": 11, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    yield (
        "message_start",
        {"message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}},
    )
    yield "content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}
    for piece in PIECES:
        yield "content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": piece}}
    yield "content_block_stop", {"index": 0}
    tool = {"type": "tool_use", "id": "toolu_1", "name": "create_card", "input": {}}
    yield "content_block_start", {"index": 1, "content_block": tool}
    raw = json.dumps(ARGUMENTS)
    for piece in (raw[:9], raw[9:]):
        delta = {"type": "input_json_delta", "partial_json": piece}
        yield "content_block_delta", {"index": 1, "delta": delta}
    yield "content_block_stop", {"index": 1}
    end = {"stop_reason": "tool_use", "stop_sequence": None}
    yield "message_delta", {"delta": end, "usage": {"output_tokens": 7}}
    yield "message_stop", {}


def _google() -> Iterator[dict[str, Any]]:
    def candidate(part: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0, **more}]}

    for piece in PIECES:
        yield candidate({"text": piece})
    usage = {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18}
    call = candidate({"functionCall": {"name": "create_card", "args": ARGUMENTS}}, finishReason="STOP")
    yield {**call, "usageMetadata": usage}


def _mistral() -> Iterator[dict[str, Any]]:
    def chunk(delta: dict[str, Any], reason: str | None = None, **more: Any) -> dict[str, Any]:
        choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": reason}
        frame = {"id": "1", "object": "chat.completion.chunk", "created": 1780000000, "model": "m"}
        return {**frame, "choices": [choice], **more}

    for piece in PIECES:
        yield chunk({"content": piece})
    function = {"name": "create_card", "arguments": json.dumps(ARGUMENTS)}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    told = {"content": "", "tool_calls": [{"id": "abc123def", "index": 0, "function": function}]}
    yield chunk(told, "tool_calls", usage=usage)


def events_of(path: str) -> str | None:
    """The stream for a request to this path; None when no provider has it."""
    if path == "/v1/messages":
        told = ((kind, {"type": kind, **data}) for kind, data in _anthropic())
        return "".join(f"event: {kind}\ndata: {json.dumps(data)}\n\n" for kind, data in told)
    if ":streamGenerateContent" in path:
        return "".join(f"data: {json.dumps(data)}\r\n\r\n" for data in _google())
    if path.startswith("/v1/chat/completions"):
        return "".join(f"data: {json.dumps(data)}\n\n" for data in _mistral()) + "data: [DONE]\n\n"
    return None


@dataclass
class Seen:
    """What a server was asked."""

    url: str
    bodies: list[dict[str, Any]]
    keys: list[str]


@contextmanager
def serving(status: int = 200) -> Iterator[Seen]:
    """A server of all three on a free port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.bodies.append(body)
            given = (self.headers.get(name, "") for name in ("x-api-key", "x-goog-api-key", "Authorization"))
            seen.keys.append("".join(given).removeprefix("Bearer "))
            stream = events_of(self.path.partition("?")[0])
            code = status if stream is not None else 404
            data = (
                stream if code == 200 and stream else json.dumps({"error": {"message": "no", "code": code}})
            )
            self.send_response(code)
            self.send_header("Content-Type", "text/event-stream" if code == 200 else "application/json")
            self.send_header("Content-Length", str(len(data.encode())))
            self.end_headers()
            self.wfile.write(data.encode())

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    seen = Seen(f"http://127.0.0.1:{server.server_address[1]}", [], [])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls are allowed here: the guard on sockets lets them reach this machine only."""
    monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", True)


def _model(provider: str, url: str) -> RemoteModel:
    return RemoteModel(Connection(provider=provider, model="m", base_url=url, key=KEY), timeout_s=10)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_text_in_pieces_and_a_tool_call(provider: str) -> None:
    with serving() as server:
        model = _model(provider, server.url)
        events = list(model.stream(replace(ask("Claire lives in Graz"), tools=(KEEP,))))
        model.close()
    assert "".join(each.text for each in events if isinstance(each, TextDelta)) == "".join(PIECES)
    assert sum(isinstance(each, TextDelta) for each in events) >= 2
    (call,) = (each for each in events if isinstance(each, ToolCall))
    assert (call.name, call.arguments, call.malformed) == ("create_card", ARGUMENTS, "")
    assert call.call_id
    assert events[-1] == Finished(input_tokens=11, output_tokens=7)
    assert server.keys == [KEY]
    (body,) = server.bodies
    assert "create_card" in json.dumps(body)
    assert "Claire lives in Graz" in json.dumps(body)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, FailureKind.REFUSED), (429, FailureKind.BUSY), (500, FailureKind.BROKEN)],
)
def test_a_refusal_is_one_clear_failure_and_never_repeated(
    provider: str, status: int, kind: FailureKind
) -> None:
    with serving(status) as server:
        model = _model(provider, server.url)
        with pytest.raises(ModelFailed) as failure:
            list(model.stream(ask("my gate code is 4820")))
        model.close()
    assert failure.value.kind is kind
    assert len(server.bodies) == 1
    assert KEY not in failure.value.reason
    assert "4820" not in failure.value.reason
