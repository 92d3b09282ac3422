"""One process's copies of persons' stores for search: bounded in memory, fresh at every search.

Every change to a person's memory raises their `cards_version` in the database, in
the transaction of the change, whichever process makes it. A search reads that
number first; when it moved, only what is new, changed or gone is loaded.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy.orm import Session

from memory.cards.ranking.cues import ASKS, TELLS
from memory.cards.ranking.kin import kin_terms
from memory.cards.ranking.shelf import Entry, Shelf, language_code
from memory.config import LANGUAGES
from memory.language import fold, words
from memory.llm.embedded.topics import topics
from memory.storage import nearest
from memory.storage import search as rows

EXACT_MOST = 100_000  # cards and turns of one person up to which all of them are searched, and in memory


class Shelves:
    """One person's cards, turns and summaries, ready to be ranked. Used under its lock."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.version = -2  # of nobody, so that the first search loads
        self.cards = Shelf()
        self.turns = Shelf()
        self.summaries = Shelf()  # of past conversations, under the conversation's id
        self.card_stamps: dict[int, int] = {}
        self.summary_stamps: dict[int, datetime] = {}
        self.languages: set[str] = set()

    @property
    def bytes(self) -> int:
        """Roughly what the shelves take in memory."""
        return self.cards.bytes + self.turns.bytes + self.summaries.bytes


class CardCache:
    """The shelves of the persons who searched last. Safe for threads.

    The one person who is searching is served whatever the size; the others stay
    only as long as all together fit.
    """

    def __init__(self, most_mb: int, *, exact_most: int = EXACT_MOST) -> None:
        self.most_bytes = most_mb * 1_000_000
        self.exact_most = exact_most  # entries; a larger store is searched in part, where that can be
        self._large: dict[int, tuple[int, bool]] = {}  # person -> version of the store, whether it is large
        self._lock = threading.Lock()
        self._held: OrderedDict[int, Shelves] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    @property
    def bytes(self) -> int:
        """Roughly what the cache takes in memory."""
        with self._lock:
            return sum(each.bytes for each in self._held.values())

    @contextmanager
    def open(
        self,
        session: Session,
        person_id: int,
        *,
        vector_version: str,
        in_part: Callable[[], Shelves] | None = None,
    ) -> Iterator[Shelves]:
        """The person's shelves as the session sees the store now; nobody else uses them meanwhile.

        Args:
            vector_version: of the embedder; vectors of another one are not compared.
            in_part: loads what may answer out of a store of more than `exact_most` entries;
                used only where the database has an index for that.
        """
        version = rows.version_of(session, person_id)
        if in_part is not None and self._is_large(session, person_id, version):
            self.drop(person_id)
            yield in_part()
            return
        with self._lock:
            shelves = self._held.setdefault(person_id, Shelves())
            self._held.move_to_end(person_id)
        with shelves.lock:
            _refresh(shelves, session, person_id, vector_version, version)
            yield shelves
        self._shrink()

    def drop(self, person_id: int | None) -> None:
        """Let go of a person's shelves, for instance because the person erased everything; None: of all."""
        with self._lock:
            if person_id is None:
                self._held.clear()
                self._large.clear()
            else:
                self._held.pop(person_id, None)

    def _is_large(self, session: Session, person_id: int, version: int) -> bool:
        if not nearest.is_there(session):
            return False
        known = self._large.get(person_id)
        if known is None or known[0] != version:
            known = (version, nearest.size_of(session, person_id) > self.exact_most)
            self._large[person_id] = known
        return known[1]

    def _shrink(self) -> None:
        with self._lock:
            total = sum(each.bytes for each in self._held.values())
            while total > self.most_bytes and len(self._held) > 1:
                _, oldest = self._held.popitem(last=False)
                total -= oldest.bytes


def load(
    session: Session,
    person_id: int,
    *,
    cards: Collection[int],
    turns: Collection[int],
    summaries: Collection[int],
    vector_version: str,
) -> Shelves:
    """Shelves of these entries of the person alone, for one search."""
    shelves = Shelves()
    _put_cards(shelves, session, person_id, cards, vector_version)
    _put_turns(shelves, session, person_id, turns, vector_version)
    _put_summaries(shelves, session, person_id, summaries, vector_version)
    return shelves


def _refresh(shelves: Shelves, session: Session, person_id: int, vector_version: str, version: int) -> None:
    if version == shelves.version:
        return
    shelves.version = -2  # stays so if loading fails half-way
    if version < 0 or shelves.cards.is_bloated or shelves.turns.is_bloated:
        shelves.cards, shelves.turns, shelves.summaries = Shelf(), Shelf(), Shelf()
        shelves.card_stamps, shelves.summary_stamps = {}, {}
    _refresh_cards(shelves, session, person_id, vector_version)
    _refresh_turns(shelves, session, person_id, vector_version)
    _refresh_summaries(shelves, session, person_id, vector_version)
    shelves.version = version


def _refresh_cards(shelves: Shelves, session: Session, person_id: int, vector_version: str) -> None:
    stamps = rows.card_stamps(session, person_id)
    known = shelves.card_stamps
    changed = [card_id for card_id, stamp in stamps.items() if known.get(card_id) != stamp]
    shelves.cards.discard(known.keys() - stamps.keys())
    _put_cards(shelves, session, person_id, changed, vector_version)
    shelves.card_stamps = stamps


def _put_cards(
    shelves: Shelves, session: Session, person_id: int, ids: Collection[int], vector_version: str
) -> None:
    found = list(rows.card_words(session, person_id, ids))
    shelves.languages.update(card.language for card in found)
    shelves.cards.put(_card_entry(card, vector_version) for card in found)


def _refresh_turns(shelves: Shelves, session: Session, person_id: int, vector_version: str) -> None:
    standing = rows.turn_ids(session, person_id)
    known = shelves.turns.ids()
    shelves.turns.discard(known - standing)
    _put_turns(shelves, session, person_id, standing - known, vector_version)


def _put_turns(
    shelves: Shelves, session: Session, person_id: int, ids: Collection[int], vector_version: str
) -> None:
    found = list(rows.turn_words(session, person_id, ids))
    shelves.languages.update(turn.language for turn in found)
    shelves.turns.put(_turn_entry(turn, vector_version) for turn in found)


def _refresh_summaries(shelves: Shelves, session: Session, person_id: int, vector_version: str) -> None:
    stamps = rows.summary_stamps(session, person_id)
    known = shelves.summary_stamps
    shelves.summaries.discard(known.keys() - stamps.keys())
    changed = [each for each, at in stamps.items() if known.get(each) != at]
    _put_summaries(shelves, session, person_id, changed, vector_version)
    shelves.summary_stamps = stamps


def _put_summaries(
    shelves: Shelves, session: Session, person_id: int, ids: Collection[int], vector_version: str
) -> None:
    shelves.summaries.put(
        Entry(
            id=summary.id,
            terms=tuple(summary.terms.split()),
            vector=summary.vector if summary.vector_version == vector_version else None,
        )
        for summary in rows.summary_words(session, person_id, ids)
    )


def _card_entry(card: rows.CardWords, vector_version: str) -> Entry:
    held = words(fold(f"{card.relation} {card.text}"))
    columns: dict[str, object] = {"sensitive": card.sensitive, "language": language_code(card.language)}
    if card.starts is not None:
        columns |= _day(datetime.fromisoformat(card.starts))
    return Entry(
        id=card.id,
        terms=(*card.terms.split(), *dict.fromkeys(kin_terms(held, card.language))),
        vector=card.vector if card.vector_version == vector_version else None,
        names=(card.subject, *card.people),
        topics=tuple(sorted(topics(card.text, card.language))) if card.language in LANGUAGES else (),
        columns=columns,
    )


def _turn_entry(turn: rows.TurnWords, vector_version: str) -> Entry:
    every = turn.terms.split()
    columns: dict[str, object] = {
        "group": turn.conversation_id,
        "asks": ASKS in every,
        "tells": TELLS in every,
        "guest": bool(turn.speaker),
        **_day(turn.created_at.astimezone(_zone(turn.zone))),
    }
    return Entry(
        id=turn.id,
        terms=tuple(term for term in every if term not in (ASKS, TELLS)),
        vector=turn.vector if turn.vector_version == vector_version else None,
        names=(turn.speaker,),
        columns=columns,
    )


def _day(local: datetime) -> dict[str, object]:
    return {"year": local.year, "month": local.month, "day": local.day}


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):  # a browser may send a zone this machine does not know
        return ZoneInfo("UTC")
