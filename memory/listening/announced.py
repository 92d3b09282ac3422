"""What one sentence begins and the next one tells: the day of what was announced, the words of a note."""

from __future__ import annotations

from dataclasses import replace

from memory.listening.draft import Draft
from memory.listening.heard import Candidate
from memory.listening.regions import Sentence
from memory.listening.scene import Scene, sentence_case, strip
from memory.listening.todo import BEGUN
from memory.listening.tokens import Piece
from memory.records import Category

_THIN = ("it", "copula", "self", "third", "adverb", "preposition", "motion", "filler")
_UNTOLD = (Category.FACT, Category.EVENT)


def announced(scene: Scene, core: Piece, draft: Draft) -> bool:
    """ "We've got a date for the hearing! It's Friday at ten, in Truro": an event. False for all else."""
    lex = scene.lex
    match = lex.search("announced", draft.last.norm) if draft.last is not None else None
    if match is None or draft.last is None or lex.search("remind", core.norm):
        return False
    times = [t for t in scene.times(core, tense="future") if t.date is not None and not t.rrule]
    if len(times) != 1 or not times[0].has_date or times[0].past:
        return False
    rest = core.outside(list(times[0].spans))
    place = _place(scene, rest)
    if place is None:
        return False
    group = next(name for name, said in match.groupdict().items() if said)
    what = strip(scene, draft.last.part(*draft.last.range_of(match, group)))
    if not what:
        return False
    start = draft.last.start
    draft.candidates = [c for c in draft.candidates if c.category not in _UNTOLD or c.span[0] < start]
    said = sentence_case(what.said(scene.text))
    people = tuple(m.name for piece in (what, core) for m in scene.people.find(piece) if m.name)
    draft.candidates.append(
        Candidate(
            category=Category.EVENT,
            text=f"{said}, {place}" if place else said,
            span=(start, core.end),
            people=people,
            when=times[0].when(scene.zone),
            why="event announced before",
        )
    )
    draft.unsure = True
    return True


def _place(scene: Scene, rest: Piece) -> str | None:
    """Where it is, of a sentence without its moment; "" for nowhere, None for a matter of its own."""
    lex, words = scene.lex, rest.words
    at = 0
    while at < len(words) and any(lex.has(kind, words[at].folded) for kind in _THIN):
        at += 1
    if at == len(words):
        return ""
    led = at > 0 and lex.has("preposition", words[at - 1].folded)
    begin = at - 1 if led else at
    between = (
        [t.text for t in rest.tokens if words[begin - 1].end <= t.start < words[begin].start] if begin else []
    )
    more = rest.part(begin)
    if not led and "," not in between and (begin or any(w in lex.verbs for w in more.folded)):
        return None
    if any(lex.has(kind, w) for w in more.folded for kind in ("self", "third", "negation")):
        return None
    return more.said(scene.text).strip(" ,.!")


def dictates(scene: Scene, sentence: Sentence, draft: Draft) -> bool:
    """Take a sentence as the words of a note that the one before began by its title."""
    note = draft.candidates[-1] if draft.candidates else None
    if note is None or not note.why.startswith(BEGUN) or sentence.mark == "?":
        return False
    if any(scene.lex.begins(name, sentence.piece.norm) for name in ("thanks", "remind", "recall", "meta")):
        return False
    said = sentence_case(sentence.piece.said(scene.text))
    text = f"{note.text}. {said}" if note.title else said
    span = (note.span[0], sentence.piece.end)
    draft.candidates[-1] = replace(note, text=text, title=note.title or note.text, span=span)
    return True
