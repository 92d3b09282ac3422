"""Tells agents whose browser is closed that somebody waits for a human, in none of the person's words."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from sqlalchemy import Engine

from memory.notify.delivery import send_or_drop, words_of
from memory.notify.push import NotDelivered, Pusher
from memory.storage import desks, people, subscriptions
from memory.storage.engine import reading, transaction
from memory.storage.subscriptions import Subscription

log = logging.getLogger(__name__)


def announce(engine: Engine, pusher: Pusher, *, now: datetime) -> int:
    """Tell of every open request that was not told of; returns how many browsers took it.

    Who waits is told to every agent who allows it; who was passed on, to the colleague.
    Safe to run twice and in two places: a request is claimed before it is told of, and
    one that was taken meanwhile is told of to nobody.
    """
    with reading(engine) as session:
        found = desks.unannounced(session)
    took = 0
    for handover_id, person_id, holder_id, language in found:
        with transaction(engine) as session:
            if not desks.announce(session, handover_id, holder_id=holder_id, now=now):
                continue
            reached = [
                each.id
                for each in desks.agents(session, now=now)
                if each.told and each.id != person_id and holder_id in (None, each.id)
            ]
        for agent_id in reached:
            with reading(engine) as session:
                to = people.by_id(session, agent_id).language
                browsers = subscriptions.of_person(session, agent_id)
            body = message(handover_id, to=to, language=language, passed=holder_id is not None, now=now)
            took += sum(_sent(engine, pusher, each, body) for each in browsers)
    return took


def message(handover_id: int, *, to: str, language: str, passed: bool, now: datetime) -> dict[str, Any]:
    """What a notification holds: that somebody waits and in which language they write.

    Args:
        to: the agent's language.
        language: the person's.
    """
    words = words_of(to)
    return {
        "id": f"desk-{handover_id}-{int(now.timestamp())}",  # once put back, it is news again
        "text": words["passed"] if passed else words["waiting"],
        "when": words_of(language)["name"],
        "language": to,
        "url": "/desk/",
    }


def _sent(engine: Engine, pusher: Pusher, to: Subscription, body: dict[str, Any]) -> bool:
    try:
        return send_or_drop(engine, pusher, to, body, topic=body["id"])
    except NotDelivered as error:
        # Not tried again: the desk's pages show who waits, and a late word of it helps nobody.
        log.warning("push not taken", extra={"person_id": to.person_id, "reason": str(error)})
        return False
