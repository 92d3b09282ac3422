"""Which device notifies: the one a reminder was set on, or one agreed one; never several."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from memory.storage import devices, subscriptions
from memory.storage.subscriptions import Subscription


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where a reminder is told of."""

    device_id: int | None
    device: str  # its public id; "" is every open page
    subscriptions: tuple[Subscription, ...]  # how to reach it while no page is open


def choose(session: Session, person_id: int, set_on: int | None) -> Target:
    """The device that notifies of a reminder.

    The one it was set on; when that one cannot be reached while it is closed, the
    last used one that can; when none can, the one it was set on, whose page shows it.
    """
    known = {device.id: device.public_id for device in devices.of_person(session, person_id)}
    reachable = subscriptions.of_person(session, person_id)
    chosen = set_on if set_on in known else None
    if reachable and all(each.device_id != chosen for each in reachable):
        chosen = reachable[0].device_id
    return Target(
        device_id=chosen,
        device=known.get(chosen, "") if chosen is not None else "",
        subscriptions=tuple(each for each in reachable if each.device_id == chosen),
    )
