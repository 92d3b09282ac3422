"""The guard: does a sentence about a matter state another value than the settled one? Pure.

A sentence is cut into clauses. A clause that tells of the past, proposes, asks, denies
or speaks of something else is let go; any other one that is about a key, by its words
or because the question was, must not name a value that is not the settled one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise

from memory import language as lang
from memory.decisions.leaning import claimed
from memory.decisions.naming import (
    Settled,
    View,
    asked,
    asked_directly,
    asked_likely,
    clause_of,
    here,
    matters_of,
    named,
    shaped,
    speaks_to_them,
    table,
)
from memory.decisions.schema import Key
from memory.decisions.stated import CALL, MOMENTS, Clause, Stated, stated, street_spans
from memory.records import Decision

__all__ = ["Looked", "Settled", "View", "asked_directly", "look", "said_in"]

_CUTS = re.compile(r"[;()]|,(?=\s)|(?<=\D)\s[–—-]\s(?=\D)|(?<=\w): (?=\D)")
_CLAIMS = 2.2  # log odds: of the good sentences of other hands one in a hundred lies above
_UNASKED = -2.0  # log odds of a question below which it plays no part
_ASIDE = 0.0  # log odds for the key that was asked for, below which a sentence only speaks beside it
_LET_GO = 0.0  # what is found without a word of the key is let go below
_NAMED = -3.0  # what is found with one
_WORD = re.compile(r"\S+")
_BARE = 2  # content words beside the value: with more, the clause may be about anything


@dataclass(frozen=True, kw_only=True)
class Looked:
    """What came of looking at a sentence."""

    contradicts: Decision | None = None  # what it contradicts
    about: frozenset[str] = frozenset()  # keys it was about, for the next sentence
    told: frozenset[str] = frozenset()  # keys whose settled value the answer has said by now
    aside: bool = False  # it only asks, proposes, or speaks of the past, of others or of opening hours


def look(sentence: str, view: View) -> Looked:
    """Whether a sentence states another value than a settled one, and which settled ones it says."""
    if not view.settled.decisions:
        return Looked()
    words = table(view.language)
    says = said_in(sentence, view)
    said = {*view.told, *says}
    if words["other"].search(lang.fold(view.said)):
        return Looked(told=frozenset(said))
    about = view.about
    is_question = sentence.rstrip().rstrip("\"'»”)").endswith("?")
    direct = asked_directly(view)
    waited = bool(direct) and not direct & said  # the answer has not yet said what was asked for
    is_to_them = speaks_to_them(sentence, view)
    to_us = waited and is_to_them
    is_elsewhere = any(words[name].search(lang.fold(sentence)) for name in ("other", "history"))
    whole = shaped(sentence, view) if is_to_them and not is_elsewhere else frozenset[str]()
    excused, past, valueless = False, False, False
    spoken_of: frozenset[str] = frozenset()  # keys that a word of the sentence names
    open_to_all = True  # every clause proposes, asks, or tells of something else
    leans, wanted = (
        cache(partial(claimed, sentence, view)),
        cache(partial(asked, view)),
    )  # read when needed, once
    parts = _clauses(_without_agreed(_unquoted(sentence), words), words, view)
    matter = ""  # the one named last: in "quantity (4711): 12" it stands in a clause of its own
    for index, part in enumerate(parts):
        folded = lang.fold(part)
        matter = next((each for each in matters_of(view) if _is_named(each, folded)), matter)
        own = named(folded, view)
        about, spoken_of = own or about, spoken_of | own
        excused = excused or _is_offer(part, folded, words, view)
        if is_question or excused or words["proposal"].search(folded):
            # "You wanted twelve" proposes nothing; it may be let go, but is no answer either.
            is_iffy = words["when_if"].search(folded) and not _holds_no_value(part, view)
            may_answer = is_iffy or (words["wish"].search(folded) and not excused)
            open_to_all = open_to_all and (is_question or not may_answer)
            continue
        # "First ten, then eleven": the past goes on in the clauses that follow it.
        goes_on = past and (valueless or words["sequence"].match(folded.lstrip()) is not None)
        past = (goes_on and not words["now"].search(folded)) or bool(words["history"].search(folded))
        past = past or _is_revised(parts[index + 1 : index + 2], words)
        valueless = _holds_no_value(part, view)
        if past:
            continue
        plain = lang.fold(_without_ranges(part, view))
        if words["other"].search(plain):
            continue
        if not to_us and (words["open"].search(plain) or words["foreign"].search(plain)):
            continue
        open_to_all = False
        if _is_excused(plain, parts[index + 1 : index + 2], words):
            continue
        # "Leave the gate open on Friday from ten to twelve": what stands so whole needs no word of the key.
        own = own or (whole if not words["foreign"].search(plain) else own)
        spoken_of |= own
        seen = replace(view, told=frozenset(said), said=f"{view.said} {matter}".strip())
        found = _contradicted(part, own, own or about or wanted(), wanted(), seen)
        if (
            found is not None
            and (
                # What was asked for must be told right; once it has been, another value may be another's.
                (found.key in direct and found.key not in said)
                or leans().get(found.key, 0.0) > _bound_of_words(found.key, spoken_of, says, view)
            )
            and not _is_anothers(sentence, found, says, view)
        ):
            return Looked(contradicts=found, about=about, told=frozenset(said))
    found = None if is_question else _claimed(sentence, leans, replace(view, told=frozenset(said)))
    if found is not None and not _is_anothers(sentence, found, says, view):
        return Looked(contradicts=found, about=about, told=frozenset(said))
    if open_to_all and waited:  # "You're coming at nine, right?" asks, and claims all the same
        open_to_all = all(leans().get(key, _LET_GO) < _ASIDE for key in direct)
        open_to_all = open_to_all and not _names_another(sentence, direct, view)
    return Looked(about=about, told=frozenset(said), aside=open_to_all)


def _claimed(sentence: str, read: Callable[[], Mapping[str, float]], view: View) -> Decision | None:
    """The settled decision whose key a sentence leans to state, with another value than the settled one.

    Args:
        read: what the sentence claims; asked for only where it names another value.
    """
    clause = replace(clause_of(sentence, view), bare=True)
    everything = frozenset(each.key for each in view.settled.decisions)
    against = []
    for decision in _candidates(sentence, everything, view):
        key = view.keys.get(decision.key)
        if key is None:
            continue
        verdict = stated(key, decision.value, clause)
        # A number to call is no mail address, but another contact all the same.
        is_contact = key.name == "contact_detail" and CALL.search(sentence) is not None
        if verdict is Stated.OTHER or (verdict is Stated.NOTHING and is_contact):
            against.append(decision)
    if not against:
        return None
    leans, likely = read(), asked_likely(view)
    against = [each for each in against if leans.get(each.key, _LET_GO) > _bound(each.key, likely, view)]
    against.sort(key=lambda each: -leans[each.key])
    return _standing(sentence, against, everything, clause, view)


def _names_another(sentence: str, keys: Collection[str], view: View) -> bool:
    """Whether any other value of these keys stands in a sentence, in whatever way."""
    clause = replace(clause_of(sentence, view), bare=True)
    return any(
        stated(key, each.value, clause) is Stated.OTHER
        for each in view.settled.decisions
        if each.key in keys and (key := view.keys.get(each.key)) is not None
    )


def _is_anothers(sentence: str, against: Decision, says: Sequence[str], view: View) -> bool:
    """Whether what reads as another value is the settled one of another key: an order number, no phone."""
    if against.key in says or (key := view.keys.get(against.key)) is None:
        return False
    spans = [span for each in clause_of(sentence, view).mentions for span in each.spans]
    spans += [match.span() for match in _WORD.finditer(sentence)]
    rest = sentence
    for decision in view.settled.decisions:
        other = view.keys.get(decision.key)
        if decision.key not in says or other is None:
            continue
        for start, end in spans:
            without = rest[:start] + " " * (end - start) + rest[end:]
            if stated(other, decision.value, replace(clause_of(without, view), bare=True)) is not Stated.SAME:
                rest = rest[:start] + " " * (end - start) + rest[end:]
                break
    left = replace(clause_of(rest, view), bare=True)
    return rest != sentence and stated(key, against.value, left) is not Stated.OTHER


def _bound_of_words(key: str, spoken_of: Collection[str], says: Collection[str], view: View) -> float:
    """Below which log odds what the words of a sentence find is let go."""
    if key in view.told or (says and key not in says):
        return _CLAIMS  # the answer tells a settled value: what else it names is mostly another's
    return _NAMED if key in spoken_of else _LET_GO


def _bound(key: str, likely: Mapping[str, float], view: View) -> float:
    """From which log odds on a sentence states a value: less is enough where the question was for it."""
    if key in view.told:
        return _CLAIMS
    return _CLAIMS - min(max(likely.get(key, _UNASKED) - _UNASKED, 0.0), _CLAIMS)


def _is_offer(part: str, folded: str, words: Mapping[str, re.Pattern[str]], view: View) -> bool:
    """Whether a clause makes an offer of all that follows: "if you like", "how about".

    "If anything comes up" does not: what follows holds all the same.
    """
    if not words["condition"].search(folded):
        return False
    if not words["when_if"].search(folded) or any(
        " " in hit.group() for hit in words["ask"].finditer(folded)
    ):
        return True
    return not _holds_no_value(part, view)


def _is_revised(following: Sequence[str], words: Mapping[str, re.Pattern[str]]) -> bool:
    """Whether the next clause tells that this one held once: "before you changed it"."""
    tail = lang.fold(following[0]).strip(" .!?") if following else ""
    return bool(tail) and words["revised"].fullmatch(tail) is not None


def said_in(sentence: str, view: View) -> list[str]:
    """Keys whose settled value stands in a sentence, in whatever form."""
    told: list[str] = []
    parts = _clauses(sentence, table(view.language), view)
    clauses = [replace(clause_of(text, view), bare=True) for text in (sentence, *parts)]
    for decision in view.settled.decisions:
        key = view.keys.get(decision.key)
        if key is None or (decision.matter != view.settled.here and decision.key in told):
            continue
        said = [stated(key, decision.value, clause) for clause in clauses]
        if said[0] is Stated.SAME or (Stated.SAME in said and Stated.OTHER not in said[1:]):
            told.append(decision.key)
    return told


def _is_excused(folded: str, following: Sequence[str], words: Mapping[str, re.Pattern[str]]) -> bool:
    if any(words[name].search(folded) for name in ("elsewhere", "denied", "general")):
        return True
    tail = lang.fold(following[0]).strip(" .!?") if following else ""
    return bool(tail) and words["ask"].fullmatch(tail) is not None


def _contradicted(
    part: str, own: Collection[str], about: frozenset[str], wanted: frozenset[str], view: View
) -> Decision | None:
    """The settled decision that a clause contradicts, if any.

    Args:
        wanted: what the person's message may ask for.
    """
    clause = clause_of(part, view)
    clause = replace(clause, bare=_is_bare(clause, view, most=0 if about & view.told else _BARE))
    waited = bool(wanted & about) and not wanted & view.told and not _is_named_other(part, view)
    if not own and not clause.bare and not waited:
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
    return re.search(rf"(?<!\w){re.escape(lang.fold(matter))}(?!\w)", folded) is not None


def _is_bare(clause: Clause, view: View, *, most: int) -> bool:
    """Whether a clause holds hardly more than a value."""
    text = clause.text
    for mention in clause.mentions:
        for start, end in reversed(mention.spans):
            text = text[:start] + " " * (end - start) + text[end:]
    text = re.sub(r"(?<=\d)[-–](?=\d)", " ", text)
    for number in lang.numbers.find(text, clause.language):
        text = text[: number.span[0]] + " " * (number.span[1] - number.span[0]) + text[number.span[1] :]
    names = lang.find_names(text, clause.language)
    # German nouns have capitals, too; elsewhere a sentence may begin with any word.
    if any(not each.starts_sentence or clause.language == "en" for each in names if clause.language != "de"):
        return False
    known = set(lang.terms(view.said, clause.language))
    return len(set(lang.terms(text, clause.language)) - known) <= most


def _is_named_other(part: str, view: View) -> bool:
    """Whether somebody by name is spoken of: what is theirs is no answer."""
    if view.language == "de":
        return False
    streets = street_spans(part)
    return any(
        not any(start < each.span[1] and each.span[0] < end for start, end in streets)
        for each in lang.find_names(part, view.language)
        if not each.starts_sentence or view.language == "en"  # "Anna comes at ten"
    )


def _holds_no_value(part: str, view: View) -> bool:
    return not lang.find_times(part, language=view.language, now=here(view)) and not lang.numbers.find(
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
    moments = [each.span for each in lang.find_times(text, language=view.language, now=here(view))]
    cuts = {cut for cut in cuts if not any(start < cut < end for start, end in moments)}  # "Sunday, 8 March"
    edges = [0, *sorted(cuts), len(text)]
    parts = [text[start:end] for start, end in pairwise(edges)]
    return [part for part in parts if part.strip()]


def _without_ranges(part: str, view: View) -> str:
    """Without spans of hours: the "until" of one is no deadline."""
    for mention in lang.find_times(part, language=view.language, now=here(view)):
        if mention.end is not None and mention.time is not None:
            for start, end in mention.spans:
                part = part[:start] + " " * (end - start) + part[end:]
    return part
