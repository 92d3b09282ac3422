"""What the tidy job reads and writes: cards with their vectors, themes with their cards, similar links."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from memory.records import Author, Card, Link, LinkKind
from memory.storage import links as link_rows
from memory.storage.cards import to_record, touch_owner
from memory.storage.tables import CardRow, LinkRow
from memory.storage.types import Vector

NEARLY_THE_SAME = "says nearly the same"  # a link's reason: proposed to the person, never merged
KEPT_APART = "kept apart"  # the person said that both stay
NAMELESS = "…"  # a theme without words of its own
_AWAY = ("cancelled", "forgotten")  # statuses of a theme that the person wants none of


@dataclass(frozen=True, kw_only=True)
class Loose:
    """One card as the tidy job compares it."""

    card: Card
    vector: Vector


@dataclass(frozen=True, kw_only=True)
class Theme:
    """A theme and the active cards that it points to."""

    id: int
    text: str
    renamed: bool  # by the person: the name is theirs
    made_here: bool  # by the tidy job, which may take it away again
    away: bool  # the person wants none of it: it is not shown, and its cards make no other theme
    cards: frozenset[int]


def owners(session: Session) -> list[int]:
    """People with at least one active card."""
    statement = select(CardRow.person_id).where(CardRow.status == "active").distinct()
    return list(session.scalars(statement.order_by(CardRow.person_id)))


def owners_of(session: Session, card_ids: Collection[int]) -> list[int]:
    """The people to whom these cards belong, whatever became of the cards."""
    if not card_ids:
        return []
    statement = select(CardRow.person_id).where(CardRow.id.in_(card_ids)).distinct()
    return list(session.scalars(statement.order_by(CardRow.person_id)))


def loose(session: Session, person_id: int, *, version: str, limit: int) -> list[Loose]:
    """The person's active cards but themes, the last mentioned `limit` of them, in the order of ids.

    Args:
        version: of the embedding; cards with a vector of another one are left out.
    """
    found = session.execute(
        select(CardRow, CardRow.vector)
        .where(
            CardRow.person_id == person_id,
            CardRow.status == "active",
            CardRow.category != "theme",
            CardRow.vector_version == version,
            CardRow.vector.is_not(None),
        )
        .order_by(CardRow.mentioned_at.desc(), CardRow.id.desc())
        .limit(limit)
    ).all()
    return sorted(
        (Loose(card=to_record(row), vector=vector) for row, vector in found if vector is not None),
        key=lambda each: each.card.id,
    )


def themes(session: Session, person_id: int, *, with_away: bool = False) -> list[Theme]:
    """The person's themes, oldest first; with those that were put away or forgotten only when asked for."""
    statuses = ("active", *_AWAY) if with_away else ("active",)
    rows = session.scalars(
        select(CardRow)
        .where(CardRow.person_id == person_id, CardRow.status.in_(statuses), CardRow.category == "theme")
        .order_by(CardRow.id)
    ).all()
    held: dict[int, set[int]] = {row.id: set() for row in rows}
    active = select(CardRow.id).where(
        CardRow.person_id == person_id, CardRow.status == "active", CardRow.category != "theme"
    )
    for link in session.execute(
        select(LinkRow.a_id, LinkRow.b_id).where(
            LinkRow.person_id == person_id, LinkRow.kind == LinkKind.THEME.value
        )
    ):
        for theme, card in ((link.a_id, link.b_id), (link.b_id, link.a_id)):
            if theme in held:
                held[theme].add(card)
    standing = set(session.scalars(active)) if held else set()
    return [
        Theme(
            id=row.id,
            text=row.text,
            renamed=row.version > 1,
            made_here=row.author == Author.TIDY.value,
            away=row.status in _AWAY,
            cards=frozenset(held[row.id] & standing),
        )
        for row in rows
    ]


def put_away(session: Session, person_id: int, theme_id: int, *, away: bool) -> bool:
    """Take a theme out of sight for good, or bring it back; False when it was so already or is no theme.

    It keeps pointing to its cards: that is how the next tidying knows what it must not make again.
    """
    was, becomes = ("active", "cancelled") if away else ("cancelled", "active")
    changed = session.scalar(
        update(CardRow)
        .where(
            CardRow.person_id == person_id,
            CardRow.id == theme_id,
            CardRow.category == "theme",
            CardRow.status == was,
        )
        .values(status=becomes)  # the version stays: it says that the person gave the name
        .execution_options(synchronize_session=False)
        .returning(CardRow.id)
    )
    touch_owner(session, person_id)
    session.expire_all()
    return changed is not None


def bury(session: Session, theme_ids: Collection[int]) -> int:
    """What is left of forgotten themes: no name and no words, only that they are not to be made again."""
    owners = list(
        session.scalars(
            update(CardRow)
            .where(CardRow.id.in_(theme_ids), CardRow.category == "theme")
            .values(
                status="cancelled",
                text=NAMELESS,
                title="",
                terms="",
                surface_terms="",
                statement_key="",
                vector=None,
                vector_version="",
                forgotten_at=None,
            )
            .execution_options(synchronize_session=False)
            .returning(CardRow.person_id)
        )
    )
    for person_id in set(owners):
        touch_owner(session, person_id)
    return len(owners)


def rename(session: Session, person_id: int, theme_id: int, *, text: str, vector: Vector) -> None:
    """Give a theme another name, without counting it as changed by its person."""
    session.execute(
        update(CardRow)
        .where(CardRow.person_id == person_id, CardRow.id == theme_id)
        .values(text=text, title="", terms="", surface_terms="", vector=vector)
    )
    touch_owner(session, person_id)


def still_there(session: Session, person_id: int, card_ids: Collection[int]) -> set[int]:
    """Which of these cards are still active."""
    active = select(CardRow.id).where(CardRow.person_id == person_id, CardRow.status == "active")
    return set(session.scalars(active)) & set(card_ids)


def similar(session: Session, person_id: int) -> dict[tuple[int, int], Link]:
    """All similar links of a person, by their ends."""
    rows = session.scalars(
        select(LinkRow).where(LinkRow.person_id == person_id, LinkRow.kind == LinkKind.SIMILAR.value)
    )
    return {(row.a_id, row.b_id): link_rows.to_record(row) for row in rows}


def drop(session: Session, person_id: int, kind: LinkKind, ends: Iterable[tuple[int, int]]) -> int:
    """Remove links of one kind by their ends; returns how many were asked for."""
    gone = set(ends)
    for a_id, b_id in gone:
        session.execute(
            delete(LinkRow).where(
                LinkRow.person_id == person_id,
                LinkRow.kind == kind.value,
                LinkRow.a_id == a_id,
                LinkRow.b_id == b_id,
            )
        )
    return len(gone)


def nearly_the_same(session: Session, person_id: int, *, limit: int) -> list[tuple[Card, Card]]:
    """Pairs of active cards that say nearly the same, as the last tidying found them, closest first."""
    found = [
        link
        for link in link_rows.of_person(session, person_id)
        if link.kind is LinkKind.SIMILAR and link.reason == NEARLY_THE_SAME
    ]
    found.sort(key=lambda link: (-link.weight, link.a_id, link.b_id))
    found = found[:limit]
    ids = {each for link in found for each in (link.a_id, link.b_id)}
    rows = session.scalars(select(CardRow).where(CardRow.person_id == person_id, CardRow.id.in_(ids)))
    cards = {row.id: to_record(row) for row in rows}
    return [(cards[link.a_id], cards[link.b_id]) for link in found]


def keep_apart(session: Session, person_id: int, a_id: int, b_id: int, *, now: datetime) -> None:
    """Note that the person wants both cards: they are not proposed again."""
    link = Link(
        a_id=min(a_id, b_id), b_id=max(a_id, b_id), kind=LinkKind.SIMILAR, weight=0.5, reason=KEPT_APART
    )
    link_rows.add(session, person_id, [link], now=now)
    touch_owner(session, person_id)
