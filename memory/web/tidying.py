"""What the tidying found: themes, and pairs of memories that may be one. Nothing is merged here."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from memory.cards.tidy import tidy
from memory.errors import Conflict
from memory.queue import JobName
from memory.records import CardStatus
from memory.storage import cards as rows
from memory.storage import tidying
from memory.storage.engine import reading, transaction
from memory.web.current import now, person, wiring

bp = Blueprint("tidying", __name__, url_prefix="/tidy")
MOST_PAIRS = 50


@bp.get("/")
def page() -> str:
    """Themes with how much they hold, and the pairs."""
    with reading(wiring().engine) as session:
        themes = tidying.themes(session, person().id, with_away=True)
        pairs = tidying.nearly_the_same(session, person().id, limit=MOST_PAIRS)
        named = rows.by_ids(session, person().id, [theme.id for theme in themes])
    shown = [(named[theme.id], len(theme.cards)) for theme in themes if theme.id in named]
    return render_template(
        "tidying/page.html",
        themes=[(card, held) for card, held in shown if card.status is CardStatus.ACTIVE],
        away=[
            card
            for card, _held in shown
            if card.status is CardStatus.CANCELLED and card.text != tidying.NAMELESS
        ],
        pairs=pairs,
    )


@bp.post("/now")
def tidy_now() -> Response:
    """Tidy at once, by a job; here when the queue is down."""
    parts, who = wiring(), person()
    if parts.queue.enqueue(JobName.TIDY, unique=str(who.id), person_id=who.id):
        flash(_("I am tidying up. It takes a moment."))
    else:
        tidy(parts.engine, parts.embedder, who.id, now=now())
        flash(_("Everything is tidied up."))
    return redirect(url_for(".page"), code=303)


@bp.post("/theme/<public_id>/<any(away, back):where>")
def theme(public_id: str, where: str) -> Response:
    """Put a theme away, so that no tidying makes it again, or bring it back. Its memories stay."""
    with transaction(wiring().engine) as session:
        found = rows.by_public_id(session, person().id, public_id)
        if not tidying.put_away(session, person().id, found.id, away=where == "away"):
            raise Conflict("This is not current any more.")
    flash(_("The theme is put away.") if where == "away" else _("The theme is back."))
    return redirect(url_for(".page", _anchor="themes"), code=303)


@bp.post("/apart")
def apart() -> Response:
    """Keep both of a pair: they are not proposed again."""
    with transaction(wiring().engine) as session:
        one = rows.by_public_id(session, person().id, request.form.get("one", ""))
        other = rows.by_public_id(session, person().id, request.form.get("other", ""))
        if one.id != other.id:
            tidying.keep_apart(session, person().id, one.id, other.id, now=now())
    return redirect(url_for(".page"), code=303)
