"""The filter of the constellation as an address carries it: the same for the map, its data and the table."""

from __future__ import annotations

from flask import request
from sqlalchemy.orm import Session

from memory.errors import NotFound
from memory.language import fold
from memory.records import CardStatus, Category, Person
from memory.storage import cards as rows
from memory.storage.sky import SkyFilter
from memory.web.asked import midnight, whole
from memory.web.meant import meant

MOST_QUERY_CHARS = 200


def told(session: Session, person: Person) -> SkyFilter:
    """The filter that the request's address holds; what cannot be read is as if it were not there.

    `f=1` says that a form was sent, where a box that is not ticked is simply missing.
    """
    sent = request.args
    is_form = sent.get("f") == "1"
    query = sent.get("q", "").strip()[:MOST_QUERY_CHARS]
    kinds = frozenset(Category(each) for each in sent.getlist("category") if each in list(Category))
    least = whole("worth_from", 0, most=100)
    most = whole("worth_to", 100, most=100)
    return SkyFilter(
        categories=kinds if kinds or is_form else frozenset(Category),
        least_worth=least / 100,
        most_worth=most / 100,
        least_uses=whole("uses", 0),
        unrated=sent.get("unrated") == "1" or not (is_form or "unrated" in sent),
        since=midnight(sent.get("since", ""), person.zone),
        until=midnight(sent.get("until", ""), person.zone, after=True),
        near=_card(session, person, sent.get("person", "")),
        words=tuple(fold(query).split()),
        meant=frozenset(card.id for card in meant(session, query)),
    )


def _card(session: Session, person: Person, public_id: str) -> int | None:
    if not public_id:
        return None
    try:
        found = rows.by_public_id(session, person.id, public_id)
    except NotFound:
        return None
    return found.id if found.status is CardStatus.ACTIVE else None
