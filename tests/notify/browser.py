"""A browser's end of Web Push: its own keys, an endpoint that answers as told, and what came in, opened."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

import http_ece
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature


def b64(data: bytes) -> str:
    """base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    """The bytes of base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Browser:
    """One subscription, with the key that only the browser has."""

    endpoint: str = ""
    status: int = 201
    received: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    arrived: threading.Condition = field(default_factory=threading.Condition)
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    secret: bytes = b"0123456789abcdef"

    @property
    def p256dh(self) -> str:
        """The public key, as a subscription carries it."""
        return b64(
            self.key.public_key().public_bytes(
                serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
            )
        )

    @property
    def auth(self) -> str:
        """The shared secret, as a subscription carries it."""
        return b64(self.secret)

    def take(self, body: bytes, headers: dict[str, str]) -> None:
        """Open one message."""
        opened = http_ece.decrypt(
            body, private_key=self.key, auth_secret=self.secret, version=headers["content-encoding"]
        )
        with self.arrived:
            self.received.append(json.loads(opened))
            self.headers.append(headers)
            self.arrived.notify_all()


Recipient = TypeVar("Recipient", bound=Browser)


@contextmanager
def push_service(browser: Recipient) -> Iterator[Recipient]:
    """A push service on this machine that hands what it takes to the browser."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if browser.status < 300:
                browser.take(body, {name.lower(): value for name, value in self.headers.items()})
            self.send_response(browser.status)
            if browser.status in (301, 302, 307):
                self.send_header("Location", "http://127.0.0.1:9/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_arguments: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    browser.endpoint = f"http://127.0.0.1:{server.server_port}/send/{id(browser)}"
    try:
        yield browser
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def claims_of(authorization: str, key: ec.EllipticCurvePublicKey) -> dict[str, Any]:
    """The claims of a VAPID header, when its signature is this key's (RFC 8292, RFC 7515).

    Raises:
        InvalidSignature: it is not.
    """
    scheme, _, rest = authorization.partition(" ")
    assert scheme == "vapid"
    parts = dict(part.strip().split("=", 1) for part in rest.split(","))
    head, body, signature = parts["t"].split(".")
    raw = unb64(signature)
    der = encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
    key.verify(der, f"{head}.{body}".encode(), ec.ECDSA(hashes.SHA256()))
    assert json.loads(unb64(head))["alg"] == "ES256"
    claims: dict[str, Any] = json.loads(unb64(body))
    return claims
