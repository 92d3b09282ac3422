"""Carries one firing to a closed browser."""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from memory.notify.push import Gone, NotDelivered, Pusher
from memory.notify.targets import choose
from memory.records import Card, CardStatus
from memory.storage import cards, deliveries, people, subscriptions
from memory.storage.deliveries import Delivery
from memory.storage.engine import reading, transaction
from memory.storage.subscriptions import Subscription

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=20)  # a worker that has not finished by then is taken for dead
GIVE_UP_AFTER = timedelta(hours=24)
MOST_CHARS = 200  # of a text in a notification; a push message holds four kilobytes
_WORDS = Path(__file__).parent / "data" / "words.toml"

SayMoment = Callable[[Card, datetime, str], str]


def deliver(
    engine: Engine,
    pusher: Pusher,
    delivery_id: int,
    *,
    worker: str,
    now: datetime,
    late_after: timedelta,
    said: SayMoment,
) -> int:
    """Send one firing to the browser of the device that notifies; returns how many browsers took it.

    Safe to run twice and in two places: one worker at a time has it, and what was sent
    is not sent again. A worker that dies between sending and noting it down leaves a
    firing that is sent once more under the same id, which the browser shows once.

    Args:
        worker: a name of this process.
        said: words the moment of a card that was due at an instant, in a language.
    """
    with transaction(engine) as session:
        delivery = deliveries.take(
            session, delivery_id, worker=worker, now=now, lease=LEASE, late_after=late_after
        )
    if delivery is None:
        return 0
    with reading(engine) as session:
        card = cards.by_ids(session, delivery.person_id, [delivery.card_id]).get(delivery.card_id)
        language = people.by_id(session, delivery.person_id).language
        target = choose(session, delivery.person_id, delivery.device_id)
    took, failed = 0, False
    if card is not None and card.status is CardStatus.ACTIVE:  # called off or forgotten since: silence
        body = message(card, delivery, language, when=said(card, delivery.due_at, language))
        for each in target.subscriptions:
            try:
                took += send_or_drop(engine, pusher, each, body, topic=delivery.public_id)
            except NotDelivered as error:
                failed = True
                log.warning("push not taken", extra={"delivery_id": delivery.id, "reason": str(error)})
    if took or not failed or now - delivery.due_at > GIVE_UP_AFTER:
        with transaction(engine) as session:
            deliveries.mark_sent(session, delivery.id, now=now)
    return took


def send_or_drop(
    engine: Engine, pusher: Pusher, to: Subscription, body: dict[str, Any], *, topic: str
) -> bool:
    """Send to one browser; one that has unsubscribed is forgotten. Returns whether it took the message.

    Raises:
        NotDelivered: its service did not take it this time.
    """
    try:
        pusher.send(to, body, topic=topic)
    except Gone:
        log.info("subscription removed", extra={"person_id": to.person_id})
        with transaction(engine) as session:
            subscriptions.drop(session, to.person_id, subscription_id=to.id)
        return False
    return True


def message(card: Card, delivery: Delivery, language: str, *, when: str) -> dict[str, Any]:
    """What a notification holds: no more than it shows. What is sensitive is not on a locked screen."""
    words = words_of(language)
    text = words["reminder"] if card.sensitive else " ".join((card.title or card.text).split())
    return {
        "id": delivery.public_id,
        "text": text if len(text) <= MOST_CHARS else text[: MOST_CHARS - 1] + "…",
        "when": f"{when} · {words['late']}" if delivery.late else when,
        "language": language,
        "done": words["done"],
        "snooze": words["snooze"],
    }


def words_of(language: str) -> dict[str, str]:
    """What notifications say in a language; English where there is no such language."""
    tables = _tables()
    return tables.get(language, tables["en"])


@cache
def _tables() -> dict[str, dict[str, str]]:
    return tomllib.loads(_WORDS.read_text(encoding="utf-8"))
