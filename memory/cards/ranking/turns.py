"""Ranking the turns of a person's talks for one question. Pure over a shelf of turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields as fields_of
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.cards.ranking.postings import Floats, idf, norm, saturated
from memory.cards.ranking.question import Question
from memory.cards.ranking.shelf import Shelf
from memory.cards.ranking.weights import FUSION, TURNS, Fusion, TurnWeights

WINDOW = 3  # turns on either side that are about the same thing
BEST_OF_TALK = 3
_REACH = np.arange(-WINDOW, WINDOW + 1)
_TWICE_AND_BEFORE = slice(WINDOW, WINDOW + 2)  # of _REACH: the turn itself, and the one behind it


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
        "around": _around(shelf.derived("group", _group), cosines),
        "speaker": shelf.names.closeness(asked, shelf.position, len(rows)),
        "asks": rows["asks"].astype(np.float32),
        "length": shelf.derived("length", lambda rows: np.log1p(rows["length"])),
        "month": month,
        "day": day,
        "tells": rows["tells"].astype(np.float32) * float(question.wants_when),
    }


def neighbourhood(shelf: Shelf, scores: Floats) -> dict[str, Floats]:
    """What each turn gains from its conversation, given all turns' own scores."""
    rows, group = shelf.fields, shelf.derived("group", _group)
    low, high = float(scores.min()), float(scores.max())
    relative = (scores - low) / max(high - low, 1e-9)
    reply = np.zeros_like(relative)
    follows = group[1:] == group[:-1]
    reply[1:] = relative[:-1] * rows["asks"][:-1] * follows
    return {"talk": _best_of_talk(shelf.derived("talks", _talks), relative), "reply": reply}


def feature_names() -> tuple[str, ...]:
    """The names of all weights, in their order."""
    return tuple(each.name for each in fields_of(TurnWeights))


def _lexical(shelf: Shelf, sought: Sequence[Sequence[str]]) -> tuple[Floats, Floats]:
    """BM25 shares over (turn twice + the turn before it), and over the window around it."""
    count = len(shelf)
    hits = [shelf.counts(forms) for forms in sought]
    worths = np.array([idf(at.size, count) for at, _ in hits], np.float32)
    there = [(worth, *hit) for worth, hit in zip(worths, hits, strict=True) if hit[0].size]
    if not there:
        return np.zeros(count, np.float32), np.zeros(count, np.float32)
    # All words at once, a row each: many small steps cost more than what they count.
    word = np.repeat(np.arange(len(there)), [at.size for _, at, _ in there])
    at, counts = (np.concatenate([each[part] for each in there]) for part in (1, 2))
    group, norms = shelf.derived("group", _group), shelf.derived("norms", _norms)
    found = _spread(at, counts, group, word)
    shares = np.array([worth for worth, _, _ in there], np.float32)[:, None] / max(float(worths.sum()), 1e-9)
    near, wide = (
        (shares * saturated(each, against)).sum(axis=0) for each, against in zip(found, norms, strict=True)
    )
    return near, wide


def _around(group: NDArray[Any], cosines: Floats) -> Floats:
    """For each turn the mean over itself and the turns beside it in its conversation."""
    total, count = cosines.copy(), np.ones_like(cosines)
    beside = (group[1:] == group[:-1]).astype(np.float32)
    total[1:] += cosines[:-1] * beside
    total[:-1] += cosines[1:] * beside
    count[1:] += beside
    count[:-1] += beside
    return total / count


def _spread(
    at: NDArray[Any], counts: Floats, group: NDArray[Any], word: NDArray[Any]
) -> tuple[Floats, Floats]:
    """What each turn holds of each word: (itself twice + the turn before it), and all in its window.

    Args:
        at: positions of turns that hold a word, `counts` times each.
        word: number of the word, rising from 0, shape of `at`.

    Returns:
        Two arrays of shape (words, turns).
    """
    to = at[:, None] + _REACH
    # A neighbour beyond either end is none; taking it from the end keeps the look-up legal.
    inside = (group.take(to, mode="clip") == group[at][:, None]) & (to >= 0) & (to < group.size)
    each = np.where(inside, counts[:, None], 0.0)
    to = np.where(inside, to, at[:, None]) + (word * group.size)[:, None]
    shape = (int(word[-1]) + 1, group.size)
    size = shape[0] * shape[1]
    near, wide = (
        np.bincount(to[:, part].ravel(), weights=(each[:, part] * times).ravel(), minlength=size)
        for part, times in ((_TWICE_AND_BEFORE, (2.0, 1.0)), (slice(None), 1.0))
    )
    return near.reshape(shape).astype(np.float32), wide.reshape(shape).astype(np.float32)


def _group(rows: NDArray[Any]) -> NDArray[np.int64]:
    return np.ascontiguousarray(rows["group"])


def _norms(rows: NDArray[Any]) -> tuple[Floats, Floats]:
    """What BM25 holds against the length of (turn twice + the turn before it), and of the windows."""
    every = np.arange(len(rows))
    near, wide = _spread(every, np.ascontiguousarray(rows["length"]), _group(rows), np.zeros_like(every))
    return norm(near[0]), norm(wide[0])


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


def _talks(rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Where each conversation begins, how many turns it has, and for each turn its conversation's number."""
    group = _group(rows)
    starts = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
    sizes = np.diff(np.append(starts, group.size))
    return starts, sizes, np.repeat(np.arange(starts.size), sizes)


def _best_of_talk(talks: tuple[NDArray[np.int64], ...], relative: Floats) -> Floats:
    """For each turn the mean of its conversation's best three; a short talk counts what it has."""
    starts, sizes, talk = talks
    falling = relative[np.lexsort((-relative, talk))].astype(np.float64)
    total = np.zeros(starts.size)
    for place in range(BEST_OF_TALK):
        there = sizes > place
        total[there] += falling[starts[there] + place]
    mean = total / np.minimum(sizes, BEST_OF_TALK)
    return mean[talk].astype(np.float32)
