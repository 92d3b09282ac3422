"""A demo account: three hundred memories of a believable life, so that a newcomer sees what becomes of it.

The lives are data files, one a language. What is random is seeded, so that a
language gives the same life every time; only its dates follow the present.
"""

from __future__ import annotations

import random
import re
import secrets
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory import accounts, cards, constellation
from memory.config import LANGUAGES
from memory.embedding import Embedder
from memory.errors import InvalidInput
from memory.portability import past
from memory.records import Author, Card, Category, Link, LinkKind, NewCard, Person, Role, When
from memory.storage import demo as rows
from memory.storage import links
from memory.storage.engine import transaction

MEMORIES = 300
_FOLDER = Path(__file__).parent / "data" / "demo"
_KINDS = {
    "f": Category.FACT,
    "e": Category.EVENT,
    "m": Category.MEMO,
    "t": Category.TASK,
    "r": Category.REMINDER,
}
_LINE = re.compile(r"(?P<kind>[femtr])(?P<days>[+-]\d+)?(?: (?P<time>\d\d:\d\d))? (?P<text>.+)")
_ALIKE = 0.5  # a cosine from which two demo memories get a thread
_SEED = 20260608


@dataclass(frozen=True, kw_only=True)
class Demo:
    """The account that was made, and how to sign in to it."""

    person: Person
    password: str
    memories: int


@dataclass(frozen=True, kw_only=True)
class Told:
    """One memory of the life, before it is kept."""

    new: NewCard
    theme: int
    name: str = ""  # the person it is about


def make(engine: Engine, embedder: Embedder, *, language: str, zone: str, now: datetime) -> Demo:
    """Make a new demo account with its life, links, themes, outcomes, worth and sky.

    Raises:
        InvalidInput: there is no life in this language.
    """
    if language not in LANGUAGES:
        raise InvalidInput("There is no demo in this language.")
    life = _load(language)
    password = "-".join(secrets.token_hex(2) for _ in range(4))
    form = accounts.SignUp(
        email=f"demo-{secrets.token_hex(3)}@example.org",
        name=life["name"],
        password=password,
        language=language,
        zone=zone,
    )
    person = accounts.create_user(engine, form, role=Role.PERSON, now=now)
    lots = random.Random(_SEED)
    with transaction(engine) as session:
        rows.mark(session, person.id)
        kept = _keep(session, person, embedder, life, lots, now=now)
        past.ask(session, person, life["say"], _about(kept), lots, now=now)
    constellation.settle(engine, person.id)
    return Demo(person=person, password=password, memories=len(kept))


def _load(language: str) -> dict[str, Any]:
    with (_FOLDER / f"{language}.toml").open("rb") as file:
        return tomllib.load(file)


def life_of(language: str, *, zone: str, today: date) -> list[Told]:
    """All memories of a language's life, themes first; `MEMORIES` of them."""
    life = _load(language)
    told = [
        Told(
            new=NewCard(category=Category.THEME, text=each["title"], author=Author.TIDY, language=language),
            theme=at,
        )
        for at, each in enumerate(life["theme"])
    ]
    told += _people(life, language, zone, today)
    told += _lists(life, language, zone, today)
    for at, each in enumerate(life["theme"]):
        told += [
            Told(new=_line(text, language, zone, today), theme=at)
            for text in each["lines"].strip().splitlines()
        ]
    names = [line.split("|") for line in life["life"]["people"].strip().splitlines()]
    for number, (name, _, theme, *_rest) in enumerate(names):
        if len(told) >= MEMORIES:
            break
        text = life["say"]["since"].format(name=name, year=today.year - 3 - number)
        told.append(Told(new=_fact(text, name, language), theme=int(theme), name=name))
    return told


def _people(life: dict[str, Any], language: str, zone: str, today: date) -> Iterator[Told]:
    say = life["say"]
    for line in life["life"]["people"].strip().splitlines():
        name, relation, theme, work, likes, city, birthday, gift = line.split("|")
        at = int(theme)
        text = say["person"].format(name=name, relation=relation)
        yield Told(
            new=NewCard(
                category=Category.PERSON, text=text, relation=relation, people=(name,), language=language
            ),
            theme=at,
            name=name,
        )
        for text in (
            say["work"].format(name=name, work=work),
            say["likes"].format(name=name, likes=likes),
            say["city"].format(name=name, city=city),
        ):
            yield Told(new=_fact(text, name, language), theme=at, name=name)
        day = date.fromisoformat(f"2028-{birthday}").replace(year=today.year)
        coming = day if day >= today else day.replace(year=today.year + 1)
        yield Told(
            new=NewCard(
                category=Category.EVENT,
                text=say["birthday"].format(name=name),
                people=(name,),
                language=language,
                when=When(
                    start=datetime.combine(coming, time()), zone=zone, all_day=True, rrule="FREQ=YEARLY"
                ),
            ),
            theme=at,
            name=name,
        )
        yield Told(
            new=NewCard(
                category=Category.MEMO,
                text=say["gift"].format(name=name, gift=gift),
                people=(name,),
                language=language,
            ),
            theme=at,
            name=name,
        )


def _lists(life: dict[str, Any], language: str, zone: str, today: date) -> Iterator[Told]:
    say, lists = life["say"], life["lists"]
    for each in lists["books"]:
        yield Told(new=_fact(say["book"].format(x=each), "", language), theme=11)
    for each in lists["places"]:
        yield Told(
            new=NewCard(category=Category.MEMO, text=say["place"].format(x=each), language=language), theme=6
        )
    for number, each in enumerate(lists["trips"]):
        start = datetime.combine(today - timedelta(days=70 + 90 * number), time())
        yield Told(
            new=NewCard(
                category=Category.EVENT,
                text=say["trip"].format(x=each),
                language=language,
                when=When(start=start, zone=zone, all_day=True),
            ),
            theme=8,
        )
    for number, each in enumerate(lists["codes"]):
        text = say["code"].format(x=each, number=f"{(number + 3) * 1379 % 10000:04d}")
        yield Told(new=NewCard(category=Category.FACT, text=text, language=language, sensitive=True), theme=3)


def _line(line: str, language: str, zone: str, today: date) -> NewCard:
    found = _LINE.fullmatch(line)
    if found is None:
        raise ValueError(f"not a line of a life: {line!r}")
    when = None
    if found["days"] is not None:
        day = today + timedelta(days=int(found["days"]))
        at = time.fromisoformat(found["time"]) if found["time"] else None
        when = When(start=datetime.combine(day, at or time()), zone=zone, all_day=at is None)
    return NewCard(category=_KINDS[found["kind"]], text=found["text"], language=language, when=when)


def _fact(text: str, name: str, language: str) -> NewCard:
    return NewCard(category=Category.FACT, text=text, people=(name,) if name else (), language=language)


def _keep(
    session: Session,
    person: Person,
    embedder: Embedder,
    life: dict[str, Any],
    lots: random.Random,
    *,
    now: datetime,
) -> list[tuple[Told, Card]]:
    """Keep the life as if it had been told over a year, one talk a theme and day."""
    told = life_of(person.language, zone=person.zone, today=now.date())
    embedder.encode([each.new.text for each in told])  # in one batch; what follows finds them in the cache
    kept: list[tuple[Told, Card]] = []
    days = {theme: 390 - 30 * theme for theme in range(len(life["theme"]))}
    for number, each in enumerate(told):
        at = now - timedelta(days=days[each.theme] - lots.randrange(24), minutes=lots.randrange(600))
        new = each.new
        if number >= len(days) and not each.name:
            turn = rows.PastTurn(said=new.text, answer=life["say"]["heard"], at=at)
            turn_id = rows.add_talk(session, person, [turn])[0]
            new = replace(new, turn_id=turn_id)
        card = cards.remember(session, person, new, embedder=embedder, now=at).card
        kept.append((each, card))
    _tie(session, person, embedder, kept, now=now)
    return kept


def _tie(
    session: Session, person: Person, embedder: Embedder, kept: list[tuple[Told, Card]], *, now: datetime
) -> None:
    """Threads to the themes, and between memories that are close in meaning."""
    themes = {told.theme: card for told, card in kept if card.category is Category.THEME}
    others = [(told, card) for told, card in kept if card.category is not Category.THEME]
    found = [_thread(card, themes[told.theme], LinkKind.THEME, 0.6) for told, card in others]
    vectors = embedder.encode([card.text for _, card in others])
    alike = vectors @ vectors.T
    np.fill_diagonal(alike, -1.0)
    for at, best in enumerate(alike.argmax(axis=1)):
        if alike[at, best] >= _ALIKE and others[at][0].theme == others[best][0].theme:
            found.append(
                _thread(others[at][1], others[best][1], LinkKind.SIMILAR, float(min(alike[at, best], 1.0)))
            )
    links.add(
        session, person.id, {(each.a_id, each.b_id, each.kind): each for each in found}.values(), now=now
    )


def _thread(one: Card, other: Card, kind: LinkKind, weight: float) -> Link:
    reason = "same theme" if kind is LinkKind.THEME else "close in meaning"
    return Link(
        a_id=min(one.id, other.id), b_id=max(one.id, other.id), kind=kind, weight=weight, reason=reason
    )


def _about(kept: list[tuple[Told, Card]]) -> dict[str, list[Card]]:
    """What is known of each person, by name; the one that says who they are comes first."""
    about: dict[str, list[Card]] = {}
    for told, card in kept:
        if told.name:
            about.setdefault(told.name, []).append(card)
    return about
