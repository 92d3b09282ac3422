"""Which moments of a sentence belong together though other words part them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from memory.language.times.compose import WHOLE_DAYS, Told, is_instant, is_target, moving_sentences
from memory.language.times.grammar import Grammar, Piece

MOST_WORDS_BESIDE_A_LONE_HOUR = 1  # in a sentence of its own that only adds the hour to the day before
_OF_A_YEAR = {"date", "numeric", "holiday", "nth"}


def join(told: list[Told], folded: str, grammar: Grammar, ends: Sequence[int]) -> list[Told]:
    """Bring together what other words part: a day and its hour, a recurrence and its start.

    Args:
        ends: of the sentences, see `compose.sentence_ends`.
    """
    joined = list(told)
    moves = moving_sentences(folded, grammar, ends)
    for loose in told:
        if loose.hour_only:
            mates = [t for t in joined if t.sentence == loose.sentence and t is not loose and _wants_hour(t)]
            if loose.sentence in moves:  # "move my four o'clock to tomorrow"
                mates = [t for t in mates if not _is_moved_to(loose, t, folded, grammar)]
        elif loose.same_time is not None and len(loose.pieces) == 1:
            mates = [t for t in joined if t.sentence == loose.sentence and t.has_day and not t.has_hour]
        elif _only_end_hour(loose):
            mates = [t for t in joined if t.sentence == loose.sentence and t is not loose and _wants_hour(t)]
        elif not loose.every and (loose.start_days or loose.excepted or _only_end(loose)):
            mates = [t for t in joined if t.sentence == loose.sentence and t is not loose and t.every]
        elif loose.has_day and not loose.every:
            mates = [
                t for t in joined if t.sentence == loose.sentence and t is not loose and _wants_day(t, loose)
            ]
        else:
            continue
        if not mates:
            continue
        before = [mate for mate in mates if mate.pieces[0].start < loose.pieces[0].start]
        _merge(before[-1] if before else mates[0], loose)
        joined.remove(loose)
    _with_day_before(joined, folded, grammar, ends)
    _with_days_behind(joined, folded, grammar)
    _with_days(joined, folded, grammar)
    return joined


def _is_moved_to(hour: Told, day: Told, folded: str, grammar: Grammar) -> bool:
    """Whether an hour is left behind for a day that is told after it."""
    first = min(hour.pieces[0], day.pieces[0], key=lambda piece: piece.start)
    return first is hour.pieces[0] and is_target(folded, day.pieces[0], grammar)


def _wants_hour(told: Told) -> bool:
    if told.clock or any(is_instant(day) for day in told.days):
        return False
    if told.before:  # "on the eve of 14 July we dance from nine"
        return bool(told.days) and told.before.values.get("unit") in WHOLE_DAYS
    return bool(told.days or told.every or told.start_days)


def _wants_day(told: Told, loose: Told) -> bool:
    """A bare unit ("every two weeks", "every year") that a day elsewhere in the sentence completes."""
    bare = len(told.every) == 1 and set(told.every[0].values) <= {"unit", "interval", "num", "count"}
    if not bare or told.days or (loose.has_hour and (told.has_hour or not _is_yearly(told))):
        return False
    kinds = {"weekday", "monthday"} | (_OF_A_YEAR if _is_yearly(told) else set())
    return all(day.kind in kinds for day in loose.days)


def _is_yearly(told: Told) -> bool:
    return told.every[0].values.get("unit") == "year"


def _only_end_hour(told: Told) -> bool:
    """Whether nothing but an hour at which something ends is told: "until six"."""
    return told.end_clock is not None and len(told.pieces) == 1


def _only_end(told: Told) -> bool:
    return bool(told.end_days) and not told.days and not told.has_hour


def _merge(into: Told, loose: Told) -> None:
    for name in ("days", "every", "excepted", "start_days", "end_days", "pieces"):
        getattr(into, name).extend(getattr(loose, name))
    for name in ("clock", "part", "end_clock", "end_part", "duration", "same_time"):
        if getattr(into, name) is None:
            setattr(into, name, getattr(loose, name))
    into.pieces.sort(key=lambda piece: piece.start)


def _with_day_before(told: list[Told], folded: str, grammar: Grammar, ends: Sequence[int]) -> None:
    """Give an hour the day of the sentence before: "Free on Monday? If so, at ten", "Monday? Ten."."""
    for before, loose in list(pairwise(told)):
        if loose.sentence != before.sentence + 1 or loose.clock is None or not loose.hour_only:
            continue
        if not before.days or before.every or not _wants_hour(before) or before.end_days or before.has_hour:
            continue
        start, end = ends[loose.sentence - 1], [*ends, len(folded)][loose.sentence]
        first, last = loose.pieces[0].start, max(piece.end for piece in loose.pieces)
        rest = re.findall(r"\w+", folded[start:first] + " " + folded[last:end])
        asked = folded[start - 1] == "?" and grammar.offers.search(folded, start, end)
        if asked or len(rest) <= MOST_WORDS_BESIDE_A_LONE_HOUR:
            _merge(before, loose)
            told.remove(loose)


def _with_days(told: list[Told], folded: str, grammar: Grammar) -> None:
    """Give hours the day, or the recurrence, of the moment that is told beside them.

    "Every day at eight and at nine", "tomorrow at ten and again at four", "at seven and at nine every day",
    "tomorrow at six I get up, the bus leaves at twenty to seven".
    """
    for before, loose in pairwise(told):
        gap = folded[before.pieces[-1].end : loose.pieces[0].start]
        beside = grammar.also.fullmatch(gap) is not None
        if before.sentence != loose.sentence or before.before or loose.before:
            continue
        if loose.hour_only and _lends(before) and (beside or (loose.clock and not before.every)):
            _share(before, loose)
    for before, loose in reversed(list(pairwise(told))):
        gap = folded[before.pieces[-1].end : loose.pieces[0].start]
        if before.sentence != loose.sentence or before.before or loose.before or not gap.strip():
            continue
        if grammar.also.fullmatch(gap) and loose.clock and _are_alike(before, loose):
            before.clock, before.part = loose.clock, loose.part  # "Tuesday and Thursday at six"
            before.end_clock, before.end_part = loose.end_clock, loose.end_part


def _are_alike(day: Told, other: Told) -> bool:
    """Whether a day without an hour is told as another is: by its weekday, by its date."""
    if day.has_hour or day.every or day.end_days or other.every or day.start_days or len(day.pieces) > 1:
        return False
    return [piece.kind for piece in day.days] == [piece.kind for piece in other.days] != []


def _with_days_behind(told: list[Told], folded: str, grammar: Grammar) -> None:
    """Give hours the day or the recurrence told behind them: "at eight, at noon and at six, every day"."""
    for before, loose in reversed(list(pairwise(told))):
        gap = folded[before.pieces[-1].end : loose.pieces[0].start]
        if before.sentence != loose.sentence or before.before or loose.before:
            continue
        if (
            before.hour_only
            and before.clock
            and grammar.also.fullmatch(gap)
            and loose.clock
            and _lends(loose)
        ):
            _share(loose, before)


def _lends(told: Told) -> bool:
    """Whether a moment has an hour and a day, or a rule, that another hour may be meant for."""
    if told.clock is None or not (told.every or told.days or told.start_days):
        return False
    return not any(is_instant(day) or _looks_back(day) for day in told.days)


def _looks_back(day: Piece) -> bool:
    told = day.values
    return int(told.get("days", 0)) < 0 or int(told.get("sign", 1)) < 0 or told.get("shift") == "last"


def _share(of: Told, to: Told) -> None:
    for name in ("days", "every", "excepted", "start_days", "end_days"):
        getattr(to, name).extend(getattr(of, name))
    to.duration = of.duration
    to.follows = True
