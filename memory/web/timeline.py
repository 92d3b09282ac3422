"""The thread as the page draws it: turns with their days, dividers, safe answers and chips."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from markupsafe import Markup
from sqlalchemy.orm import Session

from memory.cards.firing import said_moment
from memory.errors import NotFound
from memory.records import ENDED, Card, CardStatus, Conversation, Person, Turn
from memory.storage import audit, cards, conversations, deliveries, handovers, turns
from memory.web.markdown import to_html

_SHOWN_CARDS = frozenset({CardStatus.ACTIVE, CardStatus.DONE, CardStatus.CANCELLED})


_MOST_RUNG = 50  # reminders below one piece of the thread


@dataclass(frozen=True, kw_only=True)
class Rung:
    """A reminder that rang, as a quiet line."""

    id: str  # of the firing
    text: str
    when: str
    late: bool
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A human came or left, as a quiet line."""

    kind: str  # claimed, returned, requeued
    name: str


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One turn of the thread and what stands above it."""

    turn: Turn
    conversation: str  # public id
    answer: Markup
    chips: tuple[Card, ...]
    day: datetime | None  # the first turn of a day carries it, and the first of a piece
    day_key: str  # the local date, ISO, so that two pieces of the thread can be joined
    begins: bool  # the first turn of a conversation
    private: bool
    by: str = ""  # the human who answered
    rung: tuple[Rung, ...] = ()  # what rang between this turn and the next
    marks: tuple[Mark, ...] = ()  # humans who came and left between this turn and the next


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """A piece of the thread, oldest first."""

    finished: tuple[Entry, ...]
    under_way: tuple[Entry, ...]  # waiting or running: shown below what is finished
    older: str  # public id of the oldest turn shown when there are older ones, else ""


def read_newest(
    session: Session, person: Person, *, limit: int, device_id: int, before: int | None = None
) -> Timeline:
    """The newest `limit` turns, or the newest before a turn's id."""
    found = turns.timeline(session, person.id, before_turn_id=before, limit=limit + 1)
    until = None if before is None else turns.by_id(session, before).created_at
    shown = _arrange(session, found, person=person, limit=limit, device_id=device_id)
    return _with_marks(session, _with_rung(session, shown, person, until=until), person, until=until)


def read_around(
    session: Session, person: Person, anchor: Turn, *, limit: int, after: int, device_id: int
) -> Timeline:
    """At most `limit` turns up to an anchor and at most `after` behind it."""
    # Turn ids are shared by everybody, so that this many ids hold at most as many turns of this person.
    last = anchor.id + after + 1
    found = turns.timeline(session, person.id, before_turn_id=last, limit=limit + 1)
    shown = _arrange(session, found, person=person, limit=limit, device_id=device_id)
    if not shown.finished:
        return shown
    # Where the piece ends others may follow: what rang after its last turn belongs to them.
    until = shown.finished[-1].turn.created_at
    return _with_marks(session, _with_rung(session, shown, person, until=until), person, until=until)


def _arrange(
    session: Session,
    found: Sequence[tuple[Turn, Conversation]],
    *,
    person: Person,
    limit: int,
    device_id: int,
) -> Timeline:
    above = found[0] if len(found) > limit else None
    shown = found[-limit:]
    zone = ZoneInfo(person.zone)
    entries = [
        _entry(session, each, previous=previous, first=each is shown[0], zone=zone, device_id=device_id)
        for previous, each in zip([above, *shown], shown, strict=False)
    ]
    return Timeline(
        finished=tuple(entry for entry in entries if entry.turn.state in ENDED),
        under_way=tuple(entry for entry in entries if entry.turn.state not in ENDED),
        older=shown[0][0].public_id if above is not None else "",
    )


def _with_rung(session: Session, shown: Timeline, person: Person, *, until: datetime | None) -> Timeline:
    """Put what rang below the turn after which it rang."""
    if not shown.finished:
        return shown
    begins = [entry.turn.created_at for entry in shown.finished]
    found = deliveries.between(session, person.id, after=begins[0], until=until, limit=_MOST_RUNG)
    if not found:
        return shown
    talk = conversations.open_of(session, person.id)
    overheard = talk is not None and bool(talk.speaker)
    lines: dict[int, list[Rung]] = {}
    for delivery, card in found:
        place = max(0, bisect_right(begins, delivery.claimed_at) - 1)
        rung = Rung(
            id=delivery.public_id,
            text="" if overheard and card.sensitive else card.title or card.text,
            when=said_moment(card, delivery.due_at, person.language, now=delivery.claimed_at),
            late=delivery.late,
            at=delivery.claimed_at,
        )
        lines.setdefault(place, []).append(rung)
    entries = (replace(entry, rung=tuple(lines.get(place, ()))) for place, entry in enumerate(shown.finished))
    return replace(shown, finished=tuple(entries))


def _with_marks(session: Session, shown: Timeline, person: Person, *, until: datetime | None) -> Timeline:
    """Put who came and left below the turn after which it was."""
    if not shown.finished:
        return shown
    begins = [entry.turn.created_at for entry in shown.finished]
    lines: dict[int, list[Mark]] = {}
    for each in audit.marks(session, person.id, after=begins[0], until=until, limit=_MOST_RUNG):
        passed = each.action == audit.Action.PASSED
        mark = Mark(kind="claimed" if passed else each.action, name=each.detail if passed else each.actor)
        lines.setdefault(max(0, bisect_right(begins, each.at) - 1), []).append(mark)
    entries = (
        replace(entry, marks=tuple(lines.get(place, ()))) for place, entry in enumerate(shown.finished)
    )
    return replace(shown, finished=tuple(entries)) if lines else shown


def _entry(
    session: Session,
    found: tuple[Turn, Conversation],
    *,
    previous: tuple[Turn, Conversation] | None,
    first: bool,
    zone: ZoneInfo,
    device_id: int,
) -> Entry:
    turn, conversation = found
    today = turn.created_at.astimezone(zone).date()
    new_day = first or previous is None or previous[0].created_at.astimezone(zone).date() != today
    return Entry(
        turn=turn,
        conversation=conversation.public_id,
        answer=to_html(turn.answer),
        # A card opens on the device that asked for it; others see the words alone.
        chips=_chips(session, turn) if turn.device_id in (None, device_id) else (),
        day=turn.created_at if new_day else None,
        day_key=today.isoformat(),
        begins=previous is not None and previous[1].id != conversation.id,
        private=conversation.private,
        by=_by(session, turn),
    )


def _by(session: Session, turn: Turn) -> str:
    if turn.answered_by is None:
        return ""
    return handovers.names(session, [turn.answered_by]).get(turn.answered_by, "")


def _chips(session: Session, turn: Turn) -> tuple[Card, ...]:
    found = []
    for public_id in turn.kept:
        try:
            card = cards.by_public_id(session, turn.person_id, public_id)
        except NotFound:
            continue  # forgotten since
        if card.visible and card.status in _SHOWN_CARDS:
            found.append(card)
    return tuple(found)
