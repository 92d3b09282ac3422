"""Themes: groups of at least four cards that belong together, and a name from their own words. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memory import language as lang
from memory.embedding import Vectors

LEAST = 4  # fewer cards are no theme
_NEAR = 0.42  # the cosine from which a card belongs to the one in the middle of a new group
_JOINS = 0.55  # ... to the mean of a group that is there
_WORDS = 2  # in a name


@dataclass(frozen=True, kw_only=True)
class Groups:
    """Positions of cards by group."""

    standing: Mapping[int, tuple[int, ...]]  # under the key of the theme that is there already
    fresh: tuple[tuple[int, ...], ...]


def group(
    vectors: Vectors, known: Mapping[int, Collection[int]], *, elsewhere: Mapping[int, int] | None = None
) -> Groups:
    """Sort cards into groups: those that are there keep their cards, gain close ones, or end below four.

    The same cards give the same groups however often it is run: members never
    leave a group that stands, and what is left over finds no group a second time.

    Args:
        vectors: one unit vector a card.
        known: positions by the key of their theme.
        elsewhere: how many more cards a theme has that are not among these.
    """
    elsewhere = elsewhere or {}
    held = {key: sorted(places) for key, places in sorted(known.items())}
    made: list[list[int]] = []
    free = set(range(len(vectors))) - {place for places in held.values() for place in places}
    _join(vectors, list(held.values()), free)
    for key in [key for key, places in held.items() if len(places) + elsewhere.get(key, 0) < LEAST]:
        free.update(held.pop(key))
    _join(vectors, list(held.values()), free)
    alike = vectors @ vectors.T if free else np.zeros((0, 0))
    while (fresh := _densest(alike, free)) is not None:
        made.append(fresh)
        free.difference_update(fresh)
        _join(vectors, [*held.values(), *made], free)
    return Groups(
        standing={key: tuple(sorted(places)) for key, places in held.items()},
        fresh=tuple(tuple(sorted(places)) for places in made),
    )


def _join(vectors: Vectors, groups: Sequence[list[int]], free: set[int]) -> None:
    """Move free cards to the group whose mean they are closest to, until none is close enough."""
    groups = [places for places in groups if places]
    moved = bool(groups)
    while moved and free:
        moved = False
        means = np.stack([vectors[places].sum(axis=0) for places in groups])
        means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
        waiting = sorted(free)
        close = vectors[waiting] @ means.T
        for at, place in enumerate(waiting):
            best = int(close[at].argmax())
            if close[at, best] >= _JOINS:
                groups[best].append(place)
                free.discard(place)
                moved = True


def _densest(alike: np.ndarray, free: set[int]) -> list[int] | None:
    """The card with the most close ones among the free, and these; None when they are too few."""
    if len(free) < LEAST:
        return None
    places = np.array(sorted(free))
    near = alike[np.ix_(places, places)] >= _NEAR
    np.fill_diagonal(near, True)
    middle = int(near.sum(axis=1).argmax())  # the first of equals: the oldest card
    chosen = places[near[middle]]
    return [int(place) for place in chosen] if len(chosen) >= LEAST else None


@dataclass(frozen=True, kw_only=True)
class Said:
    """The words of one card."""

    text: str
    language: str


def words_of(said: Said) -> dict[str, str]:
    """The telling words of a card as they stand in it, by their stem; no numbers, no codes."""
    found: dict[str, str] = {}
    for word in re.findall(r"[^\W\d_]{3,}", said.text):
        for stem in lang.terms(word, said.language)[:1]:
            found.setdefault(stem, word)
    return found


def spread(every: Sequence[Said]) -> Counter[str]:
    """In how many cards each stem stands."""
    return Counter(stem for each in every for stem in words_of(each))


def name(members: Sequence[Said], stems: Mapping[str, int], total: int, *, language: str) -> str:
    """A name for a group from the words that tell it from the rest; "…" when its cards have none.

    Args:
        stems: in how many of all `total` cards each stem stands.
        language: the person's; words of cards in it are taken when two of them are.
    """
    own = [each for each in members if each.language == language]
    members = own if len(own) >= 2 else members
    told = [words_of(each) for each in members]
    count = Counter(stem for words in told for stem in words)

    def weight(stem: str) -> float:
        return count[stem] * math.log((1 + total) / (1 + stems.get(stem, 0)) + 1)

    ranked = sorted(count, key=lambda stem: (-weight(stem), stem))
    shared = [stem for stem in ranked if count[stem] >= 2] or ranked[:1]
    if not shared:
        return "…"
    chosen = [shared[0], *(stem for stem in shared[1:] if count[stem] >= len(members) / 3)][:_WORDS]
    return " · ".join(_as_written(stem, told) for stem in chosen)


def _as_written(stem: str, told: Sequence[Mapping[str, str]]) -> str:
    forms = Counter(words[stem] for words in told if stem in words)
    best = min(forms, key=lambda form: (-forms[form], len(form), form))
    return best[0].upper() + best[1:]


def still_names(text: str, members: Sequence[Said]) -> bool:
    """Whether every word of a name still stands in one of the cards: a forgotten word leaves the name too."""
    standing = {lang.fold(word) for each in members for word in re.findall(r"\w+", each.text)}
    return all(lang.fold(word) in standing for word in re.findall(r"\w+", text))
