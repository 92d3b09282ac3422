"""The constellation: every memory as a point of a sky, and the table that says the same."""

from __future__ import annotations

import gzip
import json
from typing import Any
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, make_response, render_template, request
from sqlalchemy.orm import Session

from memory import constellation
from memory.errors import NotFound
from memory.queue import JobName
from memory.records import Card, Category, Link
from memory.storage import cards as rows
from memory.storage import links as link_rows
from memory.storage import sky, turns
from memory.storage.engine import reading
from memory.web.asked import whole
from memory.web.current import person, wants_fragment, wiring
from memory.web.security import allow_inline_styles
from memory.web.sky_filter import told
from memory.worth import WorthState, describe
from memory.worth.evidence import bounds

bp = Blueprint("constellation", __name__, url_prefix="/constellation")
DRAWN = 3000  # more points than that are neither quick to draw nor of use to an eye
PLACED_AT_ONCE = 400  # so many cards without a place are placed while the page waits
PAGE_SIZE = 50
MOST_NEIGHBOURS = 24
MOST_PEOPLE = 500


@bp.get("")
def page() -> Response:
    """The map; its points come by `data`, so that the page itself is there at once."""
    allow_inline_styles()  # Plotly writes style attributes while it draws
    with reading(wiring().engine) as session:
        chosen = told(session, person())
        values = _form_values(session, chosen)
        opened = _opened(session, request.args.get("card", ""))
    skeletons = {theme: json.loads(constellation.skeleton(theme)) for theme in ("dark", "light")}
    return make_response(
        render_template(
            "constellation/page.html", skeletons=skeletons, opened=opened, most=DRAWN, is_map=True, **values
        )
    )


@bp.get("/data")
def data() -> Response:
    """The points and threads that the filter leaves, as columns; at most `DRAWN`, the warmest first."""
    owner, parts = person(), wiring()
    with reading(parts.engine) as session:
        chosen = told(session, owner)
        counts = sky.counts(session, owner.id, chosen)
        points = sky.drawn(session, owner.id, chosen, limit=DRAWN)
        places, waiting = _missing_places(session, points)
        points = [p for p in points if p.x is not None or p.id in places]
        are_all = chosen == sky.SkyFilter() and len(points) == sum(counts.values())
        threads = sky.threads(session, owner.id, [p.id for p in points], are_all=are_all)
    if places or waiting:
        parts.queue.enqueue(JobName.PLACE, unique=str(owner.id), person_id=owner.id)
    body = constellation.columns(points, places, threads, ZoneInfo(owner.zone))
    body |= {
        "total": sum(counts[each] for each in chosen.categories),
        "counts": [counts[each] for each in Category],
        "waiting": waiting,
    }
    return _compact(body)


@bp.get("/labels")
def labels() -> Response:
    """What the points are called, by their handles: for hovering, a moment after the drawing."""
    with reading(wiring().engine) as session:
        points = sky.named(session, person().id, told(session, person()), limit=DRAWN)
    names = constellation.handles([p.public_id for p in points])
    return _compact({"k": names, "t": constellation.labels(points)})


@bp.get("/find")
def find() -> Response:
    """The memories that hold the words of `q` or mean them, and how many there are in all."""
    with reading(wiring().engine) as session:
        chosen = told(session, person())
        found = sky.matching(session, person().id, chosen, limit=DRAWN)
        counts = sky.counts(session, person().id, chosen)
    total = sum(counts[each] for each in chosen.categories)
    return _compact({"k": found, "total": total})


@bp.get("/card/<handle>")
def card(handle: str) -> str:
    """A card with everything around it: neighbours, worth, where it came from. A page without a script.

    Raises:
        NotFound: it was forgotten, perhaps in another window.
    """
    with reading(wiring().engine) as session:
        found = sky.by_handle(session, person().id, handle) if len(handle) >= constellation.HANDLE else []
        if not found:
            raise NotFound("card", handle)
        opened = _around(session, found[0])
    template = "constellation/_panel.html" if wants_fragment() else "constellation/card.html"
    return render_template(template, opened=opened)


@bp.get("/table")
def table() -> str:
    """The map's twin: the same memories by the same filter, to sort and to page through."""
    sort = request.args.get("sort", "learned")
    sort = sort if sort in sky.SORTS else "learned"
    descending = request.args.get("order", "desc" if sort in ("learned", "mentioned") else "asc") == "desc"
    number = whole("page", 1, least=1, most=10_000)
    with reading(wiring().engine) as session:
        chosen = told(session, person())
        values = _form_values(session, chosen)
        last = max(1, -(-values["total"] // PAGE_SIZE))
        number = min(number, last)
        found = sky.table(
            session,
            person().id,
            chosen,
            sort=sort,
            descending=descending,
            offset=(number - 1) * PAGE_SIZE,
            limit=PAGE_SIZE,
        )
    kept = {key: request.args.getlist(key) for key in request.args if key not in ("page", "sort", "order")}
    return render_template(
        "constellation/table.html",
        found=found,
        sort=sort,
        descending=descending,
        number=number,
        last=last,
        kept=kept,
        bounds=bounds,
        is_map=False,
        **values,
    )


def _form_values(session: Session, chosen: sky.SkyFilter) -> dict[str, Any]:
    """What the filter's form shows, and how many memories fit."""
    counts = sky.counts(session, person().id, chosen)
    people = rows.people(session, person().id, limit=MOST_PEOPLE)
    names = [
        (each.public_id, each.people[0] if each.people else each.subject or each.text[:60]) for each in people
    ]
    return {
        "chosen": chosen,
        "categories": list(Category),
        "counts": counts,
        "total": sum(counts[each] for each in chosen.categories),
        "people": sorted(names, key=lambda each: each[1].casefold()),
    }


def _missing_places(session: Session, points: list[sky.Point]) -> tuple[dict[int, tuple[float, float]], int]:
    """Places for points that have none stored yet, and how many must wait for the job that gives them."""
    if all(p.x is not None for p in points):
        return {}, 0
    unplaced = sky.has_unplaced(session, person().id)
    if unplaced > PLACED_AT_ONCE:
        return {}, unplaced
    return constellation.places_of(session, person().id), 0


def _opened(session: Session, public_id: str) -> dict[str, Any] | None:
    """The card that the address asks for; None when there is none, or not any more."""
    found = sky.by_handle(session, person().id, public_id) if len(public_id) >= constellation.HANDLE else []
    return _around(session, found[0]) if found else None


def _around(session: Session, found: Card) -> dict[str, Any]:
    """What the panel of a card shows."""
    owner = person().id
    ties: dict[int, Link] = {}
    for link in link_rows.of_cards(session, owner, [found.id]):
        ties.setdefault(link.b_id if link.a_id == found.id else link.a_id, link)
    cards = rows.by_ids(session, owner, list(ties)[:MOST_NEIGHBOURS])
    state = sky.worth_state(session, owner, found.id)
    worth = describe(WorthState.from_dict(state)) if state else None
    return {
        "card": found,
        "turn_of": turns.public_ids(session, owner, {found.turn_id} if found.turn_id else set()),
        "neighbours": [
            {
                "card": cards[each],
                "kind": link.kind.value,
                "label": constellation.label(
                    cards[each].category, cards[each].title, cards[each].text, cards[each].people
                ),
            }
            for each, link in ties.items()
            if each in cards
        ],
        "more": max(0, len(ties) - MOST_NEIGHBOURS),
        "worth": worth if worth and worth.uses else None,
    }


def _compact(body: dict[str, Any]) -> Response:
    """JSON without blanks, gzipped where the browser takes it."""
    raw = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
    response = Response(raw, mimetype="application/json")
    response.vary.add("Accept-Encoding")
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        response.set_data(gzip.compress(raw, 5))
        response.headers["Content-Encoding"] = "gzip"
    return response
