"""The agenda in other programs: a feed at a secret address, and calendar files brought in."""

from __future__ import annotations

import secrets

from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from flask_babel import force_locale, ngettext
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from memory import cards
from memory.cards.calendar import Read, from_ics, to_ics
from memory.errors import AppError, InvalidInput, NotFound
from memory.storage import agenda as agenda_rows
from memory.storage import cards as rows
from memory.storage import people
from memory.storage.engine import reading, transaction
from memory.web.agenda import notice
from memory.web.current import now, person, wiring
from memory.web.errors import words
from memory.web.security import limiter
from memory.web.session import public

bp = Blueprint("calendars", __name__)
_TOKEN_BYTES = 24


@bp.get("/calendar/<token>.ics")
@public
@limiter.limit("120 per hour")
def feed(token: str) -> Response:
    """The agenda of whoever has this address, for calendar programs."""
    with reading(wiring().engine) as session:
        owner = people.by_feed_token(session, token)
        if owner is None:
            raise NotFound("feed", "")
        found = rows.to_do(session, owner.id)
    with force_locale(owner.language):  # nobody is signed in here
        ics = to_ics(found, now=now(), name="Asterism", private=_("Private"))
    return Response(ics, content_type="text/calendar; charset=utf-8")


@bp.post("/agenda/feed")
def open_feed() -> BaseResponse:
    """Make a new address; the old one ends."""
    with transaction(wiring().engine) as session:
        people.set_feed_token(session, person().id, secrets.token_urlsafe(_TOKEN_BYTES))
    return redirect(url_for("agenda.page", _anchor="elsewhere"), code=303)


@bp.post("/agenda/feed/close")
def close_feed() -> BaseResponse:
    """End the feed."""
    with transaction(wiring().engine) as session:
        people.set_feed_token(session, person().id, None)
    return notice(_("The calendar's address no longer works."))


@bp.post("/agenda/import")
def preview() -> str | BaseResponse:
    """Show what a calendar file holds, before anything is kept."""
    upload = request.files.get("file")
    data = upload.read() if upload else b""
    try:
        read = _read(data)
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return notice(words(InvalidInput("This is no calendar file that can be read.")))
    except AppError as error:
        return notice(words(error))
    if not read.cards:
        return notice(_("There is nothing in this file that could be added."))
    return render_template("agenda/import.html", read=read, text=text)


@bp.post("/agenda/import/keep")
def keep() -> BaseResponse:
    """Keep what the preview showed; what is known already is not added twice."""
    try:
        read = _read(request.form.get("calendar", "").encode("utf-8"))
    except AppError as error:
        return notice(words(error))
    batch = secrets.token_urlsafe(12)
    added = 0
    for new in read.cards:  # each in a transaction of its own: others write in between
        with transaction(wiring().engine) as session:
            kept = cards.remember(session, person(), new, embedder=wiring().embedder, now=now())
            if kept.outcome is cards.Outcome.CREATED:
                rows.change(session, kept.card.id, now=now(), batch=batch)
                added += 1
    if not added:
        return notice(_("Everything in this file was known already."))
    return redirect(url_for("agenda.page", imported=batch), code=303)


@bp.post("/agenda/import/<batch>/undo")
def undo(batch: str) -> BaseResponse:
    """Take back what one import added."""
    with transaction(wiring().engine) as session:
        found = agenda_rows.of_batch(session, person().id, batch)
        # Removed, not forgotten: what was told in a talk about the same things is not taken back.
        rows.remove(session, [card.id for card in found])
    flash(ngettext("%(num)d entry is taken back.", "%(num)d entries are taken back.", len(found)))
    return redirect(url_for("agenda.page"), code=303)


def _read(data: bytes) -> Read:
    return from_ics(data, zone=person().zone, language=person().language)
