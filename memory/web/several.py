"""Forgetting several memories at once: those ticked, or all that a search leaves. One undo takes it back."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask_babel import ngettext
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from memory import cards
from memory.errors import InvalidInput, NotFound
from memory.language import fold
from memory.records import Card, CardStatus, Category
from memory.storage import cards as rows
from memory.storage.engine import reading, transaction
from memory.web.asked import moment
from memory.web.current import now, person, wiring

bp = Blueprint("several", __name__, url_prefix="/memories/several")
MOST = 5000  # at once
MOST_QUERY_CHARS = 200


@bp.post("/ask")
def ask() -> str:
    """Say how many would go, before all that fit a search do."""
    with reading(wiring().engine) as session:
        found, total = _fitting(session, limit=5)
    if not total:
        raise InvalidInput("Choose at least one memory.")
    return render_template(
        "memories/several.html",
        cards=found,
        total=total,
        query=request.form.get("q", ""),
        category=request.form.get("category", ""),
    )


@bp.post("/forget")
def forget() -> Response:
    """Forget the chosen memories, or with `all` every one that fits."""
    at = now()
    with transaction(wiring().engine) as session:
        if request.form.get("all") == "1":
            chosen, _total = _fitting(session, limit=MOST)
        else:
            chosen = _named(session, request.form.getlist("card")[:MOST])
        if not chosen:
            raise InvalidInput("Choose at least one memory.")
        cards.forget(session, chosen, now=at)
    return redirect(url_for("memories.page", gone=at.isoformat()), code=303)


@bp.post("/undo")
def undo() -> Response:
    """Bring back all that went in one step."""
    with transaction(wiring().engine) as session:
        gone = moment(request.form.get("gone", ""))
        found = rows.forgotten_at(session, person().id, gone) if gone else []
        back = cards.undo_forget(session, found, now=now()) if found else 0
    if not back:
        raise InvalidInput("This can no longer be undone.")
    flash(ngettext("%(num)d memory is back.", "%(num)d memories are back.", back))
    return redirect(url_for("memories.page"), code=303)


def _fitting(session: Session, *, limit: int) -> tuple[list[Card], int]:
    """The memories that the form's search and kind leave. A search for nothing finds nothing, not all."""
    query = fold(request.form.get("q", "").strip()[:MOST_QUERY_CHARS])
    kind = request.form.get("category", "")
    category = Category(kind) if kind in list(Category) else None
    if not query.split() and category is None:
        return [], 0
    return rows.page(session, person().id, text=query, category=category, limit=limit)


def _named(session: Session, public_ids: list[str]) -> list[Card]:
    found = []
    for each in dict.fromkeys(public_ids):
        try:
            card = rows.by_public_id(session, person().id, each)
        except NotFound:
            continue  # gone meanwhile, in another window
        if card.status is not CardStatus.FORGOTTEN:
            found.append(card)
    return found
