"""How memories served: on each card, for the person to decide, and for the operator in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from flask import Blueprint, g, redirect, render_template, url_for
from flask_babel import gettext as _
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from memory import cards, judge
from memory.errors import Conflict, NotFound
from memory.records import Card, CardStatus, Role
from memory.storage import cards as rows
from memory.storage import figures as sums
from memory.storage import outcomes
from memory.storage.engine import reading, transaction
from memory.web.current import now, person, wants_fragment, wiring, with_role
from memory.worth import Description, Move, Point, Status, WorthState, describe
from memory.worth.evidence import bounds

bp = Blueprint("worth", __name__)
SPAN = timedelta(days=30)
_WIDTH, _HEIGHT = 240.0, 48.0  # of the plot, in its own units
_SHOWN = (Status.SUSPECT, Status.REVIEW, Status.SUPPRESSED, Status.DEPRECATED)


@dataclass(frozen=True, kw_only=True)
class Plot:
    """A card's history as the points of an SVG: the share that went well, and the range it lies in."""

    line: str
    band: str
    marks: tuple[tuple[float, float, bool], ...]
    width: float = _WIDTH
    height: float = _HEIGHT


@bp.get("/worth")
def page() -> str:
    """What is in doubt, on trial, held back, or proposed for forgetting; each with its evidence."""
    with reading(wiring().engine) as session:
        found = outcomes.by_status(session, person().id, [each.value for each in _SHOWN])
        groups: dict[str, list[dict[str, Any]]] = {each.value: [] for each in _SHOWN}
        for card, plain in found:
            shown = _shown(session, card, plain)
            groups[shown["worth"].status.value].append(shown)
    return render_template("worth/page.html", groups=groups, any=bool(found), status_word=status_word)


@bp.get("/worth/<public_id>")
def card(public_id: str) -> str:
    """How one memory served: counts, range and history; a fragment below its card, or a page."""
    with reading(wiring().engine) as session:
        found = _found(session, public_id)
        plain = outcomes.states(session, person().id, [found.id]).get(found.id)
        shown = _shown(session, found, plain or WorthState().to_dict())
    template = "worth/_history.html" if wants_fragment() else "worth/card.html"
    return render_template(template, shown=shown, status_word=status_word)


@bp.post("/worth/<public_id>/<any(restore, confirm, deny, pin, end, forget):what>")
def decide(public_id: str, what: str) -> Response:
    """The person's word: it ends a trial, brings a memory back, or lets it go."""
    moves = {
        "restore": Move.RESTORE,
        "end": Move.RESTORE,  # a trial that is ended is ended in favour of the memory
        "confirm": Move.CONFIRM,
        "deny": Move.DENY,
        "pin": Move.PIN,
    }
    with transaction(wiring().engine) as session:
        found = _found(session, public_id)
        if found.status is not CardStatus.ACTIVE:
            raise Conflict("This is not current any more.")
        if what == "forget":
            cards.forget(session, [found], now=now())
        else:
            if what == "pin":
                cards.edit(session, person(), found, embedder=wiring().embedder, now=now(), pinned=True)
            judge.enact(session, person().id, found.id, moves[what], now=now())
            rows.touch_owner(session, person().id)
    if what == "forget":
        return redirect(url_for("memories.page", forgotten=public_id), code=303)
    return redirect(url_for(".page"), code=303)


@bp.get("/operator/worth")
def figures() -> str:
    """Episodes, trials and their ends of everybody, in numbers; no texts, no names."""
    with_role(Role.OPERATOR)
    with reading(wiring().engine) as session:
        counts = outcomes.counts(session)
        rates = outcomes.rates(session, since=now() - SPAN)
        fates = sums.totals(session, since=now() - SPAN)
    return render_template(
        "worth/operator.html",
        counts=counts,
        rates=rates,
        fates=fates,
        statuses=list(Status),
        status_word=status_word,
    )


def status_word(status: Status) -> str:
    """Where a memory stands, in plain words."""
    words: dict[Status, str] = {
        Status.UNPROVEN: _("too little seen yet"),
        Status.NEUTRAL: _("serves as expected"),
        Status.TRUSTED: _("serves well"),
        Status.SUSPECT: _("on trial"),
        Status.REVIEW: _("for you to look at"),
        Status.SUPPRESSED: _("not offered unasked"),
        Status.DEPRECATED: _("proposed for forgetting"),
    }
    return words[Status(status)]


def tally(card: Card) -> dict[str, Any] | None:
    """What a card says in one line: how often it was there, how often that went well, and the range.

    None when nothing was counted. One query serves all cards of a page.
    """
    known = g.get("worth_tallies")
    if known is None:
        with reading(wiring().engine) as session:
            known = g.worth_tallies = outcomes.tallies(session, person().id)
    if card.id not in known:
        return None
    good, uses, status = known[card.id]
    lower, upper = bounds(good, uses)
    return {"good": int(good), "uses": int(uses), "lower": lower, "upper": upper, "status": status}


def plot(points: Sequence[Point]) -> Plot | None:
    """The history as a drawing, oldest to the left; None for fewer than two uses."""
    if len(points) < 2:
        return None
    step = _WIDTH / (len(points) - 1)

    def at(index: int, share: float) -> tuple[float, float]:
        return round(index * step, 1), round((1.0 - share) * _HEIGHT, 1)

    rates = [at(index, point.successes / point.uses) for index, point in enumerate(points)]
    upper = [at(index, point.upper) for index, point in enumerate(points)]
    lower = [at(index, point.lower) for index, point in enumerate(points)]
    return Plot(
        line=_joined(rates),
        band=_joined([*upper, *reversed(lower)]),
        marks=tuple((*at(index, float(point.good)), point.good) for index, point in enumerate(points)),
    )


def _joined(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)


def _found(session: Session, public_id: str) -> Card:
    found = rows.by_public_id(session, person().id, public_id)
    if found.status is CardStatus.FORGOTTEN:
        raise NotFound("card", public_id)
    return found


def _shown(session: Session, card: Card, plain: dict[str, Any]) -> dict[str, Any]:
    worth: Description = describe(WorthState.from_dict(plain))
    points = judge.history_of(session, person().id, card.id)
    companion = None
    if worth.never_seen_apart and worth.companion is not None:
        companion = rows.by_ids(session, person().id, [worth.companion]).get(worth.companion)
    return {"card": card, "worth": worth, "plot": plot(points), "companion": companion}
