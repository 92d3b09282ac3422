"""Cards as points: places, columns, and the filter that the map and its table share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import ColumnElement, Select, and_, bindparam, case, func, or_, select, union_all, update
from sqlalchemy.orm import Session

from memory.records import Category
from memory.storage.cards import to_record
from memory.storage.tables import CardRow, LinkRow, WorthRow
from memory.storage.types import Vector


@dataclass(frozen=True, kw_only=True)
class SkyFilter:
    """Which memories are looked at. Everything must hold at once."""

    categories: frozenset[Category] = frozenset(Category)
    least_worth: float = 0.0  # 0..1, for rated memories
    most_worth: float = 1.0
    least_uses: int = 0  # for rated memories
    unrated: bool = True  # those without any outcome, which have no worth at all
    since: datetime | None = None  # learnt at or after
    until: datetime | None = None  # learnt before
    near: int | None = None  # a card's id: itself and what a link ties to it
    words: tuple[str, ...] = ()  # folded; each must stand in the card
    meant: frozenset[int] = frozenset()  # ids of cards that mean the words, where they do not hold them


class Point(NamedTuple):
    """One memory as the map draws it."""

    id: int
    public_id: str
    category: str
    x: float | None
    y: float | None
    successes: float
    uses: float
    learned_at: datetime


class Named(NamedTuple):
    """One memory as the map calls it."""

    id: int
    public_id: str
    category: str
    title: str
    text: str  # its beginning
    people: list[str]


class TableRow(NamedTuple):
    """One memory as the table lists it."""

    public_id: str
    category: str
    title: str
    text: str
    language: str
    learned_at: datetime
    mentioned_at: datetime
    successes: float
    uses: float
    links: int


class ToPlace(NamedTuple):
    """What a layout needs, one row a card in the order of `ids`; places are NaN where there is none yet."""

    ids: list[int]
    themes: np.ndarray[Any, np.dtype[np.bool_]]
    places: np.ndarray[Any, np.dtype[np.float64]]
    vectors: Vector


_MOST_NAMED = 5000
_LABEL = 200  # characters of the text that are read for a label
_SUCCESSES = func.coalesce(WorthRow.successes, 0.0)
_USES = func.coalesce(WorthRow.uses, 0.0)
_RATE = case((_USES > 0, _SUCCESSES / func.nullif(_USES, 0.0)), else_=None)


def to_place(session: Session, person_id: int, dimensions: int, version: str) -> ToPlace:
    """The person's active cards with their places and vectors, oldest first.

    Args:
        version: of the embedding; a vector of another one is left at zero.
    """
    found = session.execute(
        select(CardRow.id, CardRow.category, CardRow.x, CardRow.y, CardRow.vector, CardRow.vector_version)
        .where(CardRow.person_id == person_id, CardRow.status == "active")
        .order_by(CardRow.id)
    ).all()
    vectors = np.zeros((len(found), dimensions), dtype=np.float32)
    places = np.full((len(found), 2), np.nan)
    for at, row in enumerate(found):
        if row.vector is not None and row.vector_version == version:
            vectors[at] = row.vector
        if row.x is not None and row.y is not None:
            places[at] = row.x, row.y
    themes = np.array([row.category == "theme" for row in found], dtype=np.bool_)
    return ToPlace([row.id for row in found], themes, places, vectors)


def has_unplaced(session: Session, person_id: int) -> int:
    """How many active cards have no place yet."""
    return (
        session.scalar(
            select(func.count())
            .select_from(CardRow)
            .where(CardRow.person_id == person_id, CardRow.status == "active", CardRow.x.is_(None))
        )
        or 0
    )


def store_places(session: Session, person_id: int, places: Iterable[tuple[int, float, float]]) -> int:
    """Write places of cards, as (id, x, y); gives how many. No version is raised: what a card says stays."""
    rows = [{"the_id": card_id, "the_x": x, "the_y": y} for card_id, x, y in places]
    if rows:
        table = CardRow.__table__
        session.connection().execute(
            update(table)  # type: ignore[arg-type]  # a declared table is a Table
            .where(table.c.id == bindparam("the_id"), table.c.person_id == person_id)
            .values(x=bindparam("the_x"), y=bindparam("the_y")),
            rows,
        )
    return len(rows)


def pairs(session: Session, person_id: int, ids: Sequence[int]) -> list[tuple[int, int, float]]:
    """The threads among these cards, as (index, index, weight); one for two cards, however often linked.

    Both ends are in `ids`: a thread never hangs in the air.
    """
    index = {card_id: at for at, card_id in enumerate(ids)}
    found = session.execute(
        select(LinkRow.a_id, LinkRow.b_id, func.max(LinkRow.weight))
        .where(LinkRow.person_id == person_id)
        .group_by(LinkRow.a_id, LinkRow.b_id)
    )
    return [(index[a], index[b], weight) for a, b, weight in found if a in index and b in index]


def threads(
    session: Session, person_id: int, ids: Sequence[int], *, are_all: bool = False
) -> list[tuple[int, int]]:
    """The threads among these cards as pairs of indices, each once; both ends are in `ids`.

    Args:
        are_all: these are all that the person has: to name each of them would only cost time.
    """
    index = {card_id: at for at, card_id in enumerate(ids)}
    statement = select(LinkRow.a_id, LinkRow.b_id).where(LinkRow.person_id == person_id)
    if not are_all and len(ids) <= _MOST_NAMED:  # beyond that a database takes no more names in a question
        statement = statement.where(LinkRow.a_id.in_(ids), LinkRow.b_id.in_(ids))
    found = session.connection().execute(statement)  # thousands of plain rows: the mapper has no part in them
    return sorted({(index[a], index[b]) for a, b in found if a in index and b in index})


def drawn(session: Session, person_id: int, chosen: SkyFilter, *, limit: int) -> list[Point]:
    """The memories that fit, the warmest `limit` of them (last mentioned first), in the order of ids."""
    found = session.connection().execute(
        _warmest(
            person_id,
            chosen,
            limit,
            CardRow.id,
            CardRow.public_id,
            CardRow.category,
            CardRow.x,
            CardRow.y,
            _SUCCESSES,
            _USES,
            CardRow.learned_at,
        )
    )
    return sorted(Point(*row) for row in found)


def named(session: Session, person_id: int, chosen: SkyFilter, *, limit: int) -> list[Named]:
    """What the memories that `drawn` gives are called from."""
    found = session.execute(
        _warmest(
            person_id,
            chosen,
            limit,
            CardRow.id,
            CardRow.public_id,
            CardRow.category,
            CardRow.title,
            func.substr(CardRow.text, 1, _LABEL),
            CardRow.people,
        )
    )
    return sorted(Named(*row) for row in found)


def _warmest(person_id: int, chosen: SkyFilter, limit: int, *columns: Any) -> Select[Any]:
    return (
        select(*columns)
        .outerjoin(WorthRow, WorthRow.card_id == CardRow.id)
        .where(*_where(person_id, chosen))
        .order_by(CardRow.mentioned_at.desc(), CardRow.id.desc())
        .limit(limit)
    )


def counts(session: Session, person_id: int, chosen: SkyFilter) -> dict[Category, int]:
    """How many fit, by category; the filter's own categories are left aside, so that all can be told."""
    found = session.execute(
        select(CardRow.category, func.count())
        .select_from(CardRow)
        .outerjoin(WorthRow, WorthRow.card_id == CardRow.id)
        .where(*_where(person_id, replace(chosen, categories=frozenset(Category))))
        .group_by(CardRow.category)
    )
    told = {Category(category): number for category, number in found}
    return {category: told.get(category, 0) for category in Category}


def matching(session: Session, person_id: int, chosen: SkyFilter, *, limit: int) -> list[str]:
    """The public ids of the memories that fit, warmest first."""
    return list(session.scalars(_warmest(person_id, chosen, limit, CardRow.public_id)))


SORTS = ("learned", "mentioned", "kind", "text", "worth", "uses", "links")


def table(
    session: Session,
    person_id: int,
    chosen: SkyFilter,
    *,
    sort: str = "learned",
    descending: bool = True,
    offset: int = 0,
    limit: int = 50,
) -> list[TableRow]:
    """A page of the memories that fit, sorted by one of `SORTS`; the unrated come last in both directions."""
    ends = union_all(
        select(LinkRow.a_id.label("card_id")).where(LinkRow.person_id == person_id),
        select(LinkRow.b_id.label("card_id")).where(LinkRow.person_id == person_id),
    ).subquery()
    tied = select(ends.c.card_id, func.count().label("number")).group_by(ends.c.card_id).subquery()
    links = func.coalesce(tied.c.number, 0)
    keys: dict[str, Any] = {
        "learned": CardRow.learned_at,
        "mentioned": CardRow.mentioned_at,
        "kind": CardRow.category,
        "text": func.lower(func.substr(CardRow.text, 1, _LABEL)),
        "worth": _RATE,
        "uses": _USES,
        "links": links,
    }
    key = keys[sort]
    order = [key.desc() if descending else key.asc()]
    if sort == "worth":
        order.insert(0, _RATE.is_(None))
    found = session.execute(
        select(
            CardRow.public_id,
            CardRow.category,
            CardRow.title,
            func.substr(CardRow.text, 1, _LABEL),
            CardRow.language,
            CardRow.learned_at,
            CardRow.mentioned_at,
            _SUCCESSES,
            _USES,
            links,
        )
        .outerjoin(WorthRow, WorthRow.card_id == CardRow.id)
        .outerjoin(tied, tied.c.card_id == CardRow.id)
        .where(*_where(person_id, chosen))
        .order_by(*order, CardRow.id.desc())
        .offset(offset)
        .limit(limit)
    )
    return [TableRow(*row) for row in found]


def by_handle(session: Session, person_id: int, handle: str) -> list[Any]:
    """The person's active cards whose public id begins with `handle`: one, but for a rare chance."""
    rows = session.scalars(
        select(CardRow).where(
            CardRow.person_id == person_id,
            CardRow.status == "active",
            func.substr(CardRow.public_id, 1, len(handle)) == handle,
        )
    )
    return [to_record(row) for row in rows]


def worth_state(session: Session, person_id: int, card_id: int) -> dict[str, Any] | None:
    """The stored state of a card's worth, as `WorthState.to_dict` wrote it; None when nothing was counted."""
    return session.scalar(
        select(WorthRow.state).where(WorthRow.person_id == person_id, WorthRow.card_id == card_id)
    )


def _where(person_id: int, chosen: SkyFilter) -> list[ColumnElement[bool]]:
    where: list[ColumnElement[bool]] = [CardRow.person_id == person_id, CardRow.status == "active"]
    if len(chosen.categories) < len(Category):
        where.append(CardRow.category.in_([each.value for each in chosen.categories]))
    rated = [_USES > 0, chosen.least_uses <= _USES]
    if chosen.least_worth > 0:
        rated.append(chosen.least_worth - 1e-9 <= _RATE)
    if chosen.most_worth < 1:
        rated.append(chosen.most_worth + 1e-9 >= _RATE)
    if len(rated) > 2 or chosen.least_uses > 0 or not chosen.unrated:
        fits = rated[0]
        for each in rated[1:]:
            fits = fits & each
        where.append(or_(fits, _USES <= 0) if chosen.unrated else fits)
    if chosen.since is not None:
        where.append(CardRow.learned_at >= chosen.since)
    if chosen.until is not None:
        where.append(CardRow.learned_at < chosen.until)
    if chosen.near is not None:
        towards = select(LinkRow.b_id).where(LinkRow.person_id == person_id, LinkRow.a_id == chosen.near)
        back = select(LinkRow.a_id).where(LinkRow.person_id == person_id, LinkRow.b_id == chosen.near)
        where.append(or_(CardRow.id == chosen.near, CardRow.id.in_(towards), CardRow.id.in_(back)))
    held = [CardRow.surface_terms.contains(word, autoescape=True) for word in chosen.words]
    if held:
        where.append(or_(and_(*held), CardRow.id.in_(sorted(chosen.meant))) if chosen.meant else and_(*held))
    return where
