"""What was said before: from the transcript, in its own words and with its age, never from a card."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from memory.language import find_times, fold, terms
from memory.listening import Act
from memory.llm.embedded.part import Part, Wanted, searching
from memory.llm.embedded.scene import Json, Scene
from memory.llm.embedded.voice import sentence
from memory.records import Category

_TO_DO = frozenset({Category.TASK, Category.REMINDER})
_EXCHANGES = 4
_CHARS = 400  # of one quoted line


def is_wanted(scene: Scene) -> bool:
    """Whether the message asks about an earlier talk."""
    heard = scene.heard
    if Act.LAST_TALK in heard.acts or scene.has("lost_thread"):
        return True
    # "Remind me what we talked about" asks for words, not for a reminder: no moment is named.
    told = [each for each in heard.candidates if each.category not in _TO_DO or each.when is not None]
    return not told and Act.WHAT_DO_YOU_KNOW not in heard.acts and scene.has("last_talk")


def _topic(scene: Scene) -> set[str]:
    """What the earlier talk is said to be about: content words without those for talking and for time."""
    text = scene.said
    spans = [
        s for m in find_times(text, language=scene.language, now=scene.now, tense="past") for s in m.spans
    ]
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + " " + text[end:]
    talk = scene.phrases.voice.talk_words
    words = [word for word in re.findall(r"\w+", fold(text)) if word not in talk]
    return set(terms(" ".join(words), scene.language))


def _day(scene: Scene) -> tuple[date, date] | None:
    """The span of days in which the talk is said to have been, or None."""
    for mention in find_times(scene.said, language=scene.language, now=scene.now, tense="past"):
        if mention.date is not None and mention.has_date:
            last = mention.end.date() if mention.end else mention.date
            if mention.granularity == "month":
                last = date(last.year + last.month // 12, last.month % 12 + 1, 1)
            return mention.date, last
    return None


def _first(scene: Scene) -> Sequence[Wanted]:
    if not _topic(scene) and _day(scene) is None:
        return ()
    angles = [{"kind": "meaning", "query": scene.said}]
    return [searching(angles, talks=True)]


def _shared(scene: Scene, text: str) -> int:
    own = set(terms(text, scene.language))
    folded = fold(text)
    return sum(word in own or (len(word) >= 4 and word in folded) for word in _topic(scene))


def _words_of(talk: Json) -> str:
    exchanges = talk.get("last") or ()
    lines = [f"{each.get('said', '')} {each.get('answer', '')}" for each in exchanges]
    return " ".join([str(talk.get("summary") or ""), *lines])


def _recent(scene: Scene) -> Json | None:
    """The recent talk that is meant: the newest, unless topic or day point to another."""
    recent = scene.block("recent")
    if not recent:
        return None
    day = _day(scene)
    if day is not None:
        fitting = [talk for talk in recent if _lies_in(scene, talk.get("at"), day)]
        if not fitting:
            return None
        recent = tuple(fitting)
    if not _topic(scene):
        return recent[0]
    scores = [_shared(scene, _words_of(talk)) for talk in recent]
    if max(scores):
        return recent[scores.index(max(scores))]
    # Other words for the same thing: the talk of the very day that was named is still the one.
    return recent[0] if day is not None or not scene.found_talks else None


def _lies_in(scene: Scene, at: Any, day: tuple[date, date]) -> bool:
    moment = at if isinstance(at, datetime) else _moment(str(at or ""))
    if moment is None:
        return False
    local = moment.astimezone(ZoneInfo(scene.zone)) if moment.tzinfo else moment
    return day[0] <= local.date() <= day[1]


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _clip(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _CHARS else text[: _CHARS - 1].rsplit(" ", 1)[0] + "…"


def _told(scene: Scene, talk: Json) -> str:
    """A recent talk with its age and its last exchanges, word for word."""
    exchanges = [each for each in talk.get("last") or () if each.get("said")][-_EXCHANGES:]
    age = str(talk.get("ago") or talk.get("age") or "")
    if not exchanges:
        summary = _clip(str(talk.get("summary") or ""))
        return _older(scene) or sentence(scene.say("talk.about", age=age, summary=summary))
    lines: list[str] = []
    for number, each in enumerate(exchanges):
        said = _clip(str(each["said"]))
        key = "talk.further" if number else "talk.last"
        lines.append(scene.say(key, age=age, said=said))
        if each.get("answer"):
            lines.append(scene.say("talk.answered", answer=_clip(str(each["answer"]))))
    return " ".join(lines)


def _older(scene: Scene) -> str:
    """Earlier exchanges that search found, with their age; "" when none fits."""
    day = _day(scene)
    fitting = [
        talk
        for talk in scene.found_talks
        if (day is None or _lies_in(scene, talk.get("at") or talk.get("when"), day)) and talk.get("said")
    ]
    if _topic(scene) and day is None:
        fitting = [t for t in fitting if _shared(scene, f"{t['said']} {t.get('answer', '')}")] or fitting[:1]
    lines = []
    for talk in fitting[:2]:
        lines.append(scene.say("talk.older", age=str(talk.get("ago") or ""), said=_clip(str(talk["said"]))))
        if talk.get("answer"):
            lines.append(scene.say("talk.answered", answer=_clip(str(talk["answer"]))))
    return " ".join(lines)


def may_be_meant(scene: Scene) -> bool:
    """Whether a question may be about an earlier talk as well as about what is kept of it."""
    return scene.has("earlier_talk")


def fitting(scene: Scene) -> str:
    """An earlier talk about what the question is about, in its own words; "" when there is none."""
    if not may_be_meant(scene):
        return ""
    talk = _recent(scene)
    by_day = not _topic(scene) and _day(scene) is not None
    if talk is not None and (by_day or _shared(scene, _words_of(talk))):
        return _told(scene, talk)
    if any(_shared(scene, f"{each.get('said', '')} {each.get('answer', '')}") for each in scene.found_talks):
        return _older(scene)
    return scene.say("talk.missing") if scene.is_missing("recent") else ""


def _text(scene: Scene) -> str:
    talk = _recent(scene)
    if talk is not None:
        return _told(scene, talk)
    older = _older(scene)
    if older:
        return older
    failed = any(not done.ok for done in scene.results("search_memory"))
    if scene.is_missing("recent") or failed:
        return scene.say("talk.missing")
    return scene.say("talk.not_found" if scene.block("recent") or _topic(scene) else "talk.none")


LAST_TALK = Part(
    name="last talk",
    wanted=is_wanted,
    first=_first,
    text=_text,
)
