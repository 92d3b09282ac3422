"""The browsers of a person."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from memory.errors import NotFound
from memory.records import Device
from memory.storage.tables import DeviceRow


def find(session: Session, person_id: int, public_id: str) -> Device | None:
    """The person's device with this id, if it is theirs."""
    row = session.scalar(
        select(DeviceRow).where(DeviceRow.person_id == person_id, DeviceRow.public_id == public_id)
    )
    return None if row is None else _record(row)


def see(session: Session, person_id: int, public_id: str, *, label: str, now: datetime) -> Device:
    """Note that a device is in use; one that is not the person's (or "") becomes a new device."""
    row = session.scalar(
        select(DeviceRow).where(DeviceRow.person_id == person_id, DeviceRow.public_id == public_id)
    )
    if row is None:
        row = DeviceRow(person_id=person_id, label=label, last_seen_at=now)
        session.add(row)
    row.last_seen_at = now
    row.label = row.label or label
    session.flush()
    return _record(row)


def of_person(session: Session, person_id: int) -> list[Device]:
    """All devices of a person, the one used last first."""
    rows = session.scalars(
        select(DeviceRow)
        .where(DeviceRow.person_id == person_id)
        .order_by(DeviceRow.last_seen_at.desc(), DeviceRow.id.desc())
    )
    return [_record(row) for row in rows]


def rename(session: Session, person_id: int, public_id: str, label: str) -> Device:
    """Give a device the name its owner knows it by.

    Raises:
        NotFound: the person has no such device.
    """
    row = session.scalar(
        select(DeviceRow).where(DeviceRow.person_id == person_id, DeviceRow.public_id == public_id)
    )
    if row is None:
        raise NotFound("device", public_id)
    row.label = label
    session.flush()
    return _record(row)


def remove(session: Session, person_id: int, public_id: str) -> None:
    """Forget a device, with its notifications; what was set on it is delivered to all others.

    Raises:
        NotFound: the person has no such device.
    """
    gone = session.scalar(
        delete(DeviceRow)
        .where(DeviceRow.person_id == person_id, DeviceRow.public_id == public_id)
        .execution_options(synchronize_session=False)
        .returning(DeviceRow.id)
    )
    if gone is None:
        raise NotFound("device", public_id)


def _record(row: DeviceRow) -> Device:
    return Device(
        id=row.id,
        public_id=row.public_id,
        person_id=row.person_id,
        label=row.label,
        last_seen_at=row.last_seen_at,
    )
