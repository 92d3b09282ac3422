"""Sentences about what was kept, changed or asked for."""

from __future__ import annotations

import re
from typing import Any

from memory.language import fold, next_occurrence, relation_words, say_date, say_when
from memory.llm.embedded.scene import Done, Scene, when_json, when_of
from memory.llm.embedded.voice import clause, sentence, turned
from memory.records import Category, When

_VISIBLE = frozenset({"task", "reminder", "memo"})
# Which reaction fits what was told: the first that applies. Keys are beginnings of attributes.
_BY_ATTRIBUTE = (
    ("allergy", "diet"),
    ("diet", "diet"),
    ("home", "home"),
    ("job", "job"),
    ("pet", "pet"),
    ("code", "code"),
    ("phone", "code"),
    ("health", "health"),
)
_NAMES_AT_MOST = 3
_CRY_WORDS = 4
_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]*")


def is_visible(done: Done) -> bool:
    """Whether a made card is one that the person sees."""
    category = str(done.call.arguments.get("category", ""))
    return bool(done.ok and done.result.get("visible", category in _VISIBLE))


def is_shown(done: Done) -> bool:
    """Whether a card would have been seen: what fails in silence is not talked about."""
    category = str(done.call.arguments.get("category", ""))
    return category in _VISIBLE or (category == Category.EVENT and bool(done.call.arguments.get("when")))


def failure(done: Done) -> str:
    """The phrase for why a visible card could not be made."""
    return "confirm.private" if "private" in str(done.result.get("error", "")) else "confirm.failed"


def _was_known(done: Done) -> bool:
    return bool(done.result.get("merged")) or done.result.get("outcome") == "merged"


def moment(scene: Scene, when: Any) -> str:
    """A moment in words of the language, "" when there is none."""
    told = when if isinstance(when, When) else when_of(when, scene.zone)
    return say_when(told, language=scene.language, now=scene.now) if told else ""


def first_firing(scene: Scene, when: When) -> str:
    """The first day of a recurrence in words."""
    instant = next_occurrence(when, after=scene.now)
    return say_date(instant.date() if instant else when.start.date(), language=scene.language, now=scene.now)


def confirmation(scene: Scene, done: Done) -> str:
    """One short sentence for a visible card, with weekday, date and time."""
    arguments = done.call.arguments
    category = str(arguments.get("category", ""))
    when = when_of(arguments.get("when") or done.result.get("when"), scene.zone)
    what = back(scene, str(arguments.get("title") or arguments.get("text") or ""))
    said = moment(scene, when)
    if category == Category.REMINDER and when is not None:
        first = first_firing(scene, when)
        if when.rrule and first not in said:
            return scene.say("confirm.recurring", what=what, when=said, first=first)
        return scene.say("confirm.reminder", what=what, when=said)
    if category == Category.MEMO:
        return scene.say("confirm.memo", what=what)
    if category not in (Category.TASK, Category.REMINDER):
        if not said:
            return sentence(what)
        text = scene.say("confirm.event", what=what, when=said)
        return f"{scene.say(tone)} {text}" if (tone := _tone(scene)) else text
    return (
        scene.say("confirm.task_when", what=what, when=said) if said else scene.say("confirm.task", what=what)
    )


def back(scene: Scene, text: str) -> str:
    """A card's words as a part of a sentence to the person; quoted where "I" cannot be turned."""
    words = clause(text)
    turned_words = turned(words, scene.phrases)
    return turned_words if turned_words is not None else scene.phrases.quoted(words)


def ask_time(scene: Scene, text: str, when: dict[str, Any] | None) -> str:
    """The question for a missing hour, with the day that is already known."""
    what = back(scene, text)
    told = when_of(when, scene.zone) if when else None
    if told is None:
        return scene.say("ask.day", what=what)
    date = say_when(told, language=scene.language, now=scene.now) if told.rrule else day(scene, told)
    return scene.say("ask.time", what=what, date=date)


def day(scene: Scene, when: When) -> str:
    """Weekday and date in words."""
    return say_date(when.start.date(), language=scene.language, now=scene.now)


def _tone(scene: Scene) -> str:
    """The reaction that the feeling in the message asks for, "" for a plain one."""
    told = fold(_told_in(scene))
    for cue in ("sad", "glad"):
        if scene.phrases.cue(cue, told):
            return f"react.{cue}"
    return ""


def _told_in(scene: Scene) -> str:
    """The sentences that tell something, and short cries ("At last!"); the message when none does."""
    spans = [candidate.span for candidate in scene.heard.candidates]
    if not spans:
        return scene.said
    kept = []
    for match in _SENTENCE.finditer(scene.said):
        tells = any(start < match.end() and match.start() < end for start, end in spans)
        if tells or len(match.group().split()) <= _CRY_WORDS:
            kept.append(match.group())
    return " ".join(kept)


def reaction(scene: Scene) -> str:
    """One kind sentence to what was told; it never says that anything was kept."""
    key = _reaction_key(scene)
    who = _names(scene)
    if key == "people" and not who:
        key = "someone"
    if key == "kept_already":
        return scene.say("react.kept_already", what=clause(scene.heard.candidates[0].text))
    if key in ("people", "name", "pet"):
        return scene.say(f"react.{key}", who=who) if who else scene.say("react.any")
    return scene.say(f"react.{key}")


def _reaction_key(scene: Scene) -> str:
    heard = scene.heard
    tone = _tone(scene)
    if tone == "react.sad":
        return "sad"
    if heard.correction is not None:
        return "any" if any(candidate.negated for candidate in heard.candidates) else "change"
    told_now = {str(made.call.arguments.get("text")) for made in scene.results("create_card")}
    if any(set(made.result.get("superseded") or ()) - told_now for made in scene.results("create_card")):
        return "stopped" if any(candidate.negated for candidate in heard.candidates) else "change"
    if tone:
        return "glad"
    created = scene.results("create_card")
    if created and all(_was_known(made) for made in created):
        return "kept_already"
    if any(candidate.category == Category.EVENT for candidate in heard.candidates):
        return "lived"
    people = any(c.category == Category.PERSON or c.people or c.subject for c in heard.candidates)
    for candidate in heard.candidates:
        attribute = candidate.attribute
        if attribute == "name" and not candidate.subject:
            return "name"
        if attribute.startswith("likes") and not people:
            return "dislikes" if candidate.negated or candidate.value in ("no", "false") else "likes"
        for start, key in _BY_ATTRIBUTE:
            if attribute.startswith(start) and (not people or key in ("code", "diet", "health")):
                return key
    if any(candidate.sensitive for candidate in heard.candidates):
        return "code"
    if people:
        return "people"
    return "tired" if scene.has("tired") else "any"


def _names(scene: Scene) -> str:
    """The people (or the speaker, or a pet) that the message names, as an enumeration."""
    names: dict[str, str] = {}
    for candidate in scene.heard.candidates:
        own = (candidate.value,) if candidate.attribute in ("name", "pet") else ()
        for name in (candidate.subject, *candidate.people, *own):
            if name[:1].isupper() and fold(name) not in relation_words(scene.language):  # "Tochter"
                names.setdefault(fold(name), name)
    kept = list(names.values())[:_NAMES_AT_MOST]
    return scene.phrases.listed(kept)


def label(scene: Scene, card: Any) -> str:
    """A card in a few words, to tell it from others: its text, and its moment."""
    what = clause(str(card.get("title") or card.get("text") or ""))
    when = when_of(card.get("when"), scene.zone)
    if when is None:
        return what
    return f"{what} ({moment(scene, when)})"


def labels(scene: Scene, cards: Any) -> str:
    """Several cards in a few words each, numbered so that "the second" can answer."""
    return scene.phrases.listed([label(scene, card) for card in cards])


__all__ = [
    "ask_time",
    "confirmation",
    "day",
    "is_visible",
    "label",
    "labels",
    "moment",
    "reaction",
    "when_json",
]
