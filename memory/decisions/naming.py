"""Which settled keys does a text speak of, and which does a question ask for? Pure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from memory import language as lang
from memory.decisions.schema import Key, Keys, KeyType
from memory.decisions.stated import CALL, MOMENTS, Clause, Stated, stated, street_spans
from memory.records import Decision

_DATA = Path(__file__).parent / "data" / "guard.toml"
_ASKED = {
    "when": (*MOMENTS,),
    "count": (KeyType.INTEGER,),
    "cost": (KeyType.MONEY,),
    "where": (KeyType.ADDRESS,),
}
_ROAD = re.compile(
    r"stra(?:ss|ß)e|str\b|weg\b|gasse|platz|allee|ufer|lane|road|street|avenue|drive|close|square|terrace"
    r"|\brua\b|travessa|avenida|praca|largo|\brue\b|quai|boulevard|chemin|impasse|calle|plaza|paseo|camino"
)
_NO_UNITS = re.compile(r"(?!)")
_SURELY = 4.0  # log odds above which a word of other things rules nothing out
_NEAR = 4.0  # how much less than the likeliest key another one may lean to be asked for, and still be meant
_ASKS = 0.5  # log odds: of the questions of other hands for something else two in a hundred lie above
_STEM = 5  # letters that forms of one word share at least
_QUESTIONS = re.compile(r"(?<=[.!?;])\s+")


@dataclass(frozen=True, kw_only=True)
class Settled:
    """What holds for a person, as the guard needs it."""

    decisions: tuple[Decision, ...] = ()
    here: str = ""  # the matter of this conversation
    rivals: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)  # by matter and key


@dataclass(frozen=True, kw_only=True)
class View:
    """How a sentence is to be read."""

    keys: Keys
    settled: Settled
    said: str  # the person's message
    language: str
    now: datetime
    zone: str
    about: frozenset[str] = frozenset()  # keys that the sentence before was about
    told: frozenset[str] = frozenset()  # keys whose settled value this answer has said
    asking: Mapping[str, float] = field(default_factory=dict)  # `leaning.asked_for` the message, when known


def matters_of(view: View) -> list[str]:
    """Names of the open matters that have one of their own."""
    matters = dict.fromkeys(each.matter for each in view.settled.decisions)
    return [each for each in matters if not each.startswith("conversation ")]


def asked_about(view: View) -> list[Decision]:
    """What is settled in the matter that the person's message names; all of it when it names none."""
    folded = lang.fold(view.said)
    named = {
        each for each in matters_of(view) if re.search(rf"(?<!\w){re.escape(lang.fold(each))}(?!\w)", folded)
    }
    return [each for each in view.settled.decisions if not named or each.matter in named]


def clause_of(text: str, view: View) -> Clause:
    """A text as values are looked for in it: the number of an order is none."""
    values = {lang.fold(each.value) for each in view.settled.decisions}
    for matter in matters_of(view):
        if lang.fold(matter) in values:
            continue  # it is itself what was decided
        named = rf"(?<!\w){re.escape(matter)}(?!\w)"
        text = re.sub(named, lambda match: " " * len(match.group()), text, flags=re.IGNORECASE)
    return Clause(
        text=text, bare=False, language=view.language, now=here(view), units=table(view.language)["units"]
    )


def speaks_to_them(sentence: str, view: View) -> bool:
    """Whether a sentence speaks to the person, but for "your neighbour": it is no business of others then."""
    words = table(view.language)
    folded = lang.fold(sentence)
    for match in words["you"].finditer(folded):
        small = view.language == "de" and match.group()[0] in "si"  # "sie" are they, "Sie" are you
        if small and len(folded) == len(sentence) and sentence[match.start()].islower():
            continue
        if not words["foreign"].match(folded, match.end() + 1):
            return True
    return False


def named_among(keys: Iterable[Key], folded: str, view: View) -> frozenset[str]:
    """Which of some keys a text speaks of by their words."""
    return frozenset(_hits(folded, view, loosely=False, keys=keys))


def named(folded: str, view: View, *, loosely: bool = False) -> frozenset[str]:
    """Settled keys that a text speaks of by their words.

    Args:
        loosely: also by words that may mean something else: enough in a question about what is settled.
    """
    return frozenset(_hits(folded, view, loosely=loosely))


def _hits(folded: str, view: View, *, loosely: bool, keys: Iterable[Key] | None = None) -> dict[str, int]:
    """How many words of each settled key, or of each of these, stand in a text."""
    stems = {word: {word, *lang.terms(word, view.language)} for word in lang.words(folded)}

    def standing(told: Iterable[str]) -> set[str]:
        """The words of the text that are among these, in any form."""
        forms: set[str] = set()
        for word in map(lang.fold, told):
            if len(word) >= 3 and word not in lang.stop_words(view.language):
                forms |= {word, *lang.terms(word, view.language)}
        return {
            word
            for word, own in stems.items()
            if own & forms or (loosely and any(_akin(word, each) for each in forms))
        }

    hits = {}
    for key in _settled_keys(view) if keys is None else keys:
        loose = set(key.loose.get(view.language, ()))
        own = set(key.words.get(view.language, ())) - loose
        label = _label(key, view.language)
        whole = all(standing([word]) for word in label)
        found = standing(own | (label if whole else set()) | (loose if loosely else set()))
        if found:
            hits[key.name] = len(found)
    return hits


def _akin(word: str, other: str) -> bool:
    """Whether two words are likely forms of one: "retirais" and "retirer"."""
    shared = next((at for at, (one, two) in enumerate(zip(word, other, strict=False)) if one != two), None)
    shared = min(len(word), len(other)) if shared is None else shared
    return shared >= _STEM and shared * 5 >= max(len(word), len(other)) * 3


def shaped(text: str, view: View) -> frozenset[str]:
    """Settled keys whose kind of value stands in a text so whole that it can hardly be anything else.

    A day with hours from and to is a window, a street with its number an address, and a mail
    address or a long number a contact: whatever the words around say.
    """
    clause = Clause(text=text, bare=False, language=view.language, now=here(view), units=_NO_UNITS)
    mentions = clause.mentions
    is_window = any(each.has_date and each.date for each in mentions) and any(
        each.end is not None and each.time is not None for each in mentions
    )
    is_shown = {
        KeyType.INTERVAL: is_window,
        KeyType.ADDRESS: any(_ROAD.search(lang.fold(text[start:end])) for start, end in street_spans(text)),
        KeyType.TEXT: CALL.search(text) is not None,
    }
    return frozenset(
        key.name
        for key in _settled_keys(view)
        if is_shown.get(key.type, False) and (key.type is not KeyType.TEXT or key.name == "contact_detail")
    )


def _label(key: Key, language: str) -> set[str]:
    words = lang.words(lang.fold(key.label.get(language, "")))
    return {word for word in words if len(word) >= 3 and word not in lang.stop_words(language)}


def asked(view: View) -> frozenset[str]:
    """What the person's message may ask for: keys by their words, else by the kind of question."""
    folded = lang.fold(view.said)
    if any(table(view.language)[kind].search(folded) for kind in ("open", "other", "besides")):
        return frozenset()
    if _is_about_others(view.said, folded, view):
        return frozenset()
    by_words, types = named(folded, view, loosely=True), _types(folded, view.language)
    fitting = {key.name for key in _settled_keys(view) if key.type in types}
    if not types:
        return frozenset(
            each for each in named(folded, view) or by_words if not _is_one_of_many(folded, each, view)
        )
    if by_words & fitting:
        return frozenset(each for each in by_words & fitting if not _is_one_of_many(folded, each, view))
    # "When does the concert begin?" asks for nothing settled.
    return frozenset() if _says_more(folded, fitting, view) else frozenset(fitting)


def asked_directly(view: View) -> frozenset[str]:
    """Keys whose settled value a message asks for, and nothing else: "What was my budget again?".

    Empty when it names a value itself, speaks of changing, of other matters or of anything
    besides: then an answer need not hold the settled value.
    """
    said = [part for part in _QUESTIONS.split(view.said.strip()) if part.strip()]
    keys: set[str] = set()
    for part in said:
        keys |= _asked_by(part, view)
    leans = asked_likely(view)
    best = max(leans.values(), default=0.0)
    if best > _ASKS:  # "When shall I come?" may mean either of two: then the value of either answers it
        asked_too = {name for name, odds in leans.items() if odds > _ASKS}
        keys = {name for name in keys | asked_too if leans.get(name, best) > best - _NEAR}
    return frozenset(keys) & {each.key for each in asked_about(view)}


def asked_likely(view: View) -> Mapping[str, float]:
    """What a message leans to ask for, of the settled keys; nothing when its words rule that out."""
    settled = {each.key for each in view.settled.decisions}
    leans = {name: odds for name, odds in view.asking.items() if name in settled}
    return leans if leans and _may_ask(view) else {}


def _may_ask(view: View) -> bool:
    """Whether a message is a question about what is theirs and settled, whatever it asks for."""
    words, folded = table(view.language), lang.fold(view.said)
    asks = "?" in folded or any(words[name].search(folded) for name in ("wh", "tell", "recall"))
    again = bool(words["tell"].search(folded)) or _asks_again(view.said, folded, view)
    barred = ["other"]
    if max(view.asking.values(), default=0.0) < _SURELY:
        barred += ["open"] if again else ["open", "besides"]
    return (
        asks
        and not _is_about_others(view.said, folded, view)
        and not any(words[name].search(folded) for name in barred)
    )


def _asked_by(part: str, view: View) -> set[str]:
    words = table(view.language)
    folded, politely = words["tell"].subn(" ", lang.fold(part))
    again = bool(politely) or _asks_again(part, folded, view)
    asks = bool(politely) or bool(words["wh"].search(folded))
    # "How much did I say I could spend" asks for no change, though "how much could I spend" might.
    besides = words["modal"].sub(" ", folded) if again else folded
    if _is_about_others(part, folded, view):
        return set()
    if (
        not asks
        or words["besides"].search(besides)
        or any(words[k].search(folded) for k in ("other", "open"))
    ):
        return set()
    types = _types(folded, view.language)
    counting = re.compile("|".join(words[name].pattern for name in ("count", "cost")))
    hits = _hits(counting.sub(" ", folded), view, loosely=True)
    if types:
        fitting = {key.name for key in _settled_keys(view) if key.type in types}
        of_type = {name: hits[name] for name in hits if name in fitting}
        is_named_more = types == {KeyType.ADDRESS} and max(hits.values(), default=0) > max(
            of_type.values(), default=0
        )  # "at which number or address" asks for no place
        is_number = types <= {KeyType.MONEY, KeyType.INTEGER}  # "how much" asks for no way of paying
        near = {
            name: count
            for name, count in hits.items()
            if not is_number or view.keys.by_name[name].type in (KeyType.MONEY, KeyType.INTEGER)
        }
        hits = hits if is_named_more else of_type or near or dict.fromkeys(fitting, 0)
    most = max(hits.values(), default=0)
    keys = {name for name, count in hits.items() if count == most}
    if not keys or (not most and len(keys) > 1 and not again):
        return set()
    is_dated = any(view.keys.by_name[name].type is KeyType.DATE for name in keys)
    known = most and ((again and not is_dated) or types == {KeyType.ADDRESS})
    if not known and _says_more(words["recall"].sub(" ", folded), keys, view):
        return set()  # there are many appointments; and "how much is the lamp" asks for no budget
    clause = Clause(
        text=part,
        bare=False,
        language=view.language,
        now=here(view),
        units=words["units"],
    )
    values = {each.key: each.value for each in view.settled.decisions}
    if any(stated(view.keys.by_name[name], values[name], clause) is not Stated.NOTHING for name in keys):
        return set()
    return keys


def _asks_again(part: str, folded: str, view: View) -> bool:
    """Whether a question asks for what was said or settled; one about somebody else does not."""
    return table(view.language)["recall"].search(folded) is not None and not _is_about_others(
        part, folded, view
    )


def _is_about_others(text: str, folded: str, view: View) -> bool:
    """Whether a question asks about somebody else: "when does my sister come?"."""
    if table(view.language)["people"].search(folded):
        return True
    names = lang.find_names(text, view.language) if view.language != "de" else []
    return any(not each.starts_sentence for each in names)


def _is_one_of_many(folded: str, name: str, view: View) -> bool:
    """Whether a question for a day or a language holds words that make it another's: "the dentist's"."""
    if view.keys.by_name[name].type not in (KeyType.DATE, KeyType.LANGUAGE):
        return False
    return _says_more(table(view.language)["recall"].sub(" ", folded), {name}, view)


def _says_more(part: str, keys: set[str], view: View) -> bool:
    """Whether a question holds words that are neither a key's own nor those of asking again."""
    known: set[str] = set()
    for name in keys:
        key = view.keys.by_name[name]
        told = [
            *key.words.get(view.language, ()),
            *key.loose.get(view.language, ()),
            *_label(key, view.language),
        ]
        known |= {term for word in told for term in (lang.fold(word), *lang.terms(word, view.language))}
    asking = table(view.language)["asking"]
    for word in lang.words(lang.fold(part)):
        stems = lang.terms(word, view.language)
        if not stems or known & {word, *stems} or asking.fullmatch(word):
            continue
        if table(view.language)["wh"].fullmatch(word) or word in lang.question_words(view.language):
            continue
        return True
    return False


def _types(folded: str, language: str) -> set[KeyType]:
    return {kind for name, kinds in _ASKED.items() if table(language)[name].search(folded) for kind in kinds}


def _settled_keys(view: View) -> list[Key]:
    names = dict.fromkeys(each.key for each in view.settled.decisions)
    return [key for name in names if (key := view.keys.get(name)) is not None]


def here(view: View) -> datetime:
    """Now, in the person's zone."""
    return view.now.astimezone(ZoneInfo(view.zone))


@cache
def table(language: str) -> Mapping[str, re.Pattern[str]]:
    """The guard's words of a language, compiled."""
    tables: dict[str, Any] = tomllib.loads(_DATA.read_text(encoding="utf-8"))
    told = dict(tables.get(language, tables["en"]))
    told |= told.pop("asks")
    compiled = {
        name: re.compile(r"(?<!\w)(?:" + "|".join(f"(?:{each})" for each in words) + r")(?!\w)")
        for name, words in told.items()
        if name != "units"
    }
    units = "|".join(f"(?:{each})" for each in told["units"])
    compiled["units"] = re.compile(rf"[\s-]*(?:\w+ )?(?:(?:{units})(?!\w)|[%€$£])")
    return compiled
