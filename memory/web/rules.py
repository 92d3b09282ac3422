"""Personal rules: how a person wants to be answered, in their own words."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from memory.errors import InvalidInput
from memory.storage import rules
from memory.storage.engine import reading, transaction
from memory.web.current import now, person, wants_fragment, wiring

bp = Blueprint("rules", __name__, url_prefix="/rules")
MOST_CHARS = 500


@bp.get("/")
def page() -> str:
    """All rules, with the form for another."""
    with reading(wiring().engine) as session:
        found = rules.of_person(session, person().id)
    return render_template("rules/page.html", rules=found)


@bp.post("/")
def add() -> str | Response:
    """Add a rule. htmx gets its row; a plain form comes back to the page."""
    text = _text()
    with transaction(wiring().engine) as session:
        rule = rules.add(session, person().id, text, now=now())
    if wants_fragment():
        return render_template("rules/_rule.html", rule=rule)
    return redirect(url_for(".page"), code=303)


@bp.get("/<public_id>")
def edit(public_id: str) -> str:
    """The form for one rule, as a row or as a page."""
    with reading(wiring().engine) as session:
        rule = rules.by_public_id(session, person().id, public_id)
    return render_template("rules/_edit.html" if wants_fragment() else "rules/edit.html", rule=rule)


@bp.get("/<public_id>/row")
def row(public_id: str) -> str:
    """One rule as it stands; for whoever leaves the form without saving."""
    with reading(wiring().engine) as session:
        return render_template("rules/_rule.html", rule=rules.by_public_id(session, person().id, public_id))


@bp.post("/<public_id>")
def change(public_id: str) -> str | Response:
    """Replace a rule's words."""
    text = _text()
    with transaction(wiring().engine) as session:
        rule = rules.change(session, person().id, public_id, text)
    if wants_fragment():
        return render_template("rules/_rule.html", rule=rule)
    return redirect(url_for(".page"), code=303)


@bp.post("/<public_id>/remove")
def remove(public_id: str) -> str | Response:
    """Take a rule away."""
    with transaction(wiring().engine) as session:
        rules.remove(session, person().id, public_id)
    if wants_fragment():
        return ""
    flash(_("The rule is removed."))
    return redirect(url_for(".page"), code=303)


def _text() -> str:
    text = request.form.get("text", "").strip()
    if not 0 < len(text) <= MOST_CHARS:
        raise InvalidInput("Write a rule of at most %(most)s characters.", most=MOST_CHARS)
    return text
