"""Keeping, changing and forgetting cards: the rules that hold whatever a model does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy.orm import Session

from memory import language as lang
from memory.cards import identity, linking
from memory.cards.nature import is_visible
from memory.cards.reminders import first_due
from memory.config import LANGUAGES
from memory.embedding import Embedder
from memory.errors import InvalidInput
from memory.listening import is_sensitive
from memory.records import Card, CardStatus, Category, NewCard, Person, When
from memory.storage import cards as rows
from memory.storage import deliveries, tidying
from memory.storage import links as link_rows
from memory.storage import turns as turn_rows

MAX_TEXT = 4000


class Outcome(StrEnum):
    """What became of a statement."""

    CREATED = "created"
    MERGED = "merged"  # it was known; the card may have gained what was new
    SUPERSEDED = "superseded"  # it replaced an older value


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """A kept statement."""

    card: Card
    outcome: Outcome
    replaced: tuple[Card, ...] = ()


def remember(
    session: Session,
    person: Person,
    new: NewCard,
    *,
    embedder: Embedder,
    now: datetime,
    replaces: Sequence[Card] = (),
) -> Remembered:
    """Keep one statement once: merge it with an equal one, replace an older value, or add it.

    Args:
        replaces: cards that the caller knows to be put right by this one.

    Raises:
        InvalidInput: the text is empty or too long, or a reminder has no moment.
    """
    new = _checked(new)
    old: list[Card] = [card for card in replaces if card.status is CardStatus.ACTIVE]
    for known in _neighbours(session, person.id, new):
        match identity.compare(new, known):
            case identity.Match.SAME if not old:
                return _merge(session, known, new, embedder=embedder, now=now)
            case identity.Match.REPLACES:
                if all(known.id != card.id for card in old):
                    old.append(known)
    card = _insert(session, person, new, embedder=embedder, now=now, old=old)
    if not old:
        return Remembered(card=card, outcome=Outcome.CREATED)
    rows.set_status(session, [each.id for each in old], CardStatus.SUPERSEDED, now=now, was=CardStatus.ACTIVE)
    return Remembered(card=card, outcome=Outcome.SUPERSEDED, replaced=tuple(old))


def edit(
    session: Session,
    person: Person,
    card: Card,
    *,
    embedder: Embedder,
    now: datetime,
    text: str | None = None,
    title: str | None = None,
    value: str | None = None,
    category: Category | None = None,
    when: When | None = None,
    clear_when: bool = False,
    people: Sequence[str] | None = None,
    pinned: bool | None = None,
    sensitive: bool | None = None,
) -> Card:
    """Change a card in place, as its owner asked; visibility and search follow.

    Raises:
        InvalidInput: the new text is empty or too long, or a reminder would have no moment.
    """
    moment = None if clear_when else (when or card.when)
    if moment is not None and card.when is not None and replace(card.when, exdates=moment.exdates) == moment:
        moment = card.when  # the same series: what was left out of it stays so
    new = _checked(
        NewCard(
            category=category or card.category,
            text=card.text if text is None else text,
            title=card.title if title is None else title,
            subject=card.subject,
            relation=card.relation,
            attribute=card.attribute,
            value=card.value if value is None else value,
            people=card.people if people is None else tuple(people),
            language=card.language,
            when=moment,
        )
    )
    if (
        text is not None
        and value is None
        and card.value
        and identity.subject_key(card.value) not in lang.fold(text)
    ):
        new = replace(new, value="", attribute="")  # the old value no longer stands in the text
    columns: dict[str, Any] = {
        "category": new.category.value,
        "text": new.text,
        "title": new.title,
        "value": new.value,
        "attribute": new.attribute,
        "people": list(new.people),
        "visible": is_visible(new.category, when=moment, consult=card.visible, now=now),
        # What was snoozed or skipped stays so when only the words change.
        "due_at": card.due_at
        if (moment, new.category) == (card.when, card.category)
        else first_due(new.category, moment, now=now),
        **rows.when_columns(moment),
        **_indexed(new, embedder),
    }
    if pinned is not None:
        columns["pinned"] = pinned
    if sensitive is not None:
        columns["sensitive"] = sensitive
    elif text is not None and new.sensitive:
        columns["sensitive"] = True
    changed = rows.change(session, card.id, now=now, **columns)
    _link(session, person.id, changed, now=now)
    return changed


def complete(session: Session, card: Card, status: CardStatus, *, now: datetime) -> bool:
    """Mark something that was to be done as done or called off; False when it no longer was open."""
    return rows.set_status(session, [card.id], status, now=now, was=CardStatus.ACTIVE) == 1


def forget(session: Session, cards: Sequence[Card], *, now: datetime) -> int:
    """Take cards out of every answer at once; `undo_forget` brings them back until the undo runs out.

    What they came from goes with them: the turns that told them leave every excerpt,
    and summaries that rest on these are written anew without them.
    """
    total = 0
    for status in (CardStatus.ACTIVE, CardStatus.SUPERSEDED, CardStatus.DONE, CardStatus.CANCELLED):
        ids = [card.id for card in cards if card.status is status]
        if ids:
            total += rows.set_status(session, ids, CardStatus.FORGOTTEN, now=now, was=status)
    turn_rows.withhold(session, _told_in(session, cards), withheld=True)
    return total


def undo_forget(session: Session, cards: Sequence[Card], *, now: datetime) -> int:
    """Bring back what was forgotten a moment ago; returns how many came back."""
    back = rows.set_status(
        session, [card.id for card in cards], CardStatus.ACTIVE, now=now, was=CardStatus.FORGOTTEN
    )
    turn_rows.withhold(session, _told_in(session, cards), withheld=False)
    return back


def _told_in(session: Session, cards: Sequence[Card]) -> list[int]:
    """The turns that told these cards: where they came from, and where the same was said in passing."""
    told = {card.turn_id for card in cards if card.turn_id is not None}
    for card in cards:
        told.update(
            turn_rows.holding(session, card.person_id, sorted(set(lang.terms(card.text, card.language))))
        )
    return sorted(told)


def restore(session: Session, person: Person, card: Card, *, now: datetime) -> bool:
    """Make a superseded value the current one again; what had replaced it is superseded in turn."""
    if rows.set_status(session, [card.id], CardStatus.ACTIVE, now=now, was=CardStatus.SUPERSEDED) != 1:
        return False
    rows.change(session, card.id, now=now, due_at=first_due(card.category, card.when, now=now))
    rivals = rows.superseders(session, person.id, card.id)
    if identity.is_single(card.attribute):
        rivals += [
            each
            for each in rows.rivals(
                session,
                person.id,
                category=card.category,
                subject_key=identity.subject_key(card.subject),
                attribute=card.attribute,
                statement_key="",
            )
            if each.id != card.id and each.attribute == card.attribute
        ]
    rows.set_status(
        session, [each.id for each in rivals], CardStatus.SUPERSEDED, now=now, was=CardStatus.ACTIVE
    )
    return True


def purge(session: Session, *, now: datetime, undo_s: float) -> int:
    """Remove what was forgotten longer ago than its undo lasts; returns how many went.

    Of a theme it stays that it is not to be made again, without its name.
    """
    moment = now - timedelta(seconds=undo_s)
    due = rows.forgotten_before(session, moment)
    if not due:
        return 0
    deliveries.drop_frames(session, due)
    buried = tidying.bury(session, due)
    return buried + rows.remove(session, rows.forgotten_before(session, moment))


def _checked(new: NewCard) -> NewCard:
    text = new.text.strip()
    if not text:
        raise InvalidInput("A memory needs some text.")
    if len(text) > MAX_TEXT:
        raise InvalidInput("A memory may have at most %(most)s characters.", most=MAX_TEXT)
    if new.category is Category.REMINDER and new.when is None:
        raise InvalidInput("A reminder needs a day and a time.")
    people = tuple(dict.fromkeys(name.strip() for name in new.people if name.strip()))
    return replace(new, text=text, people=people, sensitive=new.sensitive or _is_secret(new, text))


_KNOWN = frozenset({Category.FACT, Category.PERSON, Category.MEMO})


def _is_secret(new: NewCard, text: str) -> bool:
    """Whether a card is nothing for a guest or a locked screen, also where a model forgot to say so."""
    language = new.language if new.language in LANGUAGES else "en"
    return new.category in _KNOWN and is_sensitive(text, language=language)


def _neighbours(session: Session, person_id: int, new: NewCard) -> list[Card]:
    """Cards that could say the same or an older value."""
    if new.category is Category.THEME:
        return []
    return rows.rivals(
        session,
        person_id,
        category=new.category,
        subject_key=identity.subject_key(new.subject),
        attribute=new.attribute,
        statement_key=identity.statement_key(new.text, new.language),
    )


def _merge(session: Session, known: Card, new: NewCard, *, embedder: Embedder, now: datetime) -> Remembered:
    """Add what is new to a card that already says this; words that are there are not written twice."""
    rows.mention(session, [known.id], now=now)
    text, relation = known.text, known.relation or new.relation
    if new.category is Category.PERSON:
        text = merged_text(known.text, new.text, known.language)
    people = tuple(dict.fromkeys((*known.people, *new.people)))
    if (text, relation, people) == (known.text, known.relation, known.people):
        return Remembered(card=known, outcome=Outcome.MERGED)
    fresh = replace(new, text=text, relation=relation, people=people, language=known.language)
    card = rows.change(
        session,
        known.id,
        now=now,
        text=text,
        relation=relation,
        people=list(people),
        **_indexed(fresh, embedder),
    )
    return Remembered(card=card, outcome=Outcome.MERGED)


def merged_text(known: str, new: str, language: str) -> str:
    """`known` with the comma-separated parts of `new` that it does not say yet."""
    held = set(lang.terms(known, language))
    added = [
        part
        for part in (each.strip() for each in new.split(","))
        if part and not set(lang.terms(part, language)) <= held
    ]
    return ", ".join((known.rstrip(". "), *added)) if added else known


def _insert(
    session: Session, person: Person, new: NewCard, *, embedder: Embedder, now: datetime, old: Sequence[Card]
) -> Card:
    consult = new.consult or any(card.visible for card in old)
    card = rows.add(
        session,
        person.id,
        new,
        visible=is_visible(new.category, when=new.when, consult=consult, now=now),
        subject_key=identity.subject_key(new.subject),
        **_indexed(new, embedder),
        due_at=first_due(new.category, new.when, now=now),
        supersedes_id=old[0].id if old else None,
        now=now,
    )
    _link(session, person.id, card, now=now, old=old)
    return card


def _link(session: Session, person_id: int, card: Card, *, now: datetime, old: Sequence[Card] = ()) -> None:
    links = linking.mentions(card, rows.people(session, person_id))
    if card.category is Category.PERSON:
        first = lang.surface_terms(linking.person_name(card), card.language)[:1]
        for other in rows.naming(session, person_id, first):
            links += linking.mentions(other, [card])
    if card.turn_id is not None:
        links += linking.same_turn(card, rows.of_turn(session, card.turn_id))
    links += [linking.supersedes(card, each) for each in old]
    link_rows.add(session, person_id, links, now=now)


def _indexed(new: NewCard, embedder: Embedder) -> dict[str, Any]:
    """What search needs: terms of all the words a card holds, and the vector of its text."""
    words = " ".join((new.title, new.text, new.relation, " ".join(new.people), new.subject))
    return {
        "statement_key": identity.statement_key(new.text, new.language),
        "terms": " ".join(lang.terms(words, new.language)),
        "surface_terms": " ".join(lang.surface_terms(words, new.language)),
        "vector": embedder.encode([f"{new.title} {new.text}".strip()])[0],
        "vector_version": embedder.version,
    }
