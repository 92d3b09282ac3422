"""Notifications on this device: the service worker, its subscription, what is done from a notification."""

from __future__ import annotations

import base64
import binascii
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from flask import Blueprint, Response, current_app, jsonify, render_template, request, url_for
from flask_wtf.csrf import generate_csrf

from memory.cards import reminders
from memory.errors import InvalidInput, NotFound
from memory.notify.vapid import load_key, public_key
from memory.records import Card
from memory.storage import cards, deliveries, subscriptions
from memory.storage.engine import transaction
from memory.web.current import is_this_machine, now, person, wiring
from memory.web.session import public, this_device

bp = Blueprint("notifications", __name__)
MOST_ENDPOINT_CHARS = 2000
_AUTH_BYTES = 16  # RFC 8291, section 3.2


@bp.get("/sw.js")
@public
def service_worker() -> Response:
    """The service worker, at the root so that it may serve every page."""
    response = current_app.send_static_file("sw.js")
    response.headers["Cache-Control"] = "no-cache"
    return response


@bp.get("/notify/")
def about() -> Response:
    """What the scripts need: which device this is, the server's key, a token for what they send."""
    settings = wiring().settings
    return jsonify(
        device=this_device().public_id,
        key=public_key(load_key(settings.var, settings.secret_key)),
        csrf=generate_csrf(),
        icon=url_for("static", filename="icon.svg"),
    )


@bp.get("/notify/offer")
def offer() -> str:
    """The question whether to notify on this device, or why that is not possible here."""
    is_plain_http = not request.is_secure and not is_this_machine(request.host)
    return render_template("notify/_offer.html", is_plain_http=is_plain_http)


@bp.post("/notify/subscription")
def subscribe() -> Response:
    """Keep where this device can be reached while no page is open."""
    endpoint, p256dh, auth = _subscription(request.get_json(silent=True))
    device = this_device()
    with transaction(wiring().engine) as session:
        subscriptions.keep(
            session, person().id, device.id, endpoint=endpoint, p256dh=p256dh, auth=auth, now=now()
        )
    return Response(status=204)


@bp.post("/notify/subscription/remove")
def unsubscribe() -> Response:
    """Send nothing more to this device while no page is open."""
    with transaction(wiring().engine) as session:
        subscriptions.drop_of_device(session, person().id, this_device().id)
    return Response(status=204)


@bp.post("/notify/<delivery_id>/seen")
def seen(delivery_id: str) -> Response:
    """The person has seen it."""
    with transaction(wiring().engine) as session:
        card = _card(session, delivery_id)
        deliveries.acknowledge(session, person().id, [card.id], now=now())
    return Response(status=204)


@bp.post("/notify/<delivery_id>/done")
def done(delivery_id: str) -> Response:
    """It is done; of what recurs, this occurrence only."""
    with transaction(wiring().engine) as session:
        reminders.tick(session, _card(session, delivery_id), now=now())
    return Response(status=204)


@bp.post("/notify/<delivery_id>/snooze")
def snooze(delivery_id: str) -> Response:
    """Ring again in some minutes."""
    with transaction(wiring().engine) as session:
        card = _card(session, delivery_id)
        reminders.snooze(session, card, until=now() + reminders.SNOOZE, now=now())
    wiring().frames.wake(person().id)
    return Response(status=204)


def _card(session: Any, delivery_id: str) -> Card:
    delivery = deliveries.by_public_id(session, person().id, delivery_id)
    found = cards.by_ids(session, person().id, [delivery.card_id]).get(delivery.card_id)
    if found is None:
        raise NotFound("reminder", delivery_id)
    return found


def _subscription(told: Any) -> tuple[str, str, str]:
    """The browser's subscription, when it is one that can be used.

    Raises:
        InvalidInput: it is not.
    """
    keys = told.get("keys") if isinstance(told, dict) else None
    if not isinstance(keys, dict):
        raise _not_usable()
    endpoint, p256dh, auth = (
        each if isinstance(each, str) else ""
        for each in (told.get("endpoint"), keys.get("p256dh"), keys.get("auth"))
    )
    settings = wiring().settings
    is_local = not settings.is_public and not settings.url
    schemes = ("https", "http") if is_local else ("https",)
    parts = urlsplit(endpoint)
    if parts.scheme not in schemes or not parts.hostname or len(endpoint) > MOST_ENDPOINT_CHARS:
        raise _not_usable()
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _bytes(p256dh))
        if len(_bytes(auth)) != _AUTH_BYTES:
            raise _not_usable()
    except (ValueError, binascii.Error):
        raise _not_usable() from None
    return endpoint, p256dh, auth


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _not_usable() -> InvalidInput:
    return InvalidInput("This browser's notifications cannot be used.")
