"""What a browser is told: number, store, publish, replay.

A frame is a row with the person's next number; Valkey carries only the wake-up.
Anyone may publish; only the web's sockets read. A reader that says the last number
it saw gets what it missed, from any process.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory.storage import frames as rows
from memory.storage.engine import reading, transaction

log = logging.getLogger(__name__)

CHANNEL = "asterism:frames:"  # and a person's id: something happened to them
_DROP = b"drop:"  # in place of a wake-up, and a word for this one time: let go of what is held of this person
_POLL_S = 2.0  # how long a reader trusts silence when the wake-up may be lost


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One thing a browser is told."""

    number: int
    conversation: str  # public ids, "" when it belongs to none
    turn: str
    screen: str  # "" is every screen
    kind: str
    body: dict[str, Any]

    def wire(self) -> dict[str, Any]:
        """The form in which it goes over the socket."""
        return {"n": self.number, "c": self.conversation, "t": self.turn, "kind": self.kind, **self.body}


class Frames:
    """Publishes frames and wakes their readers, in this process and in others."""

    def __init__(self, engine: Engine, redis: Redis | None) -> None:
        self._engine = engine
        self._redis = redis
        self._wake: dict[int, threading.Condition] = {}
        self._listener: threading.Thread | None = None
        self._lock = threading.Lock()
        self._droppers: list[Callable[[int | None], None]] = []
        self._dropped: dict[int, bytes] = {}  # by person: the word of the last time

    def on_drop(self, drop: Callable[[int | None], None]) -> None:
        """Have `drop` called with a person's id whenever any process says so, and with None for everybody:
        when what was said may have been missed. It may come twice, and from another thread.
        """
        self._droppers.append(drop)

    def drop_copies(self, person_id: int) -> None:
        """Have every process let go of what it holds of a person: they erased it, or much of it is new."""
        word = _DROP + secrets.token_hex(8).encode()
        self._drop(person_id, word)
        if self._redis is not None:
            try:
                self._redis.publish(f"{CHANNEL}{person_id}", word)
            except RedisError as error:
                # The others drop everything as soon as they hear Valkey again.
                log.warning("copies not dropped", extra={"error": type(error).__name__})

    def listen(self) -> None:
        """Hear from now on what other processes say, also before the first browser is here."""
        self._listen()

    def dropped(self, person_id: int) -> bytes:
        """Changes whenever a person's copies were let go of: an open page is then to be fetched anew."""
        return self._dropped.get(person_id, b"")

    def _drop(self, person_id: int | None, word: bytes = b"") -> None:
        if person_id is not None:
            self._dropped[person_id] = word
        for drop in self._droppers:
            drop(person_id)

    def add(
        self,
        session: Session,
        *,
        person_id: int,
        kind: str,
        body: Mapping[str, Any],
        now: datetime,
        conversation_id: int | None = None,
        turn_id: int | None = None,
        screen: str = "",
    ) -> int:
        """Store a frame in the caller's transaction and give its number. Call `wake` after the commit."""
        return rows.add(
            session,
            person_id=person_id,
            kind=kind,
            body=dict(body),
            now=now,
            conversation_id=conversation_id,
            turn_id=turn_id,
            screen=screen,
        )

    def publish(
        self,
        *,
        person_id: int,
        kind: str,
        body: Mapping[str, Any],
        now: datetime,
        conversation_id: int | None = None,
        turn_id: int | None = None,
        screen: str = "",
    ) -> int:
        """Store one frame in a transaction of its own and wake its readers."""
        with transaction(self._engine) as session:
            number = self.add(
                session,
                person_id=person_id,
                kind=kind,
                body=body,
                now=now,
                conversation_id=conversation_id,
                turn_id=turn_id,
                screen=screen,
            )
        self.wake(person_id)
        return number

    def wake(self, person_id: int) -> None:
        """Tell the person's readers everywhere that there is something new."""
        self._notify(person_id)
        if self._redis is not None:
            try:
                self._redis.publish(f"{CHANNEL}{person_id}", "1")
            except RedisError as error:
                # Readers in other processes find the frame by polling.
                log.warning("wake-up not sent", extra={"error": type(error).__name__})

    def since(self, person_id: int, after: int, *, screen: str = "", limit: int = 500) -> tuple[Frame, ...]:
        """Frames after a number, oldest first, those of other screens left out."""
        with reading(self._engine) as session:
            return tuple(
                Frame(**found) for found in rows.since(session, person_id, after, screen=screen, limit=limit)
            )

    def latest(self, person_id: int) -> int:
        """The number of the person's newest frame; 0 when there is none."""
        with reading(self._engine) as session:
            return rows.latest(session, person_id)

    def wait(self, person_id: int, *, timeout_s: float = _POLL_S) -> None:
        """Sleep until something new may be there for this person, at most `timeout_s` seconds."""
        self._listen()
        condition = self._news(person_id)
        with condition:
            condition.wait(timeout=min(timeout_s, _POLL_S))

    @contextmanager
    def following(self, person_id: int) -> Iterator[threading.Condition]:
        """Hold the condition while looking, so that a frame that comes in between is not slept over."""
        self._listen()
        condition = self._news(person_id)
        with condition:
            yield condition

    def _news(self, person_id: int) -> threading.Condition:
        # Atomic, unlike a defaultdict: two tabs that open at once must wait on the same condition.
        return self._wake.setdefault(person_id, threading.Condition())

    def _notify(self, person_id: int) -> None:
        condition = self._news(person_id)
        with condition:
            condition.notify_all()

    def _listen(self) -> None:
        if self._redis is None or self._listener is not None:
            return
        with self._lock:
            if self._listener is None:
                self._listener = threading.Thread(target=self._hear, name="frames", daemon=True)
                self._listener.start()

    def _hear(self) -> None:
        """Turn wake-ups of other processes into local ones; survives a restarted Valkey."""
        pause = threading.Event()
        may_have_missed = False
        while True:
            try:
                assert self._redis is not None  # noqa: S101 (told to the type checker)
                with self._redis.pubsub(ignore_subscribe_messages=True) as channel:  # type: ignore[no-untyped-call]
                    channel.psubscribe(f"{CHANNEL}*")
                    for person_id in list(self._wake):
                        self._notify(person_id)  # what came while Valkey was away was not heard
                    if may_have_missed:
                        self._drop(None)
                    may_have_missed = True
                    for message in channel.listen():
                        name = message["channel"]
                        name = name.decode() if isinstance(name, bytes) else name
                        person_id = int(name.removeprefix(CHANNEL))
                        if message["data"].startswith(_DROP):
                            self._drop(person_id, message["data"])
                        self._notify(person_id)
            # ValueError: the library's reader can meet its own closed buffer when the connection goes.
            except (RedisError, OSError, ValueError):
                pause.wait(_POLL_S)
