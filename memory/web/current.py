"""What a view asks about the request it is in: the parts, the person, the moment."""

from __future__ import annotations

import ipaddress
from datetime import datetime
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from flask import current_app, g, request
from flask_login import current_user

from memory.errors import Forbidden, NotSignedIn
from memory.records import Person, Role

if TYPE_CHECKING:
    from memory.wiring import Wiring

EXTENSION = "asterism"


def wiring() -> Wiring:
    """The parts of this process."""
    return cast("Wiring", current_app.extensions[EXTENSION])


def now() -> datetime:
    """The product's present, aware, UTC."""
    return wiring().clock()


def person() -> Person:
    """Who is signed in.

    Raises:
        NotSignedIn: nobody is.
    """
    found = person_or_none()
    if found is None:
        raise NotSignedIn("Please sign in first.")
    return found


def person_or_none() -> Person | None:
    """Who is signed in, if anybody is and the database can tell."""
    if g.get("people_unknown"):
        return None
    if not current_user or not current_user.is_authenticated:
        return None
    return cast(Person, current_user.person)


def with_role(*roles: Role) -> Person:
    """Who is signed in, when they have one of the roles.

    Raises:
        NotSignedIn: nobody is signed in.
        Forbidden: another role is needed.
    """
    found = person()
    if found.role not in roles:
        raise Forbidden("This page is for another role.")
    return found


def wants_fragment() -> bool:
    """Whether htmx asked, and a piece of the page is enough."""
    return request.headers.get("HX-Request") == "true"


def wants_json() -> bool:
    """Whether a script asked and no page will be shown."""
    best = request.accept_mimetypes.best_match(("text/html", "application/json"), default="text/html")
    return best == "application/json"


def base_url() -> str:
    """The address that people reach the server by, without a slash at the end."""
    return wiring().settings.url or request.host_url.rstrip("/")


def is_this_machine(host: str) -> bool:
    """Whether a host, with a port or not, is this machine: browsers trust it without https.

    >>> is_this_machine("127.0.0.1:8137"), is_this_machine("[::1]:8137"), is_this_machine("192.168.1.7:8137")
    (True, True, False)
    """
    name = urlsplit(f"//{host}").hostname or ""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
