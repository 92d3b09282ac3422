"""The chat's socket: carries frames both ways and owns nothing.

A turn belongs to the conductor. When the socket dies the turn goes on, and the
next socket, in any process, catches up from the frames. What went wrong is said
in frames, never by close codes: browsers and servers differ in those.
"""

from __future__ import annotations

import functools
import json
import logging
import socket as raw
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol
from urllib.parse import urlsplit

from simple_websocket import ConnectionClosed
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory.errors import AppError, InvalidInput, Unavailable
from memory.frames import Frame, Frames
from memory.records import Person, Turn, TurnContext
from memory.storage import frames as rows
from memory.storage import turns
from memory.storage.engine import reading
from memory.web import messages
from memory.web.errors import words
from memory.web.markdown import to_html
from memory.web.messages import Hello, Message, Ping, Say, Stop

log = logging.getLogger(__name__)

PING_S = 22  # a browser that answers no ping until the next one is gone
_SEND_S = 20  # how long a browser may leave its socket full before it counts as gone
_BATCH = 500
# Wake-ups may be lost while Valkey is away; then frames are found by looking.
_LOOK_BUSY_S = 1.0
_LOOK_IDLE_S = 10.0
_AFTER_OUTAGE_S = 1.0
_ENDS = frozenset({"answered", "removed"})  # after these a turn's running text is of no use
_BEGINS = frozenset({"accepted", "running", "text"})
_PROGRESS = frozenset({"running", "text"})


class Socket(Protocol):
    """What this room uses of simple-websocket."""

    def send(self, data: str) -> None: ...
    def receive(self) -> str | bytes | None: ...
    def close(self) -> None: ...


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
    with _sending(line, frames=frames, engine=engine, person_id=visitor.person.id, hello=hello):
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
        try:
            self._ws.close()
            if self._stream is not None:
                self._stream.shutdown(raw.SHUT_RDWR)  # its reader sleeps until the next ping otherwise
        except (ConnectionClosed, OSError):
            pass


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
    except AppError as error:
        line.refuse(error, client_id=client_id)
    except (ConnectionClosed, OSError):
        raise
    except Exception:
        # Broad on purpose: a fault with one message must not end the person's line, and
        # the browser must hear that its words were not taken.
        log.exception("a message was not taken", extra={"person_id": person.id})
        line.refuse(
            Unavailable("That did not work just now. It is tried again in a moment."), client_id=client_id
        )


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


@contextmanager
def _sending(line: Line, *, frames: Frames, engine: Engine, person_id: int, hello: Hello) -> Iterator[None]:
    """Send the person's frames from a thread of its own while the block runs."""
    over = threading.Event()
    sender = threading.Thread(
        target=_send,
        args=(line, frames, engine, person_id, hello, over),
        name=f"socket-{hello.screen[:6]}",
        daemon=True,
    )
    sender.start()
    try:
        yield
    finally:
        over.set()
        with frames.following(person_id) as news:
            news.notify_all()


def _send(
    line: Line, frames: Frames, engine: Engine, person_id: int, hello: Hello, over: threading.Event
) -> None:
    """Catch the browser up, then follow, until it is gone."""
    try:
        position = _catch_up(line, engine, person_id, hello, over)
        _follow(line, frames, person_id, hello.screen, position, over)
    except (ConnectionClosed, OSError):
        pass  # the browser is gone; its turns go on without it
    except Exception:
        # Broad on purpose: this is the top of a thread. The browser comes back by itself.
        log.exception("sending stopped", extra={"person_id": person_id})
    finally:
        over.set()
        line.hang_up()


def _catch_up(line: Line, engine: Engine, person_id: int, hello: Hello, over: threading.Event) -> int:
    """Send what the browser missed. Returns the number up to which it knows everything."""
    while not over.is_set():
        try:
            with reading(engine) as session:  # one snapshot: nothing between replay and turns is lost
                missed = _missed(session, person_id, hello)
        except Unavailable:
            over.wait(_AFTER_OUTAGE_S)
            continue
        for frame in missed.frames:
            line.tell(wire(frame))
        if missed.too_old:
            line.tell({"n": 0, "kind": "reload"})
        else:
            line.tell({"n": 0, "kind": "snapshot", "turns": missed.running})
        line.tell({"n": 0, "kind": "caught_up", "upto": missed.upto})
        return missed.upto
    return hello.last


@dataclass(frozen=True, kw_only=True)
class Missed:
    """What a browser did not see."""

    frames: tuple[Frame, ...]
    running: tuple[dict[str, Any], ...]
    upto: int
    too_old: bool  # its last frame is no longer kept, or never was: the page must be fetched anew


def _missed(session: Session, person_id: int, hello: Hello) -> Missed:
    latest, oldest = rows.latest(session, person_id), rows.oldest(session, person_id)
    kept_from = latest + 1 if oldest is None else oldest
    if hello.last > latest or hello.last + 1 < kept_from:
        return Missed(frames=(), running=(), upto=latest, too_old=True)
    found: list[Frame] = []
    position = hello.last
    while batch := rows.since(session, person_id, position, screen=hello.screen, limit=_BATCH):
        found += (Frame(**each) for each in batch)
        position = found[-1].number
    return Missed(
        frames=without_progress(found),
        running=tuple(_running(session, person_id, upto=latest)),
        upto=latest,
        too_old=False,
    )


def without_progress(frames: list[Frame]) -> tuple[Frame, ...]:
    """Leave out the running text of turns that a later frame brings whole."""
    ended = {frame.turn for frame in frames if frame.kind in _ENDS}
    return tuple(frame for frame in frames if frame.kind not in _PROGRESS or frame.turn not in ended)


def _running(session: Session, person_id: int, *, upto: int) -> Iterator[dict[str, Any]]:
    for turn in turns.under_way(session, person_id):
        yield {
            "t": turn.public_id,
            "client_id": turn.client_id,
            "said": turn.said,
            "speaker": turn.speaker,
            "language": turn.language,
            "at": turn.created_at.isoformat(),
            "state": turn.state.value,
            "text": rows.text_of(session, turn.id, upto=upto),
        }


def _follow(
    line: Line, frames: Frames, person_id: int, screen: str, position: int, over: threading.Event
) -> None:
    unfinished: set[str] = set()
    while not over.is_set():
        try:
            with frames.following(person_id) as news:  # held while looking: nothing comes in between unseen
                batch = frames.since(person_id, position, screen=screen, limit=_BATCH)
                if not batch:
                    news.wait(_LOOK_BUSY_S if unfinished else _LOOK_IDLE_S)
        except Unavailable:
            over.wait(_AFTER_OUTAGE_S)
            continue
        for frame in batch:
            line.tell(wire(frame))
            position = frame.number
            if frame.kind in _ENDS:
                unfinished.discard(frame.turn)
            elif frame.kind in _BEGINS:
                unfinished.add(frame.turn)


def wire(frame: Frame) -> dict[str, Any]:
    """A frame as it goes out: a finished text carries its safe HTML, rendered here."""
    if frame.kind == "answered":
        frame = replace(frame, body={**frame.body, "html": str(to_html(frame.body.get("answer", "")))})
    elif frame.kind == "human":
        frame = replace(frame, body={**frame.body, "html": str(to_html(frame.body.get("text", "")))})
    return frame.wire()
