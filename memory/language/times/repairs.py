"""Self-corrections: of "at ten, no, eleven" only eleven is told."""

from __future__ import annotations

import re
from functools import cache

from memory.language import numbers
from memory.language.folding import fold
from memory.language.times.days import DAY_KINDS
from memory.language.times.grammar import Grammar, Piece

_LAST_HOUR = 24
_MOST_BETWEEN = 2  # pieces that may stand between the wrong one and its correction


def repaired(pieces: list[Piece], folded: str, known: Grammar) -> list[Piece]:
    """The pieces without those that the person took back in the same breath.

    The correction covers the words of both, so that nothing of them is left as a matter.
    """
    kept: list[Piece] = []
    for piece in _with_bare_hours(pieces, folded, known):
        gap = folded[kept[-1].end : piece.start] if kept else ""
        taken_back = bool(kept) and known.repair.fullmatch(gap) is not None and not _denies(gap, piece, known)
        if taken_back and _replace(kept, piece):
            continue
        kept.append(piece)
    return kept


def _denies(gap: str, piece: Piece, known: Grammar) -> bool:
    """Whether a word that may take back says what a day is not: "no dia treze, não no dia doze"."""
    word = fold(str(known.settings.get("denies", "")))
    told = bool(word) and re.fullmatch(rf"\s*[,;]\s+{word}\s+", gap) is not None
    return told and piece.kind in DAY_KINDS


def _replace(kept: list[Piece], piece: Piece) -> bool:
    """Put a correction in the place of the newest piece of its kind; False when there is none."""
    for back in range(1, min(len(kept), _MOST_BETWEEN + 1) + 1):
        wrong = kept[-back]
        if not _same_kind(wrong, piece):
            continue
        if back == 1:
            kept[-1] = Piece(piece.kind, wrong.start, piece.end, piece.values)
        else:
            kept[-back] = Piece(piece.kind, wrong.start, wrong.end, piece.values)
            last = kept[-1]
            kept[-1] = Piece(last.kind, last.start, piece.end, last.values)
        return True
    return False


def _same_kind(one: Piece, other: Piece) -> bool:
    return one.kind == other.kind == "clock" or (one.kind in DAY_KINDS and other.kind in DAY_KINDS)


def _with_bare_hours(pieces: list[Piece], folded: str, known: Grammar) -> list[Piece]:
    """The pieces, and the bare numbers that correct an hour."""
    added = []
    for index, piece in enumerate(pieces):
        if piece.kind != "clock":
            continue
        word = known.repair.match(folded, piece.end)
        if word is None:
            continue
        figure = _figure(known.language).match(folded, word.end())
        if figure is None or known.not_after.match(folded, figure.end()):
            continue
        if index + 1 < len(pieces) and pieces[index + 1].start < figure.end():
            continue
        hour = numbers.value(figure.group(), known.language)
        if hour is not None and 0 < hour <= _LAST_HOUR:
            added.append(Piece("clock", figure.start(), figure.end(), {"hour": int(hour)}))
    return sorted((*pieces, *added), key=lambda piece: piece.start)


@cache
def _figure(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?:\d{{1,2}}|{numbers.cardinal_pattern(language)})(?![\w:.,]\w|\w)")
