"""Commands about what is to be done: call off, move, remind, put on a list, note."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from memory.language import find_times
from memory.listening import acts, todo
from memory.listening.draft import Draft
from memory.listening.facts import hear_told
from memory.listening.heard import Act, Candidate, Request
from memory.listening.regions import Sentence
from memory.listening.reminding import remind
from memory.listening.scene import Scene, sentence_case, strip
from memory.listening.tokens import Piece
from memory.records import Category

_NEAR = 2  # signs between two parts of one moment: a comma and a blank
_SHORT = 14  # words of a command about one thing


def commands(scene: Scene, sentence: Sentence, core: Piece, draft: Draft) -> bool:
    """Call off, remind, list, note. True when the sentence is used up."""
    lex = scene.lex
    made = [c for c in draft.candidates if c.category in (Category.REMINDER, Category.TASK)]
    never = lex.begins("never_mind", core.norm)
    if never and _done_already(scene, core.part(core.range_of(never)[1]), draft):
        return True
    apart = never is not None and acts.comma_at(
        core, core.range_of(never)[1]
    )  # "don't bother, Sam's getting them"
    if never and len(core.norm) - never.end() < (80 if apart else 40 if made else 12):
        draft.candidates = [c for c in draft.candidates if c not in made]
        draft.acts.add(Act.CANCEL)
        draft.fields.setdefault("request", Request(verb="cancel"))
        return len(core.norm) - never.end() < 12 or apart or bool(made)
    tail = lex.search("never_mind_tail", core.norm)
    listed = todo.task(scene, core) if lex.search("list_noun", core.norm) else None
    if listed is not None and listed.candidate is not None:
        draft.candidates.append(listed.candidate)
        return True
    if _leaves_out(scene, sentence.piece, core, draft):
        return True
    moved = acts.on_item(scene, core) if lex.begins("move", core.norm) else None
    if moved is not None and moved.verb == "move" and lex.search("todo_noun", core.norm):
        _on_item(moved, draft)
        draft.candidates.extend(_new_alarm(scene, core, moved))
        return True
    plain = acts.plainly(lex, sentence.piece, apart=True)
    core = core if plain is sentence.piece else strip(scene, plain) or core
    if remind(scene, sentence, core, draft):
        if tail:
            draft.candidates = [c for c in draft.candidates if c.category is not Category.REMINDER]
            draft.acts.add(Act.CANCEL)
        return True
    for make in (todo.task, todo.memo):
        found = make(scene, core)
        if found is not None and found.candidate is not None:
            _add_note(scene, found.candidate, core, draft)
            return True
    errand = todo.errand(scene, core) if sentence.mark != "?" else None
    if errand is not None:
        draft.candidates.append(errand)
        return True
    if _is_a_moment(scene, core):
        again = _moves_on(scene, core)
        if again is not None:
            _on_item(again, draft)
        if again is not None or not lex.search("correction", sentence.piece.norm):
            return True  # "um halb fünf nachmittags" answers something and tells nothing
    swapped = acts.other_day(scene, core) or acts.other_day(scene, sentence.piece)
    if swapped is not None:
        _on_item(swapped, draft)
        return True
    asks_how = sentence.mark == "?" and lex.has("wh", core.folded[0])  # "wie schalt ich den Alarm ab?"
    item = acts.on_item(scene, core) if not asks_how else None
    if item is not None and (item.verb != "done" or len(core) <= 12 or lex.search("done_tail", core.norm)):
        _on_item(item, draft)
        if item.verb == "move" and not lex.begins("move", core.norm):
            draft.candidates.extend(_moved_event(scene, core))
        return item.verb != "done" or bool(lex.search("done_tail", core.norm))
    return False


def _is_a_moment(scene: Scene, core: Piece) -> bool:
    """Whether a sentence tells a moment and no more."""
    spans = [span for time in scene.times(core) for span in time.spans]
    return bool(spans) and not core.outside(spans).words


def _moves_on(scene: Scene, core: Piece) -> Request | None:
    """Another moment for what the message before gave one: "at ten", and then "no, at eleven"."""
    told = find_times(scene.previous, language=scene.lex.language, now=scene.now, tense="future")
    left = scene.previous
    for start, end in sorted((span for time in told for span in time.spans), reverse=True):
        left = left[:start] + left[end:]
    times = [time for time in scene.times(core, tense="future") if time.date is not None]
    if not told or not times or any(char.isalnum() for char in left):
        return None
    return Request(verb="move", topic="", when=times[0].when(scene.zone))


def _new_alarm(scene: Scene, core: Piece, moved: Request) -> list[Candidate]:
    """The alarm that is set where there is none to be moved: "stell den Wecker auf sieben"."""
    noun = scene.lex.search("alarm_noun", core.norm)
    if noun is None or moved.when is None or moved.when.all_day:
        return []
    text = sentence_case(core.part(*core.range_of(noun)).said(scene.text))
    span = (core.start, core.end)
    return [
        Candidate(category=Category.REMINDER, text=text, span=span, when=moved.when, why="an alarm is set")
    ]


def _on_item(request: Request, draft: Draft) -> None:
    """Note that something on the list of what is to be done is called off, moved, or done."""
    draft.fields["request"] = request
    draft.acts.add(Act.CANCEL)
    draft.unsure = True


def _moved_event(scene: Scene, core: Piece) -> list[Candidate]:
    """The event as a told move leaves it ("the meeting is on Friday now"), in case none is known."""
    told, _ = hear_told(scene, scene.splitter.split(core, moment_spans(scene, core)), correcting=True)
    return [c for c in told if c.category is Category.EVENT and c.when is not None]


def _done_already(scene: Scene, rest: Piece, draft: Draft) -> bool:
    """ "Never mind, I have seen to it": the reason says that it is done."""
    for start in range(min(len(rest), 3)):  # "actually", "after all" may stand before
        item = acts.on_item(scene, rest.part(start)) if len(rest) <= _SHORT else None
        if item is not None and item.verb == "done":
            # "Never mind" is said of what was just spoken of.
            _on_item(replace(item, topic=""), draft)
            return True
    return False


def _leaves_out(scene: Scene, whole: Piece, core: Piece, draft: Draft) -> bool:
    """ "Don't remind me of it this time": one occurrence that is not wanted, and no new reminder."""
    item = acts.on_item(scene, core) if len(core) <= _SHORT else None
    if item is None and scene.lex.begins("skip", whole.norm):  # "morgen" greets, and names a day
        item = acts.on_item(scene, whole)
    if item is None and len(whole) <= _SHORT and scene.lex.begins("cancel", whole.norm):
        item, core = acts.on_item(scene, whole), whole  # "stopp" opens a correction, and stops a timer
    if item is None or item.verb not in ("skip", "cancel"):
        return False
    if item.verb == "cancel" and not scene.lex.begins("cancel", core.norm):
        return False  # a title in the middle of another command
    _on_item(item, draft)
    return True


def _add_note(scene: Scene, candidate: Candidate, core: Piece, draft: Draft) -> None:
    """A task or memo; a note of something to be done is a task, a note of what happened an event."""
    if candidate.category is Category.MEMO and not candidate.title:
        if todo.obligation(scene, candidate.text):
            candidate = replace(candidate, category=Category.TASK, consult=False)
        elif scene.lex.search("consult", core.norm):
            told, _ = hear_told(scene, scene.splitter.split(core), correcting=False)
            event = next((c for c in told if c.category is Category.EVENT), None)
            if event is not None:
                candidate = replace(event, consult=True)
    draft.candidates.append(candidate)


def moment_spans(scene: Scene, piece: Piece) -> list[tuple[int, int]]:
    """Places of moments in a sentence: no clause is cut inside one ("on Sunday the 20th, half eleven")."""
    spans: list[tuple[int, int]] = []
    for time in scene.times(piece):
        parts = sorted(time.spans)
        near = all(after[0] - before[1] <= _NEAR for before, after in pairwise(parts))
        spans.extend([(parts[0][0], parts[-1][1])] if near and parts else parts)
    return spans
