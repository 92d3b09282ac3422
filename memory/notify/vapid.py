"""The key with which the server shows push services who it is (RFC 8292)."""

from __future__ import annotations

import base64
import os
import secrets
from pathlib import Path

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_FILE = "vapid.pem"
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256 (SEC 2)


def load_key(var: Path, secret_key: str) -> ec.EllipticCurvePrivateKey:
    """The server's key from `var`, made there at its first use, readable by its owner only.

    It is drawn from the secret, so that machines that share the secret agree on it
    without copying a file; once written it stays, also when the secret changes, because
    browsers that subscribed know it.

    Raises:
        OSError: `var` cannot be read or written.
    """
    path = var / _FILE
    if not path.exists():
        _write(path, _made_from(secret_key))
    key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)  # noqa: S101 (what is written below)
    return key


def public_key(key: ec.EllipticCurvePrivateKey) -> str:
    """The public half as browsers take it: the uncompressed point, base64url without padding."""
    point = key.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode()


def _made_from(secret_key: str) -> ec.EllipticCurvePrivateKey:
    # 48 bytes, so that taking the rest favours no number (NIST SP 800-186, A.2.1).
    drawn = HKDF(hashes.SHA256(), length=48, salt=None, info=b"asterism vapid").derive(secret_key.encode())
    return ec.derive_private_key(int.from_bytes(drawn) % (_ORDER - 1) + 1, ec.SECP256R1())


def _write(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f"{_FILE}.{secrets.token_hex(4)}")
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(pem)
    part.replace(path)  # whole or not at all; another process writes the same
