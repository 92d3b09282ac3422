"""Fires reminders at their moment, exactly once, whatever is killed, restarted or moved meanwhile.

The database alone knows what is due. One transaction takes a firing, moves its card
on and writes the frame that every open page shows; there is no moment at which a
firing is taken and nobody will hear of it. What a closed browser is told is sent by a
job, and sent again when nobody finished it.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from time import monotonic
from typing import Any
from zoneinfo import ZoneInfo

from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory import language as lang
from memory.cards.reminders import LATE_AFTER, following, in_zone
from memory.clock import Clock
from memory.errors import AppError
from memory.frames import CHANNEL, Frames
from memory.notify.targets import Target, choose
from memory.queue import JobName, JobQueue
from memory.records import Card, Person, When
from memory.storage import conversations, deliveries, people
from memory.storage.deliveries import Delivery
from memory.storage.engine import reading, transaction

log = logging.getLogger(__name__)

RESEND_AFTER = timedelta(seconds=20)  # a firing that no worker has finished by then is queued again
_BATCH = 40
_LOOK_S = 1.0  # real seconds between looks at most: the clock may move, and a wake-up may be lost
_LEAST_S = 0.05  # and at least: many wake-ups are one look
_RESEND_LOOK_S = 5.0


@dataclass(frozen=True, kw_only=True)
class Firing:
    """What firing needs of a process."""

    engine: Engine
    frames: Frames
    queue: JobQueue
    clock: Clock
    redis: Redis | None = None  # without it, wake-ups are not heard and everything is found by looking


def fire_due(parts: Firing) -> list[Delivery]:
    """Fire everything whose moment has come; returns what this caller fired.

    Raises:
        Unavailable: the database is down; nothing is lost, it is due until it is fired.
    """
    _follow_travellers(parts)
    fired: list[Delivery] = []
    while True:
        with reading(parts.engine) as session:
            soonest = deliveries.next_due(session)
        if soonest is None or soonest > parts.clock():
            return fired
        with transaction(parts.engine) as session:
            now = parts.clock()
            batch = deliveries.due(session, now=now, limit=_BATCH)
            told = _Told(session, parts.frames, now)
            # Frames lock their owner's row: in one order, or two dispatchers wait for each other.
            batch.sort(key=lambda card: (card.person_id, card.due_at, card.id))
            taken = [each for card in batch if (each := told.fire(card)) is not None]
        for person_id in {each.person_id for each in taken}:
            parts.frames.wake(person_id)
        for each in taken:
            if each.sent_at is None:
                parts.queue.enqueue(JobName.REMIND, unique=str(each.id), delivery_id=each.id)
        if taken:
            log.info("reminders fired", extra={"count": len(taken), "late": sum(each.late for each in taken)})
        fired += taken
        if not batch:  # another dispatcher holds them
            return fired


def resend(parts: Firing) -> int:
    """Queue again what no worker has finished; returns how many."""
    with reading(parts.engine) as session:
        left = deliveries.unsent(session, now=parts.clock(), after=RESEND_AFTER, limit=200)
    for delivery_id in left:
        parts.queue.enqueue(JobName.REMIND, unique=str(delivery_id), delivery_id=delivery_id)
    return len(left)


def _follow_travellers(parts: Firing) -> None:
    """Reckon recurring reminders in the zone where their owner is now."""
    with reading(parts.engine) as session:
        if not deliveries.travelled(session, limit=1):
            return
    with transaction(parts.engine) as session:
        for card, zone in deliveries.travelled(session, limit=500, locked=True):
            assert card.when is not None and card.due_at is not None  # noqa: S101, PT018 (what the query asks for)
            try:
                due_at = in_zone(card.when, card.due_at, zone)
            # Broad on purpose: one unreadable rule must not silence everybody's reminders.
            except Exception as error:
                log.warning("rule not read", extra={"card_id": card.id, "error": type(error).__name__})
                due_at = card.due_at
            deliveries.move(session, card, zone=zone, due_at=due_at)


@dataclass
class _Told:
    """One transaction's firings; what several of one person need is read once."""

    session: Session
    frames: Frames
    now: datetime
    _people: dict[int, Person] = field(default_factory=dict)
    _targets: dict[tuple[int, int | None], Target] = field(default_factory=dict)

    def fire(self, card: Card) -> Delivery | None:
        """Take one firing and write its frame; None when somebody else has it."""
        assert card.due_at is not None  # noqa: S101 (what the query asks for)
        target = self._target(card)
        delivery = deliveries.claim(
            self.session,
            card,
            next_due_at=self._next(card),
            device_id=target.device_id,
            late=self.now - card.due_at > LATE_AFTER,
            needs_push=bool(target.subscriptions),
            now=self.now,
        )
        if delivery is not None:
            self.frames.add(
                self.session,
                person_id=card.person_id,
                kind="reminder",
                body=self._body(card, delivery, target),
                now=self.now,
            )
        return delivery

    def _next(self, card: Card) -> datetime | None:
        assert card.due_at is not None  # noqa: S101 (what the query asks for)
        try:
            return following(card.when, after=max(self.now, card.due_at))
        # Broad on purpose: one unreadable rule must not silence everybody's reminders.
        except Exception as error:
            log.warning("rule not read", extra={"card_id": card.id, "error": type(error).__name__})
            return None

    def _target(self, card: Card) -> Target:
        key = (card.person_id, card.device_id)
        if key not in self._targets:
            self._targets[key] = choose(self.session, card.person_id, card.device_id)
        return self._targets[key]

    def _body(self, card: Card, delivery: Delivery, target: Target) -> dict[str, Any]:
        if card.person_id not in self._people:
            self._people[card.person_id] = people.by_id(self.session, card.person_id)
        return {
            "id": delivery.public_id,
            "card": card.public_id,
            "text": "" if self._is_overheard(card) else card.title or card.text,
            "when": said_moment(card, delivery.due_at, self._people[card.person_id].language, now=self.now),
            "late": delivery.late,
            "device": target.device,
        }

    def _is_overheard(self, card: Card) -> bool:
        """Whether a guest would read something sensitive."""
        if not card.sensitive:
            return False
        conversation = conversations.open_of(self.session, card.person_id)
        return conversation is not None and bool(conversation.speaker)


def said_moment(card: Card, due_at: datetime, language: str, *, now: datetime) -> str:
    """The moment at which a reminder was due, in words: the hour, and the day when it was another."""
    zone = card.when.zone if card.when is not None else "UTC"
    place = ZoneInfo(zone)
    shown, today = due_at.astimezone(place), now.astimezone(place)
    if shown.date() == today.date():
        return lang.say_time(shown.time(), language=language)
    return lang.say_when(When(start=shown.replace(tzinfo=None), zone=zone), language=language, now=today)


class Dispatcher:
    """Sleeps until the next reminder is due and fires it. Any number may run, on any number of machines."""

    def __init__(self, parts: Firing) -> None:
        self._parts = parts
        self._news = threading.Event()
        self._resent_at = monotonic()

    def __call__(self, stop: threading.Event) -> None:
        """Fire reminders until `stop` is set."""
        if self._parts.redis is not None:
            threading.Thread(target=self._hear, args=(stop,), name="due-news", daemon=True).start()
        while not stop.is_set():
            self._news.clear()
            try:
                pause = self.look()
            except AppError as error:
                log.warning("store not reached", extra={"error": type(error).__name__})
                pause = _LOOK_S
            # Broad on purpose: without this thread nobody is reminded of anything.
            except Exception:
                log.exception("firing failed")
                pause = _LOOK_S
            stop.wait(_LEAST_S)
            self._news.wait(max(0.0, pause - _LEAST_S))

    def look(self) -> float:
        """Fire what is due now; returns how many real seconds to sleep when nothing new comes in."""
        fire_due(self._parts)
        if monotonic() - self._resent_at >= _RESEND_LOOK_S:
            self._resent_at = monotonic()
            resend(self._parts)
        with reading(self._parts.engine) as session:
            soonest = deliveries.next_due(session)
        if soonest is None:
            return _LOOK_S
        return min(_LOOK_S, max(0.0, (soonest - self._parts.clock()).total_seconds()))

    def _hear(self, stop: threading.Event) -> None:
        """Look again when something happened to somebody: it may have brought or moved a reminder."""
        while not stop.is_set():
            try:
                assert self._parts.redis is not None  # noqa: S101 (told to the type checker)
                with self._parts.redis.pubsub(ignore_subscribe_messages=True) as channel:  # type: ignore[no-untyped-call]
                    channel.psubscribe(f"{CHANNEL}*")
                    while not stop.is_set():
                        if channel.get_message(timeout=_LOOK_S) is not None:
                            self._news.set()
            except (RedisError, OSError):
                stop.wait(_LOOK_S)
