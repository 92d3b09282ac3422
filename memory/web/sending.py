"""What one browser is sent: first what it missed, then every frame as it comes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from simple_websocket import ConnectionClosed
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory.errors import Unavailable
from memory.frames import Frame, Frames
from memory.storage import frames as rows
from memory.storage import turns
from memory.storage.engine import reading
from memory.web.line import Line
from memory.web.markdown import to_html
from memory.web.messages import Hello

log = logging.getLogger(__name__)

_BATCH = 500
# Wake-ups may be lost while Valkey is away; then frames are found by looking.
_LOOK_BUSY_S = 1.0
_LOOK_IDLE_S = 10.0
_AFTER_OUTAGE_S = 1.0
_ENDS = frozenset({"answered", "removed"})  # after these a turn's running text is of no use
_BEGINS = frozenset({"accepted", "running", "text"})
_PROGRESS = frozenset({"running", "text"})


@contextmanager
def sending(line: Line, *, frames: Frames, engine: Engine, person_id: int, hello: Hello) -> Iterator[None]:
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
        dropped = frames.dropped(person_id)
        position = _catch_up(line, engine, person_id, hello, over)
        _follow(line, frames, person_id, hello.screen, position, over, dropped=dropped)
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
    line: Line,
    frames: Frames,
    person_id: int,
    screen: str,
    position: int,
    over: threading.Event,
    *,
    dropped: bytes,
) -> None:
    unfinished: set[str] = set()
    while not over.is_set():
        if frames.dropped(person_id) != dropped:
            dropped = frames.dropped(person_id)
            line.tell(
                {"n": 0, "kind": "reload"}
            )  # erased, or much of it is new: what is shown is not so any more
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
