"""What means the same as the words of a search, for the pages that look for words."""

from __future__ import annotations

from sqlalchemy.orm import Session

from memory.cards.recall import Angle, recall
from memory.records import Card
from memory.web.current import now, person, wiring

LEAST_CHARS = 4  # below that a word is still being typed
MOST = 6


def meant(session: Session, query: str) -> list[Card]:
    """The person's memories that mean what was asked for, whatever their words; nearest first."""
    if len(query) < LEAST_CHARS:
        return []
    parts = wiring()
    recalled = recall(
        session,
        person=person(),
        angles=[Angle(kind="meaning", query=query)],
        k=MOST,
        now=now(),
        embedder=parts.embedder,
        cache=parts.cache,
        language=person().language,
    )
    return [hit.card for hit in recalled.found if hit.relevant and "link" not in hit.angles]
