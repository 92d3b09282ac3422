"""Who may come in: links that make accounts, signing in, passwords.

The first account is made through a one-time link and is operator and person in
one; every other one through an invitation. Tokens and passwords are stored as
hashes only.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import unicodedata
import zoneinfo
from dataclasses import dataclass
from datetime import datetime, timedelta

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory.config import LANGUAGES, Settings
from memory.errors import Conflict, InvalidInput, NotFound
from memory.records import Person, Role
from memory.storage import people, subscriptions
from memory.storage.engine import reading, transaction

FIRST_LINK_LIFE = timedelta(days=7)
INVITATION_LIFE = timedelta(days=7)
LEAST_PASSWORD_CHARS = 8
MOST_PASSWORD_CHARS = 256
MOST_NAME_CHARS = 120
MOST_EMAIL_CHARS = 254  # RFC 5321

_hasher = PasswordHasher()  # argon2id, RFC 9106's second choice: 64 MiB
_hashing = threading.BoundedSemaphore(4)  # many sign-ins at once must not take all the memory
_NOBODY = _hasher.hash(secrets.token_hex(16))  # compared with when an address is unknown: same work


@dataclass(frozen=True, kw_only=True)
class SignUp:
    """What a newcomer fills in. Checked by `sign_up`."""

    email: str
    name: str
    password: str
    language: str
    zone: str


def ensure_first_link(
    engine: Engine, settings: Settings, now: datetime, *, base: str | None = None
) -> str | None:
    """A fresh one-time link for the first account, or None when there is an account already.

    Earlier first links stop working, so that a link in an old log is worth nothing.

    Args:
        base: the address to print, when the settings' own is not how people reach the server.
    """
    token = secrets.token_urlsafe(24)
    with transaction(engine) as session:
        people.drop_first_links(session)
        if people.count(session) > 0:
            return None
        people.add_invitation(
            session,
            token_hash=_token_hash(token),
            role=Role.OPERATOR,
            created_by=None,
            expires_at=now + FIRST_LINK_LIFE,
            now=now,
        )
    return f"{base or settings.url or _local_address(settings)}/join/{token}"


def invite(engine: Engine, *, role: Role, by: Person, now: datetime) -> str:
    """Make an invitation that can be used once within a week.

    Returns:
        The token: shown once, stored as a hash.

    Raises:
        InvalidInput: invitations are for persons and agents only.
    """
    if role not in (Role.PERSON, Role.AGENT):
        raise InvalidInput("Invite a person or an agent.")
    token = secrets.token_urlsafe(24)
    with transaction(engine) as session:
        people.add_invitation(
            session,
            token_hash=_token_hash(token),
            role=role,
            created_by=by.id,
            expires_at=now + INVITATION_LIFE,
            now=now,
        )
    return token


def invitation(engine: Engine, token: str, *, now: datetime) -> people.Invitation:
    """The invitation behind a link.

    Raises:
        NotFound: it was used, has expired, was withdrawn or never existed.
    """
    with reading(engine) as session:
        found = people.open_invitation(session, _token_hash(token), now=now)
    if found is None:
        raise NotFound("invitation", "")
    return found


def sign_up(engine: Engine, token: str, form: SignUp, *, now: datetime) -> Person:
    """Make the account that a link is for, and use the link up.

    Raises:
        InvalidInput: something in the form does not fit; the link stays good.
        Conflict: the address is taken (the link stays good), or the link is not good any more.
    """
    form = _checked(form)
    hashed = _hash(form.password)
    with transaction(engine) as session:
        used = people.use_invitation(session, _token_hash(token), now=now)
        if used is None or (used.role is Role.OPERATOR and people.count(session) > 0):
            raise Conflict("This link was used already or has expired. Please ask for a new one.")
        made = _add(session, form, hashed, role=used.role, now=now)
        people.note_invited(session, used.id, made.id)
        return made


def sign_in(engine: Engine, email: str, password: str) -> Person:
    """The account with this address and password.

    An unknown address costs the same work as a wrong password, so that time does
    not tell who has an account.

    Raises:
        InvalidInput: one of the two is wrong; which one is not said.
    """
    with reading(engine) as session:
        found = people.by_email(session, fold_email(email))
    stored = found[1] if found else _NOBODY
    is_right = _verify(stored, password)
    if found is None or not is_right:
        raise InvalidInput("The e-mail address or the password is not right.")
    if _hasher.check_needs_rehash(stored):
        with transaction(engine) as session:
            people.set_password(session, found[0].id, _hash(password), ends_sessions=False)
    return found[0]


def sign_out_everywhere(engine: Engine, person: Person) -> Person:
    """End the account's sessions on every browser; returns the account with its new epoch.

    Browsers that are signed out are not told of reminders either: others may use them.
    """
    with transaction(engine) as session:
        subscriptions.drop_all(session, person.id)
        return people.end_sessions(session, person.id)


def change_password(engine: Engine, person: Person, *, current: str, new: str) -> Person:
    """Replace the password and sign all browsers out; returns the account with its new epoch.

    Raises:
        InvalidInput: the current password is wrong, or the new one does not fit.
    """
    with reading(engine) as session:
        stored = people.password_hash(session, person.id)
    if not _verify(stored, current):
        raise InvalidInput("The current password is not right.")
    hashed = _hash(_checked_password(new))
    with transaction(engine) as session:
        subscriptions.drop_all(session, person.id)
        return people.set_password(session, person.id, hashed, ends_sessions=True)


def change_profile(engine: Engine, person: Person, *, name: str, language: str, zone: str) -> Person:
    """Replace name, language and time zone.

    Raises:
        InvalidInput: one of them does not fit.
    """
    with transaction(engine) as session:
        return people.set_profile(
            session,
            person.id,
            name=_checked_name(name),
            language=_checked_language(language),
            zone=checked_zone(zone),
        )


def create_user(engine: Engine, form: SignUp, *, role: Role, now: datetime) -> Person:
    """Make an account without a link; for the operator's commands and for tests.

    Raises:
        InvalidInput: something does not fit.
        Conflict: the address is taken.
    """
    form = _checked(form)
    hashed = _hash(form.password)
    with transaction(engine) as session:
        return _add(session, form, hashed, role=role, now=now)


def reset_password(engine: Engine, email: str, password: str) -> Person:
    """Set a new password and sign all browsers out; for the operator's command.

    Raises:
        NotFound: nobody has this address.
        InvalidInput: the password does not fit.
    """
    hashed = _hash(_checked_password(password))
    with transaction(engine) as session:
        found = people.by_email(session, fold_email(email))
        if found is None:
            raise NotFound("account", email)
        return people.set_password(session, found[0].id, hashed, ends_sessions=True)


def fold_email(email: str) -> str:
    """The form in which addresses are compared: NFC, without case, without blanks around."""
    return unicodedata.normalize("NFC", email.strip()).casefold()


def checked_zone(zone: str) -> str:
    """The IANA zone, when there is one of this name.

    Raises:
        InvalidInput: there is none.
    """
    zone = zone.strip()
    if zone not in zoneinfo.available_timezones():
        raise InvalidInput("Choose a time zone such as Europe/Lisbon.")
    return zone


def _add(session: Session, form: SignUp, hashed: str, *, role: Role, now: datetime) -> Person:
    return people.add(
        session,
        email=form.email,
        name=form.name,
        password_hash=hashed,
        role=role,
        language=form.language,
        zone=form.zone,
        now=now,
    )


def _checked(form: SignUp) -> SignUp:
    email = fold_email(form.email)
    local, _, domain = email.rpartition("@")
    if not local or not domain or any(char.isspace() for char in email) or len(email) > MOST_EMAIL_CHARS:
        raise InvalidInput("Write an e-mail address such as name@example.org.")
    zone = form.zone if form.zone in zoneinfo.available_timezones() else "UTC"
    return SignUp(
        email=email,
        name=_checked_name(form.name),
        password=_checked_password(form.password),
        language=_checked_language(form.language),
        zone=zone,  # detected by the browser, not chosen: an odd one must not stop anybody
    )


def _checked_name(name: str) -> str:
    name = " ".join(unicodedata.normalize("NFC", name).split())
    if not 0 < len(name) <= MOST_NAME_CHARS:
        raise InvalidInput("Write a name of at most %(most)s characters.", most=MOST_NAME_CHARS)
    return name


def _checked_password(password: str) -> str:
    if len(password) < LEAST_PASSWORD_CHARS:
        raise InvalidInput("Choose a password of at least %(least)s characters.", least=LEAST_PASSWORD_CHARS)
    if len(password) > MOST_PASSWORD_CHARS:
        raise InvalidInput("Choose a password of at most %(most)s characters.", most=MOST_PASSWORD_CHARS)
    return password


def _checked_language(language: str) -> str:
    if language not in LANGUAGES:
        raise InvalidInput("Choose one of the languages on the list.")
    return language


def _hash(password: str) -> str:
    with _hashing:
        return _hasher.hash(unicodedata.normalize("NFKC", password))


def _verify(stored: str, password: str) -> bool:
    if len(password) > MOST_PASSWORD_CHARS:
        password = ""  # refused like any wrong one, without hashing megabytes
    try:
        with _hashing:
            return _hasher.verify(stored, unicodedata.normalize("NFKC", password))
    except (VerificationError, InvalidHashError):
        return False


def _token_hash(token: str) -> str:
    # The token has 192 random bits: a fast hash is enough, and makes the look-up an index's.
    return hashlib.sha256(token.encode()).hexdigest()


def _local_address(settings: Settings) -> str:
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::", "") else settings.host  # noqa: S104 (compared, not bound)
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"
