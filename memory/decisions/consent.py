"""Where does a value come from? A decision is the person's own word or a clear choice. Pure.

Candidates, retrieved passages and tool output are inputs of a decision, not the
decision; and "go on" chooses nothing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from memory import language as lang
from memory.config import LANGUAGES
from memory.decisions.schema import Key, Keys, KeyType
from memory.decisions.stated import street_spans
from memory.decisions.values import CURRENCIES, Refused, canonical, dozens

_DATA = Path(__file__).parent / "data" / "consent.toml"
_MOMENTS = (KeyType.DATE, KeyType.TIME, KeyType.INTERVAL)
_PARTS = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")  # of a stored moment
_CODE = re.compile(r"\b(?=[\w/-]*\d)[A-Za-z\d][\w/-]+")
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_OPTIONS = re.compile(r",\s+|;\s+|\s(?:or|oder|ou|o|u)\s")


class Source(StrEnum):
    """Who decided a value, judged by where it stands."""

    PERSON = "person"  # in their words, or their clear choice among what was proposed
    ASSISTANT = "assistant"  # nowhere else: the assistant's own decision
    OBSERVATION = "observation"  # only in retrieved passages or tool output
    UNDECIDED = "undecided"  # proposed, and not taken


def source_of(
    key: Key,
    value: str,
    *,
    said: str,
    proposed: str,
    observed: Iterable[str],
    language: str,
    now: datetime,
    zone: str,
    held: str = "",
) -> Source:
    """Where a canonical value comes from.

    Args:
        said: the person's message of this turn.
        proposed: what the assistant had said last.
        observed: retrieved passages and tool output of this turn.
        held: what holds so far, canonical: "make it Friday" leaves the hours as they are.
    """
    if key.type in _MOMENTS and (left := _changed(value, held)):
        value = left

    def here(text: str) -> bool:
        return stands_in(key, value, text, language=language, now=now, zone=zone)

    if here(said):
        parts = re.split(r"[,;:.!?–—]+", said)
        clauses = [
            _without_denied(_without_slip(part, language) if at else part, language)
            for at, part in enumerate(parts)
            if here(part)
        ]
        denied = bool(clauses) and all(refuses(part, language) or _denies(part, language) for part in clauses)
        return Source.UNDECIDED if denied else Source.PERSON
    if here(proposed):
        if goes_on(said, language):
            return Source.UNDECIDED
        if not refuses(said, language) and (
            _chooses(value, said, language)
            or _names_part(key, value, said, language=language, now=now)
            or here(_at_place(said, proposed, language))
        ):
            return Source.PERSON
        if consents(said, language) and _single(key, proposed, language=language, now=now, zone=zone):
            return Source.PERSON
        return Source.UNDECIDED
    return Source.OBSERVATION if any(here(text) for text in observed) else Source.ASSISTANT


def _changed(value: str, held: str) -> str:
    """The parts of a moment that differ from what holds; "" when all of it does, or nothing."""
    parts = _PARTS.findall(value)
    left = [each for each in parts if each not in _PARTS.findall(held)]
    return " ".join(left) if 0 < len(left) < len(parts) else ""


def _without_slip(clause: str, language: str) -> str:
    """A clause without the word by which it puts the one before it right: "sixty, no twenty"."""
    slip = lang.fold(str(lang.tables(language)["times"]["repair"]))
    return re.sub(rf"^\s*(?:{slip})(?!\w)", " ", lang.fold(clause))


def _without_denied(clause: str, language: str) -> str:
    """A clause without what it sets something else against: "not on Thursday but on Friday"."""
    tables = _tables(language)
    denies, but = "|".join(map(re.escape, tables["no"])), "|".join(map(re.escape, tables["but"]))
    return re.sub(rf"(?<!\w)(?:{denies})(?!\w).{{1,40}}?(?<!\w)(?:{but})(?!\w)", " ", lang.fold(clause))


def consents(said: str, language: str) -> bool:
    """Whether a message says yes to what was proposed."""
    says_yes = _any(said, _words(language, "yes")) or _starts_with(said, "yes")
    return says_yes and not goes_on(said, language) and not refuses(said, language)


def refuses(said: str, language: str) -> bool:
    """Whether a message says no."""
    return _any(said, _words(language, "no")) or _starts_with(said, "no")


def goes_on(said: str, language: str) -> bool:
    """Whether a message only asks to continue, which consents to nothing."""
    rest = " ".join(lang.words(lang.fold(said)))
    for phrase in sorted(_words(language, "go_on"), key=len, reverse=True):
        bare = " ".join(lang.words(phrase))
        if re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", rest):
            return len(lang.words(rest)) <= len(lang.words(bare)) + 2
    return False


def stands_in(key: Key, value: str, text: str, *, language: str, now: datetime, zone: str) -> bool:
    """Whether a canonical value stands in a text, in whatever form it is said there."""
    if not text.strip():
        return False
    if key.type in (KeyType.TEXT, KeyType.ADDRESS):
        held = lang.words(lang.fold(text))
        wanted = lang.words(lang.fold(value))
        return bool(wanted) and all(word in held for word in wanted)
    if key.type is KeyType.INTEGER:
        told = {number.value for number in lang.numbers.find(text, language)} | dozens(lang.fold(text))
        return value in map(str, told) or bool(
            re.search(rf"(?<![\d.,]){re.escape(value)}(?![\d]|[.,]\d)", text)
        )
    if key.type in _MOMENTS:
        return _moment_stands_in(key, value, text, language=language, now=now, zone=zone)
    found = canonical(key, text, language=language, now=now, zone=zone)
    return not isinstance(found, Refused) and found == value


def says_nothing_else(keys: Keys, text: str, *, matter: str, language: str, now: datetime) -> bool:
    """Whether a text holds but values and words of deciding: "I need sixty, no", of which twenty became.

    Args:
        matter: of what was decided; its name is no more than that, either.
        now: aware, in the person's zone.
    """
    if matter:
        text = re.sub(re.escape(matter), " ", text, flags=re.IGNORECASE)
    spans = [span for each in lang.find_times(text, language=language, now=now) for span in each.spans]
    spans += [each.span for each in lang.numbers.find(text, language)] + street_spans(text)
    spans += [match.span() for match in _CODE.finditer(text)]
    rest = "".join(" " if any(a <= at < b for a, b in spans) else letter for at, letter in enumerate(text))
    rest = re.sub(r"[€$£]", " ", lang.fold(rest))
    own = {*_words(language, "wants"), *_words(language, "yes"), *_words(language, "no")}
    for key in keys.open():
        told = [*key.words.get(language, ()), *key.choice.get(language, ())]
        told += key.label.get(language, "").split()
        own |= {term for word in told for term in (lang.fold(word), *lang.terms(word, language))}
    own |= {name for names in CURRENCIES.values() for name in names}
    return all(word in own or set(lang.terms(word, language)) <= own for word in lang.words(rest))


def _moment_stands_in(key: Key, value: str, text: str, *, language: str, now: datetime, zone: str) -> bool:
    found = canonical(key, text, language=language, now=now, zone=zone)
    if not isinstance(found, Refused) and (found == value or found in value):
        return True
    if value in text:
        return True
    parts = set(_PARTS.findall(value))
    said: set[str] = set()
    # What is decided lies ahead ("delivered on Friday"); "not Saturday, Sunday" denies its first part only.
    readings = [(text, lang.find_times(text, language=language, now=now))]
    readings += [
        (part, lang.find_times(part, language=language, now=now, tense="future"))
        for part in (text, *re.split(r"[,;]", text))
    ]
    for whole, each in ((whole, each) for whole, found in readings for each in found):
        if each.date is not None:
            said.add(each.date.isoformat())
        told = whole[each.span[0] : each.span[1]]
        explicit = bool(each.part) or re.search(r"\b(?:1[3-9]|2[0-3])\b", told) is not None
        for hour in (each.time, each.end.time() if each.end is not None else None):
            if hour is not None:
                said.add(hour.strftime("%H:%M"))
                if not explicit:  # "ten" is in the morning or in the evening
                    said.add(hour.replace(hour=(hour.hour + 12) % 24).strftime("%H:%M"))
    hours = {
        f"{int(number.value):02d}:00"
        for number in lang.numbers.find(text, language)
        if 0 <= number.value < 24
    }
    return bool(parts) and parts <= said | hours


def _chooses(value: str, said: str, language: str) -> bool:
    """Whether a message names a part of the value that tells it apart: "Dock Road" for "Dock Road 9"."""
    return bool(set(lang.terms(value, language)) & set(lang.terms(said, language)))


def _names_part(key: Key, value: str, said: str, *, language: str, now: datetime) -> bool:
    """Whether a message names the day or the hour of a moment, and no other: "Friday" of two windows."""
    if key.type not in _MOMENTS:
        return False
    told = lang.find_times(said, language=language, now=now)
    days = {each.date.isoformat() for each in told if each.has_date and each.date}
    hours = {f"{each.time:%H:%M}" for each in told if each.time is not None}
    return bool(days or hours) and (days or hours) <= set(_PARTS.findall(value))


def _at_place(said: str, proposed: str, language: str) -> str:
    """What was proposed at the place that a message names: "the second one"; "" for none."""
    tables = _tables(language)
    held = set(lang.words(lang.fold(said)))
    found = [at for at, names in enumerate(tables["place"]) if held & set(names)]
    listed = [each for each in _SENTENCES.split(proposed) if len(_OPTIONS.split(each)) > 1 or ":" in each][
        -1:
    ]
    options = [each for text in listed for each in _OPTIONS.split(text.partition(": ")[2] or text)]
    if not found and held & set(tables["last"]):
        found = [len(options) - 1]
    return options[found[0]] if len(found) == 1 and 0 <= found[0] < len(options) else ""


def _single(key: Key, proposed: str, *, language: str, now: datetime, zone: str) -> bool:
    """Whether what was proposed holds one value only: a yes to "A or B?" chooses neither."""
    last = [part for part in _SENTENCES.split(proposed) if part.strip()][-1:]
    text = last[0] if last else ""
    folded = lang.words(lang.fold(text))
    return not any(word in folded for word in ("or", "oder", "ou", "o", "bien"))


def _any(said: str, phrases: Iterable[str]) -> bool:
    text = " ".join(lang.words(lang.fold(said)))
    return any(re.search(rf"(?<!\w){re.escape(' '.join(lang.words(each)))}(?!\w)", text) for each in phrases)


def _starts_with(said: str, kind: str) -> bool:
    """Whether a message begins with a yes or no of its own, in any language: "Ja, gern", "No."."""
    match = re.match(r"\W*(\w+)\s*(?:[,.;!–-]|$)", lang.fold(said))
    return match is not None and any(match.group(1) in _words(each, kind) for each in LANGUAGES)


def _denies(clause: str, language: str) -> bool:
    """Whether a clause begins with a "not", in any language: it may be in another than the talk's.

    "No sábado" denies nothing in Portuguese.
    """
    first = lang.words(lang.fold(clause))[:1]
    if not first or (first[0] in lang.stop_words(language) and first[0] not in _words(language, "no")):
        return False
    return any(first[0] in _words(each, "no") for each in LANGUAGES)


@cache
def _words(language: str, kind: str) -> tuple[str, ...]:
    return tuple(lang.fold(each) for each in _tables(language)[kind])


@cache
def _tables(language: str) -> Mapping[str, Any]:
    tables: dict[str, Any] = tomllib.loads(_DATA.read_text(encoding="utf-8"))
    told: Mapping[str, Any] = tables.get(language, tables["en"])
    return told
