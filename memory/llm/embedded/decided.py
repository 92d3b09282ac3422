"""What a message decides: a key with its value in the person's words, and the matter it belongs to."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from memory.language import find_times, fold, numbers, words
from memory.listening import Act
from memory.llm.embedded.matters import matter_of
from memory.llm.embedded.offered import picked
from memory.llm.embedded.scene import Json, Scene
from memory.llm.embedded.slips import put_right
from memory.llm.embedded.valuing import (
    MOMENTS,
    address_spans,
    begins_with_label,
    choice_of,
    choices_of,
    cue,
    is_labelled,
    is_question,
    kept_beside,
    key_of,
    keys,
    label_of,
    named_keys,
    patterns_of,
    settled,
    value_of,
    without_values,
)
from memory.records import Category

_NOT_DECIDED = frozenset({Category.REMINDER, Category.TASK, Category.MEMO})
WAITS = "decision"
_ON_ITEMS = frozenset({"remind", "done", "snooze", "skip"})  # these are about what is to be done
_MOST_CHARS = 2000  # a longer message tells a story
_SUBJECT = 3  # words between what is wished about and the wish: "order 4711-A should come"


@dataclass(frozen=True)
class Heard:
    """A decision that the message holds: a key, and its value in the person's words."""

    key: str
    value: str
    matter: str = ""


def heard(scene: Scene) -> tuple[Heard, ...]:
    """Decisions of the message; none in questions, wishes to be reminded, and small talk."""
    if "decided" not in scene.memo:
        scene.memo["decided"] = _heard(scene)
    found: tuple[Heard, ...] = scene.memo["decided"]
    return found


def _heard(scene: Scene) -> tuple[Heard, ...]:
    if not keys(scene) or scene.speaker or len(scene.said) > _MOST_CHARS:
        return ()
    told = without_questions(scene)
    if told is None or is_about_todos(scene):
        return ()
    scene = put_right(told)
    if (waited := _waited_for(scene)) is not None:
        if scene.heard.yes_no is True and (put := scene.pending[1].get("put")):
            return tuple(Heard(*map(str, each)) for each in put)
        others = [each for each in _plain(scene) if each.key != waited["name"]]
        if others and not is_labelled(scene, waited):
            return tuple(others)  # the question is left for something else
        value = value_of(scene, waited, alone=True)
        return (Heard(waited["name"], value),) if value else ()
    chosen = picked(scene)
    if chosen is not None:
        return (Heard(chosen[0]["name"], chosen[1], matter_of(scene, chosen[0])),)
    return _plain(scene) or _bare(scene) or _bare_choice(scene)


def would_be(scene: Scene) -> tuple[Heard, ...]:
    """What the message would decide if it were no question."""
    if len(scene.said) > _MOST_CHARS:
        return ()
    scene = put_right(scene)
    said = scene.folded
    for pattern in (*patterns_of(scene)["politely"], *patterns_of(scene)["wonders"]):
        said = pattern.sub(" ", said)
    return named_values(scene) or _bare(replace(scene, said=said.strip(" ?")), asks=True)


def in_short(scene: Scene, told: Heard) -> str:
    """A value without the words around it, to be put to the person: "Friday between 9 and 12"."""
    key = key_of(scene, told.key)
    if key is None or key["type"] not in MOMENTS or told.value not in scene.said:
        return told.value
    moments = find_times(told.value, language=scene.language, now=scene.now)
    counted = {fold(word) for each in keys(scene) if each["type"] == "integer" for word in each["words"]}
    figures = [
        each.span
        for each in numbers.find(told.value, scene.language)
        if not set(words(fold(told.value[each.span[1] :]))[:1]) & counted
    ]
    spans = [*(span for each in moments for span in each.spans), *figures]
    short = told.value[min(spans)[0] : max(end for _, end in spans)] if spans else told.value
    again = find_times(short, language=scene.language, now=scene.now)
    same = [(each.date, each.time, each.end) for each in again] == [
        (each.date, each.time, each.end) for each in moments
    ]
    return short if same else told.value.rstrip("?! ")


def without_questions(scene: Scene) -> Scene | None:
    """The scene without the sentences of its message that only ask; None when it does nothing else."""
    if not is_question(scene):
        return scene
    sentences = re.findall(r"[^.!?]*(?:[.!?](?!\s)[^.!?]*)*[.!?]*\s*", scene.said)
    said = "".join(
        " " * len(each) if "?" in each or cue(scene, "wonders", fold(each.strip(" ¿"))) else each
        for each in sentences
    )
    asks = "?" in scene.said or cue(scene, "wonders", scene.folded)
    return replace(scene, said=said) if asks and said.strip() else None


def is_about_todos(scene: Scene) -> bool:
    """Whether the message is about what is to be done, or to be forgotten."""
    request = scene.heard.request
    return (
        any(each.category in _NOT_DECIDED for each in scene.heard.candidates)
        or Act.FORGET in scene.heard.acts
        or bool(request and request.verb in _ON_ITEMS)
    )


def _waited_for(scene: Scene) -> Json | None:
    ask, data = scene.pending
    return key_of(scene, str(data.get("key"))) if ask == WAITS else None


def _plain(scene: Scene) -> tuple[Heard, ...]:
    """A key by its words, with a value of its type, in a sentence that decides."""
    added = scene.folded  # "And the quantity is 12"
    for pattern in patterns_of(scene)["adds"]:
        added = pattern.sub("", added, count=1).lstrip(" ,")
    if cue(scene, "decide", scene.folded) or cue(scene, "decide", added):
        return named_values(scene)
    return named_values(scene) if begins_with_label(scene) or _wished(scene) else ()


def named_values(scene: Scene) -> tuple[Heard, ...]:
    """Each key that the message names, with a value of its type where one stands."""
    found = []
    request = scene.heard.request
    held = {str(each["key"]) for each in settled(scene)}
    is_move = request is not None and request.verb == "move"
    is_event = any(each.category is Category.EVENT for each in scene.heard.candidates)
    for key in _named_apart(scene):
        if key["type"] == "date" and is_event and not is_labelled(scene, key):
            continue  # an appointment told about, not one that is being made
        if is_move and key["type"] in MOMENTS and key["name"] not in held:
            continue  # what is moved without having been settled stands on the agenda
        value = _value_near(scene, key)
        if value:
            matter = matter_of(scene, key)
            found.append(Heard(key["name"], kept_beside(scene, key, value, matter), matter))
    taken: set[str] = set()
    kept = []
    for each in sorted(found, key=lambda one: not is_labelled(scene, key_of(scene, one.key))):
        if each.value not in taken:  # one value decides one thing
            taken.add(each.value)
            kept.append(each)
    matters = {each.matter for each in kept} - {""}
    # The number that names the matter of a decision is no decision beside it.
    return tuple(each for each in kept if not matters or each.value not in matters)


def _value_near(scene: Scene, key: Json) -> str:
    """A key's value from the part of the message that names it, else from the whole."""
    for part in _parts(scene):
        if key in named_keys(part, part.said) and (value := value_of(part, key, alone=False)):
            return value
    return value_of(scene, key, alone=False)


def _parts(scene: Scene) -> list[Scene]:
    """The parts of the message that stand apart: at a pause or an "and" outside of every value."""
    said = scene.said
    moments = find_times(said, language=scene.language, now=scene.now)
    spans = [(min(each.spans)[0], max(end for _, end in each.spans)) for each in moments]
    spans += address_spans(scene, said)
    figures = [each.span for each in numbers.find(said, scene.language)]
    spans += [(one[0], two[1]) for one, two in pairwise(figures) if len(said[one[1] : two[0]].split()) <= 1]
    joints = [
        match
        for pattern in patterns_of(scene)["joint"]
        for match in pattern.finditer(said)
        if not any(a < match.end() and match.start() < b for a, b in spans)
    ]
    parts, start = [], 0
    for match in sorted(joints, key=lambda each: each.start()):
        parts.append(said[start : match.start()])
        start = match.end()
    parts.append(said[start:])
    return [replace(scene, said=part) for part in parts if part.strip()] if joints else []


def _wished(scene: Scene) -> bool:
    """Whether something is said to be as the person wants it: "the colour should be blue"."""
    told = [
        re.escape(fold(str(word)))
        for key in keys(scene)
        for word in (label_of(scene, key), *key["words"])
        if len(str(word)) > 2
    ]
    subject = rf"(?<!\w)(?:{'|'.join(told)})(?!\w)(?: [\w/#.-]+){{0,{_SUBJECT}}}"
    return any(
        re.search(rf"{subject} {pattern.pattern}", scene.folded) for pattern in patterns_of(scene)["wish"]
    )


def _named_apart(scene: Scene) -> list[Json]:
    """Keys that the message names, but for words within another's name: the "number" of an order number."""
    found = named_keys(scene, scene.said)
    labels = [fold(label_of(scene, key)) for key in found if is_labelled(scene, key)]
    rest = scene.folded
    for label in labels:
        rest = rest.replace(label, " ")
    left = {key["name"] for key in named_keys(scene, rest)}
    return [key for key in found if is_labelled(scene, key) or key["name"] in left]


def _bare(scene: Scene, *, asks: bool = False) -> tuple[Heard, ...]:
    """ "Make it ten": nothing but a value, for what is settled and was just spoken of.

    Args:
        asks: it stands in a question, and is not decided yet.
    """
    if not settled(scene) or (scene.heard.question is not None and not asks):
        return ()
    rest = without_values(scene, scene.said)
    for pattern in patterns_of(scene)["bare"]:
        rest = pattern.sub(" ", rest)
    if words(rest) or rest == fold(scene.said):
        return ()
    before = fold(scene.answered_before)
    held = [key_of(scene, str(each["key"])) for each in settled(scene)]
    fitting = [
        key for key in held if key is not None and key["type"] != "text" and value_of(scene, key, alone=True)
    ]
    about = [key for key in fitting if fold(label_of(scene, key)) in before]
    other_moment = bool(find_times(scene.answered_before, language=scene.language, now=scene.now))
    if not about and other_moment and all(key["type"] in MOMENTS for key in fitting):
        return ()  # a reminder was just confirmed: that is meant
    chosen = about or fitting
    if not chosen and numbers.find(scene.said, scene.language):
        chosen = [key for key in keys(scene) if key["type"] == "integer"]
    heard = []
    for key in chosen[:1]:
        matter = matter_of(scene, key, bare=True)
        value = kept_beside(scene, key, value_of(scene, key, alone=True), matter)
        heard.append(Heard(key["name"], value, matter))
    return tuple(heard)


def _bare_choice(scene: Scene) -> tuple[Heard, ...]:
    """ "By card, please.": nothing but a choice, with a courtesy, or where one holds already."""
    rest = scene.folded
    named = []
    for key in keys(scene):
        if key["type"] == "choice" and (choice := choice_of(key, scene.folded)):
            named.append((key, choice))
            for start, end in sorted({each[:2] for each in choices_of(key, rest)}, reverse=True):
                rest = rest[:start] + " " + rest[end:]
    is_decided = cue(scene, "decide", scene.folded) or any(
        each["key"] == key["name"] for each in settled(scene) for key, _ in named
    )
    for name in ("choosing", "bare"):
        for pattern in patterns_of(scene)[name]:
            rest = pattern.sub(" ", rest)
    if len(named) != 1 or words(rest) or not is_decided or scene.heard.question is not None:
        return ()
    key, choice = named[0]
    return (Heard(key["name"], choice, matter_of(scene, key, bare=True)),)
