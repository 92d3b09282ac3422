"""Decisions: heard in plain sentences and in answers to a question, confirmed, read back, explained.

The keys come with the request (`blocks["keys"]`), what holds as well (`blocks["settled"]`).
Whether a value is taken is the store's business; here it is only heard.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memory.language import find_times, fold, surface_terms, words
from memory.llm.embedded.decided import (
    WAITS,
    Heard,
    heard,
    in_short,
    is_about_todos,
    without_questions,
    would_be,
)
from memory.llm.embedded.matters import named_matters, of_named_matter
from memory.llm.embedded.offered import lists_options
from memory.llm.embedded.part import Part, Wanted
from memory.llm.embedded.scene import Done, Json, Scene
from memory.llm.embedded.valuing import (
    LONG,
    MOMENTS,
    TWO,
    cue,
    is_here,
    is_labelled,
    is_question,
    key_of,
    keys,
    label_of,
    named_keys,
    patterns_of,
    says,
    settled,
)

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
    return [Wanted("ask_back", {"ask": WAITS, "data": data})]


def _recorded_text(scene: Scene) -> str:
    return " ".join(_outcome(scene, done) for done in scene.results("record_decision"))


def _outcome(scene: Scene, done: Done) -> str:
    if done.ok:
        name = "unchanged" if done.result.get("unchanged") else "confirm"
        return _say(scene, name, label=_with_matter(done.result), value=done.result.get("said", ""))
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


def _holding(scene: Scene, name: str, phrase: str = "holds", *, matter: str | None = None) -> str:
    """What holds for a key, in the matter that the message names or in this one ("" is the talk's own)."""
    held = [each for each in of_named_matter(scene) if each["key"] == name]
    if matter is not None:
        held = [
            each for each in held if str(each["matter"]) == matter or (not matter and is_here(each["matter"]))
        ]
    return " ".join(_say(scene, phrase, label=_with_matter(each), value=each["said"]) for each in held)


def _with_matter(held: Json) -> str:
    matter = str(held.get("matter", ""))
    if is_here(matter):
        return str(held["label"])
    return f"{held['label']} ({matter})"


def _say(scene: Scene, name: str, **slots: Any) -> str:
    return str(says(scene.language)[name]).format(**slots)


def _asks_besides(scene: Scene) -> bool:
    """Whether a question stands beside the decision, and wants its answer."""
    told = without_questions(scene)
    return told is not None and told is not scene


RECORDING = Part(
    name="deciding",
    wanted=lambda scene: bool(heard(scene)) and not _asks_besides(scene),
    first=_record,
    second=_after,
    text=_recorded_text,
    takes_all=True,
)
RECORDING_BESIDE = Part(
    name="deciding beside a question",
    wanted=lambda scene: bool(heard(scene)) and _asks_besides(scene),
    first=_record,
    second=_after,
    text=_recorded_text,
)


# A polite question that decides something is put back: "Can you deliver on Friday?"


def _proposed(scene: Scene) -> tuple[Heard, ...]:
    """What a polite question would have decided."""
    if not keys(scene) or scene.speaker or not is_question(scene) or is_about_todos(scene):
        return ()
    if not cue(scene, "politely", scene.folded) or heard(scene):
        return ()
    return tuple(replace(each, value=in_short(scene, each)) for each in would_be(scene))


def _proposing(scene: Scene) -> Sequence[Wanted]:
    put = [[each.key, each.value, each.matter] for each in _proposed(scene)]
    return [Wanted("ask_back", {"ask": WAITS, "data": {"key": put[0][0], "put": put}})] if put else ()


def _proposing_text(scene: Scene) -> str:
    told = _proposed(scene)
    holds = [_holding(scene, each.key, matter=each.matter) for each in told]
    labels = {str(key["name"]): label_of(scene, key) for key in keys(scene)}
    asked = _say(scene, "propose", list="; ".join(f"{labels[each.key]}, {each.value}" for each in told))
    return " ".join(each for each in (*holds, asked) if each)


PROPOSING = Part(
    name="proposing",
    wanted=lambda scene: bool(_proposed(scene)),
    first=_proposing,
    text=_proposing_text,
    takes_all=True,
)


# Ask for what is missing, and again after "go on"


def _missing(scene: Scene) -> Json | None:
    """The key that the message wants to decide without a value: "I want to change the delivery window"."""
    asks = is_question(scene) and not cue(scene, "politely", scene.folded)
    if not keys(scene) or scene.speaker or asks or heard(scene):
        return None
    if (
        not cue(scene, "decide", scene.folded)
        or is_about_todos(scene)
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
    asks = max((at for at, part in enumerate(sentences) if part.rstrip().endswith("?")), default=None)
    if asks is None:
        return ""
    # "Thursday or Friday. Which suits you?" is a question only with what it offers.
    lists = asks > 0 and not lists_options(sentences[asks]) and lists_options(sentences[asks - 1])
    return " ".join(sentences[asks - 1 : asks + 1]) if lists else sentences[asks]


def _asking(scene: Scene) -> Sequence[Wanted]:
    key = _missing(scene)
    return [Wanted("ask_back", {"ask": WAITS, "data": {"key": key["name"]}})] if key is not None else ()


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
    held = {str(each["key"]): each for each in of_named_matter(scene)}
    named = _named_held(scene, rest, held)
    # "Forget my appointment at the dentist" is about something else.
    if not named or len(surface_terms(rest, scene.language)) > TWO:
        return None
    return held[named[0]]


def _named_held(scene: Scene, text: str, held: Mapping[str, Json]) -> list[str]:
    """Keys of what holds that a text names; one that takes no new value any more by its label."""
    found = [str(key["name"]) for key in named_keys(scene, text) if key["name"] in held]
    retired = [name for name in held if key_of(scene, name) is None]
    return found + [name for name in retired if fold(str(held[name]["label"])) in fold(text)]


def _taking_back(scene: Scene) -> Sequence[Wanted]:
    held = _taken_back(scene)
    if held is None:
        return ()
    matter = str(held.get("matter", ""))
    arguments = {"key": held["key"], "matter": matter}
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
    waits = bool(data.get("refused")) or (bool(data.get("put")) and scene.heard.yes_no is False)
    return ask == WAITS and waits and not heard(scene) and not is_question(scene)


LEAVING = Part(
    name="leaving",
    wanted=_leaves,
    text=lambda scene: _holding(scene, str(scene.pending[1].get("key"))) or scene.say("confirm.never_mind"),
    takes_all=True,
)


# Read back


def _asked(scene: Scene) -> list[str]:
    """Keys of settled decisions that the question is about."""
    if _asks_state(scene):
        return list(dict.fromkeys(str(each["key"]) for each in of_named_matter(scene)))
    if not settled(scene) or not is_question(scene):
        return []
    held = {str(each["key"]): each for each in of_named_matter(scene)}
    named = _named_held(scene, scene.said, held)
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
    if loosely := [name for name in fitting if _is_meant(scene, name)]:
        return loosely  # "When does it come?"
    if named and not types:
        return named[:1]
    if named_matters(scene):
        before = fold(scene.answered_before)
        goes_on = cue(scene, "adds", scene.folded.lstrip("¿"))
        again = [name for name, each in held.items() if goes_on and fold(str(each["label"])) in before]
        return fitting or again or list(held)  # "When does order 4711 come?" "And order 4712?"
    if any(cue(scene, name, scene.folded) for name in ("wonders", "politely")):
        # "Should we make it Friday instead?" is told what holds.
        return [each.key for each in would_be(scene) if each.key in held]
    agreed = cue(scene, "asks_settled", scene.folded) or cue(scene, "asks_changed", scene.folded)
    if agreed and not (scene.heard.question and scene.heard.question.names):
        if fitting or types:
            return fitting
        if cue(scene, "asks_all", scene.folded):
            return list(held)
        before = fold(scene.answered_before)
        told = [name for name, each in held.items() if fold(str(each["label"])) in before]
        is_one = _asks_changed(scene)
        return (told[:1] if is_one else told) or (list(held)[:1] if len(held) == 1 else [])
    return []


def _is_meant(scene: Scene, name: str) -> bool:
    """Whether a question is about a key by words that may mean other things too, and about nothing else."""
    key = key_of(scene, name)
    if key is None:
        return False
    loose = {fold(str(word)) for word in (*key.get("loose", ()), *key["words"])}
    known = loose | {fold(str(word)) for each in keys(scene) for word in each["words"]}
    told = set(surface_terms(scene.said, scene.language))
    return bool(known & set(words(scene.folded))) and told <= known


def _asks_state(scene: Scene) -> bool:
    """Whether the message wants all that is settled, and nothing else: "where do we stand?"."""
    match = next(
        (hit for each in patterns_of(scene)["asks_state"] if (hit := each.search(scene.folded))), None
    )
    if match is None or scene.speaker or heard(scene):
        return False
    # What stands within it may name something else.
    within = " ".join(each for each in match.groups() if each)
    rest = f"{scene.folded[: match.start()]} {within} {scene.folded[match.end() :]}"
    for pattern in patterns_of(scene)["state_words"]:
        rest = pattern.sub(" ", rest)
    for matter in named_matters(scene):
        rest = rest.replace(fold(matter), " ")
    return not surface_terms(rest, scene.language)


def _reading(scene: Scene) -> Sequence[Wanted]:
    if _asks_changed(scene):
        return [Wanted("list_decisions", {"key": name}) for name in _asked(scene)]
    return ()


def _asks_changed(scene: Scene) -> bool:
    """Whether it is asked what was changed, not whether to change something."""
    return cue(scene, "asks_changed", scene.folded) and not any(
        cue(scene, name, scene.folded) for name in ("wonders", "muses", "politely")
    )


def _reading_text(scene: Scene) -> str:
    if not settled(scene):
        return _say(scene, "none")
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
    wanted=lambda scene: bool(_asked(scene)) or (bool(keys(scene)) and _asks_state(scene)),
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

ALL = (TAKING_BACK, RECORDING, RECORDING_BESIDE, PROPOSING, LEAVING, CLOSING, READING, ASKING)
