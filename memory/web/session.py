"""Who is signed in on this browser, and which browser it is.

Every page needs a signed-in person unless its view is marked `public`: a page
that somebody forgets to guard is closed, not open.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from flask import Flask, Response, current_app, g, request
from flask import session as browser_session
from flask_login import LoginManager, UserMixin, login_user, logout_user

from memory.errors import Unavailable
from memory.records import Device, Person
from memory.storage import devices, people
from memory.storage.engine import reading, transaction
from memory.web.current import now, person, wiring

DEVICE_COOKIE = "asterism_device"
_DEVICE_AGE_S = 2 * 365 * 24 * 3600
_SEEN_EVERY = timedelta(minutes=10)  # a write for each request would be waste
_MOST_SHARING = 6  # people who share one browser and find their own device again
View = TypeVar("View", bound=Callable[..., Any])


class SignedIn(UserMixin):  # type: ignore[misc]  # flask-login ships no types
    """A person as Flask-Login knows one. The epoch in the id ends all sessions when it rises."""

    def __init__(self, found: Person) -> None:
        self.person = found

    def get_id(self) -> str:
        return f"{self.person.public_id}:{self.person.session_epoch}"


def public(view: View) -> View:
    """Mark a view that needs nobody signed in."""
    view.is_public = True  # type: ignore[attr-defined]
    return view


def init(app: Flask) -> None:
    """Guard every page, and keep the device's cookie."""
    manager = LoginManager()
    manager.session_protection = None  # phones change networks; the cookie is signed and HttpOnly
    manager.init_app(app, add_context_processor=False)
    manager.user_loader(_load)
    app.before_request(_guard)
    app.after_request(_keep_device_cookie)


def open_session(found: Person) -> None:
    """Sign this browser in."""
    browser_session.clear()  # nothing of an earlier session, not even its CSRF token, goes on
    browser_session.permanent = True
    login_user(SignedIn(found))


def renew_session(found: Person) -> None:
    """Keep this browser signed in after the account changed; its open forms stay good."""
    login_user(SignedIn(found))


def close_session() -> None:
    """Sign this browser out."""
    logout_user()
    browser_session.clear()


def this_device() -> Device:
    """The browser that asks, made known when it is new; its cookie goes out with the response.

    Raises:
        NotSignedIn: nobody is signed in.
    """
    if "device" not in g:
        owner = person()
        moment = now()
        with reading(wiring().engine) as session:
            found = (devices.find(session, owner.id, known) for known in _known_devices())
            device = next((each for each in found if each is not None), None)
        if device is None or moment - device.last_seen_at > _SEEN_EVERY:
            known = device.public_id if device else ""
            with transaction(wiring().engine) as session:
                device = devices.see(session, owner.id, known, label=_label(), now=moment)
        g.device = device
    return cast(Device, g.device)


def safe_next(target: str | None) -> str | None:
    """A path of this site, or None: a link must not be able to send people elsewhere after signing in."""
    if not target or not target.startswith("/") or target.startswith(("//", "/\\")) or "\\" in target:
        return None
    parts = urlsplit(target)
    return target if not parts.scheme and not parts.netloc else None


def _load(session_id: str) -> SignedIn | None:
    public_id, _, epoch = session_id.partition(":")
    try:
        with reading(wiring().engine) as session:
            found = people.by_public_id(session, public_id)
    except Unavailable:
        g.people_unknown = True  # the error page asks who is signed in, too: it must not fail again
        raise
    if found is None or str(found.session_epoch) != epoch:
        return None
    return SignedIn(found)


def _guard() -> None:
    endpoint = request.endpoint
    if endpoint is None or endpoint == "static":
        return
    if not getattr(current_app.view_functions[endpoint], "is_public", False):
        person()


def _known_devices() -> list[str]:
    """The ids in the cookie: one for each person who uses this browser, the newest first."""
    return [known[:24] for known in request.cookies.get(DEVICE_COOKIE, "").split(".") if known][
        :_MOST_SHARING
    ]


def _keep_device_cookie(response: Response) -> Response:
    device = g.get("device")
    if device is not None and device.public_id not in _known_devices():
        response.set_cookie(
            DEVICE_COOKIE,
            ".".join((device.public_id, *_known_devices()[: _MOST_SHARING - 1])),
            max_age=_DEVICE_AGE_S,
            secure=wiring().settings.is_secure,
            httponly=True,
            samesite="Lax",
        )
    return response


_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "Mac"),
    ("CrOS", "Chromebook"),
    ("Linux", "Linux"),
)
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("Chrome", "Chrome"),
    ("CriOS", "Chrome"),
    ("Safari", "Safari"),
)


def _label() -> str:
    """A name by which a person knows their device again, such as "Firefox · Android"."""
    agent = request.headers.get("User-Agent", "")
    browser = next((name for mark, name in _BROWSERS if mark in agent), "")
    system = next((name for mark, name in _SYSTEMS if mark in agent), "")
    return " · ".join(part for part in (browser, system) if part)
