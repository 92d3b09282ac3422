"""What is said in another order or afterwards: "it's almonds I'm allergic to", "... Starting next month."."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from dateutil.rrule import rrulestr

from memory.listening.draft import Draft
from memory.listening.scene import Scene
from memory.listening.tokens import Piece
from memory.records import Category

_FEW = 3  # small words around an hour that stands alone
_MOST = 24  # words of a sentence that brings one part to its front


@dataclass(frozen=True)
class Fronted:
    """A sentence in its plain order, with the part it brought to the front, and what that part is not."""

    text: str
    right: str
    wrong: str = ""


def fronted(scene: Scene, core: Piece) -> Fronted | None:
    """ "It's almonds I'm allergic to, not hazelnuts" as "I'm allergic to almonds", or None."""
    if len(core) > _MOST:
        return None
    match = scene.lex.begins("cleft_day", core.norm) or scene.lex.begins("cleft_front", core.norm)
    if match is None:
        return None

    def part(name: str) -> str:
        if not match.groupdict().get(name):
            return ""
        return core.part(*core.range_of(match, name)).said(scene.text)

    what = part("what")
    return Fronted(text=f"{part('said')} {what}", right=what, wrong=part("wrong"))


def hour_after(scene: Scene, core: Piece, draft: Draft) -> bool:
    """Take a sentence that only says the hour of what was told before it; False when it does not.

    "Nudge me tomorrow morning about the prescription. Half eight or so."
    """
    last = draft.candidates[-1] if draft.candidates else None
    if last is None or last.category not in (Category.REMINDER, Category.EVENT) or last.when is None:
        return False
    times = [t for t in scene.times(core, tense="future") if t.date is not None]
    if len(times) != 1 or times[0].time is None or times[0].has_date or times[0].rrule:
        return False
    rest = core.outside([span for span in times[0].spans]).folded
    small = ("adverb", "dangling", "preposition", "filler", "or", "and", "it", "copula")
    if len(rest) > _FEW or not all(any(scene.lex.has(kind, word) for kind in small) for word in rest):
        return False
    day = last.when.start
    readings = [datetime.combine(day.date(), times[0].time)]
    other = times[0].alternative
    if other is not None:
        readings.append(datetime.combine(day.date(), other.time()))
    start = readings[0] if last.when.all_day else min(readings, key=lambda each: abs(each - day))
    when = replace(last.when, start=start, all_day=False)
    draft.candidates[-1] = replace(last, when=when, missing_time=False)
    return True


def from_when(scene: Scene, core: Piece, draft: Draft) -> bool:
    """Take a sentence that only says from when on what was asked for before holds; False when it does not.

    The first occurrence is moved to the first one from that day on.
    """
    last = draft.candidates[-1] if draft.candidates else None
    if last is None or last.category is not Category.REMINDER or last.when is None or not last.when.rrule:
        return False
    times = [t for t in scene.times(core, tense="future") if t.date is not None]
    if len(times) != 1 or times[0].date is None or times[0].past:
        return False
    rest = core.outside([span for span in times[0].spans])
    if rest and not scene.lex.begins("from_when", rest.norm):
        return False
    day = datetime.combine(times[0].date, datetime.min.time())
    first = rrulestr(last.when.rrule, dtstart=last.when.start).after(day, inc=True)
    if first is None:
        return False
    draft.candidates[-1] = replace(last, when=replace(last.when, start=first))
    return True
