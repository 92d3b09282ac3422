"""What a browser may say over the socket, parsed. Pure; nothing here trusts what arrived."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from memory.config import LANGUAGES
from memory.errors import InvalidInput

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LARGEST_NUMBER = 2**53 - 1  # the last whole number that a browser counts exactly


@dataclass(frozen=True, kw_only=True)
class Hello:
    """The first message: what the page already shows, and where it is."""

    last: int  # the number of the last frame that the page has seen
    screen: str  # random id of the page: cards open only where they were asked for
    zone: str  # IANA; "" when the browser named none that exists
    language: str  # one of config.LANGUAGES; "" when it named none of them


@dataclass(frozen=True, kw_only=True)
class Say:
    """The person's words. The same `client_id` twice is one message."""

    client_id: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Stop:
    """Stop answering this turn; what was shown stays."""

    turn: str


@dataclass(frozen=True, kw_only=True)
class Ping:
    """Is anybody there?"""


Message = Hello | Say | Stop | Ping


def read(raw: str | bytes) -> Message:
    """Parse one message from a browser.

    Raises:
        InvalidInput: it is none of the four, whatever it is.
    """
    told = _object(raw)
    if "say" in told:
        return Say(client_id=name(told.get("client_id")), text=storable(_text(told["say"])))
    if "stop" in told:
        return Stop(turn=name(told["stop"]))
    if "ping" in told:
        return Ping()
    if "hello" in told:
        return Hello(
            last=_number(told["hello"]),
            screen=name(told.get("screen")),
            zone=known_zone(told.get("zone")),
            language=known_language(told.get("language")),
        )
    raise not_understood()


def name(value: object) -> str:
    """A random id as browsers and storage make them.

    Raises:
        InvalidInput: it is not one.
    """
    if isinstance(value, str) and _NAME.fullmatch(value):
        return value
    raise not_understood()


def storable(text: str) -> str:
    """The text as every database takes it: halves of characters and NULs become U+FFFD, all else stays."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\0", "\ufffd")


def known_zone(value: object) -> str:
    """The zone's name when it exists, else ""."""
    return value if isinstance(value, str) and value in _zones() else ""


def known_language(value: object) -> str:
    """The first part of a language tag when the interface speaks it, else ""."""
    short = value.split("-")[0].lower() if isinstance(value, str) else ""
    return short if short in LANGUAGES else ""


def _object(raw: str | bytes) -> dict[str, Any]:
    try:
        told = json.loads(raw)
    except (ValueError, RecursionError):
        raise not_understood() from None
    if not isinstance(told, dict):
        raise not_understood()
    return told


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise not_understood()


def _number(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST_NUMBER:
        return value
    raise not_understood()


@cache  # the set is made from some hundred files
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


def not_understood() -> InvalidInput:
    """The error for a message that makes no sense here."""
    return InvalidInput("This page and the server do not understand each other. Please reload the page.")
