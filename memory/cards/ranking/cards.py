"""Ranking a person's cards for one question. Pure over a shelf of cards."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.cards.ranking.postings import Floats, idf, norm, saturated
from memory.cards.ranking.question import Question
from memory.cards.ranking.shelf import Shelf, language_code, topic_term
from memory.cards.ranking.weights import CARDS, CardWeights

# What a word counts in a card of another language, when it is no name: "course" is a race in French, a lesson
# in English, and stems agree by chance.
ABROAD = 0.5


def score(features: dict[str, Floats], *, weights: CardWeights = CARDS) -> Floats:
    """The weighted sum of `features`; larger is better."""
    total = sum(getattr(weights, name) * value for name, value in features.items())
    return np.asarray(total, dtype=np.float32)


def features(shelf: Shelf, question: Question, vector: NDArray[np.float32]) -> dict[str, Floats]:
    """What each card shows for a question: one array a weight, shape (len(shelf),).

    Args:
        vector: unit vector that stands for the question's meaning.
    """
    rows = shelf.fields
    asked = shelf.asked_names(question.words)
    words, covers = _lexical(shelf, question)
    return {
        "words": words,
        "covers": covers,
        "meaning": np.maximum(shelf.cosines(vector), 0.0),
        "topics": _topics(shelf, question),
        "tongue": (rows["language"] == language_code(question.language)).astype(np.float32),
        "kin": _kin(shelf, question),
        "name": shelf.names.closeness(asked, shelf.position, len(rows)),
        "date": _dates(rows, question),
    }


def _lexical(shelf: Shelf, question: Question) -> tuple[Floats, Floats]:
    """BM25 share, and the plain share of the weight of the question's words that a card holds; 0..1."""
    rows = shelf.fields
    count = len(rows)
    foreign = (rows["language"] != language_code(question.language)) & (rows["language"] != 0)
    total = np.zeros(count, np.float32)
    covered = np.zeros(count, np.float32)
    ideal = 0.0
    for forms in question.sought:
        at, counts = shelf.counts(forms)
        worth = idf(at.size, count)
        ideal += worth
        if at.size:
            norms = shelf.derived("norm", lambda rows: norm(rows["length"]))
            shares = worth * saturated(counts, norms[at])
            if forms[0] not in question.names:
                shares = np.where(foreign[at], ABROAD * shares, shares)
            total[at] += shares
            covered[at] += worth
    return total / max(ideal, 1e-9), covered / max(ideal, 1e-9)


def _dates(rows: NDArray[Any], question: Question) -> Floats:
    """How well a card's own date fits the one asked for: year .4, month .7, day 1."""
    dates = question.dates
    if not (dates.years or dates.months):
        return np.zeros(len(rows), np.float32)
    in_year = np.isin(rows["year"], list(dates.years)) if dates.years else rows["year"] > 0
    if not dates.months:
        return (in_year * 0.4).astype(np.float32)
    in_month = np.isin(rows["month"], list(dates.months)) & in_year
    on_day = np.isin(rows["day"], list(dates.days)) & in_month
    return (in_month * 0.7 + on_day * 0.3).astype(np.float32)


def _kin(shelf: Shelf, question: Question) -> Floats:
    """The share of the relations asked for ("my sister") that a card names, in whatever language."""
    total = np.zeros(len(shelf), np.float32)
    for term in question.kin:
        at, _ = shelf.counts((term,))
        total[at] += 1.0 / len(question.kin)
    return total


def _topics(shelf: Shelf, question: Question) -> Floats:
    """How much of the question a card takes up in other words, over topics of the thesaurus; 0..1.

    A word counts with its rarest topic that the card has; cards that touch on many topics count less.
    """
    count = len(shelf)
    total = np.zeros(count, np.float32)
    for topics in question.topics:
        best = np.zeros(count, np.float32)
        for topic in sorted(topics):
            at, _ = shelf.counts((topic_term(topic),))
            best[at] = np.maximum(best[at], idf(at.size, count))
        total += best
    ideal = max(len(question.sought), 1) * idf(0, count)
    share = total / ideal / np.sqrt(np.maximum(shelf.fields["topics"], 1))
    return np.asarray(np.minimum(share, 1.0), dtype=np.float32)
