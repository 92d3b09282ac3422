"""Sentences that ask to be reminded: of what they say, of what they told first, or of the sentence before."""

from __future__ import annotations

from dataclasses import replace

from memory.listening import todo
from memory.listening.clauses import Clause, Role
from memory.listening.draft import Draft
from memory.listening.facts import hear_told
from memory.listening.heard import Candidate
from memory.listening.regions import Sentence
from memory.listening.scene import Scene, strip
from memory.listening.tokens import Piece
from memory.records import Category, When


def remind(scene: Scene, sentence: Sentence, core: Piece, draft: Draft) -> bool:
    """Take a sentence that asks to be reminded; False when it does not."""
    lex = scene.lex
    match = lex.search("remind", core.norm)
    if match is None or lex.begins("recall", core.norm):
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
            if candidate is not None:
                draft.candidates.append(
                    replace(candidate, text=candidate.text if found else body, people=event.people)
                )
            return True
    found = todo.reminder(scene, core, base=base)
    if found is None or found.candidate is None:
        return _remind_of_earlier(scene, core, draft)
    draft.candidates.append(found.candidate)
    draft.candidates.extend(people_in(scene, core))
    return True


def _told_before(scene: Scene, core: Piece, first: int, draft: Draft) -> Piece:
    """Take what a sentence tells before it asks ("My doctor is X, and remind me ..."); the rest of it.

    Only where the asking has a moment and a matter of its own: else what was told is the matter.
    """
    head, rest = core.part(0, first), core.part(first)
    if len(head) < 3 or not any(w in scene.lex.verbs for w in head.folded) or scene.times(head):
        return core
    match = scene.lex.search("remind", rest.norm)
    times = scene.times(rest, tense="future")
    if match is None or not any(t.date is not None for t in times):
        return core
    if not todo.matter(scene, rest.without(*rest.range_of(match)), times):
        return core
    ends = [i for i, w in enumerate(head.folded) if scene.lex.has("and", w)]
    said = head.part(0, ends[-1]) if ends and ends[-1] >= len(head) - 2 else head
    told, draft.subject = hear_told(scene, scene.splitter.split(said), subject=draft.subject)
    if not told:
        return core
    draft.candidates.extend(told)
    return rest


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
    return [c for c in told if c.category is Category.PERSON and c.text.count(",") == 1]
