"""The sources of an overview. Each gets a session of its own and returns entries, best first."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from memory import language as lang
from memory.decisions.log import told
from memory.decisions.schema import Keys
from memory.overview.blocks import LATELY, PEOPLE, RECENT, RULES, SAMPLE, SETTLED, WARM, Entry
from memory.overview.gather import Source
from memory.overview.pack import tokens_of
from memory.records import Card, Conversation, Decision, Person, Turn
from memory.storage import conversations as conversation_rows
from memory.storage import decisions as decision_rows
from memory.storage import outcomes, unasked
from memory.storage import rules as rule_rows
from memory.storage import turns as turn_rows

RECENT_TALKS = 5
LAST_EXCHANGES = 6  # of the newest talk, word for word
EXCERPT_CHARS = 400  # of one side of an exchange
WARM_FOR = timedelta(hours=24)
LATELY_FOR = timedelta(days=7)
WARM_CARDS = 12
LATELY_CARDS = 20
SAMPLE_CARDS = 10


def sources_for(
    person: Person,
    *,
    language: str,
    zone: str,
    now: datetime,
    guest: bool = False,
    keys: Keys | None = None,
) -> Mapping[str, Source]:
    """The sources that read memory for one person.

    Args:
        language: in which ages are worded.
        guest: leave out what is sensitive.
    """

    def recent(session: Session) -> list[Entry]:
        talks = conversation_rows.recent(session, person.id, limit=RECENT_TALKS)
        return [
            _talk(
                talk,
                turn_rows.of_conversation(session, talk.id, limit=LAST_EXCHANGES) if rank == 0 else [],
                language=language,
                zone=zone,
                now=now,
                rank=rank,
            )
            for rank, talk in enumerate(talks)
        ]

    def beyond_doubt(session: Session, found: list[Card]) -> list[Card]:
        # What is suppressed is not offered unasked; and what a lot may hold back from this turn's
        # searches must not come in by this door.
        doubted = outcomes.in_doubt(session, person.id) if found else frozenset()
        return [card for card in found if card.id not in doubted]

    def warm(session: Session) -> list[Entry]:
        found = unasked.lately(session, person.id, since=now - WARM_FOR, limit=WARM_CARDS)
        return _cards(beyond_doubt(session, found), guest, language, now)

    def lately(session: Session) -> list[Entry]:
        found = unasked.lately(session, person.id, since=now - LATELY_FOR, limit=WARM_CARDS + LATELY_CARDS)
        return _cards(beyond_doubt(session, found), guest, language, now)

    def sample(session: Session) -> list[Entry]:
        # The same sample all day long: an answer that changes its ground every turn confuses.
        lots = random.Random(f"{person.id}:{now.date().isoformat()}")
        found = unasked.sample(session, person.id, lots=lots, limit=SAMPLE_CARDS)
        return _cards(beyond_doubt(session, found), guest, language, now)

    def rules(session: Session) -> list[Entry]:
        return [
            Entry(
                key=f"rule:{rule.public_id}",
                text=rule.text,
                data={"text": rule.text},
                tokens=tokens_of(rule.text),
            )
            for rule in rule_rows.of_person(session, person.id)
        ]

    def settled(session: Session) -> list[Entry]:
        if keys is None:
            return []
        return [
            _decision(keys, decision, language=language, zone=zone, now=now)
            for decision in decision_rows.current(session, person.id, now=now)
        ]

    def people(session: Session) -> list[Entry]:
        return [
            Entry(key=f"person:{name}:{relation}", text="", data={"name": name, "relation": relation})
            for name, relation in unasked.known_people(session, person.id)
        ]

    return {
        PEOPLE: people,
        SETTLED: settled,
        RULES: rules,
        RECENT: recent,
        WARM: warm,
        LATELY: lately,
        SAMPLE: sample,
    }


def _decision(keys: Keys, decision: Decision, *, language: str, zone: str, now: datetime) -> Entry:
    """A settled decision as one line: the same bytes for the same state on the same day."""
    label, value = told(keys, decision, language=language, now=now, zone=zone)
    matter = "" if decision.matter.startswith("conversation ") else f" [{decision.matter}]"
    text = f"{label}{matter}: {value}"
    data = {
        "key": decision.key,
        "value": decision.value,
        "label": label,
        "said": value,
        "matter": decision.matter,
        "by": decision.decided_by,
    }
    return Entry(
        key=f"decision:{decision.matter}:{decision.key}", text=text, data=data, tokens=tokens_of(text)
    )


def _cards(cards: list[Card], guest: bool, language: str, now: datetime) -> list[Entry]:
    told = [card for card in cards if not (guest and card.sensitive)]
    return [card_entry(card, language=language, now=now, rank=rank) for rank, card in enumerate(told)]


def card_entry(card: Card, *, language: str, now: datetime, rank: int = 0) -> Entry:
    """A card as one line with its category and moment."""
    head = f"[{card.category.value}] " + (f"{card.title}: " if card.title else "")
    about = (
        f" (about {card.subject})"
        if card.subject and lang.fold(card.subject) not in lang.fold(card.text)
        else ""
    )
    people = f" (with {', '.join(card.people)})" if card.people and card.category.value != "person" else ""
    when = f" — {lang.say_when(card.when, language=language, now=now)}" if card.when else ""
    text = f"{head}{card.text}{about}{people}{when}"
    data = {
        "id": card.public_id,
        "category": card.category.value,
        "text": card.text,
        "title": card.title,
        "subject": card.subject,
        "speaker": card.speaker,
        "relation": card.relation,
        "people": list(card.people),
        "when": None
        if card.when is None
        else {
            "start": card.when.start.isoformat(timespec="minutes"),
            "zone": card.when.zone,
            "all_day": card.when.all_day,
            "end": None if card.when.end is None else card.when.end.isoformat(timespec="minutes"),
            "rrule": card.when.rrule,
        },
    }
    return Entry(key=f"card:{card.public_id}", text=text, data=data, tokens=tokens_of(text), rank=rank)


def _talk(
    talk: Conversation, last: list[Turn], *, language: str, zone: str, now: datetime, rank: int
) -> Entry:
    age = lang.ago(now - talk.last_exchange_at, language)
    here = talk.last_exchange_at.astimezone(ZoneInfo(zone))
    lines = [f"{age} ({here:%Y-%m-%d %H:%M}), {talk.turns} turns: {talk.summary or '(no summary yet)'}"]
    for turn in last:
        lines.append(f"{turn.speaker or 'Person'}: {cut(turn.said)}")
        if turn.answer:
            lines.append(f"You: {cut(turn.answer)}")
    text = "\n".join(lines)
    data = {
        "summary": talk.summary,
        "ago": age,
        "at": here.isoformat(timespec="minutes"),
        "turns": talk.turns,
        "last": [
            {"said": cut(turn.said), "answer": cut(turn.answer), "speaker": turn.speaker} for turn in last
        ],
    }
    return Entry(key=f"talk:{talk.public_id}", text=text, data=data, tokens=tokens_of(text), rank=rank)


def cut(text: str, most: int = EXCERPT_CHARS) -> str:
    """A text as it was, long ones cut at a word with an ellipsis."""
    if len(text) <= most:
        return text
    return text[:most].rsplit(" ", 1)[0] + " …"
