"""The part of Google's push service that Chromium asks for a subscription, on this machine.

With `arguments()` a Chromium that reaches no network makes real subscriptions, with
keys of its own: it checks in and registers here. What is then sent to such an endpoint
goes nowhere.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "abc:APA91bTokenOfOurOwn"  # what every registration here gets
_DEVICE, _SECRET, _NOW_MS = 5_000_000_000_000_000_001, 7_777_777_777_777_777_777, 1_790_000_000_000


@contextmanager
def registration() -> Iterator[str]:
    """The service's address while the context lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def arguments(address: str) -> list[str]:
    """How Chromium is told to ask here. Port 9 discards: no message comes by Google's way."""
    return [
        f"--gcm-checkin-url={address}/checkin",
        f"--gcm-registration-url={address}/register",
        "--gcm-mcs-endpoint=https://127.0.0.1:9",
    ]


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        answer = _checked_in() if self.path == "/checkin" else f"token={TOKEN}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def _checked_in() -> bytes:
    """An AndroidCheckinResponse (checkin.proto in Chromium): fields 1, 3, 7, 8 and 10."""
    return (
        b"\x08\x01"  # stats_ok
        + b"\x18"  # time_msec
        + _varint(_NOW_MS)
        + b"\x39"  # android_id
        + struct.pack("<Q", _DEVICE)
        + b"\x41"  # security_token
        + struct.pack("<Q", _SECRET)
        + b"\x52\x02v1"  # version_info
    )


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])
