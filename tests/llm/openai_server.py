"""A real HTTP server that speaks OpenAI's chat completions with server-sent events, by a script.

Its steps are those of the scripted model (`Say`, `Call`, `Hang`), one step a request,
and what only a server can do: `Status`, `Cut`, `Unfinished`, `Empty`. Calls of one step come in
small pieces, the pieces of several calls in turns.
"""

from __future__ import annotations

import json
import select
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from memory.llm.choose import Connection
from memory.llm.scripted import Call, Hang, Say

KEY = "sk-right-0123456789"
MODEL = "test-model"


@dataclass(frozen=True)
class Status:
    """Another status than 200, with an error body as OpenAI writes it."""

    status: int
    message: str = "something went wrong"
    code: str | None = None
    kind: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cut:
    """The connection breaks."""


@dataclass(frozen=True)
class Unfinished:
    """The stream ends politely, but without its finish reason."""


@dataclass(frozen=True)
class Finish:
    """The stream ends for this reason."""

    reason: str


@dataclass(frozen=True)
class Raw:
    """One event with this data, whatever it is."""

    data: str


Action = Say | Call | Hang | Status | Cut | Unfinished | Finish | Raw
Step = Sequence[Action] | Callable[[dict[str, Any]], Sequence[Action]]
_THEN: Step = (Say("All right."),)


class ModelServer(ThreadingHTTPServer):
    """Plays one step a request; afterwards `then`, for ever."""

    daemon_threads = True

    def __init__(self, steps: Iterable[Step], then: Step) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._lock = threading.Lock()
        self._steps = list(steps)
        self._then = then
        self.requests: list[dict[str, Any]] = []
        self.hung_up = threading.Event()  # a client left while it was kept waiting

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def connection(self, **changes: str) -> Connection:
        """How to reach it."""
        told = {"provider": "openai", "model": MODEL, "base_url": self.url, "key": KEY, **changes}
        return Connection(**told)

    def step(self, body: dict[str, Any]) -> Sequence[Action]:
        """The step for a request."""
        with self._lock:
            self.requests.append(body)
            step = self._steps.pop(0) if self._steps else self._then
        return step(body) if callable(step) else step


@contextmanager
def serving(*steps: Step, then: Step = _THEN) -> Iterator[ModelServer]:
    """A server on a free port."""
    server = ModelServer(steps, then)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def do_POST(self) -> None:
        """Answer one chat completion."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            return self._status(Status(404, "no such path"))
        if self.headers.get("Authorization") != f"Bearer {KEY}":
            said = f"Incorrect API key provided: {self.headers.get('Authorization', '')[7:]}"
            return self._status(Status(401, said, code="invalid_api_key", kind="invalid_request_error"))
        if body["model"] != MODEL:
            missing = f"The model `{body['model']}` does not exist"
            return self._status(Status(404, missing, code="model_not_found", kind="invalid_request_error"))
        with suppress(ConnectionError):  # the client left: nobody is told anything
            self._play(self.server.step(body))

    def _play(self, actions: Sequence[Action]) -> None:
        self._open = False
        reason = "stop"
        calls = [action for action in actions if isinstance(action, Call)]
        for action in actions:
            match action:
                case Status():
                    return self._status(action)
                case Say(text, pieces):
                    size = max(1, -(-len(text) // pieces))
                    for start in range(0, len(text), size):
                        self._delta({"content": text[start : start + size]})
                case Call():
                    if action is calls[0]:
                        self._calls(calls)
                        reason = "tool_calls"
                case Hang():
                    if not self._wait(action):
                        return None
                case Raw(data):
                    self._event(data)
                case Cut():
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return None
                case Unfinished():
                    return self._end()
                case Finish():
                    reason = action.reason
        self._delta({}, reason=reason)
        self._event(json.dumps({**_FRAME, "choices": [], "usage": _USAGE}))
        self._end()

    def _calls(self, calls: Sequence[Call]) -> None:
        raw = [call.malformed or json.dumps(dict(call.arguments)) for call in calls]
        for index, call in enumerate(calls):
            function = {"name": call.name, "arguments": ""}
            told = {"index": index, "id": call.call_id or f"call_{index}", "type": "function"}
            self._delta({"tool_calls": [{**told, "function": function}]})
        for start in range(0, max(len(each) for each in raw), 5):
            for index, each in enumerate(raw):
                if piece := each[start : start + 5]:
                    self._delta({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})

    def _wait(self, hang: Hang) -> bool:
        """Keep the client waiting; False when it left."""
        hang.reached.set()
        for _ in range(int(hang.timeout_s / 0.02)):
            if hang.until.is_set():
                return True
            readable, _, _ = select.select([self.connection], [], [], 0.02)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                self.server.hung_up.set()
                self.close_connection = True
                return False
        return True

    def _status(self, told: Status) -> None:
        error = {"message": told.message, "type": told.kind, "param": None, "code": told.code}
        body = json.dumps({"error": error}).encode()
        self.send_response(told.status)
        for name, value in {"Content-Type": "application/json", **told.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _delta(self, delta: dict[str, Any], *, reason: str | None = None) -> None:
        choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": reason}
        self._event(json.dumps({**_FRAME, "choices": [choice]}))

    def _event(self, data: str) -> None:
        if not self._open:
            self._open = True
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
        self._chunk(f"data: {data}\n\n".encode())

    def _end(self) -> None:
        self._event("[DONE]")
        self._chunk(b"")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


_FRAME = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1780000000, "model": MODEL}
_USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
