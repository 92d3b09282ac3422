"""Where the product answers: the address to print, its QR code, and whether the port is free."""

from __future__ import annotations

import io
import socket

from memory.config import Settings
from memory.errors import ConfigError

_ANY = ("0.0.0.0", "::", "")  # noqa: S104 (compared with, not bound to)

PLAIN_HTTP = (
    "Over plain http a phone shows no notifications and cannot install the page as an app.\n"
    "For these put a proxy with https in front and set ASTERISM_URL (docs/operating.md)."
)


def check_port(settings: Settings) -> None:
    """See that nobody else listens on our port.

    Raises:
        ConfigError: it is taken or may not be used; the message names another that is free.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        _try_to_bind(family, settings.host, settings.port)
    except OSError as error:
        if isinstance(error, socket.gaierror) or error.errno in _NO_SUCH_ADDRESS:
            raise ConfigError(
                [f"ASTERISM_HOST: {settings.host!r} is no address of this machine; 127.0.0.1 was expected"]
            ) from None
        free = _free_port(family, settings)
        advice = f"; try ASTERISM_PORT={free} make run" if free else ""
        reason = "may not be used" if isinstance(error, PermissionError) else "is in use by another program"
        raise ConfigError([f"ASTERISM_PORT: port {settings.port} {reason}{advice}"]) from None


_NO_SUCH_ADDRESS = (99, 49)  # EADDRNOTAVAIL on Linux and macOS


def _try_to_bind(family: socket.AddressFamily, host: str, port: int) -> None:
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server will
        probe.bind((host, port))
        probe.listen(1)


def _free_port(family: socket.AddressFamily, settings: Settings) -> int | None:
    first = max(settings.port + 1, 1024)
    for port in range(first, min(first + 50, 65536)):
        try:
            _try_to_bind(family, settings.host, port)
        except OSError:
            continue
        return port
    return None


def home(settings: Settings) -> str:
    """The address to open on this machine or, when one is set, everywhere; without a slash at the end."""
    if settings.url:
        return settings.url
    host = "localhost" if settings.host in _ANY else settings.host
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"


def reachable(settings: Settings) -> str:
    """The address for another device in the same network; empty when only this machine is served."""
    if settings.url:
        return settings.url
    if not settings.is_public:
        return ""
    host = lan_host() if settings.host in _ANY else settings.host
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}" if host else ""


def lan_host() -> str:
    """This machine's address in the local network; empty when it has none. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # only asks the routing table: documentation address, UDP
        except OSError:
            return ""
        return str(probe.getsockname()[0])


def qr(address: str) -> str:
    """The address as a QR code of block characters for a terminal."""
    import segno

    drawn = io.StringIO()
    segno.make(address, error="m").terminal(drawn, compact=True)
    return drawn.getvalue()
