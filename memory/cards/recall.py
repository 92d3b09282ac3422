"""Recall: several angles searched, fused and crossed. (First, plain version.)"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from sqlalchemy.orm import Session

from memory import language as lang
from memory.embedding import Embedder
from memory.records import Found, Person, TranscriptHit
from memory.storage import cards as rows

_FLOOR = 0.30


@dataclass(frozen=True, kw_only=True)
class Angle:
    """One way to look: by the person named, by the theme, or by what is meant."""

    kind: str  # "person", "theme" or "meaning"
    query: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """What was found, best first, in cards and in the transcript."""

    found: tuple[Found, ...] = ()
    talks: tuple[TranscriptHit, ...] = ()


class CardCache:
    """One process's cache of postings and vectors by person, bounded in memory."""

    def __init__(self, most_mb: int) -> None:
        self.most_mb = most_mb


def recall(
    session: Session,
    *,
    person: Person,
    angles: Sequence[Angle],
    k: int = 8,
    guest: bool = False,
    now: datetime,
    embedder: Embedder,
    cache: CardCache,
    language: str,
    turn_id: int | None = None,
) -> Recalled:
    """Search the person's cards from several angles."""
    cards = [card for card in rows.active(session, person.id) if not (guest and card.sensitive)]
    if not cards:
        return Recalled()
    matrix = embedder.encode([card.text for card in cards])
    best: dict[int, Found] = {}
    for angle in angles:
        query = embedder.encode([angle.query])[0]
        cosines = np.asarray(matrix @ query)
        words = set(lang.terms(" ".join((angle.query, *angle.names)), language))
        for card, cosine in zip(cards, cosines, strict=True):
            held = set(
                lang.terms(f"{card.text} {card.title} {card.relation} {' '.join(card.people)}", card.language)
            )
            overlap = len(words & held) / (len(words) or 1)
            score = float(cosine) + overlap
            if (known := best.get(card.id)) is None or known.score < score:
                relevant = overlap > 0 or float(cosine) > _FLOOR
                best[card.id] = Found(card=card, score=score, angles=(angle.kind,), relevant=relevant)
    found = sorted(best.values(), key=lambda hit: -hit.score)[:k]
    return Recalled(found=tuple(found))
