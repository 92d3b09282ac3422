"""Small talk in one sentence, and the person's word on how to talk: who is speaking, rules, a human."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory.listening import Act
from memory.llm.embedded.part import Part, Wanted
from memory.llm.embedded.scene import Scene
from memory.llm.embedded.voice import sentence

# The first cue that a message holds decides the answer.
_CUES = (
    ("night", "chat.night"),
    ("bye", "chat.bye"),
    ("who", "chat.who"),
    ("sad", "react.sad"),
    ("preference", "chat.preference"),
    ("how", "chat.how"),
    ("praise", "chat.praise"),
    ("glad", "react.glad"),
    ("tired", "react.tired"),
    ("joke", "chat.joke"),
)
_LONG_CHARS = 400  # such a message is a pasted text
_LAST_QUESTION = re.compile(r"([^.!?]+[.!])\s*[^.!?]+\?\s*$")


def _small_talk(scene: Scene) -> str:
    acts = scene.heard.acts
    if len(scene.message) >= _LONG_CHARS:
        return scene.say("chat.pasted")
    was_asked = scene.answered_before.rstrip().endswith("?")
    if scene.heard.yes_no is not None and (was_asked or Act.THANKS not in acts):
        return _yes_no(scene)
    key = small_talk_cue(scene)
    if key:
        return scene.say(key)
    if Act.THANKS in acts:
        return scene.say("chat.thanks")
    for cue in ("morning", "evening"):
        if scene.has(cue):
            return scene.say(f"chat.{cue}")
    return scene.say("chat.greeting" if Act.GREETING in acts else "chat.any")


def small_talk_cue(scene: Scene) -> str:
    """The phrase that the message's first small-talk cue asks for, "" when it has none."""
    return next((key for cue, key in _CUES if scene.has(cue)), "")


def _yes_no(scene: Scene) -> str:
    """An answer to what the assistant had asked last: what was agreed is said again."""
    if not scene.answered_before.rstrip().endswith("?"):
        return scene.say("chat.yes" if scene.heard.yes_no else "chat.no")
    if not scene.heard.yes_no:
        return scene.say("confirm.no")
    match = _LAST_QUESTION.search(scene.answered_before)
    return scene.say("confirm.yes", what=sentence(match.group(1))) if match else scene.say("chat.yes")


SMALL_TALK = Part(name="small talk", wanted=lambda scene: True, text=_small_talk)


def _speaker_calls(scene: Scene) -> Sequence[Wanted]:
    arguments = {"name": scene.heard.speaker_change or "", "relation": scene.heard.speaker_relation}
    return [Wanted("set_speaker", arguments)]


def _speaker_text(scene: Scene) -> str:
    name = scene.heard.speaker_change
    return scene.say("confirm.guest", who=name) if name else scene.say("confirm.owner")


SPEAKER = Part(
    name="speaker",
    wanted=lambda scene: scene.heard.speaker_change is not None,
    first=_speaker_calls,
    text=_speaker_text,
)

RULE = Part(
    name="rule",
    wanted=lambda scene: bool(scene.heard.rule),
    first=lambda scene: [Wanted("set_rule", {"text": scene.heard.rule})],
    text=lambda scene: scene.say("confirm.rule"),
)

HUMAN = Part(
    name="human",
    wanted=lambda scene: scene.heard.wants_human,
    first=lambda scene: [Wanted("ask_for_human", {"reason": scene.said})],
    text=lambda scene: scene.say("confirm.human"),
    takes_all=True,
)
