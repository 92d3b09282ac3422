"""Every error that a person, an operator or a caller may meet.

AppError                the message may be shown to a person
├── InvalidInput   422  what was sent does not fit; the message says what would
├── NotSignedIn    401  nobody is signed in
├── Forbidden      403  signed in, but not allowed
├── NotFound       404  no such record for this person (also when it is someone else's: never tell)
├── Conflict       409  somebody was faster, or the state does not allow it
├── TooMany        429  slow down; safe to retry later
└── Unavailable    503  a part is down; safe to retry
ConfigError             start-up only: one line for each bad setting
"""

from __future__ import annotations

from collections.abc import Sequence


class AppError(Exception):
    """Base of all errors whose message a person may read.

    The message is English source for translation: what changes in it is handed
    in as `values` and named in it as `%(name)s`, never formatted beforehand.
    """

    status = 500

    def __init__(self, message: str = "", **values: object) -> None:
        super().__init__(message % values if values else message)
        self.source = message
        self.values = values

    @property
    def message(self) -> str:
        """What happened and what to do, without addresses, secrets or traces."""
        return str(self)


class InvalidInput(AppError):
    """What was sent does not fit."""

    status = 422


class NotSignedIn(AppError):
    """Nobody is signed in on this connection."""

    status = 401


class Forbidden(AppError):
    """Signed in, but this is for another role."""

    status = 403


class NotFound(AppError):
    """No such record for this person."""

    status = 404

    def __init__(self, kind: str, key: object) -> None:
        super().__init__(f"no {kind} {key!r}")
        self.kind = kind
        self.key = key


class Conflict(AppError):
    """Somebody was faster, or the record is in a state that does not allow this."""

    status = 409


class TooMany(AppError):
    """Too many tries in a short time."""

    status = 429


class Unavailable(AppError):
    """A part of the product is down; trying again later is safe."""

    status = 503


class ConfigError(Exception):
    """Settings that cannot be used, one line each, so that all can be mended at once."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)
