"""The matter that a message is about: an order, an appointment with somebody, or this conversation."""

from __future__ import annotations

import re

from memory.language import find_times, fold, fold_map
from memory.llm.embedded.scene import Json, Scene
from memory.llm.embedded.valuing import is_here, is_labelled, order_span, patterns_of, settled


def matter_of(scene: Scene, key: Json, *, bare: bool = False) -> str:
    """The matter of a decision; "" is this conversation.

    It is the one that the message names, else the one that was just spoken of.

    Args:
        bare: the message names no key: then it changes what holds, wherever that is.
    """
    if key["name"] == "order_number":
        return ""
    if told := named_matter(scene, key):
        return told
    held = [str(each["matter"]) for each in settled(scene) if each["key"] == key["name"]]
    recent = _recent(scene)
    if recent and (_goes_on(scene) or recent in held or not any(is_here(each) for each in held)):
        return recent
    return held[0] if bare and len(held) == 1 else ""


def named_matter(scene: Scene, key: Json) -> str:
    """The order, the appointment or the known matter that the message names."""
    if (span := order_span(scene, scene.said)) is not None:
        return scene.said[span[0] : span[1]]
    if key["type"] == "date" and is_labelled(scene, key) and (other := _with_whom(scene)):
        return other
    return next(iter(named_matters(scene)), "")


def named_matters(scene: Scene) -> set[str]:
    """Known matters that the message names."""
    return _standing(scene, scene.folded)


def of_named_matter(scene: Scene) -> list[Json]:
    """What is settled in the matter that the message names; all of it when it names none."""
    named = named_matters(scene)
    return [each for each in settled(scene) if not named or str(each["matter"]) in named]


def _goes_on(scene: Scene) -> bool:
    """Whether the message adds to what was just said: "And 40 pieces, please"."""
    return any(pattern.match(scene.folded) for pattern in patterns_of(scene)["adds"])


def _recent(scene: Scene) -> str:
    """The known matter of which the last exchange spoke, when there is one only."""
    last = _standing(scene, fold(f"{scene.said_before} {scene.answered_before}"))
    return next(iter(last)) if len(last) == 1 else ""


def _standing(scene: Scene, folded: str) -> set[str]:
    matters = {str(each["matter"]) for each in settled(scene)}
    return {
        each
        for each in matters
        if not is_here(each) and re.search(rf"(?<!\w){re.escape(fold(each))}(?!\w)", folded)
    }


def _with_whom(scene: Scene) -> str:
    """Whom or what an appointment is with, as it was said: "Dr Weber", "dentist"."""
    said = scene.said
    for mention in find_times(said, language=scene.language, now=scene.now):
        for start, end in mention.spans:
            said = said[:start] + "," * (end - start) + said[end:]
    folded, at = fold_map(said)
    for pattern in patterns_of(scene)["with_whom"]:
        if match := pattern.search(folded):
            return said[at[match.start(1)] : at[match.end(1)]].strip(" .,")
    return ""
