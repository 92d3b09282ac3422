"""What a person takes back in the same breath: of "sixty, no, make it twenty" only twenty is said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from memory.language import find_times, fold, fold_map, numbers, surface_terms
from memory.language.tables import tables
from memory.llm.embedded.scene import Scene
from memory.llm.embedded.valuing import CODE, CONTACT, choices_in, patterns_of, streets

_MOST = 4  # "sixty, no, forty, no, twenty": more often nobody changes their mind
_MOST_CHARS = 600  # one breath is shorter
_BEFORE, _AFTER = 3, 4  # words between what was taken back, the mark, and what is said instead
_DENIED = 2  # words between a "not" and what it denies
_FEW = 3  # words of a thing that has no form of its own: "the green one"
_PAUSE = r"[\s,.;:!…–—-]"


def put_right(scene: Scene) -> Scene:
    """The scene without the values that its message takes back: blanks stand in their place."""
    said = scene.said
    if len(said) > _MOST_CHARS:
        return scene
    for _ in range(_MOST):
        righted = _without_a_slip(scene, said)
        if righted == said:
            break
        said = righted
    said = _without_denied(scene, said)
    return scene if said == scene.said else replace(scene, said=said)


def _without_denied(scene: Scene, said: str) -> str:
    """A text without the value that is denied beside another of its kind: "Dock Road 9, not Mill Lane 4"."""
    folded, at = fold_map(said)
    moments = [
        span for each in find_times(said, language=scene.language, now=scene.now) for span in each.spans
    ]
    for pattern in patterns_of(scene)["denies"]:
        for match in pattern.finditer(folded):
            start, end = at[match.start()], at[match.end()]
            pause = re.search(r"[,;]", said[end:])
            if not moments and pause is not None:  # "not Saturday, Sunday": the "not" is read over both
                bared = _blank(said, start, end + pause.end())
                if find_times(bared, language=scene.language, now=scene.now):
                    return bared
            for spans in _values(scene, said, moments):
                after = [each for each in spans if each[0] >= end]
                others = [each for each in spans if each[1] <= start or each in after[1:]]
                if after and others and _words(said[end : after[0][0]]) <= _DENIED:
                    return _blank(said, start, after[0][1])
    return said


def _without_a_slip(scene: Scene, said: str) -> str:
    """A text without its first value that is taken back; the words for what it counts stay."""
    folded, at = fold_map(said)
    moments = [
        span for each in find_times(said, language=scene.language, now=scene.now) for span in each.spans
    ]
    for match in _marks(scene.language).finditer(folded):
        mark = (at[match.start()], at[match.end()])
        if any(first < mark[1] and mark[0] < last for first, last in moments):
            continue  # moments put themselves right
        if (twin := _twin(said, moments, mark)) is not None:
            (_, end), (_, last) = twin
            return said[:end] + said[mark[0] : last] + said[end : mark[0]] + said[last:]
        for spans in _values(scene, said, moments):
            if (twin := _twin(said, spans, mark)) is not None:
                return _blank(_blank(said, *mark), *twin[0])
        if (begin := _worded(scene, said, mark, moments)) is not None:
            return _blank(said, begin, mark[1])
    return said


def _twin(
    said: str, spans: list[tuple[int, int]], mark: tuple[int, int]
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """What a mark takes back, and what it puts in its place, when both are near."""
    before = [each for each in spans if each[1] <= mark[0]]
    after = [each for each in spans if each[0] >= mark[1]]
    if not before or not after:
        return None
    is_near = (
        _words(said[before[-1][1] : mark[0]]) <= _BEFORE and _words(said[mark[1] : after[0][0]]) <= _AFTER
    )
    return (before[-1], after[0]) if is_near else None


def _blank(said: str, start: int, end: int) -> str:
    return said[:start] + " " * (end - start) + said[end:]


def _values(scene: Scene, said: str, moments: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Where values of one kind stand, kind by kind."""
    told = [match.span() for match in CONTACT.finditer(said)]
    yield told
    roads = [match.span() for match in streets(scene, said)]
    yield roads
    codes = [match.span() for match in CODE.finditer(said) if not match.group().isdigit()]
    yield codes
    yield from choices_in(scene, said)
    yield [
        each.span
        for each in numbers.find(said, scene.language)
        if not each.ordinal
        and not any(a < each.span[1] and each.span[0] < b for a, b in (*told, *roads, *codes, *moments))
    ]


def _worded(scene: Scene, said: str, mark: tuple[int, int], moments: list[tuple[int, int]]) -> int | None:
    """Where a thing without a form of its own begins that is taken back: "in blue, no, in green"."""
    match = re.match(r"[^,.;:!?…]*", said[mark[1] :])
    instead = match.group().split() if match else []
    before = list(re.finditer(r"[\w'’-]+", said[: mark[0]]))
    if not instead or not before or len(instead) > _FEW:
        return None
    same = [each.start() for each in before[-_FEW - 1 :] if fold(each.group()) == fold(instead[0])]
    if same:
        return same[-1]
    last = before[-1]
    is_word = bool(surface_terms(last.group(), scene.language)) and not any(
        start < last.end() and last.start() < end for start, end in moments
    )
    return (
        last.start() if len(instead) == 1 and is_word and surface_terms(instead[0], scene.language) else None
    )


def _words(text: str) -> int:
    return len(re.findall(r"\w+", text))


@cache
def _marks(language: str) -> re.Pattern[str]:
    """Words by which something just said is taken back, after a pause."""
    told = str(tables(language)["times"]["repair"])
    words = "".join(fold_map(told)[0])
    return re.compile(rf"\s*[,.;:!…–—-]{_PAUSE}*(?:{words})(?!\w)(?:{_PAUSE}+(?:{words})(?!\w))*{_PAUSE}*")
