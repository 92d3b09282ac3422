"""Ranking the turns of a person's talks for one question. Pure over a shelf of turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields as fields_of
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.cards.ranking.postings import Floats, Ints, idf, saturated
from memory.cards.ranking.question import Question
from memory.cards.ranking.shelf import Shelf
from memory.cards.ranking.weights import FUSION, TURNS, Fusion, TurnWeights

WINDOW = 3  # turns on either side that are about the same thing
BEST_OF_TALK = 3


def weigh(shelf: Shelf, features: dict[str, Floats], *, weights: TurnWeights = TURNS) -> Floats:
    """How well each turn answers, given its `features`; shape (len(shelf),), larger is better."""
    own = sum(getattr(weights, name) * value for name, value in features.items())
    total = np.asarray(own, dtype=np.float32)
    for name, value in neighbourhood(shelf, total).items():
        total = total + getattr(weights, name) * value
    return total


def is_answer(features: dict[str, Floats], *, fusion: Fusion = FUSION) -> NDArray[np.bool_]:
    """Which turns share enough with the question, in words and meaning, that talks are worth showing at all.

    Mild on purpose: 99 of 100 questions that a talk does answer pass, and questions about
    what was never spoken of stay below.
    """
    return np.asarray(features["words"] + features["meaning"] >= fusion.talk_floor, dtype=np.bool_)


def features(shelf: Shelf, question: Question, vector: NDArray[np.float32]) -> dict[str, Floats]:
    """What each turn shows by itself: one array a weight, shape (len(shelf),)."""
    rows = shelf.fields
    asked = shelf.asked_names(question.words)
    speakers = {word for key in asked for word in key}
    words, window = _lexical(shelf, question.without(speakers))
    month, day = _dates(rows, question)
    cosines = shelf.cosines(vector)
    return {
        "words": words,
        "window": window,
        "meaning": np.maximum(cosines, 0.0),
        "around": _around(rows["group"], cosines),
        "speaker": shelf.names.closeness(asked, shelf.position, len(rows)),
        "asks": rows["asks"].astype(np.float32),
        "length": np.log1p(rows["length"]),
        "month": month,
        "day": day,
        "tells": rows["tells"].astype(np.float32) * float(question.wants_when),
    }


def neighbourhood(shelf: Shelf, scores: Floats) -> dict[str, Floats]:
    """What each turn gains from its conversation, given all turns' own scores."""
    rows = shelf.fields
    low, high = float(scores.min()), float(scores.max())
    relative = (scores - low) / max(high - low, 1e-9)
    reply = np.zeros_like(relative)
    follows = rows["group"][1:] == rows["group"][:-1]
    reply[1:] = relative[:-1] * rows["asks"][:-1] * follows
    return {"talk": _best_of_talk(rows["group"], relative), "reply": reply}


def feature_names() -> tuple[str, ...]:
    """The names of all weights, in their order."""
    return tuple(each.name for each in fields_of(TurnWeights))


def _lexical(shelf: Shelf, sought: Sequence[Sequence[str]]) -> tuple[Floats, Floats]:
    """BM25 shares over (turn twice + the turn before it), and over the window around it."""
    rows = shelf.fields
    count = len(rows)
    group, length = rows["group"], rows["length"]
    near = np.zeros(count, np.float32)
    wide = np.zeros(count, np.float32)
    ideal = 0.0
    lengths: tuple[Floats, Floats] | None = None
    for forms in sought:
        at, counts = shelf.counts(forms)
        worth = idf(at.size, count)
        ideal += worth
        if not at.size:
            continue
        if lengths is None:
            lengths = _lengths(group, length)
        twice = np.zeros(count, np.float32)
        twice[at] = 2.0 * counts
        for to, weight in _shifted(at, counts, group, (1,)):
            twice[to] += weight
        around = np.zeros(count, np.float32)
        for to, weight in _shifted(at, counts, group, range(-WINDOW, WINDOW + 1)):
            around[to] += weight
        near += worth * saturated(twice, lengths[0], float(lengths[0].mean()))
        wide += worth * saturated(around, lengths[1], float(lengths[1].mean()))
    return near / max(ideal, 1e-9), wide / max(ideal, 1e-9)


def _around(group: NDArray[Any], cosines: Floats) -> Floats:
    """For each turn the mean over itself and the turns beside it in its conversation."""
    total, count = cosines.copy(), np.ones_like(cosines)
    beside = (group[1:] == group[:-1]).astype(np.float32)
    total[1:] += cosines[:-1] * beside
    total[:-1] += cosines[1:] * beside
    count[1:] += beside
    count[:-1] += beside
    return total / count


def _shifted(
    at: Ints, counts: Floats, group: NDArray[Any], offsets: Sequence[int]
) -> Iterator[tuple[Ints, Floats]]:
    """The positions `offset` further on that are in the same conversation, with the counts that go there."""
    for offset in offsets:
        to = at + offset
        inside = (to >= 0) & (to < group.size)
        inside[inside] = group[to[inside]] == group[at[inside]]
        yield to[inside], counts[inside]


def _lengths(group: NDArray[Any], length: Floats) -> tuple[Floats, Floats]:
    """Lengths of (turn twice + the turn before it), and of the windows."""
    every = np.arange(group.size, dtype=np.int32)
    near = 2.0 * length
    for to, weight in _shifted(every, length, group, (1,)):
        near[to] += weight
    wide = np.zeros_like(length)
    for to, weight in _shifted(every, length, group, range(-WINDOW, WINDOW + 1)):
        wide[to] += weight
    return near, wide


def _dates(rows: NDArray[Any], question: Question) -> tuple[Floats, Floats]:
    """Whether a turn was said in the month (or year) asked for, and on the day."""
    dates = question.dates
    in_year = np.isin(rows["year"], list(dates.years)) if dates.years else np.ones(len(rows), bool)
    if not dates.months:
        return (in_year * 0.5 if dates.years else np.zeros(len(rows))).astype(np.float32), np.zeros(
            len(rows), np.float32
        )
    in_month = np.isin(rows["month"], list(dates.months)) & in_year
    on_day = np.isin(rows["day"], list(dates.days)) & in_month
    return in_month.astype(np.float32), on_day.astype(np.float32)


def _best_of_talk(group: NDArray[Any], relative: Floats) -> Floats:
    """For each turn the mean of its conversation's best three; a short talk counts what it has."""
    starts = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
    sizes = np.diff(np.append(starts, group.size))
    talk = np.repeat(np.arange(starts.size), sizes)
    rest = relative.astype(np.float64)
    total = np.zeros(starts.size)
    for _ in range(BEST_OF_TALK):
        best = np.maximum.reduceat(rest, starts)
        there = np.isfinite(best)
        total[there] += best[there]
        hits = np.flatnonzero((rest == best[talk]) & there[talk])
        first = hits[np.unique(talk[hits], return_index=True)[1]]
        rest[first] = -np.inf
    mean = total / np.minimum(sizes, BEST_OF_TALK)
    return mean[talk].astype(np.float32)
