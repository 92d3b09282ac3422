"""What I remember: every memory of a person, to search, correct, forget, and see where it came from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from urllib.parse import urlsplit

from flask import Blueprint, render_template, request, url_for
from flask import redirect as to
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from memory import cards, judge
from memory.errors import AppError, Conflict, InvalidInput, NotFound
from memory.language import fold
from memory.records import Card, CardStatus, Category, When
from memory.storage import cards as rows
from memory.storage import outcomes, turns
from memory.storage.engine import reading, transaction
from memory.web.asked import moment, whole
from memory.web.current import now, person, wants_fragment, wiring
from memory.web.errors import words
from memory.web.meant import meant
from memory.worth import Move

bp = Blueprint("memories", __name__, url_prefix="/memories")
PAGE_SIZE = 30
MOST_QUERY_CHARS = 200


@bp.get("/")
def page() -> str:
    """The list, newest first; with `q` and `category` only what fits, in pages."""
    query = request.args.get("q", "").strip()[:MOST_QUERY_CHARS]
    chosen = request.args.get("category", "")
    category = Category(chosen) if chosen in list(Category) else None
    number = whole("page", 1, least=1)
    with reading(wiring().engine) as session:
        found, total = rows.page(
            session,
            person().id,
            text=fold(query),
            category=category,
            offset=(number - 1) * PAGE_SIZE,
            limit=PAGE_SIZE,
        )
        near = meant(session, query) if number == 1 and total < PAGE_SIZE else []
        near = [each for each in near if each not in found and category in (None, each.category)]
        values = {
            "cards": found,
            "total": total,
            "near": near,
            "turn_of": _turns(session, [*found, *near]),
            "forgotten": _just_forgotten(session),
            "gone": _just_gone(session),
        }
    template = "memories/_results.html" if wants_fragment() else "memories/page.html"
    return render_template(
        template,
        is_fragment=wants_fragment(),
        query=query,
        category=category,
        categories=list(Category),
        number=number,
        last=max(1, -(-total // PAGE_SIZE)),
        **values,
    )


@bp.get("/<public_id>")
def card(public_id: str) -> str:
    """One card as it stands; a page when asked for by address."""
    with reading(wiring().engine) as session:
        found = rows.by_public_id(session, person().id, public_id)
        turn_of = _turns(session, [found])
    if found.status is CardStatus.FORGOTTEN:
        raise NotFound("card", public_id)
    return render_template(
        "memories/_card.html" if wants_fragment() else "memories/card.html",
        card=found,
        turn_of=turn_of,
        selectable=_is_in_list(),
    )


@bp.get("/<public_id>/edit")
def edit(public_id: str) -> str:
    """The form for one card, in its place or as a page."""
    with reading(wiring().engine) as session:
        found = _current(session, public_id)
    return _form(found)


@bp.post("/<public_id>")
def change(public_id: str) -> str | Response | tuple[str, int]:
    """Correct a card. What does not fit comes back in the form, with nothing typed lost."""
    form = request.form
    try:
        with transaction(wiring().engine) as session:
            known = _current(session, public_id)
            when = _moment(known)
            changed = cards.edit(
                session,
                person(),
                known,
                embedder=wiring().embedder,
                now=now(),
                text=_changed_text(known),
                title=form.get("title"),
                category=_category(form.get("category", known.category)),
                when=when,
                clear_when=when is None,
            )
    except (InvalidInput, Conflict) as error:
        return _form(known, fault=error), 200 if wants_fragment() else error.status
    return _shown(changed)


@bp.post("/<public_id>/pin")
def pin(public_id: str) -> str | Response:
    """Keep a card at hand, or no longer."""
    with transaction(wiring().engine) as session:
        changed = cards.edit(
            session,
            person(),
            _current(session, public_id),
            embedder=wiring().embedder,
            now=now(),
            pinned=request.form.get("pinned") == "1",
        )
        if outcomes.states(session, person().id, [changed.id]):
            move = Move.PIN if changed.pinned else Move.UNPIN
            judge.enact(session, person().id, changed.id, move, now=now())
    return _shown(changed)


@bp.post("/<public_id>/forget")
def forget(public_id: str) -> str | Response:
    """Forget a card; for some seconds it can be brought back."""
    with transaction(wiring().engine) as session:
        found = rows.by_public_id(session, person().id, public_id)
        cards.forget(session, [found], now=now())
    if wants_fragment():
        return render_template("memories/_forgotten.html", card=found)
    return to(url_for(".page", forgotten=public_id), code=303)


@bp.post("/<public_id>/undo")
def undo(public_id: str) -> str | Response:
    """Bring back what was just forgotten."""
    with transaction(wiring().engine) as session:
        found = rows.by_public_id(session, person().id, public_id)
        cards.undo_forget(session, [found], now=now())
        found = rows.by_public_id(session, person().id, public_id)
    return _shown(found)


@bp.get("/<public_id>/history")
def history(public_id: str) -> str:
    """What the card said before it was corrected, newest first."""
    with reading(wiring().engine) as session:
        found = rows.by_public_id(session, person().id, public_id)
        earlier = [each for each in rows.history(session, found.id) if each.person_id == person().id]
    template = "memories/_history.html" if wants_fragment() else "memories/history.html"
    return render_template(template, card=found, earlier=earlier)


@bp.post("/<public_id>/restore")
def restore(public_id: str) -> Response:
    """Make an earlier value the current one again."""
    with transaction(wiring().engine) as session:
        found = rows.by_public_id(session, person().id, public_id)
        if not cards.restore(session, person(), found, now=now()):
            raise Conflict("This is current already, or was forgotten meanwhile.")
    response = to(url_for(".card", public_id=public_id), code=303)
    if wants_fragment():
        response.headers["HX-Redirect"] = response.location or ""
        response.status_code = 200
    return response


def _shown(found: Card) -> str | Response:
    """The card in its place for htmx; the list at its place for a plain form."""
    if not wants_fragment():
        return to(url_for(".page", _anchor=f"card-{found.public_id}"), code=303)
    with reading(wiring().engine) as session:
        return render_template(
            "memories/_card.html", card=found, turn_of=_turns(session, [found]), selectable=_is_in_list()
        )


def _is_in_list() -> bool:
    """Whether the card goes back into the list, where several can be ticked, and not into the map."""
    return wants_fragment() and urlsplit(request.headers.get("HX-Current-URL", "")).path == url_for(".page")


def _form(found: Card, *, fault: AppError | None = None) -> str:
    return render_template(
        "memories/_edit.html" if wants_fragment() else "memories/edit.html",
        card=found,
        categories=[each for each in Category if each is not Category.THEME or found.category is each],
        fault=words(fault) if fault else "",
    )


def _current(session: Session, public_id: str) -> Card:
    """A card that may still be changed."""
    found = rows.by_public_id(session, person().id, public_id)
    if found.status is CardStatus.FORGOTTEN:
        raise NotFound("card", public_id)
    return found


def _turns(session: Session, found: Sequence[Card]) -> dict[int, str]:
    """The public ids of the turns that cards came from."""
    ids = {each.turn_id for each in found if each.turn_id is not None}
    return turns.public_ids(session, person().id, ids)


def _just_forgotten(session: Session) -> Card | None:
    """The card that a plain form forgot just now, so that the page can offer to undo it."""
    public_id = request.args.get("forgotten", "")
    if not public_id or wants_fragment():
        return None
    try:
        found = rows.by_public_id(session, person().id, public_id)
    except NotFound:
        return None
    return found if found.status is CardStatus.FORGOTTEN else None


def _just_gone(session: Session) -> dict[str, object] | None:
    """What several memories that went at once are brought back by, and how many there are."""
    gone = moment(request.args.get("gone", ""))
    found = rows.forgotten_at(session, person().id, gone) if gone else []
    return {"at": gone.isoformat(), "count": len(found)} if gone and found else None


def _category(text: str) -> Category:
    try:
        return Category(text)
    except ValueError:
        raise InvalidInput("Choose one of the kinds on the list.") from None


def _changed_text(known: Card) -> str | None:
    """The new text, or None when it is as it was: browsers send line ends as CRLF."""
    text = request.form.get("text", "").replace("\r\n", "\n").strip()
    return None if text == known.text.strip() else text


def _moment(known: Card) -> When | None:
    """The moment in the form: a day, perhaps with a time. None when there is no day.

    Raises:
        InvalidInput: what was written is no day or no time.
    """
    day_text, time_text = request.form.get("date", "").strip(), request.form.get("time", "").strip()
    if not day_text:
        return None
    try:
        day = date.fromisoformat(day_text)
        at = time.fromisoformat(time_text) if time_text else None
    except ValueError:
        raise InvalidInput("Write the day as 2026-06-08 and the time as 17:00.") from None
    start = datetime.combine(day, at or time())
    before = known.when
    zone = before.zone if before else person().zone
    if before is None:
        return When(start=start, zone=zone, all_day=at is None)
    end = None if before.end is None else before.end + (start - before.start)
    return When(start=start, zone=zone, all_day=at is None, end=end, rrule=before.rrule)
