"""Guests: who held the phone, when, and what I kept of what they said; all of it can be forgotten."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from memory import cards
from memory.errors import InvalidInput, NotFound
from memory.storage import cards as rows
from memory.storage import guests, turns
from memory.storage.engine import reading, transaction
from memory.web.asked import moment
from memory.web.current import now, person, wiring

bp = Blueprint("guests", __name__, url_prefix="/guests")


@bp.get("/")
def page() -> str:
    """Everybody who spoke as a guest, with their talks and what they told."""
    with reading(wiring().engine) as session:
        found = guests.of_person(session, person().id)
        ids = {card.turn_id for guest in found for card in guest.cards if card.turn_id is not None}
        turn_of = turns.public_ids(session, person().id, ids)
    return render_template("guests/page.html", guests=found, turn_of=turn_of, gone=_gone())


@bp.get("/forget")
def ask() -> str:
    """Say what would go, before it does.

    Raises:
        NotFound: nobody of that name spoke here, or all of it is forgotten already.
    """
    with reading(wiring().engine) as session:
        found = guests.of_person(session, person().id)
    name = request.args.get("name", "")
    for guest in found:
        if guests.key(guest.name) == guests.key(name):
            return render_template("guests/forget.html", guest=guest)
    raise NotFound("guest", name)


@bp.post("/forget")
def forget() -> Response:
    """Forget all that one guest told, and use their words no more; for some seconds it can be taken back."""
    at, name = now(), request.form.get("name", "")
    with transaction(wiring().engine) as session:
        told = guests.told(session, person().id, name)
        words = guests.withhold_words(session, person().id, name, moment=at)
        cards.forget(session, told, now=at)
    if not told and not words:
        raise NotFound("guest", name)
    return redirect(url_for(".page", gone=at.isoformat()), code=303)


@bp.post("/undo")
def undo() -> Response:
    """Bring back what went in one step: memories and words."""
    with transaction(wiring().engine) as session:
        gone, back = moment(request.form.get("gone", "")), 0
        if gone:
            back = cards.undo_forget(session, rows.forgotten_at(session, person().id, gone), now=now())
            back += guests.give_back_words(session, person().id, moment=gone)
    if not back:
        raise InvalidInput("This can no longer be undone.")
    flash(_("Everything of it is back."))
    return redirect(url_for(".page"), code=303)


def _gone() -> str:
    """The moment by which a forgetting just now is taken back; "" when there was none."""
    gone = moment(request.args.get("gone", ""))
    is_fresh = gone is not None and 0 <= (now() - gone).total_seconds() <= wiring().settings.undo_s
    return gone.isoformat() if gone and is_fresh else ""
