"""Push subscriptions: where a device can be reached while no page is open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from memory.storage.tables import DeviceRow, PushSubscriptionRow


@dataclass(frozen=True, kw_only=True)
class Subscription:
    """A browser's address at its push service, with the keys that only it can open."""

    id: int
    person_id: int
    device_id: int
    endpoint: str
    p256dh: str
    auth: str


def keep(
    session: Session, person_id: int, device_id: int, *, endpoint: str, p256dh: str, auth: str, now: datetime
) -> None:
    """Keep a device's subscription; an older one of the device, or the same of another person, goes.

    A browser has one address whoever is signed in on it: it belongs to who asked last.
    """
    session.execute(
        delete(PushSubscriptionRow)
        .where(
            (PushSubscriptionRow.endpoint == endpoint)
            | ((PushSubscriptionRow.device_id == device_id) & (PushSubscriptionRow.person_id == person_id))
        )
        .execution_options(synchronize_session=False)
    )
    session.add(
        PushSubscriptionRow(
            person_id=person_id,
            device_id=device_id,
            endpoint=endpoint,
            p256dh=p256dh,
            auth=auth,
            created_at=now,
        )
    )
    session.flush()


def of_person(session: Session, person_id: int) -> list[Subscription]:
    """The person's subscriptions, the device used last first."""
    rows = session.scalars(
        select(PushSubscriptionRow)
        .join(DeviceRow, DeviceRow.id == PushSubscriptionRow.device_id)
        .where(PushSubscriptionRow.person_id == person_id)
        .order_by(DeviceRow.last_seen_at.desc(), PushSubscriptionRow.id.desc())
    )
    return [
        Subscription(
            id=row.id,
            person_id=row.person_id,
            device_id=row.device_id,
            endpoint=row.endpoint,
            p256dh=row.p256dh,
            auth=row.auth,
        )
        for row in rows
    ]


def drop(session: Session, person_id: int, *, subscription_id: int) -> None:
    """Remove a subscription that its push service no longer knows."""
    session.execute(
        delete(PushSubscriptionRow)
        .where(PushSubscriptionRow.id == subscription_id, PushSubscriptionRow.person_id == person_id)
        .execution_options(synchronize_session=False)
    )


def drop_all(session: Session, person_id: int) -> None:
    """Send nothing more to any closed browser of the person; each asks again when it is signed in."""
    session.execute(
        delete(PushSubscriptionRow)
        .where(PushSubscriptionRow.person_id == person_id)
        .execution_options(synchronize_session=False)
    )


def drop_of_device(session: Session, person_id: int, device_id: int) -> None:
    """Send nothing more to a closed browser of this device."""
    session.execute(
        delete(PushSubscriptionRow)
        .where(PushSubscriptionRow.person_id == person_id, PushSubscriptionRow.device_id == device_id)
        .execution_options(synchronize_session=False)
    )
