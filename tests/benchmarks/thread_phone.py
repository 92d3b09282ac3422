"""A person's page over a real socket that keeps breaking: what it sends, hears, and whether that is right."""

from __future__ import annotations

import json
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from simple_websocket import Client, ConnectionClosed
from wsproto.utilities import ProtocolError

PATIENCE_S = 90.0
_AGAIN_S = 0.15  # between two tries to come back, as a phone in a hurry
_RESEND_S = 2.0
# A process that is killed while it shakes hands leaves no whole answer.
_GONE = (ConnectionClosed, ConnectionError, OSError, TimeoutError, ProtocolError)
CUTS = ("", "before the ack", "at the ack", "while running", "while streaming", "twice")


class Unanswered(Exception):
    """No end of a turn was heard in time."""


@dataclass
class Phone:
    """One page: remembers the last number it saw, keeps what was not taken, comes back by itself."""

    url: str
    cookie: str
    screen: str
    last: int = 0
    sent: list[tuple[str, str]] = field(default_factory=list)  # (client id, words), in order
    ends: dict[str, str] = field(default_factory=dict)  # turn -> state
    turns: dict[str, str] = field(default_factory=dict)  # client id -> turn
    caught_up_ms: list[float] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    _client: Client | None = None
    _running: set[str] = field(default_factory=set)
    _streaming: set[str] = field(default_factory=set)

    def say(self, client_id: str, words: str, cut: str) -> None:
        """Send words and hear their end, through one or two cuts of the line."""
        self.sent.append((client_id, words))
        cuts = ["before the ack", "while streaming"] if cut == "twice" else [cut] if cut else []
        until = time.monotonic() + PATIENCE_S
        sent_at = 0.0
        while time.monotonic() < until:
            try:
                self._come_back()
                if client_id not in self.turns and time.monotonic() - sent_at > _RESEND_S:
                    self._client_now().send(json.dumps({"say": words, "client_id": client_id}))
                    sent_at = time.monotonic()
                if "before the ack" in cuts:
                    cuts.remove("before the ack")
                    self.cut()
                    sent_at = 0.0
                    continue
                turn = self.turns.get(client_id, "")
                if turn in self.ends:
                    return
                self._hear()
                for name, reached in (
                    ("at the ack", client_id in self.turns),
                    ("while running", turn in self._running),
                    ("while streaming", turn in self._streaming),
                ):
                    if name in cuts and reached:
                        cuts.remove(name)
                        self.cut()
            except _GONE:
                self.cut()
                sent_at = 0.0
        raise Unanswered(client_id)

    def cut(self) -> None:
        """Lose the line without a word, as a phone that leaves the network does."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(*_GONE):
                client.sock.close()

    def _client_now(self) -> Client:
        if self._client is None:
            raise ConnectionError
        return self._client

    def _come_back(self) -> None:
        if self._client is not None:
            return
        started = time.monotonic()
        place = urlsplit(self.url)
        while True:
            try:
                headers = {"Origin": f"http://{place.hostname}", "Cookie": self.cookie}
                self._client = Client.connect(f"ws://{place.netloc}/chat/socket", headers=headers)
                hello = {"hello": self.last, "screen": self.screen, "zone": "Europe/Berlin", "language": "en"}
                self._client.send(json.dumps(hello))
                while self._hear(wait_s=15.0) != "caught_up":
                    pass
            except _GONE:
                self.cut()
                if time.monotonic() - started > PATIENCE_S:
                    raise Unanswered("line") from None
                time.sleep(_AGAIN_S)
            else:
                self.caught_up_ms.append((time.monotonic() - started) * 1000)
                return

    def _hear(self, *, wait_s: float = _RESEND_S) -> str:
        received = self._client_now().receive(timeout=wait_s)
        if received is None:
            if wait_s > _RESEND_S:
                raise TimeoutError
            return ""
        frame: dict[str, Any] = json.loads(received)
        self._take(frame)
        return str(frame["kind"])

    def _take(self, frame: dict[str, Any]) -> None:
        number, turn, kind = frame["n"], frame.get("t", ""), frame["kind"]
        if number:
            if number <= self.last:
                self.faults["frames twice or out of order"] += 1
            self.last = max(self.last, number)
        if kind in ("accepted", "taken"):
            known = self.turns.setdefault(frame["client_id"], turn)
            if known != turn:
                self.faults["one message, two turns"] += 1
        elif kind == "running":
            self._running.add(turn)
        elif kind == "text":
            self._streaming.add(turn)
        elif kind == "answered":
            if turn in self.ends:
                self.faults["one turn, two ends"] += 1
            self.ends[turn] = frame["state"]
        elif kind == "reload":
            self.faults["told to load anew"] += 1
        elif kind == "snapshot":
            for each in frame["turns"]:
                self.turns.setdefault(each["client_id"], each["t"])
                if each["state"] == "running":
                    self._running.add(each["t"])
