"""The sending side of one socket: whole frames, one at a time, and never for ever."""

from __future__ import annotations

import json
import socket as raw
import struct
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol

from simple_websocket import ConnectionClosed

from memory.errors import AppError, Unavailable
from memory.web.errors import words

_SEND_S = 20  # how long a browser may leave its socket full before it counts as gone


class Socket(Protocol):
    """What this room uses of simple-websocket."""

    def send(self, data: str) -> None: ...
    def receive(self) -> str | bytes | None: ...
    def close(self) -> None: ...


class Line:
    """The sending side of a socket: whole frames, one at a time, from any thread."""

    def __init__(self, ws: Socket) -> None:
        self._ws = ws
        self._lock = threading.Lock()
        self._stream: raw.socket | None = getattr(ws, "sock", None)
        if self._stream is not None:
            ws.sock = _Stream(self._stream)  # type: ignore[attr-defined]

    def tell(self, frame: Mapping[str, Any]) -> None:
        """Send one frame.

        Raises:
            ConnectionClosed, OSError: the browser is gone.
        """
        text = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
        with self._lock:  # compression has a state: what is packed first must leave first
            self._ws.send(text)

    def refuse(self, error: AppError, *, client_id: str = "") -> None:
        """Say why something was not taken; `again` is whether the same may be sent once more."""
        self.tell(
            {
                "n": 0,
                "kind": "refused",
                "client_id": client_id,
                "message": words(error),
                "again": isinstance(error, Unavailable),
            }
        )

    def hang_up(self) -> None:
        """End the socket from this side, so that whoever waits for the browser wakes."""
        with suppress(ConnectionClosed, OSError):
            self._ws.close()
        if self._stream is not None:
            with suppress(OSError):  # closed already
                self._stream.shutdown(raw.SHUT_RDWR)  # its reader sleeps until the next ping otherwise


class _Stream:
    """The raw stream below a socket, made safe for the three threads that write to it.

    simple-websocket sends pings, answers and frames from different threads, with
    `send`, which may write half a frame, and waits for ever when a phone sleeps.
    """

    def __init__(self, stream: raw.socket) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        stream.setsockopt(raw.SOL_SOCKET, raw.SO_SNDTIMEO, struct.pack("ll", _SEND_S, 0))

    def send(self, data: bytes) -> int:
        with self._lock:
            self._stream.sendall(data)
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
