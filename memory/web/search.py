"""Search: what is remembered and what was said before, found while one types."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from flask import Blueprint, render_template, request
from sqlalchemy.orm import Session

from memory.cards.recall import Angle, Recalled, recall
from memory.language import fold
from memory.records import Card, Category, TranscriptHit
from memory.storage import cards as rows
from memory.storage import turns, unasked
from memory.storage.engine import reading
from memory.web.asked import midnight
from memory.web.current import now, person, wants_fragment, wiring

bp = Blueprint("search", __name__)
MOST_QUERY_CHARS = 200
LEAST_CHARS = 2
MOST_FOUND = 30
_MOST_READ = 500  # cards that hold the words, before person and time are looked at
_MOST_MEANT = 20


@dataclass(frozen=True, kw_only=True)
class Filter:
    """What the form asks for; every part may be left open."""

    query: str = ""
    category: Category | None = None
    who: str = ""
    since: datetime | None = None  # learnt or said at or after
    until: datetime | None = None  # ... before

    @property
    def asks(self) -> bool:
        """Whether there is anything to look for."""
        return len(self.query) >= LEAST_CHARS or bool(
            self.category or self.who or self.since is not None or self.until is not None
        )

    def takes(self, card: Card) -> bool:
        """Whether a card fits, its words apart."""
        named = fold(" ".join((*card.people, card.subject, card.speaker, card.text)))
        return (
            self.category in (None, card.category)
            and fold(self.who) in named
            and self._in_time(card.learned_at)
        )

    def takes_talk(self, hit: TranscriptHit) -> bool:
        """Whether an exchange fits, its words apart; talks are of no category."""
        named = fold(" ".join((hit.turn.speaker, hit.turn.said, hit.turn.answer)))
        return self.category is None and fold(self.who) in named and self._in_time(hit.turn.created_at)

    def _in_time(self, moment: datetime) -> bool:
        return (self.since is None or moment >= self.since) and (self.until is None or moment < self.until)


@bp.get("/search")
def page() -> str:
    """The form with what fits; the findings alone for a script, as one types."""
    chosen = _chosen()
    with reading(wiring().engine) as session:
        recalled = _recalled(session, chosen)
        found = _cards(session, chosen, recalled) if chosen.asks else []
        talks = [hit for hit in recalled.talks if chosen.takes_talk(hit)]
        ids = {card.turn_id for card in found if card.turn_id is not None}
        turn_of = turns.public_ids(session, person().id, ids)
        known = sorted({name for name, _ in unasked.known_people(session, person().id) if name}, key=fold)
    return render_template(
        "search/_results.html" if wants_fragment() else "search/page.html",
        chosen=chosen,
        since=request.args.get("since", ""),
        until=request.args.get("until", ""),
        categories=list(Category),
        known=known,
        cards=found,
        talks=talks,
        turn_of=turn_of,
    )


def _chosen() -> Filter:
    category = request.args.get("category", "")
    until = midnight(request.args.get("until", ""), person().zone, after=True)
    return Filter(
        query=request.args.get("q", "").strip()[:MOST_QUERY_CHARS],
        category=Category(category) if category in list(Category) else None,
        who=request.args.get("who", "").strip()[:MOST_QUERY_CHARS],
        since=midnight(request.args.get("since", ""), person().zone),
        until=until,
    )


def _cards(session: Session, chosen: Filter, recalled: Recalled) -> list[Card]:
    """What answers the words first, then what holds them, each once."""
    held, _total = rows.page(
        session, person().id, text=fold(chosen.query), category=chosen.category, limit=_MOST_READ
    )
    meant = [hit.card for hit in recalled.found if hit.relevant and "link" not in hit.angles]
    return list({card.id: card for card in (*meant, *held) if chosen.takes(card)}.values())[:MOST_FOUND]


def _recalled(session: Session, chosen: Filter) -> Recalled:
    if len(chosen.query) < LEAST_CHARS:
        return Recalled()
    parts = wiring()
    return recall(
        session,
        person=person(),
        angles=[Angle(kind="meaning", query=chosen.query)],
        k=_MOST_MEANT,
        now=now(),
        embedder=parts.embedder,
        cache=parts.cache,
        language=person().language,
    )
