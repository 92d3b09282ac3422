"""Keys and their values as they stand in a message: what the message names, in the person's words."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from memory.language import TimeMention, find_times, fold, fold_map, numbers, surface_terms, words
from memory.llm.embedded.scene import Json, Scene

_DATA = Path(__file__).parent / "data" / "deciding.toml"
MOMENTS = frozenset({"date", "time", "interval"})
_ROAD = r"(?i:rue|avenue|boulevard|place|chemin|quai|impasse|all[ée]e|street|road|lane|drive|square|way|row)"
STREET = re.compile(
    rf"\b\d{{1,4}}[a-z]?,? {_ROAD}\b[^,.;!?]*|\b\d{{1,4}}[a-z]? (?:[^\W\da-z_][\w'’.-]* )+{_ROAD}\b|"
    r"\b[^\W\da-z_][\w'’.-]*(?: (?:de|da|do|das|dos|del|la|las|los|le|les|du|des|der|den|am|an"
    r"|[^\W\da-z_][\w'’.-]*))*,? \d{1,4}[a-z]?\b"
)
_LETTERS = r"[A-Za-z]{1,6}(?:[-/][A-Za-z]{1,6})?[-/]?"
CODE = re.compile(rf"\b(?:{_LETTERS}\d[\w/-]+|\d[\w/-]{{2,}})\b")  # "4711-A", "QX-90"
_NO_COUNT = re.compile(  # "4711-A", sums
    rf"\b{_LETTERS}\d[\w/-]*|\b\d+-\w+|[€$£]\s?\d[\d.,]*|\b\d[\d.,]*\s?(?:[€$£]|(?i:eur))"
)
# "1020 Wien", "1000-001 Lisboa", "Bristol BS1 4RW": what follows a street.
_TOWN = re.compile(
    r",? (?:\d{4,5}(?:-\d{3})? [^\W\d_][\w'’-]*(?: (?:de|da|do|am|an|la|le|[^\W\da-z_][\w'’-]*))*"
    r"|[^\W\da-z_][\w'’-]* [A-Z]{1,2}\d{1,2}[A-Z]? \d[A-Z]{2})"
)
CONTACT = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+|\+?\d[\d ()/-]{5,}\d")
_DOZEN = re.compile(
    r"(?:(?:half|halbes|meia|demie?|media|[\w]+) )?(?:an? )?(?:dozens?|dutzend|duzias?|douzaines?|docenas?)\b"
)
_MONEY = re.compile(
    r"(?:[€$£]\s?)?\d[\d.,']*(?:[ \u00a0\u202f]\d{3}(?!\d))*"
    r"\s?(?:€|\$|£|(?i:eur\w*|dollars?|pounds?|reais|francs?|franken))?"
)
FEW, TWO = 4, 2  # words of a choice; of a variant in a sentence
_MIDDAY = 13
LONG = 12  # letters of a label that is no everyday word


def keys(scene: Scene) -> tuple[Json, ...]:
    """The open keys, with their words in the language of the message."""
    return scene.block("keys")


def settled(scene: Scene) -> tuple[Json, ...]:
    """What holds."""
    return scene.block("settled")


def key_of(scene: Scene, name: str) -> Json | None:
    return next((key for key in keys(scene) if key["name"] == name), None)


def label_of(scene: Scene, key: Json) -> str:
    return str(key["label"])


def named_keys(scene: Scene, text: str) -> list[Json]:
    """Keys that a text speaks of, by their words or in other ones; those with most words first."""
    folded = fold(text)
    held = set(words(folded))
    scored = [
        (
            sum(fold(word) in held for word in key["words"])
            + _is_about(scene, key, folded)
            + (has_own_name(scene, key) and fold(label_of(scene, key)) in folded),
            key,
        )
        for key in keys(scene)
    ]
    return [key for score, key in sorted(scored, key=lambda each: -each[0]) if score]


def _is_about(scene: Scene, key: Json, folded: str) -> bool:
    """Whether a text speaks of a key in words that mean it only together: "hole es um zehn ab"."""
    told = _about(scene.language).get(key["name"], ())
    return any(pattern.search(folded) for pattern in told)


def is_labelled(scene: Scene, key: Json | None) -> bool:
    return key is not None and fold(label_of(scene, key)) in scene.folded


def has_own_name(scene: Scene, key: Json) -> bool:
    """Whether a key's label is no everyday word."""
    label = label_of(scene, key)
    return len(words(label)) > 1 or len(label) >= LONG


def begins_with_label(scene: Scene) -> bool:
    """Whether the message begins with a key's own name, or any of its words and a colon: "Menge: 12"."""
    return any(
        re.match(rf"(?:\w+ )?{re.escape(fold(label_of(scene, key)))}\b", scene.folded)
        for key in keys(scene)
        if has_own_name(scene, key)
    ) or any(
        re.match(rf"{re.escape(fold(str(word)))}\s*:", scene.folded)
        for key in keys(scene)
        for word in (label_of(scene, key), *key["words"])
    )


def without_values(scene: Scene, text: str) -> str:
    for mention in reversed(find_times(text, language=scene.language, now=scene.now)):
        for start, end in reversed(mention.spans):
            text = text[:start] + " " + text[end:]
    for number in reversed(numbers.find(text, scene.language)):
        text = text[: number.span[0]] + " " + text[number.span[1] :]
    return fold(text)


def is_question(scene: Scene) -> bool:
    """Whether the message asks, also without its sign: "should I take Friday"."""
    return "?" in scene.said or scene.heard.question is not None or cue(scene, "wonders", scene.folded)


def cue(scene: Scene, name: str, folded: str) -> bool:
    return any(pattern.search(folded) for pattern in patterns_of(scene)[name])


# Values


def value_of(scene: Scene, key: Json, *, alone: bool) -> str:
    """The message's value for a key in the person's words, "" when it holds none of its type."""
    said, kind = scene.said, key["type"]
    if kind in MOMENTS:
        return _moment(scene, key, alone=alone)
    if kind == "integer":
        if (dozen := _DOZEN.search(scene.folded)) is not None:
            return dozen.group().strip()
        spans = [each.span for each in find_times(said, language=scene.language, now=scene.now)]
        spans = [] if alone else spans
        spans += [match.span() for match in _NO_COUNT.finditer(said)]
        spans += [span] if (span := order_span(scene, said)) is not None else []
        if any(each["type"] == "address" for each in named_keys(scene, said)):
            spans += [match.span() for match in streets(scene, said)]
        found = [
            number.value
            for number in numbers.find(said, scene.language)
            if not number.ordinal and not any(a <= number.span[0] < b for a, b in spans)
        ]
        return str(found[0]) if len(found) == 1 or (found and alone) else ""
    if kind == "money":
        return _sum(scene, key, alone=alone)
    if kind in ("choice", "language"):
        return _choice(scene, key)
    if kind == "address":
        return _street(scene, key)
    return _text(scene, key, alone=alone)


def _sum(scene: Scene, key: Json, *, alone: bool) -> str:
    """An amount with its currency; a bare one where nothing else is meant."""
    amounts = [match.group().strip() for match in _MONEY.finditer(scene.said)]
    signed = [each for each in amounts if re.search(r"[^\d.,' ]", each)]
    if signed or (amounts and (alone or (len(amounts) == 1 and is_labelled(scene, key)))):
        return (signed or amounts)[0]
    return scene.said if numbers.find(scene.said, scene.language) and alone else ""


def streets(scene: Scene, said: str) -> list[re.Match[str]]:
    """Streets with a house number; "Quero 12 peças" and "Auftrag 4711" are none."""
    for mention in find_times(said, language=scene.language, now=scene.now):
        for start, end in mention.spans:
            said = said[:start] + "." * (end - start) + said[end:]
    return [match for match in STREET.finditer(said) if _is_street(scene, said, match)]


def address_spans(scene: Scene, said: str) -> list[tuple[int, int]]:
    """Where addresses stand: streets, with the town behind them."""
    return [
        (match.start(), town.end() if (town := _TOWN.match(said, match.end())) else match.end())
        for match in streets(scene, said)
    ]


def _is_street(scene: Scene, said: str, match: re.Match[str]) -> bool:
    first = fold(match.group().split()[0])
    counted = {fold(word) for key in keys(scene) if key["type"] == "integer" for word in key["words"]}
    order = key_of(scene, "order_number")
    if order is not None and first in map(fold, order["words"]):
        return False
    following = words(fold(said[match.end() :]))[:1]
    # A verb at the beginning has a capital, too: "Mettez 400", "Liefern Sie 12 Stück".
    name = [word for word in words(fold(match.group())) if not word[0].isdigit()]
    is_verb = any(pattern.search(" ".join(name)) for pattern in patterns_of(scene)["decide"])
    says_something = bool(surface_terms(" ".join(name), scene.language))
    return says_something and not is_verb and not set(following) & counted


def _street(scene: Scene, key: Json) -> str:
    """An address with a house number, without the words that lead to it ("an die Adresse ...")."""
    found = next(iter(streets(scene, scene.said)), None)
    if found is None:
        return ""
    leading = {*map(fold, key["words"]), *words(fold(label_of(scene, key)))}
    parts = found.group().strip(" ,.").split()
    while len(parts) > TWO and fold(parts[0]) in leading:
        parts.pop(0)
    town = _TOWN.match(scene.said, found.end())
    return " ".join(parts) + (town.group() if town else "")


def _moment(scene: Scene, key: Json, *, alone: bool) -> str:
    told = find_times(scene.said, language=scene.language, now=scene.now)
    told = tuple(each for each in told if each.rrule is None)
    needs = {"date": "date", "time": "time", "interval": ""}[key["type"]]
    if needs == "date" and any(each.has_date for each in told):
        return _ahead(scene, told)
    if needs == "time" and any(each.time is not None for each in told):
        return _at_hour(scene, key, told)
    if not needs and told:
        return _ahead(scene, told)
    found = numbers.find(scene.said, scene.language)
    if (
        needs == "time"
        and (alone or is_labelled(scene, key))
        and len(found) == 1
        and 0 <= found[0].value < 24
    ):
        return _nearest(scene, key, found[0].value % 24, 0)
    return ""


def _ahead(scene: Scene, told: Sequence[TimeMention]) -> str:
    """The words of a moment that is still to come: without the verb of "delivered on Friday"."""
    first = told[0]
    if first.date is None or first.date >= scene.now.date():
        return scene.said
    return scene.said[first.span[0] :]


def kept_beside(scene: Scene, key: Json, value: str, matter: str) -> str:
    """A new day with the hours that hold, or new hours on the day that holds: "make it Friday"."""
    held = next(
        (
            str(each["value"])
            for each in settled(scene)
            if each["key"] == key["name"]
            and (str(each["matter"]) == matter or (not matter and is_here(each["matter"])))
        ),
        "",
    )
    day, _, hours = held.partition(" ")
    if key["type"] != "interval" or not hours:
        return value
    told = [each for each in find_times(value, language=scene.language, now=scene.now) if each.rrule is None]
    days = [each.date for each in told if each.has_date and each.date is not None]
    spans = [each for each in told if each.time is not None]
    if days and not spans and len(numbers.find(without_days(value, told), scene.language)) == 0:
        return f"{days[0].isoformat()} {hours}"
    if not days and len(spans) == 1 and spans[0].time is not None and spans[0].end is not None:
        return f"{day} {spans[0].time:%H:%M}-{spans[0].end:%H:%M}"
    return value


def without_days(text: str, told: Sequence[TimeMention]) -> str:
    """A text with blanks in place of its moments."""
    for each in told:
        for start, end in each.spans:
            text = text[:start] + " " * (end - start) + text[end:]
    return text


def is_here(matter: object) -> bool:
    """Whether a matter has no name of its own: it is a talk's."""
    return not matter or str(matter).startswith("conversation ")


def _at_hour(scene: Scene, key: Json, told: Sequence[TimeMention]) -> str:
    """An hour as it is meant: a bare one lies by day, or near the hour that holds."""
    mention = next(each for each in told if each.time is not None)
    said = scene.said[mention.span[0] : mention.span[1]]
    if mention.time is None or mention.part or re.search(r"\b(?:1[3-9]|2[0-3])\b", said):
        return scene.said
    return _nearest(scene, key, mention.time.hour, mention.time.minute)


def _nearest(scene: Scene, key: Json, hour: int, minute: int) -> str:
    held = [str(each["value"])[:2] for each in settled(scene) if each["key"] == key["name"]]
    near = int(held[0]) if held and held[0].isdigit() else _MIDDAY
    best = min((hour % 24, (hour + 12) % 24), key=lambda each: abs(each - near))
    return f"{best:02}:{minute:02}"


def _choice(scene: Scene, key: Json) -> str:
    """The choice that the message names, else what it names in its place: "I'll pay with seashells"."""
    if choice := choice_of(key, scene.folded):
        return choice
    moments = find_times(scene.said, language=scene.language, now=scene.now)
    for pattern in _told(scene.language).get(key["name"], ()):
        match = pattern.search(scene.folded)
        if match and not moments and surface_terms(match.group(1), scene.language):
            return match.group(1)
    return ""


def choice_of(key: Json, folded: str) -> str:
    """The choice that a folded text names, the first of several; "" when it names none."""
    found = choices_of(key, folded)
    return min(found)[2] if found else ""


def choices_in(scene: Scene, said: str) -> list[list[tuple[int, int]]]:
    """Where the choices of each key stand in a text."""
    folded, at = fold_map(said)
    found = (choices_of(key, folded) for key in keys(scene) if key["type"] in ("choice", "language"))
    return [[(at[start], at[end]) for start, end, _ in sorted(each)] for each in found]


def choices_of(key: Json, folded: str) -> list[tuple[int, int, str]]:
    """Where each choice of a key stands in a folded text, with its plainest name."""
    told = key.get("choice_names") or ()
    if key["type"] == "language":
        told = [names.split() for names in _tables()["languages"].values()]
    return [
        (*match.span(), str(names[0]))
        for names in told
        for name in names
        for match in re.finditer(rf"(?<!\w){re.escape(fold(str(name)))}(?!\w)", folded)
    ]


def _text(scene: Scene, key: Json, *, alone: bool) -> str:
    said = scene.said
    if key["name"] == "order_number" or "number" in key["name"]:
        return _code(scene)
    if key["name"] == "contact_detail":
        contact = CONTACT.search(said)
        return contact.group().strip(" .") if contact else ""
    if alone:
        kept = content(scene)
        return " ".join(kept) if 0 < len(kept) <= FEW else ""
    named = set(key["words"]) | set(words(fold(label_of(scene, key))))
    for pattern in patterns_of(scene)["decide"]:
        named |= {word for match in pattern.finditer(scene.folded) for word in words(match.group())}
    kept = [word for word in content(scene) if fold(word) not in named]
    return " ".join(kept) if 0 < len(kept) <= TWO else ""


def _code(scene: Scene) -> str:
    """The first number or code that is neither part of a moment nor a count."""
    spans = [
        span for each in find_times(scene.said, language=scene.language, now=scene.now) for span in each.spans
    ]
    found = (match for match in CODE.finditer(scene.said))
    return next(
        (each.group() for each in found if not any(a < each.end() and each.start() < b for a, b in spans)), ""
    )


def order_span(scene: Scene, said: str) -> tuple[int, int] | None:
    """Where the number of an order stands, right behind the word: "Auftrag 4711", "order no. QX-90"."""
    order = key_of(scene, "order_number")
    if order is None:
        return None
    names = "|".join(re.escape(fold(word)) for word in order["words"])
    folded, at = fold_map(said)
    match = re.search(
        rf"(?<!\w)(?:{names})(?:,? (?:(?:with|mit|com|avec|con) )?(?:(?:the|der|o|le|el) )?"
        rf"(?:number|nummer|numero|no|nr|n)\.?[º°o]?)?[.:#]? *#?({CODE.pattern})",
        folded,
        re.I,
    )
    return (at[match.start(1)], at[match.end(1)]) if match else None


def content(scene: Scene) -> list[str]:
    """The message's words that mean something, as they were written."""
    kept = surface_terms(scene.said, scene.language)
    return [word for word in re.findall(r"[\w'’-]+", scene.said) if fold(word) in kept]


# Words


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(_DATA.read_text(encoding="utf-8"))


def says(language: str) -> Mapping[str, str]:
    tables = _tables()
    says: Mapping[str, str] = tables.get(language, tables["en"])["says"]
    return says


def patterns_of(scene: Scene) -> Mapping[str, tuple[re.Pattern[str], ...]]:
    return _patterns(scene.language, "cues")


def _about(language: str) -> Mapping[str, tuple[re.Pattern[str], ...]]:
    return _patterns(language, "about")


def _told(language: str) -> Mapping[str, tuple[re.Pattern[str], ...]]:
    return _patterns(language, "told")


@cache
def _patterns(language: str, table: str) -> Mapping[str, tuple[re.Pattern[str], ...]]:
    tables = _tables()
    told = tables.get(language, tables["en"])[table]
    return {name: tuple(re.compile(each) for each in patterns) for name, patterns in told.items()}
