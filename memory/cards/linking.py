"""Links that code makes, each with its reason. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memory import language as lang
from memory.records import Card, Category, Link, LinkKind

MENTION_WEIGHT = 1.0
SAME_TURN_WEIGHT = 0.4
MAX_LINKS = 24  # a card keeps no more threads than a person could follow


def mentions(card: Card, people: Iterable[Card]) -> list[Link]:
    """Links from a card to the person cards it names, by its people field, subject or text.

    An unclear first name (two people bear it) links to nobody.
    """
    named = [lang.fold(name) for name in (*card.people, card.subject) if name]
    text = lang.fold(card.text)
    hits: dict[str, list[Card]] = {}
    for person in people:
        if person.id == card.id:
            continue
        for key in _keys(person):
            if key in named or re.search(rf"(?<!\w){re.escape(key)}(?!\w)", text):
                hits.setdefault(key, []).append(person)
    links: dict[int, Link] = {}
    for key in sorted(hits, key=len, reverse=True):
        bearers = hits[key]
        if len(bearers) == 1 or all(each.id in links for each in bearers):
            person = bearers[0]
            links.setdefault(
                person.id,
                _link(card, person, LinkKind.MENTIONS, MENTION_WEIGHT, f"names {person_name(person)}"),
            )
    return list(links.values())[:MAX_LINKS]


def same_turn(card: Card, others: Sequence[Card]) -> list[Link]:
    """Links between what one turn told together."""
    return [
        _link(card, other, LinkKind.SAME_TURN, SAME_TURN_WEIGHT, "told together")
        for other in others[:MAX_LINKS]
        if other.id != card.id
    ]


def supersedes(card: Card, old: Card) -> Link:
    """The thread back to what a card replaced."""
    return _link(card, old, LinkKind.SUPERSEDES, 1.0, "replaces")


def person_name(card: Card) -> str:
    """The name a person card stands for; "" when only a relation is known."""
    return card.people[0] if card.people else card.subject


def _keys(person: Card) -> set[str]:
    if person.category is not Category.PERSON:
        return set()
    name = lang.fold(person_name(person))
    keys = {name} if name else set()
    first = name.split(" ")[0]
    if len(first) > 2 and not first.endswith("."):
        keys.add(first)
    return keys


def _link(card: Card, other: Card, kind: LinkKind, weight: float, reason: str) -> Link:
    return Link(
        a_id=min(card.id, other.id), b_id=max(card.id, other.id), kind=kind, weight=weight, reason=reason
    )
