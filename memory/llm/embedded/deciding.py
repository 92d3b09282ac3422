"""Decisions: heard in plain sentences and in answers to a question, confirmed, read back, explained.

The keys come with the request (`blocks["keys"]`), what holds as well (`blocks["settled"]`).
Whether a value is taken is the store's business; here it is only heard.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from memory.language import find_times, fold, numbers, surface_terms, terms, words
from memory.listening import Act
from memory.llm.embedded.part import Part, Wanted
from memory.llm.embedded.scene import Done, Json, Scene
from memory.records import Category

_DATA = Path(__file__).parent / "data" / "deciding.toml"
_MOMENTS = frozenset({"date", "time", "interval"})
_NOT_DECIDED = frozenset({Category.REMINDER, Category.TASK, Category.MEMO})
_STREET = re.compile(
    r"\b\d{1,4},? (?:[^\W\d_][\w'’.-]*[ ]?){1,5}|"
    r"\b[^\W\da-z_][\w'’.-]*(?: (?:de|da|do|das|dos|del|la|las|los|le|les|du|des|der|den|am|an|[^\W\da-z_][\w'’.-]*))*"
    r",? \d{1,4}[a-z]?\b"
)
_CODE = re.compile(r"\b(?:[A-Za-z]{1,4}-?)?\d[\w/-]{2,}\b")
_CONTACT = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+|\+?\d[\d ()/-]{5,}\d")
_WAITS = "decision"


@dataclass(frozen=True)
class Heard:
    """A decision that the message holds: a key, and its value in the person's words."""

    key: str
    value: str
    matter: str = ""


# What the message holds


def heard(scene: Scene) -> tuple[Heard, ...]:
    """Decisions of the message; none in questions, wishes to be reminded, and small talk."""
    if not keys(scene) or scene.speaker or _is_question(scene):
        return ()
    if any(each.category in _NOT_DECIDED for each in scene.heard.candidates) or _asks_for_work(scene):
        return ()
    if (waited := _waited_for(scene)) is not None:
        value = _value(scene, waited, alone=True)
        return (Heard(waited["name"], value),) if value else ()
    return _chosen(scene) or _plain(scene) or _bare(scene)


def _asks_for_work(scene: Scene) -> bool:
    request = scene.heard.request
    return Act.FORGET in scene.heard.acts or bool(request and request.verb in ("remind", "done", "snooze"))


def _waited_for(scene: Scene) -> Json | None:
    ask, data = scene.pending
    return _key(scene, str(data.get("key"))) if ask == _WAITS else None


def _plain(scene: Scene) -> tuple[Heard, ...]:
    """A key by its words, with a value of its type, in a sentence that decides."""
    if not _cue(scene, "decide", scene.folded) and not _labelled(scene):
        return ()
    found = []
    for key in _named(scene, scene.said):
        value = _value(scene, key, alone=False)
        if value:
            found.append(Heard(key["name"], value, _matter(scene, key)))
    taken: set[str] = set()
    kept = []
    for each in sorted(found, key=lambda one: not _is_labelled(scene, _key(scene, one.key))):
        if each.value not in taken:  # one value decides one thing
            taken.add(each.value)
            kept.append(each)
    return tuple(kept)


def _bare(scene: Scene) -> tuple[Heard, ...]:
    """ "Make it ten": nothing but a value, for what is settled and was just spoken of."""
    if not settled(scene) or scene.heard.question is not None:
        return ()
    rest = _without_values(scene, scene.said)
    for pattern in _table(scene)["bare"]:
        rest = pattern.sub(" ", rest)
    if words(rest) or rest == fold(scene.said):
        return ()
    before = fold(scene.answered_before)
    held = [_key(scene, str(each["key"])) for each in settled(scene)]
    fitting = [key for key in held if key is not None and _value(scene, key, alone=True)]
    about = [key for key in fitting if fold(_label(scene, key)) in before]
    other_moment = bool(find_times(scene.answered_before, language=scene.language, now=scene.now))
    if not about and other_moment and all(key["type"] in _MOMENTS for key in fitting):
        return ()  # a reminder was just confirmed: that is meant
    chosen = about or fitting
    if not chosen and numbers.find(scene.said, scene.language):
        chosen = [key for key in keys(scene) if key["type"] == "integer"]
    return tuple(Heard(key["name"], _value(scene, key, alone=True)) for key in chosen[:1])


def _chosen(scene: Scene) -> tuple[Heard, ...]:
    """One of several that the assistant had offered: "Dock Road." to three addresses."""
    offered = _offered(scene)
    wanted = set(surface_terms(scene.said, scene.language))
    fitting = [each for each in offered if wanted & set(surface_terms(each, scene.language))]
    if len(fitting) != 1 or len(wanted) > _FEW:
        return ()
    value = fitting[0]
    if _STREET.search(value):
        key = next((key for key in keys(scene) if key["type"] == "address"), None)
    else:
        named = [key for key in _named(scene, scene.said_before) if key["type"] == "text"]
        key = next(iter(named), None) or next((key for key in keys(scene) if key["name"] == "variant"), None)
        value = " ".join(
            word for word in re.findall(r"[\w'’-]+", scene.said) if fold(word) in wanted and fold(word) in fold(value)
        )
    return (Heard(key["name"], value),) if key is not None and value else ()


_FEW = 4


def _offered(scene: Scene) -> list[str]:
    """What the last answer put up for choice; nothing when it put nothing up."""
    if not scene.answered_before or scene.pending[0]:
        return []
    last = scene.answered_before
    if "?" not in last or not _cue(scene, "or", fold(last)):
        return []
    question = next((part for part in re.split(r"(?<=[.!?])\s+", last) if "?" in part or ":" in part), last)
    listed = question.partition(":")[2] or question
    parts = re.split(r",\s+|\s(?:or|oder|ou|o|u)\s", listed.rstrip("?.! "))
    return [part.strip(" .?!¿¡") for part in parts if part.strip(" .?!¿¡")]


def _value(scene: Scene, key: Json, *, alone: bool) -> str:
    """The message's value for a key in the person's words, "" when it holds none of its type."""
    said, kind = scene.said, key["type"]
    if kind in _MOMENTS:
        return _moment(scene, key, alone=alone)
    if kind == "integer":
        spans = [each.span for each in find_times(said, language=scene.language, now=scene.now)]
        found = [
            number.value
            for number in numbers.find(said, scene.language)
            if not number.ordinal and (alone or not any(a <= number.span[0] < b for a, b in spans))
        ]
        return str(found[0]) if len(found) == 1 or (found and alone) else ""
    if kind == "money":
        match = re.search(r"(?:[€$£]\s?)?\d[\d.,' ]*\s?(?:€|\$|£|eur\w*|dollars?|pounds?|reais)?", said, re.I)
        if match and (alone or re.search(r"[^\d.,' ]", match.group())):
            return match.group().strip()
        return said if numbers.find(said, scene.language) and alone else ""
    if kind in ("choice", "language"):
        return _choice(scene, key)
    if kind == "address":
        street = _STREET.search(said)
        return street.group().strip(" ,.") if street else ""
    return _text(scene, key, alone=alone)


def _moment(scene: Scene, key: Json, *, alone: bool) -> str:
    told = find_times(scene.said, language=scene.language, now=scene.now)
    told = tuple(each for each in told if each.rrule is None)
    needs = {"date": "date", "time": "time", "interval": ""}[key["type"]]
    if needs == "date" and any(each.has_date for each in told):
        return scene.said
    if needs == "time" and any(each.time is not None for each in told):
        return scene.said
    if not needs and told:
        return scene.said
    found = numbers.find(scene.said, scene.language)
    if needs == "time" and alone and len(found) == 1 and 0 <= found[0].value < 24:
        return str(found[0].value)
    return ""


def _choice(scene: Scene, key: Json) -> str:
    for names in key.get("choice_names", ()):
        for name in names:
            if re.search(rf"(?<!\w){re.escape(fold(str(name)))}(?!\w)", scene.folded):
                return str(names[0])
    return ""


def _text(scene: Scene, key: Json, *, alone: bool) -> str:
    said = scene.said
    if key["name"] == "order_number" or "number" in key["name"]:
        code = _CODE.search(said)
        return code.group() if code else ""
    if key["name"] == "contact_detail":
        contact = _CONTACT.search(said)
        return contact.group().strip() if contact else ""
    if alone:
        kept = [word for word in re.findall(r"[\w'’-]+", said) if fold(word) in surface_terms(said, scene.language)]
        return " ".join(kept)[:120] if 0 < len(kept) <= _FEW else ""
    named = set(key["words"]) | set(words(fold(_label(scene, key))))
    kept = [
        word
        for word in re.findall(r"[\w'’-]+", said)
        if fold(word) in surface_terms(said, scene.language) and fold(word) not in named
    ]
    decided = _table(scene)["decide"]
    kept = [word for word in kept if not any(fold(word) in match.group() for p in decided for match in p.finditer(scene.folded))]
    return " ".join(kept) if 0 < len(kept) <= 2 else ""


def _matter(scene: Scene, key: Json) -> str:
    """The order number that the message names beside its decision."""
    order = next((each for each in keys(scene) if each["name"] == "order_number"), None)
    if order is None or key["name"] == "order_number" or not set(order["words"]) & set(words(scene.folded)):
        return ""
    code = _CODE.search(scene.said)
    return code.group() if code and not code.group().isdigit() else ""


# Keys


def keys(scene: Scene) -> tuple[Json, ...]:
    """The open keys, with their words in the language of the message."""
    return scene.block("keys")


def settled(scene: Scene) -> tuple[Json, ...]:
    """What holds."""
    return scene.block("settled")


def _key(scene: Scene, name: str) -> Json | None:
    return next((key for key in keys(scene) if key["name"] == name), None)


def _label(scene: Scene, key: Json) -> str:
    return str(key["label"])


def _named(scene: Scene, text: str) -> list[Json]:
    """Keys that a text speaks of, those with most words first."""
    held = set(words(fold(text)))
    scored = [(sum(fold(word) in held for word in key["words"]), key) for key in keys(scene)]
    return [key for score, key in sorted(scored, key=lambda each: -each[0]) if score]


def _is_labelled(scene: Scene, key: Json | None) -> bool:
    return key is not None and fold(_label(scene, key)) in scene.folded


def _labelled(scene: Scene) -> bool:
    """Whether the message begins with a key's own name: "Delivery window: Thursday"."""
    return any(
        re.match(rf"(?:\w+ )?{re.escape(fold(_label(scene, key)))}\b", scene.folded)
        for key in keys(scene)
        if len(words(_label(scene, key))) > 1 or len(_label(scene, key)) > len("appointment")
    )


def _without_values(scene: Scene, text: str) -> str:
    for mention in reversed(find_times(text, language=scene.language, now=scene.now)):
        for start, end in reversed(mention.spans):
            text = text[:start] + " " + text[end:]
    for number in reversed(numbers.find(text, scene.language)):
        text = text[: number.span[0]] + " " + text[number.span[1] :]
    return fold(text)


def _is_question(scene: Scene) -> bool:
    return "?" in scene.said or scene.heard.question is not None


def _cue(scene: Scene, name: str, folded: str) -> bool:
    return any(pattern.search(folded) for pattern in _table(scene)[name])


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
    return [Wanted("ask_back", {"ask": _WAITS, "data": {"key": refused[0].call.arguments["key"], "refused": True}})]


def _recorded_text(scene: Scene) -> str:
    return " ".join(_outcome(scene, done) for done in scene.results("record_decision"))


def _outcome(scene: Scene, done: Done) -> str:
    if done.ok:
        name = "unchanged" if done.result.get("unchanged") else "confirm"
        return _say(scene, name, label=done.result.get("label", ""), value=done.result.get("said", ""))
    name = str(done.call.arguments["key"])
    key = _key(scene, name) or {}
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
    held = [each for each in settled(scene) if each["key"] == name]
    return " ".join(
        _say(scene, phrase, label=_with_matter(each), value=each["said"]) for each in held
    )


def _with_matter(held: Json) -> str:
    matter = str(held.get("matter", ""))
    return str(held["label"]) if matter.startswith("conversation ") or not matter else f"{held['label']} ({matter})"


def _say(scene: Scene, name: str, **slots: Any) -> str:
    return str(_says(scene.language)[name]).format(**slots)


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
    if not keys(scene) or scene.speaker or _is_question(scene) or scene.heard.candidates or heard(scene):
        return None
    if not _cue(scene, "decide", scene.folded) or _asks_for_work(scene) or find_times(
        scene.said, language=scene.language, now=scene.now
    ):
        return None
    return next((key for key in keys(scene) if _is_labelled(scene, key) and len(_label(scene, key)) > 6), None)


def _again(scene: Scene) -> str:
    """The question to put again when the person only wants to go on."""
    if not _cue(scene, "go_on", scene.folded) or "?" not in scene.answered_before:
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


# Let it be: what holds is not touched


def _leaves(scene: Scene) -> bool:
    ask, data = scene.pending
    return ask == _WAITS and bool(data.get("refused")) and not heard(scene) and not _is_question(scene)


LEAVING = Part(
    name="leaving",
    wanted=_leaves,
    text=lambda scene: _holding(scene, str(scene.pending[1].get("key"))) or scene.say("confirm.never_mind"),
    takes_all=True,
)


# Read back


def _asked(scene: Scene) -> list[str]:
    """Keys of settled decisions that the question is about."""
    if not settled(scene) or not _is_question(scene):
        return []
    held = {str(each["key"]): each for each in settled(scene)}
    named = [key["name"] for key in _named(scene, scene.said) if key["name"] in held]
    kinds = {
        "when": _MOMENTS,
        "count": frozenset({"integer"}),
        "cost": frozenset({"money"}),
        "where": frozenset({"address"}),
    }
    types = {kind for name, types in kinds.items() if _cue(scene, name, scene.folded) for kind in types}
    fitting = [name for name in held if (key := _key(scene, name)) is not None and key["type"] in types]
    if types and set(named) & set(fitting):
        return [name for name in named if name in fitting]
    if named and not types:
        return named[:1]
    agreed = _cue(scene, "asks_settled", scene.folded) or _cue(scene, "asks_changed", scene.folded)
    if agreed and not (scene.heard.question and scene.heard.question.names):
        if fitting or types:
            return fitting
        before = fold(scene.answered_before)
        return [name for name, each in held.items() if fold(str(each["label"])) in before][:1] or (
            list(held)[:1] if len(held) == 1 else []
        )
    return []


def _reading(scene: Scene) -> Sequence[Wanted]:
    if _cue(scene, "asks_changed", scene.folded):
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
    if len(entries) < _TWO:
        return _say(scene, "not_changed")
    seen: set[str] = set()
    told = []
    for each in entries:
        name = "was" if not told else "back" if each["value"] in seen else "then"
        told.append(_say(scene, name, value=each["said"]))
        seen.add(str(each["value"]))
    return _say(scene, "changed", list=", ".join(told))


_TWO = 2

READING = Part(
    name="reading", wanted=lambda scene: bool(_asked(scene)), first=_reading, text=_reading_text, takes_all=True
)


# Close a matter by word


def _closes(scene: Scene) -> bool:
    return bool(settled(scene)) and not _is_question(scene) and _cue(scene, "closes", scene.folded)


def _closing(scene: Scene) -> Sequence[Wanted]:
    text = scene.folded
    named = [str(e["matter"]) for e in settled(scene) if fold(str(e["matter"])) in text]
    return [Wanted("close_matter", {"matter": named[0] if named else ""})]


def _closing_text(scene: Scene) -> str:
    closed = any(done.ok for done in scene.results("close_matter"))
    return _say(scene, "closed" if closed else "none")


CLOSING = Part(name="closing", wanted=_closes, first=_closing, text=_closing_text, takes_all=True)

ALL = (RECORDING, LEAVING, CLOSING, READING, ASKING)


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(_DATA.read_text(encoding="utf-8"))


def _says(language: str) -> Mapping[str, str]:
    tables = _tables()
    says: Mapping[str, str] = tables.get(language, tables["en"])["says"]
    return says


def _table(scene: Scene) -> Mapping[str, tuple[re.Pattern[str], ...]]:
    return _patterns(scene.language)


@cache
def _patterns(language: str) -> Mapping[str, tuple[re.Pattern[str], ...]]:
    tables = _tables()
    cues = tables.get(language, tables["en"])["cues"]
    return {name: tuple(re.compile(each) for each in patterns) for name, patterns in cues.items()}
