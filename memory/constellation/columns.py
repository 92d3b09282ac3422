"""What a browser is sent of the sky: short columns and pairs of indices, never a figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any

from memory.records import Category
from memory.storage.sky import Named, Point

HANDLE = 5  # characters of a public id that name a card among a person's own
GRID = 10_000  # places are sent as whole numbers of these parts of the width
LABEL = 60  # characters
_KINDS = {category.value: str(number) for number, category in enumerate(Category)}


def columns(
    points: Sequence[Point],
    places: Mapping[int, tuple[float, float]],
    pairs: Sequence[tuple[int, int]],
    zone: tzinfo,
) -> dict[str, Any]:
    """The points and threads as columns, each as short as gzip likes it.

    Args:
        places: x and y of the points that have none stored yet.
        pairs: threads, as indices of points.
        zone: whose days the column of days counts.

    Returns:
        k: handles; x, y: whole numbers in 0..`GRID`; c: one digit a point, the category's number;
        n, s: outcomes and the good ones among them; d: days since the first, from one point to the
        next; since: the first day's ordinal; a, b: ends of threads, a as steps from the one before.
    """
    where = [(p.x, p.y) if p.x is not None and p.y is not None else places[p.id] for p in points]
    days = [p.learned_at.astimezone(zone).date().toordinal() for p in points]
    ordered = sorted(pairs)
    firsts = [a for a, _ in ordered]
    return {
        "k": handles([p.public_id for p in points]),
        "x": [round(x * GRID) for x, _ in where],
        "y": [round(y * GRID) for _, y in where],
        "c": "".join(_KINDS[p.category] for p in points),
        "n": [round(p.uses) for p in points],
        "s": [round(p.successes) for p in points],
        "since": days[0] if days else 0,
        "d": [day - before for day, before in zip(days, days[:1] + days, strict=False)],
        "a": [a - before for a, before in zip(firsts, [0, *firsts], strict=False)],
        "b": [b - a for a, b in ordered],
    }


def handles(public_ids: Sequence[str]) -> list[str]:
    """The beginnings of public ids, so long that no two are alike.

    >>> handles(["abcdefgh", "abcdexyz", "zzzzzzzz"])
    ['abcdefgh', 'abcdexyz', 'zzzzz']
    """
    seen = Counter(each[:HANDLE] for each in public_ids)
    return [each[:HANDLE] if seen[each[:HANDLE]] == 1 else each for each in public_ids]


def picked(handles_sent: Sequence[str], public_ids: Sequence[str]) -> list[int]:
    """The indices of those points that `public_ids` name."""
    index = {handle: at for at, handle in enumerate(handles_sent)}
    found = (index.get(each[:HANDLE], index.get(each)) for each in public_ids)
    return sorted(at for at in found if at is not None)


def label(category: str, title: str, text: str, people: Sequence[str]) -> str:
    """What a point is called: a person's name, else the title or the text's beginning.

    >>> label("fact", "", "Lives in Porto,  near the river.", ())
    'Lives in Porto, near the river.'
    """
    said = title or text
    if category == Category.PERSON and people and people[0].casefold() not in said.casefold():
        said = f"{people[0]}: {said}"
    flat = " ".join(said[: LABEL * 3].split())
    return flat if len(flat) <= LABEL else flat[: LABEL - 1].rstrip() + "…"


def labels(points: Sequence[Named]) -> list[str]:
    """What each point is called."""
    return [label(p.category, p.title, p.text, p.people) for p in points]
