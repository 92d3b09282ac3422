"""The chat's socket: carries frames both ways and owns nothing.

A turn belongs to the conductor. When the socket dies the turn goes on, and the
next socket, in any process, catches up from the frames. What went wrong is said
in frames, never by close codes: browsers and servers differ in those.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from simple_websocket import ConnectionClosed
from sqlalchemy import Engine

from memory.errors import AppError, InvalidInput, Unavailable
from memory.frames import Frames
from memory.records import Person, Turn, TurnContext
from memory.web import messages
from memory.web.line import Line, Socket
from memory.web.messages import Hello, Message, Ping, Say, Stop
from memory.web.sending import sending

log = logging.getLogger(__name__)

PING_S = 22  # a browser that answers no ping until the next one is gone


class Conducts(Protocol):
    """What this room uses of the conductor."""

    def accept(self, person: Person, *, text: str, client_id: str, context: TurnContext) -> Turn: ...
    def stop(self, person_id: int, turn_public_id: str) -> bool: ...


@dataclass(frozen=True, kw_only=True)
class Visitor:
    """Who sits at the other end of one socket, as the signed cookie says; never as the browser says."""

    person: Person
    device_id: int | None
    is_welcome: Callable[[], bool]  # whether the session still stands, asked again with each message


def options(max_message_chars: int) -> dict[str, Any]:
    """Settings for flask-sock: dead browsers noticed by ping, and no message can fill the memory.

    A text that is merely too long is refused in a frame; what is larger than any
    honest text could be (six bytes a character as JSON) closes the socket.
    """
    return {
        "ping_interval": PING_S,
        "max_message_size": 8 * max_message_chars + 65_536,
        # Its reading thread must not keep a stopping process alive.
        "thread_class": functools.partial(threading.Thread, daemon=True),
    }


def is_same_site(origin: str, host: str, url: str) -> bool:
    """Whether a page of this server opened the socket: from the host it asks, or from the public address."""
    place = urlsplit(origin).netloc
    return bool(place) and place in (host, urlsplit(url).netloc)


def serve(ws: Socket, *, conductor: Conducts, frames: Frames, engine: Engine, visitor: Visitor) -> None:
    """Carry frames both ways until the browser goes away.

    In: `{"hello": <last number seen>, "screen", "zone", "language"}` first, then
    `{"say", "client_id"}`, `{"stop": <turn>}` or `{"ping"}`. Out: what was missed, a
    snapshot of the turns under way, `caught_up`, and from then on every frame as it comes.
    """
    line = Line(ws)
    hello = _hello(ws, line)
    context = TurnContext(
        screen=hello.screen,
        device_id=visitor.device_id,
        zone=hello.zone or visitor.person.zone,
        language=hello.language or visitor.person.language,
    )
    with sending(line, frames=frames, engine=engine, person_id=visitor.person.id, hello=hello):
        while True:
            try:
                message = messages.read(_receive(ws))
            except InvalidInput as error:
                line.refuse(error)
                continue
            if not visitor.is_welcome():
                line.tell({"n": 0, "kind": "signed_out"})
                return
            _act(message, line, conductor, visitor.person, context)


def _act(message: Message, line: Line, conductor: Conducts, person: Person, context: TurnContext) -> None:
    client_id = message.client_id if isinstance(message, Say) else ""
    try:
        match message:
            case Say():
                turn = conductor.accept(person, text=message.text, client_id=client_id, context=context)
                # A page that sends again what was taken long ago gets no frame for it but this one.
                line.tell({"n": 0, "kind": "taken", "client_id": client_id, "t": turn.public_id})
            case Stop():
                conductor.stop(person.id, message.turn)
            case Ping():
                line.tell({"n": 0, "kind": "pong"})
            case Hello():
                raise messages.not_understood()  # it was said already
    except Unavailable as error:
        line.refuse(_again() if client_id else error, client_id=client_id)
    except AppError as error:
        line.refuse(error, client_id=client_id)
    except (ConnectionClosed, OSError):
        raise
    except Exception:
        # Broad on purpose: a fault with one message must not end the person's line, and
        # the browser must hear that its words were not taken.
        log.exception("a message was not taken", extra={"person_id": person.id})
        line.refuse(_again(), client_id=client_id)


def _again() -> Unavailable:
    # Not "please try again": the page keeps the words and sends them by itself.
    return Unavailable("That did not work just now. It is tried again in a moment.")


def _hello(ws: Socket, line: Line) -> Hello:
    """Wait for the page to say who it is and what it has seen."""
    while True:
        try:
            message = messages.read(_receive(ws))
            if isinstance(message, Hello):
                return message
            raise messages.not_understood()
        except InvalidInput as error:
            line.refuse(error)


def _receive(ws: Socket) -> str | bytes:
    received = ws.receive()
    if received is None:  # without a time limit only an end gives nothing
        raise ConnectionClosed
    return received
