"""The guard: does a sentence about a matter state another value than the settled one? Pure.

A sentence is cut into clauses. A clause that tells of the past, proposes, asks, denies
or speaks of something else is let go; any other one that is about a key, by its words
or because the question was, must not name a value that is not the settled one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from memory import language as lang
from memory.decisions.schema import Key, Keys, KeyType
from memory.decisions.stated import MOMENTS, Clause, Stated, stated
from memory.records import Decision

_DATA = Path(__file__).parent / "data" / "guard.toml"
_CUTS = re.compile(r"[;()]|,(?=\s)|(?<=\D)\s[–—-]\s(?=\D)|(?<=\w): (?=\D)")
_BARE = 2  # content words beside the value: with more, the clause may be about anything
_ASKED = {
    "when": (*MOMENTS,),
    "count": (KeyType.INTEGER,),
    "cost": (KeyType.MONEY,),
    "where": (KeyType.ADDRESS,),
}


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


@dataclass(frozen=True, kw_only=True)
class Looked:
    """What came of looking at a sentence."""

    contradicts: Decision | None = None  # what it contradicts
    about: frozenset[str] = frozenset()  # keys it was about, for the next sentence


def look(sentence: str, view: View) -> Looked:
    """Whether a sentence states another value than a settled one."""
    if not view.settled.decisions:
        return Looked()
    table = _table(view.language)
    if table["other"].search(lang.fold(view.said)):
        return Looked()
    about = view.about
    is_question = sentence.rstrip().rstrip("\"'»”)").endswith("?")
    excused, past, valueless = False, False, False
    parts = _clauses(_without_agreed(_unquoted(sentence), table), table, view)
    for index, part in enumerate(parts):
        folded = lang.fold(part)
        own = _named(folded, view)
        about = own or about
        excused = excused or bool(table["condition"].search(folded))
        if excused or table["proposal"].search(folded):
            continue
        # "First ten, then eleven": the past goes on in the clauses that follow it.
        goes_on = past and (valueless or table["sequence"].match(folded.lstrip()) is not None)
        past = (goes_on and not table["now"].search(folded)) or bool(table["history"].search(folded))
        valueless = _holds_no_value(part, view)
        if (
            past
            or is_question
            or _is_excused(lang.fold(_without_ranges(part, view)), parts[index + 1 : index + 2], table)
        ):
            continue
        found = _contradicted(part, own, own or about or _asked(view), view)
        if found is not None:
            return Looked(contradicts=found, about=about)
    return Looked(about=about)


def _is_excused(folded: str, following: Sequence[str], table: Mapping[str, re.Pattern[str]]) -> bool:
    if any(table[name].search(folded) for name in ("elsewhere", "other", "denied")):
        return True
    tail = lang.fold(following[0]).strip(" .!?") if following else ""
    return bool(tail) and table["ask"].fullmatch(tail) is not None


def _contradicted(part: str, own: Collection[str], about: Collection[str], view: View) -> Decision | None:
    """The settled decision that a clause contradicts, if any."""
    clause = Clause(
        text=part, bare=False, language=view.language, now=_here(view), units=_table(view.language)["units"]
    )
    clause = replace(clause, bare=_is_bare(clause, view))
    if not own and not clause.bare:
        return None
    against: list[Decision] = []
    for decision in _candidates(part, about, view):
        key = view.keys.get(decision.key)
        if key is None:
            continue
        rivals = view.settled.rivals.get((decision.matter, decision.key), frozenset())
        verdict = stated(key, decision.value, clause, rivals=rivals)
        if verdict is Stated.SAME and not own:
            return None  # the question was about several; the answer fits one
        if verdict is Stated.OTHER:
            against.append(decision)
        elif verdict is Stated.SAME:
            against = [each for each in against if each.key != decision.key]
    return _standing(part, against, about, clause, view)


def _standing(
    part: str, against: Sequence[Decision], about: Collection[str], clause: Clause, view: View
) -> Decision | None:
    """Of several open matters with the same key, one that fits is enough."""
    for decision in against:
        key = view.keys.get(decision.key)
        others = [
            each
            for each in _candidates(part, about, view)
            if key is not None and _alike(key, view.keys.get(each.key)) and each.id != decision.id
        ]
        if not any(
            stated(other_key, each.value, clause) is Stated.SAME
            for each in others
            if (other_key := view.keys.get(each.key)) is not None
        ):
            return decision
    return None


def _alike(key: Key, other: Key | None) -> bool:
    return other is not None and (key.name == other.name or (key.type in MOMENTS and other.type in MOMENTS))


def _candidates(part: str, about: Collection[str], view: View) -> list[Decision]:
    """Settled decisions on these keys: of the matter that is named, else of this one, else of any."""
    fitting = [each for each in view.settled.decisions if each.key in about]
    text = lang.fold(f"{part} {view.said}")
    named = [each for each in fitting if _is_named(each.matter, text)]
    if named:
        return named
    ours = {each.key for each in fitting if each.matter == view.settled.here}
    return [each for each in fitting if each.key not in ours or each.matter == view.settled.here]


def _is_named(matter: str, folded: str) -> bool:
    name = lang.fold(matter)
    if name.startswith("conversation "):
        return False
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", folded) is not None


def _named(folded: str, view: View) -> frozenset[str]:
    """Settled keys that a text speaks of by their words."""
    words = set(lang.words(folded))
    stems = set(lang.terms(folded, view.language))
    told = set()
    for decision in view.settled.decisions:
        key = view.keys.get(decision.key)
        if key is None:
            continue
        own = {*key.words.get(view.language, ()), *lang.words(lang.fold(key.label.get(view.language, "")))}
        for word in map(lang.fold, own):
            if len(word) < 3 or word in lang.stop_words(view.language):
                continue
            if word in words or set(lang.terms(word, view.language)) & stems:
                told.add(decision.key)
    return frozenset(told)


def _asked(view: View) -> frozenset[str]:
    """What the person's message asks for: keys by their words, else by the kind of question."""
    folded = lang.fold(view.said)
    if _table(view.language)["elsewhere"].search(folded):
        return frozenset()
    types = {
        kind for name, kinds in _ASKED.items() if _table(view.language)[name].search(folded) for kind in kinds
    }
    named = _named(folded, view)
    if types:
        fitting = {
            each.key
            for each in view.settled.decisions
            if (key := view.keys.get(each.key)) is not None and key.type in types
        }
        return frozenset(named & fitting) or frozenset(fitting)
    return named


def _is_bare(clause: Clause, view: View) -> bool:
    """Whether a clause holds hardly more than a value."""
    text = clause.text
    for mention in clause.mentions:
        for start, end in reversed(mention.spans):
            text = text[:start] + " " * (end - start) + text[end:]
    for number in lang.numbers.find(text, clause.language):
        text = text[: number.span[0]] + " " * (number.span[1] - number.span[0]) + text[number.span[1] :]
    names = lang.find_names(text, clause.language)
    # German nouns have capitals, too; elsewhere a sentence may begin with any word.
    if any(not each.starts_sentence or clause.language == "en" for each in names if clause.language != "de"):
        return False
    known = set(lang.terms(view.said, clause.language))
    return len(set(lang.terms(text, clause.language)) - known) <= _BARE


def _holds_no_value(part: str, view: View) -> bool:
    return not lang.find_times(part, language=view.language, now=_here(view)) and not lang.numbers.find(
        part, view.language
    )


def _unquoted(text: str) -> str:
    """Without the person's own words, said back in quotation marks."""
    return re.sub(r"[“„«\"]([^“”„«»\"]*)[”“»\"]", lambda match: " " * len(match.group()), text)


def _without_agreed(text: str, table: Mapping[str, re.Pattern[str]]) -> str:
    folded = lang.fold(text)
    if len(folded) != len(text):
        return text
    return "".join(
        " " * len(piece) if hit else piece
        for piece, hit in _pieces(text, [match.span() for match in table["agreed"].finditer(folded)])
    )


def _pieces(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[str, bool]]:
    pieces, at = [], 0
    for start, end in spans:
        pieces += [(text[at:start], False), (text[start:end], True)]
        at = end
    return [*pieces, (text[at:], False)]


def _clauses(text: str, table: Mapping[str, re.Pattern[str]], view: View) -> list[str]:
    """Clauses, cut at commas, brackets, dashes and words that begin another."""
    folded = lang.fold(text)
    cuts = {match.end() for match in _CUTS.finditer(text)}
    if len(folded) == len(text):
        cuts |= {match.start() for match in table["split"].finditer(folded)}
    moments = [each.span for each in lang.find_times(text, language=view.language, now=_here(view))]
    cuts = {cut for cut in cuts if not any(start < cut < end for start, end in moments)}  # "Sunday, 8 March"
    edges = [0, *sorted(cuts), len(text)]
    parts = [text[start:end] for start, end in pairwise(edges)]
    return [part for part in parts if part.strip()]


def _without_ranges(part: str, view: View) -> str:
    """Without spans of hours: the "until" of one is no deadline."""
    for mention in lang.find_times(part, language=view.language, now=_here(view)):
        if mention.end is not None and mention.time is not None:
            for start, end in mention.spans:
                part = part[:start] + " " * (end - start) + part[end:]
    return part


def _here(view: View) -> datetime:
    return view.now.astimezone(ZoneInfo(view.zone))


@cache
def _table(language: str) -> Mapping[str, re.Pattern[str]]:
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
