"""Tidying a memory: themes, similar links, and what may be there twice. Nothing is merged or lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory.cards import likeness, themes
from memory.cards.remember import remember
from memory.embedding import Embedder
from memory.records import Author, Category, Link, LinkKind, NewCard, Person
from memory.storage import cards as card_rows
from memory.storage import links as link_rows
from memory.storage import people
from memory.storage import tidying as rows
from memory.storage.engine import reading, transaction

MOST_CARDS = 3000  # the last mentioned ones: all pairs of them are compared in memory
_THEME_WEIGHT = 0.6


@dataclass(frozen=True, kw_only=True)
class Tidied:
    """What one tidying changed."""

    themes_made: int = 0
    themes_gone: int = 0
    joined: int = 0  # cards that came to a theme
    links: int = 0  # similar links that are new, changed or gone
    proposed: int = 0  # pairs that may say the same, in all

    @property
    def changes(self) -> int:
        """How many things are other than before."""
        return self.themes_made + self.themes_gone + self.joined + self.links


@dataclass(frozen=True, kw_only=True)
class _Plan:
    gone: tuple[int, ...]  # themes
    joined: tuple[tuple[int, tuple[int, ...]], ...]  # theme -> cards
    renamed: tuple[tuple[int, str], ...]
    fresh: tuple[tuple[str, tuple[int, ...]], ...]  # name, cards
    similar: tuple[Link, ...]


def tidy(engine: Engine, embedder: Embedder, person_id: int, *, now: datetime) -> Tidied:
    """Tidy a person's memory. Run twice, the second time changes nothing; killed, it changed nothing.

    Themes point to their cards and tell nothing themselves; a theme whose cards are
    fewer than four goes again, unless the person made or named it. What the person put
    away or forgot is not made again: its cards stay with it, unseen.
    """
    with reading(engine) as session:
        person = people.by_id(session, person_id)
        cards = rows.loose(session, person_id, version=embedder.version, limit=MOST_CARDS)
        known = rows.themes(session, person_id, with_away=True)
    plan = _plan(cards, known, language=person.language)
    with transaction(engine) as session:
        return _apply(session, embedder, person, plan, now=now)


def _plan(cards: Sequence[rows.Loose], known: Sequence[rows.Theme], *, language: str) -> _Plan:
    # What is sensitive is in no theme: a name is shown where the card itself is not.
    open_ones = [each for each in cards if not each.card.sensitive]
    place_of = {each.card.id: place for place, each in enumerate(open_ones)}
    owned = [theme for theme in known if theme.made_here]
    places = {theme.id: [place_of[each] for each in theme.cards if each in place_of] for theme in owned}
    found = themes.group(
        _stacked(open_ones),
        places,
        elsewhere={
            theme.id: themes.LEAST if theme.renamed or theme.away else len(theme.cards - place_of.keys())
            for theme in owned
        },
    )
    said = [themes.Said(text=each.card.text, language=each.card.language) for each in open_ones]
    stems = themes.spread(said)

    def named(members: Sequence[int]) -> str:
        return themes.name([said[place] for place in members], stems, len(said), language=language)

    by_id = {theme.id: theme for theme in owned}
    return _Plan(
        gone=tuple(theme.id for theme in owned if theme.id not in found.standing),
        joined=tuple(
            (key, tuple(open_ones[place].card.id for place in members if place not in places[key]))
            for key, members in found.standing.items()
        ),
        renamed=tuple(
            (key, named(members))
            for key, members in found.standing.items()
            if not (by_id[key].renamed or by_id[key].away)
            and len(members) >= themes.LEAST
            and not themes.still_names(by_id[key].text, [said[place] for place in members])
        ),
        fresh=tuple(
            (named(members), tuple(open_ones[place].card.id for place in members)) for members in found.fresh
        ),
        similar=tuple(likeness.similar([each.card for each in cards], _stacked(cards))),
    )


def _stacked(cards: Sequence[rows.Loose]) -> np.ndarray:
    return np.stack([each.vector for each in cards]) if cards else np.zeros((0, 1), np.float32)


def _apply(session: Session, embedder: Embedder, person: Person, plan: _Plan, *, now: datetime) -> Tidied:
    # What was forgotten since it was read stays out.
    named = {each for _, ids in (*plan.joined, *plan.fresh) for each in ids}
    named |= {each for link in plan.similar for each in (link.a_id, link.b_id)}
    named |= {theme for theme, _ in plan.joined}
    there = rows.still_there(session, person.id, named)
    joined = 0
    for theme, ids in plan.joined:
        if theme in there:
            joined += _point(session, person, theme, [each for each in ids if each in there], now=now)
    names = [name for _, name in plan.renamed]
    for (theme, name), vector in zip(plan.renamed, embedder.encode(names) if names else [], strict=True):
        rows.rename(session, person.id, theme, text=name, vector=vector)
    made = 0
    for name, ids in plan.fresh:
        standing = [each for each in ids if each in there]
        if len(standing) >= themes.LEAST:
            new = NewCard(category=Category.THEME, text=name, author=Author.TIDY, language=person.language)
            theme_card = remember(session, person, new, embedder=embedder, now=now).card
            _point(session, person, theme_card.id, standing, now=now)
            made += 1
    gone = card_rows.remove(session, plan.gone) if plan.gone else 0
    wanted = [link for link in plan.similar if link.a_id in there and link.b_id in there]
    changed, proposed = _relink(session, person.id, wanted, now=now)
    if joined or made or gone or changed:
        card_rows.touch_owner(session, person.id)
    return Tidied(themes_made=made, themes_gone=gone, joined=joined, links=changed, proposed=proposed)


def _point(session: Session, person: Person, theme: int, ids: Sequence[int], *, now: datetime) -> int:
    links = [
        Link(
            a_id=min(theme, each),
            b_id=max(theme, each),
            kind=LinkKind.THEME,
            weight=_THEME_WEIGHT,
            reason="same theme",
        )
        for each in ids
    ]
    link_rows.add(session, person.id, links, now=now)
    return len(links)


def _relink(session: Session, person_id: int, wanted: Sequence[Link], *, now: datetime) -> tuple[int, int]:
    """Bring the similar links to what is wanted; what the person said to keep apart stays so."""
    standing = rows.similar(session, person_id)
    apart = {ends for ends, link in standing.items() if link.reason == rows.KEPT_APART}
    fresh = {(link.a_id, link.b_id): link for link in wanted if (link.a_id, link.b_id) not in apart}
    stale = standing.keys() - fresh.keys() - apart
    new = [link for ends, link in fresh.items() if standing.get(ends) != link]
    rows.drop(session, person_id, LinkKind.SIMILAR, stale)
    link_rows.add(session, person_id, new, now=now)
    proposed = sum(link.reason == rows.NEARLY_THE_SAME for link in fresh.values())
    return len(stale) + len(new), proposed
