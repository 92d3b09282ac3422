"""Sentences that ask to be reminded: of what they say, of what they told first, or of the sentence before."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from memory.language import TimeMention, find_times
from memory.listening import todo
from memory.listening.clauses import Clause, Role
from memory.listening.draft import Draft
from memory.listening.facts import hear_told
from memory.listening.heard import Candidate
from memory.listening.regions import Sentence
from memory.listening.scene import Scene, strip
from memory.listening.tokens import Kind, Piece
from memory.records import Category, When

_SEVERAL = 2


def remind(scene: Scene, sentence: Sentence, core: Piece, draft: Draft) -> bool:
    """Take a sentence that asks to be reminded; False when it does not."""
    lex = scene.lex
    match = lex.search("remind", core.norm)
    if match is None or todo.asks_back(scene, core) or todo.no_command(scene, core):
        return False
    first, _ = core.range_of(match)
    base: When | None = next(
        (c.when for c in draft.candidates if c.category is Category.EVENT and c.when), None
    )
    core = _told_before(scene, core, first, draft)
    match = lex.search("remind", core.norm)
    if match is None:
        return False
    first, _ = core.range_of(match)
    before = any(t.relative_before for t in scene.times(core, tense="future"))
    if before and base is None:
        told, _ = hear_told(scene, scene.splitter.split(core.part(0, first)) if first else [])
        event = next((c for c in told if c.category is Category.EVENT and c.when), None)
        if event is not None and event.when is not None:
            draft.candidates.append(event)
            base = event.when
            found = todo.reminder(scene, core.part(first), base=base)
            body = event.text
            spare = todo.reminder(scene, core, base=base)
            candidate = found.candidate if found else spare.candidate if spare else None
            command = core.part(*core.range_of(match)).said(scene.text).casefold()
            if candidate is not None:  # "wake me two hours before" says nothing of what for
                own = found is not None and candidate.text.casefold() != command
                text = candidate.text if own else body
                draft.candidates.append(replace(candidate, text=text, people=event.people))
            return True
    if first and not before and _on_its_day(scene, core, first, draft):
        return True
    several = _rings(scene, core) or _several(scene, core)
    if several:
        draft.candidates.extend(several)
        draft.candidates.extend(people_in(scene, core))
        return True
    found = todo.reminder(scene, core, base=base)
    if found is None or found.candidate is None:
        return _remind_of_earlier(scene, core, draft)
    draft.candidates.append(found.candidate)
    draft.candidates.extend(people_in(scene, core))
    return True


def _on_its_day(scene: Scene, core: Piece, first: int, draft: Draft) -> bool:
    """An event told first and an hour to be reminded at: "the dentist on Friday at three, remind me at two".

    Takes both; False where no event with an hour is told first, or the asking has no hour alone.
    """
    head, rest = core.part(0, first), core.part(first)
    times = [t for t in scene.times(rest, tense="future") if t.date is not None]
    if len(times) != 1 or times[0].has_date or times[0].rrule or times[0].time is None:
        return False
    told, _ = hear_told(scene, scene.splitter.split(head))
    event = next((c for c in told if c.category is Category.EVENT and c.when is not None), None)
    found = todo.reminder(scene, rest)
    if event is None or event.when is None or event.when.all_day or found is None or found.candidate is None:
        return False
    said = rest.said(scene.text)
    day = event.when.start.date()
    hours = find_times(said, language=scene.lex.language, now=scene.now, tense="future", on=day)
    when = next((t.when(scene.zone) for t in hours if t.time is not None), None)
    draft.candidates.extend([event, replace(found.candidate, when=when, missing_time=when is None)])
    return True


def _rings(scene: Scene, core: Piece) -> list[Candidate]:
    """One matter at each hour of a rule ("every day at eight and at nine"); [] where there is but one."""
    rules = [t for t in scene.times(core, tense="future") if t.rrule]
    if len(rules) < _SEVERAL or len({t.time for t in rules}) < len(rules) or not all(t.time for t in rules):
        return []
    found = todo.reminder(scene, core)
    if found is None or found.candidate is None:
        return []
    return [replace(found.candidate, when=t.when(scene.zone)) for t in rules]


def _several(scene: Scene, core: Piece) -> list[Candidate]:
    """The reminders of a sentence that asks for more than one, each with a moment of its own; [] for one.

    "Remind me at eleven to phone Ida and at noon to eat", "on Monday and on Thursday at nine to water them".
    """
    times = [t for t in scene.times(core, tense="future") if t.date is not None and not t.rrule]
    match = scene.lex.search("remind", core.norm)
    if match is None or len(times) != _SEVERAL or any(t.relative_before or t.end for t in times):
        return []
    first, second = times
    at = next((i for i, word in enumerate(core.words) if word.start >= second.span[0]), 0)
    if not at or not scene.lex.has("and", core.words[at - 1].folded) or second.span[0] < first.spans[0][1]:
        return []
    start, end = core.range_of(match)
    if end > at - 1:
        return []
    told = todo.reminder(scene, core.part(0, at - 1))
    command = core.part(start, end)
    other = todo.reminder(scene, Piece([*command.tokens, *core.part(at).tokens]))
    if other is None or other.candidate is None or other.candidate.when is None:
        return []
    when = other.candidate.when
    if told is None or told.candidate is None or told.candidate.when is None:
        return _on_both(scene, other.candidate, first, second)
    if not second.has_date and first.has_date:
        when = _same_day(scene, core.part(at), first) or when
    return [told.candidate, replace(other.candidate, when=when)]


def _same_day(scene: Scene, piece: Piece, first: TimeMention) -> When | None:
    """The hour that a part tells, on the day told before: "tomorrow at eleven ... and at noon"."""
    said = piece.said(scene.text)
    found = find_times(said, language=scene.lex.language, now=scene.now, tense="future", on=first.date)
    return next((t.when(scene.zone) for t in found if t.time is not None), None)


def _on_both(scene: Scene, candidate: Candidate, first: TimeMention, second: TimeMention) -> list[Candidate]:
    """One matter at two moments that are told side by side; an hour that only one of them has is both's."""
    hour, other = first.time or second.time, second.time or first.time
    if first.date is None or second.date is None or hour is None or other is None:
        return []
    day = second.date if second.has_date or not first.has_date else first.date
    moments = (datetime.combine(first.date, hour), datetime.combine(day, other))
    return [replace(candidate, when=When(start=start, zone=scene.zone)) for start in moments]


def _told_before(scene: Scene, core: Piece, first: int, draft: Draft) -> Piece:
    """Take what a sentence tells before it asks ("My doctor is X, and remind me ..."); the rest of it.

    Only where the asking has a moment and a matter of its own: else what was told is the matter.
    """
    head, rest = core.part(0, first), core.part(first)
    apart = head.outside([span for t in scene.times(head, tense="future") for span in t.spans])
    if len(head) < 3 or not any(w in scene.lex.verbs for w in apart.folded):
        return core  # "every second Thursday at seven": "second" is no verb
    match = scene.lex.search("remind", rest.norm)
    times = scene.times(rest, tense="future")
    own = any(t.has_date or t.rrule for t in times)  # else the day is in what was told
    if match is None or not any(t.date is not None for t in times) or (scene.times(head) and not own):
        return core
    matter = todo.matter(scene, rest.without(*rest.range_of(match)), times)
    if not matter or not todo.has_matter(scene, matter) or _points_back(scene, matter):
        return core
    ends = [i for i, w in enumerate(head.folded) if scene.lex.has("and", w)]
    said = head.part(0, ends[-1]) if ends and ends[-1] >= len(head) - 2 else head
    told, draft.subject = hear_told(scene, scene.splitter.split(said), subject=draft.subject)
    if not told and not (scene.times(head) or _apart(head)):
        return core
    draft.candidates.extend(told)
    return rest


def _points_back(scene: Scene, matter: str) -> bool:
    """Whether a matter says "it" or "her", so that what was told before belongs to it."""
    words = [token.folded for token in scene.lex.tokens(matter)]
    kinds = ("it", "third", "of_third", "clitic")
    return any(scene.lex.has(k, w) and not scene.lex.has("article", w) for w in words for k in kinds)


def _apart(head: Piece) -> bool:
    """Whether a comma, or a comma and a joining word, stands between what is told and what is asked."""
    return any(t.kind is Kind.PUNCT and t.text in ",;–—" for t in head.tokens[-3:])


def _remind_of_earlier(scene: Scene, core: Piece, draft: Draft) -> bool:
    """ "Give me a shout each time?": a reminder of what the sentence before told."""
    earlier = next((c for c in reversed(draft.candidates) if c.category is Category.EVENT and c.when), None)
    if earlier is not None:
        when, missing = todo.due(scene, scene.times(core, tense="future"), earlier.when)
        candidate = replace(
            earlier,
            category=Category.REMINDER,
            when=when,
            missing_time=missing,
            why="reminder of what was told",
        )
        draft.candidates.append(candidate)
        return True
    if draft.last is None or not strip(scene, draft.last):
        return False
    made = todo.of_sentence(scene, strip(scene, draft.last), core)
    if made is None:
        return False
    span = made.span
    draft.candidates = [c for c in draft.candidates if not (span[0] <= c.span[0] < span[1])]
    draft.candidates.append(made)
    return True


def people_in(scene: Scene, piece: Piece) -> list[Candidate]:
    """Cards for people named with their relation inside a command."""
    told, _ = hear_told(scene, [Clause(piece, Role.MAIN)], asked=True)
    people = [c for c in told if c.category is Category.PERSON and c.text.count(",")]
    return [replace(c, text=", ".join(c.text.split(", ")[:2])) for c in people]
