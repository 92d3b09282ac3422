"""Decisions: heard in plain sentences and in answers to a question, confirmed, read back, explained.

The keys come with the request (`blocks["keys"]`), what holds as well (`blocks["settled"]`).
Whether a value is taken is the store's business; here it is only heard.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory.language import find_times, fold, numbers, surface_terms, words
from memory.listening import Act
from memory.llm.embedded.part import Part, Wanted
from memory.llm.embedded.scene import Done, Json, Scene
from memory.llm.embedded.valuing import (
    CODE,
    FEW,
    LONG,
    MOMENTS,
    STREET,
    TWO,
    begins_with_label,
    content,
    cue,
    is_labelled,
    is_question,
    key_of,
    keys,
    label_of,
    named_keys,
    patterns_of,
    says,
    settled,
    value_of,
    without_values,
)
from memory.records import Category

_NOT_DECIDED = frozenset({Category.REMINDER, Category.TASK, Category.MEMO})
_WAITS = "decision"
_ON_ITEMS = frozenset({"remind", "done", "snooze", "skip"})  # these are about what is to be done


@dataclass(frozen=True)
class Heard:
    """A decision that the message holds: a key, and its value in the person's words."""

    key: str
    value: str
    matter: str = ""


# What the message holds


def heard(scene: Scene) -> tuple[Heard, ...]:
    """Decisions of the message; none in questions, wishes to be reminded, and small talk."""
    if not keys(scene) or scene.speaker or is_question(scene):
        return ()
    if any(each.category in _NOT_DECIDED for each in scene.heard.candidates) or _asks_for_work(scene):
        return ()
    if (waited := _waited_for(scene)) is not None:
        others = [each for each in _plain(scene) if each.key != waited["name"]]
        if others and not is_labelled(scene, waited):
            return tuple(others)  # the question is left for something else
        value = value_of(scene, waited, alone=True)
        return (Heard(waited["name"], value),) if value else ()
    return _chosen(scene) or _plain(scene) or _bare(scene)


def _asks_for_work(scene: Scene) -> bool:
    request = scene.heard.request
    return Act.FORGET in scene.heard.acts or bool(request and request.verb in _ON_ITEMS)


def _waited_for(scene: Scene) -> Json | None:
    ask, data = scene.pending
    return key_of(scene, str(data.get("key"))) if ask == _WAITS else None


def _plain(scene: Scene) -> tuple[Heard, ...]:
    """A key by its words, with a value of its type, in a sentence that decides."""
    if not cue(scene, "decide", scene.folded) and not begins_with_label(scene):
        return ()
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
        value = value_of(scene, key, alone=False)
        if value:
            found.append(Heard(key["name"], value, _matter(scene, key)))
    taken: set[str] = set()
    kept = []
    for each in sorted(found, key=lambda one: not is_labelled(scene, key_of(scene, one.key))):
        if each.value not in taken:  # one value decides one thing
            taken.add(each.value)
            kept.append(each)
    matters = {each.matter for each in kept} - {""}
    # The number that names the matter of a decision is no decision beside it.
    return tuple(each for each in kept if not matters or each.value not in matters)


def _named_apart(scene: Scene) -> list[Json]:
    """Keys that the message names, but for words within another's name: the "number" of an order number."""
    found = named_keys(scene, scene.said)
    labels = [fold(label_of(scene, key)) for key in found if is_labelled(scene, key)]
    rest = scene.folded
    for label in labels:
        rest = rest.replace(label, " ")
    left = {key["name"] for key in named_keys(scene, rest)}
    return [key for key in found if is_labelled(scene, key) or key["name"] in left]


def _bare(scene: Scene) -> tuple[Heard, ...]:
    """ "Make it ten": nothing but a value, for what is settled and was just spoken of."""
    if not settled(scene) or scene.heard.question is not None:
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
    return tuple(Heard(key["name"], value_of(scene, key, alone=True)) for key in chosen[:1])


def _chosen(scene: Scene) -> tuple[Heard, ...]:
    """One of several that the assistant had offered: "Dock Road." to three addresses."""
    offered = _offered(scene)
    wanted = set(surface_terms(scene.said, scene.language))
    fitting = [each for each in offered if wanted & set(surface_terms(each, scene.language))]
    if len(fitting) != 1 or len(wanted) > FEW:
        return ()
    value = fitting[0]
    if STREET.search(value):
        key = next((key for key in keys(scene) if key["type"] == "address"), None)
    else:
        named = [key for key in named_keys(scene, scene.said_before) if key["type"] == "text"]
        key = next(iter(named), None) or next((key for key in keys(scene) if key["name"] == "variant"), None)
        value = " ".join(word for word in content(scene) if fold(word) in fold(value))
    return (Heard(key["name"], value),) if key is not None and value else ()


def _offered(scene: Scene) -> list[str]:
    """What the last answer put up for choice; nothing when it put nothing up."""
    if not scene.answered_before or scene.pending[0]:
        return []
    last = scene.answered_before
    if "?" not in last or not cue(scene, "or", fold(last)):
        return []
    question = next((part for part in re.split(r"(?<=[.!?])\s+", last) if "?" in part or ":" in part), last)
    listed = question.partition(":")[2] or question
    parts = re.split(r",\s+|\s(?:or|oder|ou|o|u)\s", listed.rstrip("?.! "))
    return [part.strip(" .?!¿¡") for part in parts if part.strip(" .?!¿¡")]


def _matter(scene: Scene, key: Json) -> str:
    """The order number that the message names beside its decision."""
    order = next((each for each in keys(scene) if each["name"] == "order_number"), None)
    if order is None or key["name"] == "order_number" or not set(order["words"]) & set(words(scene.folded)):
        return ""
    code = CODE.search(scene.said)
    if code and not code.group().isdigit():
        return code.group()
    # Bare figures are a number of pieces, but for those right behind the word: "Auftrag 4711".
    names = "|".join(re.escape(fold(word)) for word in order["words"])
    beside = re.search(
        rf"(?<!\w)(?:{names})(?: (?:number|nummer|numero|no|nr|n))?[.:#º]? *#?(\d{{3,}})\b", scene.folded
    )
    return beside.group(1) if beside else ""


# Record


def _record(scene: Scene) -> Sequence[Wanted]:
    return [
        Wanted("record_decision", {"key": each.key, "value": each.value, "matter": each.matter})
        for each in heard(scene)
    ]


def _after(scene: Scene) -> Sequence[Wanted]:
    """A refused value is asked for again."""
    refused = [done for done in scene.results("record_decision") if not done.ok]
    if not refused:
        return ()
    data = {"key": refused[0].call.arguments["key"], "refused": True}
    return [Wanted("ask_back", {"ask": _WAITS, "data": data})]


def _recorded_text(scene: Scene) -> str:
    return " ".join(_outcome(scene, done) for done in scene.results("record_decision"))


def _outcome(scene: Scene, done: Done) -> str:
    if done.ok:
        name = "unchanged" if done.result.get("unchanged") else "confirm"
        return _say(scene, name, label=done.result.get("label", ""), value=done.result.get("said", ""))
    name = str(done.call.arguments["key"])
    key = key_of(scene, name) or {}
    limit = str(done.result.get("limit", ""))
    reason = {
        "above": "refused_above",
        "below": "refused_below",
        "not_a_choice": "refused_choice",
        "no_date": "refused_form",
        "no_time": "refused_form",
        "not_a_number": "refused_form",
    }.get(str(done.result.get("code", "")), "refused_other")
    offered = scene.phrases.listed([str(names[0]) for names in key.get("choice_names", ())])
    said = _say(scene, reason, limit=limit, list=offered)
    holds = _holding(scene, name)
    return f"{said} {holds}" if holds else f"{said} {key.get('question', '')}".strip()


def _holding(scene: Scene, name: str, phrase: str = "holds") -> str:
    held = [each for each in _of_named_matter(scene) if each["key"] == name]
    return " ".join(_say(scene, phrase, label=_with_matter(each), value=each["said"]) for each in held)


def _with_matter(held: Json) -> str:
    matter = str(held.get("matter", ""))
    if matter.startswith("conversation ") or not matter:
        return str(held["label"])
    return f"{held['label']} ({matter})"


def _say(scene: Scene, name: str, **slots: Any) -> str:
    return str(says(scene.language)[name]).format(**slots)


RECORDING = Part(
    name="deciding",
    wanted=lambda scene: bool(heard(scene)),
    first=_record,
    second=_after,
    text=_recorded_text,
    takes_all=True,
)


# Ask for what is missing, and again after "go on"


def _missing(scene: Scene) -> Json | None:
    """The key that the message wants to decide without a value: "I want to change the delivery window"."""
    if not keys(scene) or scene.speaker or is_question(scene) or heard(scene):
        return None
    if (
        not cue(scene, "decide", scene.folded)
        or _asks_for_work(scene)
        or find_times(scene.said, language=scene.language, now=scene.now)
    ):
        return None
    named = [key for key in keys(scene) if is_labelled(scene, key)]
    return next((key for key in named if len(label_of(scene, key)) >= LONG), None)


def _again(scene: Scene) -> str:
    """The question to put again when the person only wants to go on."""
    if not cue(scene, "go_on", scene.folded) or "?" not in scene.answered_before:
        return ""
    sentences = re.split(r"(?<=[.!?])\s+", scene.answered_before)
    return next((part for part in reversed(sentences) if part.rstrip().endswith("?")), "")


def _asking(scene: Scene) -> Sequence[Wanted]:
    key = _missing(scene)
    return [Wanted("ask_back", {"ask": _WAITS, "data": {"key": key["name"]}})] if key is not None else ()


def _asking_text(scene: Scene) -> str:
    key = _missing(scene)
    return str(key["question"]) if key is not None else _again(scene)


ASKING = Part(
    name="asking",
    wanted=lambda scene: bool(keys(scene)) and (_missing(scene) is not None or bool(_again(scene))),
    first=_asking,
    text=_asking_text,
    takes_all=True,
)


# Take one back by word


def _taken_back(scene: Scene) -> Json | None:
    """The settled decision that the message wants forgotten: "forget the version"."""
    if not settled(scene) or scene.speaker or is_question(scene) or heard(scene):
        return None
    match = next(
        (hit for each in patterns_of(scene)["takes_back"] if (hit := each.search(scene.folded))), None
    )
    if match is None:
        return None
    rest = scene.folded[match.end() :]
    held = {str(each["key"]): each for each in _of_named_matter(scene)}
    named = [key for key in named_keys(scene, rest) if key["name"] in held]
    # "Forget my appointment at the dentist" is about something else.
    if not named or len(surface_terms(rest, scene.language)) > TWO:
        return None
    return held[str(named[0]["name"])]


def _taking_back(scene: Scene) -> Sequence[Wanted]:
    held = _taken_back(scene)
    if held is None:
        return ()
    matter = str(held.get("matter", ""))
    arguments = {"key": held["key"], "matter": "" if matter.startswith("conversation ") else matter}
    return [Wanted("withdraw_decision", arguments)]


def _taking_back_text(scene: Scene) -> str:
    done = next((each for each in scene.results("withdraw_decision") if each.ok), None)
    if done is None:
        return _say(scene, "none")
    return _say(scene, "taken_back", label=done.result.get("label", ""), value=done.result.get("said", ""))


def _takes_back(scene: Scene) -> bool:
    return bool(scene.results("withdraw_decision")) or _taken_back(scene) is not None


TAKING_BACK = Part(
    name="taking back", wanted=_takes_back, first=_taking_back, text=_taking_back_text, takes_all=True
)


# Let it be: what holds is not touched


def _leaves(scene: Scene) -> bool:
    ask, data = scene.pending
    return ask == _WAITS and bool(data.get("refused")) and not heard(scene) and not is_question(scene)


LEAVING = Part(
    name="leaving",
    wanted=_leaves,
    text=lambda scene: _holding(scene, str(scene.pending[1].get("key"))) or scene.say("confirm.never_mind"),
    takes_all=True,
)


# Read back


def _asked(scene: Scene) -> list[str]:
    """Keys of settled decisions that the question is about."""
    if not settled(scene) or not is_question(scene):
        return []
    held = {str(each["key"]): each for each in _of_named_matter(scene)}
    named = [key["name"] for key in named_keys(scene, scene.said) if key["name"] in held]
    kinds = {
        "when": MOMENTS,
        "count": frozenset({"integer"}),
        "cost": frozenset({"money"}),
        "where": frozenset({"address"}),
    }
    types = {kind for name, types in kinds.items() if cue(scene, name, scene.folded) for kind in types}
    fitting = [name for name in held if (key := key_of(scene, name)) is not None and key["type"] in types]
    if types and set(named) & set(fitting):
        return [name for name in named if name in fitting]
    if named and not types:
        return named[:1]
    if _named_matters(scene):
        return fitting  # "When does order 4711 come?"
    agreed = cue(scene, "asks_settled", scene.folded) or cue(scene, "asks_changed", scene.folded)
    if agreed and not (scene.heard.question and scene.heard.question.names):
        if fitting or types:
            return fitting
        if cue(scene, "asks_all", scene.folded):
            return list(held)
        before = fold(scene.answered_before)
        return [name for name, each in held.items() if fold(str(each["label"])) in before][:1] or (
            list(held)[:1] if len(held) == 1 else []
        )
    return []


def _named_matters(scene: Scene) -> set[str]:
    """Matters that the message names."""
    matters = {str(each["matter"]) for each in settled(scene)}
    return {each for each in matters if re.search(rf"(?<!\w){re.escape(fold(each))}(?!\w)", scene.folded)}


def _of_named_matter(scene: Scene) -> list[Json]:
    """What is settled in the matter that the message names; all of it when it names none."""
    named = _named_matters(scene)
    return [each for each in settled(scene) if not named or str(each["matter"]) in named]


def _reading(scene: Scene) -> Sequence[Wanted]:
    if cue(scene, "asks_changed", scene.folded):
        return [Wanted("list_decisions", {"key": name}) for name in _asked(scene)]
    return ()


def _reading_text(scene: Scene) -> str:
    said = []
    for name in _asked(scene):
        said.append(_holding(scene, name, "read_back"))
    for done in scene.results("list_decisions"):
        said.append(_story(scene, done))
    return " ".join(each for each in said if each)


def _story(scene: Scene, done: Done) -> str:
    """How a value came about: "first 9:00, then 10:00, back to 9:00"."""
    current = {str(each.get("matter")) for each in done.result.get("current", ())}
    entries = [each for each in done.result.get("history", ()) if str(each.get("matter")) in current]
    if len(entries) < TWO:
        return _say(scene, "not_changed")
    seen: set[str] = set()
    told: list[str] = []
    for each in entries:
        name = "was" if not told else "back" if each["value"] in seen else "then"
        told.append(_say(scene, name, value=each["said"]))
        seen.add(str(each["value"]))
    return _say(scene, "changed", list=", ".join(told))


READING = Part(
    name="reading",
    wanted=lambda scene: bool(_asked(scene)),
    first=_reading,
    text=_reading_text,
    takes_all=True,
)


# Close a matter by word


def _closes(scene: Scene) -> bool:
    return bool(settled(scene)) and not is_question(scene) and cue(scene, "closes", scene.folded)


def _closing(scene: Scene) -> Sequence[Wanted]:
    text = scene.folded
    named = [str(e["matter"]) for e in settled(scene) if fold(str(e["matter"])) in text]
    return [Wanted("close_matter", {"matter": named[0] if named else ""})]


def _closing_text(scene: Scene) -> str:
    closed = any(done.ok for done in scene.results("close_matter"))
    return _say(scene, "closed" if closed else "none")


CLOSING = Part(name="closing", wanted=_closes, first=_closing, text=_closing_text, takes_all=True)

ALL = (TAKING_BACK, RECORDING, LEAVING, CLOSING, READING, ASKING)
