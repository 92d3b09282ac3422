"""From the results of several angles to one list. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from memory.cards.ranking.postings import Floats
from memory.cards.ranking.weights import CARDS, FUSION, CardWeights, Fusion

_SHOWN = {
    "words": 0.15,
    "meaning": 0.28,
    "kin": 0.5,
    "name": 0.5,
    "date": 0.4,
}  # from where a sign is a reason


# How much of a sign's weight speaks for relevance. Topics and language order what is near; measured, they
# would make more cards that are no answer pass than cards that are one.
_EVIDENCE = {"name": 0.5, "topics": 0.0, "tongue": 0.0}


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A card that one or more angles brought."""

    id: int
    score: float
    relevance: float  # of its best angle: what the rule of relevance looks at
    angles: tuple[str, ...]
    because: tuple[str, ...]  # signs that spoke for it: words, meaning, kin, name, date, link, next_event


def best(scores: Floats, count: int) -> list[int]:
    """Positions of the `count` largest scores, best first; equal ones by position."""
    if count >= scores.size:
        return [int(at) for at in np.argsort(-scores, kind="stable")]
    edge = np.partition(scores, scores.size - count)[scores.size - count]
    among = np.flatnonzero(scores >= edge)
    return [int(at) for at in among[np.argsort(-scores[among], kind="stable")][:count]]


def reasons(features: Mapping[str, Floats], at: int) -> tuple[str, ...]:
    """The signs that clearly speak for the card at a position."""
    return tuple(name for name, least in _SHOWN.items() if features[name][at] >= least)


def relevance(
    features: Mapping[str, Floats], *, weights: CardWeights = CARDS, fusion: Fusion = FUSION
) -> Floats:
    """What the rule of relevance compares with `card_floor`; shape of the features.

    The score, but with half the weight of a name: that a card is about Anna does
    not make it an answer to every question about Anna. A card that holds nearly all
    of the question's words is an answer whatever its meaning is near to.
    """
    total = sum(getattr(weights, name) * _EVIDENCE.get(name, 1.0) * features[name] for name in features)
    lifted = np.where(features["covers"] >= fusion.card_covers, fusion.card_floor, 0.0)
    return np.maximum(np.asarray(total, dtype=np.float32), lifted.astype(np.float32))


def fuse(angles: Iterable[Sequence[Hit]], *, fusion: Fusion = FUSION) -> list[Hit]:
    """One list of the angles' hits, best first: what several angles share rises."""
    grouped: dict[int, list[Hit]] = {}
    for hits in angles:
        for hit in hits:
            grouped.setdefault(hit.id, []).append(hit)
    fused = []
    for hits in grouped.values():
        hits = sorted(hits, key=lambda hit: -hit.score)
        extra = fusion.shared * sum(max(hit.score, 0.0) for hit in hits[1:])
        fused.append(
            replace(
                hits[0],
                score=hits[0].score + extra,
                relevance=max(hit.relevance for hit in hits),
                angles=tuple(dict.fromkeys(kind for hit in hits for kind in hit.angles)),
                because=tuple(dict.fromkeys(sign for hit in hits for sign in hit.because)),
            )
        )
    return in_order(fused)


def in_order(hits: Iterable[Hit]) -> list[Hit]:
    """Best first; equal ones by id, so that both databases give the same list."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))
