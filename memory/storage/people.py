"""Accounts as rows, and the links that make them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from memory.errors import Conflict, NotFound
from memory.records import Person, Role
from memory.storage.engine import violates
from memory.storage.tables import InvitationRow, PersonRow


@dataclass(frozen=True, kw_only=True)
class Invitation:
    """A link that is still to be used. Its token is known only to whoever was given it."""

    id: int
    role: Role
    created_at: datetime
    expires_at: datetime


def add(
    session: Session,
    *,
    email: str,
    name: str,
    password_hash: str,
    role: Role,
    language: str,
    zone: str,
    now: datetime,
) -> Person:
    """Make an account; `email` is folded already.

    Raises:
        Conflict: there is one with this address.
    """
    row = PersonRow(
        email=email,
        name=name,
        password_hash=password_hash,
        role=role,
        language=language,
        zone=zone,
        created_at=now,
    )
    session.add(row)
    try:
        session.flush()
    except IntegrityError as error:
        if violates(error, "people.email") or violates(error, "people_email"):
            raise Conflict("There is an account with this e-mail address already.") from error
        raise
    return _record(row)


def count(session: Session) -> int:
    """How many accounts there are."""
    return session.scalar(select(func.count()).select_from(PersonRow)) or 0


def by_id(session: Session, person_id: int) -> Person:
    """The account.

    Raises:
        NotFound: it is gone.
    """
    row = session.get(PersonRow, person_id)
    if row is None:
        raise NotFound("person", person_id)
    return _record(row)


def by_public_id(session: Session, public_id: str) -> Person | None:
    """The account, if there is one."""
    row = session.scalar(select(PersonRow).where(PersonRow.public_id == public_id))
    return None if row is None else _record(row)


def by_email(session: Session, email: str) -> tuple[Person, str] | None:
    """The account with this folded address, and its password's hash, if there is one."""
    row = session.scalar(select(PersonRow).where(PersonRow.email == email))
    return None if row is None else (_record(row), row.password_hash)


def everyone(session: Session) -> list[Person]:
    """All accounts, oldest first."""
    return [_record(row) for row in session.scalars(select(PersonRow).order_by(PersonRow.id))]


def password_hash(session: Session, person_id: int) -> str:
    """The hash that the account's password is compared with.

    Raises:
        NotFound: the account is gone.
    """
    found = session.scalar(select(PersonRow.password_hash).where(PersonRow.id == person_id))
    if found is None:
        raise NotFound("person", person_id)
    return found


def set_password(session: Session, person_id: int, hashed: str, *, ends_sessions: bool) -> Person:
    """Replace the password's hash, and end all sessions when asked.

    Raises:
        NotFound: the account is gone.
    """
    row = _row(session, person_id)
    row.password_hash = hashed
    if ends_sessions:
        row.session_epoch += 1
    session.flush()
    return _record(row)


def end_sessions(session: Session, person_id: int) -> Person:
    """Sign the account out on every browser.

    Raises:
        NotFound: the account is gone.
    """
    row = _row(session, person_id)
    row.session_epoch += 1
    session.flush()
    return _record(row)


def set_profile(session: Session, person_id: int, *, name: str, language: str, zone: str) -> Person:
    """Change what a person may choose about themselves.

    Raises:
        NotFound: the account is gone.
    """
    row = _row(session, person_id)
    row.name, row.language, row.zone = name, language, zone
    session.flush()
    return _record(row)


def set_zone(session: Session, person_id: int, zone: str) -> None:
    """Note where a person is now; everything said in wall-clock time follows them."""
    _row(session, person_id).zone = zone


def feed_token(session: Session, person_id: int) -> str | None:
    """The secret in the address of the person's calendar feed; None while there is no feed."""
    return session.scalar(select(PersonRow.feed_token).where(PersonRow.id == person_id))


def set_feed_token(session: Session, person_id: int, token: str | None) -> None:
    """Open the calendar feed at a new address, or close it; the old address is of no use any more."""
    _row(session, person_id).feed_token = token


def by_feed_token(session: Session, token: str) -> Person | None:
    """Whose calendar feed has this secret, if anybody's."""
    row = session.scalar(select(PersonRow).where(PersonRow.feed_token == token)) if token else None
    return None if row is None else _record(row)


def add_invitation(
    session: Session,
    *,
    token_hash: str,
    role: Role,
    created_by: int | None,
    expires_at: datetime,
    now: datetime,
) -> Invitation:
    """Store a link by its token's hash."""
    row = InvitationRow(
        token_hash=token_hash, role=role, created_by=created_by, created_at=now, expires_at=expires_at
    )
    session.add(row)
    session.flush()
    return _invitation(row)


def open_invitation(session: Session, token_hash: str, *, now: datetime) -> Invitation | None:
    """The link with this hash, if it can still be used."""
    row = session.scalar(
        select(InvitationRow).where(
            InvitationRow.token_hash == token_hash,
            InvitationRow.used_at.is_(None),
            InvitationRow.expires_at > now,
        )
    )
    return None if row is None else _invitation(row)


def use_invitation(session: Session, token_hash: str, *, now: datetime) -> Invitation | None:
    """Use a link up, once: of two at the same moment only one gets it, the other None."""
    found = session.execute(
        update(InvitationRow)
        .where(
            InvitationRow.token_hash == token_hash,
            InvitationRow.used_at.is_(None),
            InvitationRow.expires_at > now,
        )
        .values(used_at=now)
        .execution_options(synchronize_session=False)
        .returning(InvitationRow.id, InvitationRow.role, InvitationRow.created_at, InvitationRow.expires_at)
    ).one_or_none()
    if found is None:
        return None
    return Invitation(
        id=found.id, role=Role(found.role), created_at=found.created_at, expires_at=found.expires_at
    )


def note_invited(session: Session, invitation_id: int, person_id: int) -> None:
    """Write down whose account a used link made."""
    session.execute(
        update(InvitationRow)
        .where(InvitationRow.id == invitation_id)
        .values(used_by=person_id)
        .execution_options(synchronize_session=False)
    )


def open_invitations(session: Session, *, now: datetime) -> list[Invitation]:
    """Links that somebody made and nobody used yet, newest first."""
    rows = session.scalars(
        select(InvitationRow)
        .where(
            InvitationRow.used_at.is_(None),
            InvitationRow.expires_at > now,
            InvitationRow.created_by.is_not(None),
        )
        .order_by(InvitationRow.id.desc())
    )
    return [_invitation(row) for row in rows]


def withdraw_invitation(session: Session, invitation_id: int) -> None:
    """Make a link useless before it is used.

    Raises:
        NotFound: there is no unused link with this number.
    """
    gone = session.scalar(
        delete(InvitationRow)
        .where(InvitationRow.id == invitation_id, InvitationRow.used_at.is_(None))
        .execution_options(synchronize_session=False)
        .returning(InvitationRow.id)
    )
    if gone is None:
        raise NotFound("invitation", invitation_id)


def drop_first_links(session: Session) -> None:
    """Remove the unused links that nobody made: those for the first account."""
    session.execute(
        delete(InvitationRow)
        .where(InvitationRow.created_by.is_(None), InvitationRow.used_at.is_(None))
        .execution_options(synchronize_session=False)
    )


def _row(session: Session, person_id: int) -> PersonRow:
    row = session.get(PersonRow, person_id)
    if row is None:
        raise NotFound("person", person_id)
    return row


def _record(row: PersonRow) -> Person:
    return Person(
        id=row.id,
        public_id=row.public_id,
        email=row.email,
        name=row.name,
        role=Role(row.role),
        language=row.language,
        zone=row.zone,
        created_at=row.created_at,
        session_epoch=row.session_epoch,
        version=row.cards_version,
    )


def _invitation(row: InvitationRow) -> Invitation:
    return Invitation(id=row.id, role=Role(row.role), created_at=row.created_at, expires_at=row.expires_at)
