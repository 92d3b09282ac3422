"""Which of the found cards answer a question, and which only stand near it.

Search brings what is close in meaning; close is not enough to answer. A card
about somebody else, or one without the kind of value that was asked for (a
number for an age, a date for a "when"), is left out, and nothing left is an
honest "I don't know".
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import pairwise

from memory.language import (
    find_times,
    fold,
    relation_words,
    tables,
    terms,
)
from memory.language import words as split_words
from memory.llm.embedded.evidence import Asked, card_language, card_text, entities, holds_kind, relations_in
from memory.llm.embedded.phrases import Phrases
from memory.llm.embedded.scene import Embeds, Json, when_of
from memory.llm.embedded.topics import topics

# Weights of what speaks for a card. Words of the question count most; the words
# of the message before help an elliptic question ("and the one for the safe?").
WORDS, BEFORE, TOPICS, MEANING, NAMED, HOLDS, DATED = 2.0, 0.6, 0.9, 1.2, 0.8, 0.5, 0.8
# A card whose worth is in doubt gives way to one that answers nearly as well.
DOUBTED = 0.5
# Share of the smaller one's words from which two cards that meet the question alike speak of one thing.
TWINS = 0.5
# Kinds of value that a card about the right person surely answers with; a moment or a
# place in it may belong to anything.
SURE = frozenset({"age", "phone", "colour", "job", "home", "diet", "name"})
# ... and kinds that only people have: a thing of theirs cannot answer for them.
OF_PEOPLE = frozenset({"age", "name", "diet"})
# A card below this share of the best one's score adds nothing to the answer.
BESIDE = 0.45
# Weight of a word and of a topic that no found card has.
UNMET_WORD, UNMET_TOPIC = 0.55, 0.35
MOST = 3  # cards in one answer
# A card that search does not vouch for answers when it has this share of the question's
# words, or this share of its topics, or one of them and is this near in meaning.
GUESS, MARGIN = 0.17, 0.06  # cosine from which a card is offered as a guess, and by how much it must lead
SHARE, THEME, NEAR = 0.34, 0.45, 0.2
_THING = 4  # a shorter stem does not link two cards
_INSIDE = 5  # a shorter stem is not looked for inside a longer word
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class Fit:
    """How well one card fits a question."""

    card: Json
    words: frozenset[str]  # the question's words that it has
    topics: frozenset[str]  # the question's topics that it speaks of
    dated: bool  # lies on a day that the question names
    share: float  # weight of these among all of the question's words, 0..1
    before: float  # weight of the words of the message before that it has, 0..1
    theme: float  # weight of the shared topics among all of the question's, 0..1
    meaning: float  # cosine with the question
    named: bool  # holds a person that was asked about
    holds: bool  # has the kind of value that was asked for
    entities: frozenset[str]  # folded names in it
    score: float


def asked(text: str, names: Sequence[str], relations: Sequence[str], *, before: str, known: Phrases) -> Asked:
    """Take a question apart.

    Args:
        text: the question as it was said.
        names: people it names.
        relations: relation words in it, as said ("sister").
        before: the message before, "" when there is none.
    """
    language = known.language
    folded_names = frozenset(part for name in names for part in fold(name).split())
    people = " ".join([*names, *relations])
    stems = frozenset(terms(text, language)) - frozenset(terms(people, language))
    keys = relation_words(language)
    kinds = known.asked(fold(text))
    if len(kinds) > 1:  # "where do we eat?" asks for the place, not for what is eaten
        kinds = tuple(kind for kind in kinds if kind != "diet")
    if "phone" in kinds:  # "who do I ring?" asks for a number
        kinds = tuple(kind for kind in kinds if kind != "who")
    if "number" in kinds and "count" not in kinds and people:
        kinds = (*kinds, "phone")  # a person's number is for calling, a lock's is not
    rest = " ".join(word for word in split_words(fold(text)) if word not in split_words(fold(people)))
    return Asked(
        text=text,
        terms=stems,
        before=frozenset(terms(before, language)) - stems,
        names=folded_names,
        people=tuple(frozenset(fold(name).split()) for name in names),
        relations=frozenset(keys.get(fold(word), fold(word)) for word in relations),
        kinds=kinds,
        topics=topics(rest, language),
        is_chain=_is_chain(text, relations, known),
        is_double=_asks_twice(text, language),
    )


def _is_chain(text: str, relations: Sequence[str], known: Phrases) -> bool:
    """Whether a question names somebody by two relations, one of the other; only where a word shows it."""
    genitive = known.voice.genitive
    keys = relation_words(known.language)
    if not genitive or len(set(relations)) < 2:
        return False
    said = fold(text)
    return any(
        re.search(rf"\b{re.escape(first)}{re.escape(genitive)} (?:\w+ )?{re.escape(second)}\b", said)
        for first, key in keys.items()
        for second, other in keys.items()
        if key in relations and other in relations and first in said and second in said
    )


_APART = 3  # words between two question words that belong to two questions ("como é que" is one)


def _asks_twice(text: str, language: str) -> bool:
    """Whether a message asks two things; what an apostrophe or hyphen cuts off is no question word."""
    whole = {fold(word) for word in tables(language)["words"]["question"].split() if word.isalpha()}
    places = [place for place, word in enumerate(split_words(fold(text))) if word in whole]
    return any(later - earlier > _APART for earlier, later in pairwise(places))


def answering(
    question: Asked, cards: Sequence[Json], *, known: Phrases, embedder: Embeds, now: datetime
) -> tuple[Fit, ...]:
    """The cards that together answer, the main one first; empty when none does."""
    fits = weigh(question, cards, known=known, embedder=embedder, now=now)
    accepted = [fit for fit in fits if _is_acceptable(question, fit)]
    chosen = _together(question, accepted, fits, known) if accepted else []
    if not any(fit.holds for fit in chosen):
        bridged = _bridged(question, fits, known)
        chosen = _together(question, bridged, fits, known) if bridged else []
    return tuple(chosen) if any(fit.holds for fit in chosen) else ()


def guess(question: Asked, fits: Sequence[Fit]) -> Fit | None:
    """The card that clearly stands out in meaning though nothing shows that it answers; None when none does.

    Never for a question about somebody: near is not right there.
    """
    if question.names or question.relations or not fits:
        return None
    nearest, *others = sorted(fits, key=lambda fit: -fit.meaning)
    second = others[0].meaning if others else 0.0
    stands_out = nearest.meaning >= GUESS and nearest.meaning - second >= MARGIN
    return nearest if stands_out and nearest.holds and not nearest.card.get("subject") else None


def weigh(
    question: Asked, cards: Sequence[Json], *, known: Phrases, embedder: Embeds, now: datetime
) -> list[Fit]:
    """Every card with how well it fits, best first."""
    if not cards:
        return []
    blobs = [fold(card_text(card)) for card in cards]
    stems = [frozenset(terms(card_text(card), known.language)) for card in cards]
    weights = _weights(question.terms | question.before, blobs, stems)
    themes = [question.topics & topics(card_text(card), card_language(card, known)) for card in cards]
    rarity = {t: _rarity(sum(t in each for each in themes), len(cards)) for t in question.topics}
    rows = embedder.encode([question.text, *(card_text(card) for card in cards)])
    meaning = rows[1:] @ rows[0]
    # Of two Annas the one that was asked about: half a name is only enough where nobody has all of it.
    fully = any(person <= set(re.findall(r"[^\W_]+", blob)) for person in question.people for blob in blobs)
    days = _days(question, known, now)
    fits = []
    for at, card in enumerate(cards):
        hit = frozenset(t for t in question.terms if _has(t, blobs[at], stems[at]))
        total = sum(weights[t] for t in question.terms)
        share = sum(weights[t] for t in hit) / total if total else 0.0
        near = sum(weights[t] for t in question.before if _has(t, blobs[at], stems[at]))
        nearby = near / (sum(weights[t] for t in question.before) or 1.0)
        named = _names_someone_asked(question, card, blobs[at], known, fully=fully)
        holds = all(holds_kind(kind, question, card, known, now) for kind in question.kinds)
        theme = sum(rarity[t] for t in themes[at]) / (sum(rarity.values()) or 1.0)
        score = WORDS * share + BEFORE * nearby + TOPICS * theme + MEANING * float(meaning[at])
        dated = _date_of(card) in days
        score += (
            DATED * dated + NAMED * named + HOLDS * holds - 0.02 * at
        )  # what search put first stays first among equals
        score -= DOUBTED * bool(card.get("suspect"))
        near_by = float(meaning[at])
        people = entities(card, known)
        fits.append(
            Fit(card, hit, themes[at], dated, share, nearby, theme, near_by, named, holds, people, score)
        )
    return _newest_first(sorted(fits, key=lambda fit: -fit.score), known)


def _newest_first(fits: Sequence[Fit], known: Phrases) -> list[Fit]:
    """Best first, but of two that say the same of one thing the one that was learned later: it holds now."""
    served: list[Fit] = []
    for fit in fits:
        before = next((at for at, other in enumerate(served) if _replaces(fit, other, known)), len(served))
        if before < len(served):
            fit = replace(fit, score=served[before].score)
        served.insert(before, fit)
    return served


def _replaces(fit: Fit, other: Fit, known: Phrases) -> bool:
    """Whether a card tells later what the other told of the same thing ("Bus 47", "Bus 12 goes there")."""
    newer, older = fit.card, other.card
    if str(newer.get("learned") or "") <= str(older.get("learned") or "") or newer.get("suspect"):
        return False
    if any(newer.get(key) != older.get(key) for key in ("category", "subject", "speaker", "when")):
        return False
    if not fit.words or any(getattr(fit, key) != getattr(other, key) for key in _MET):
        return False
    mine, its = (_worded(card, known) for card in (newer, older))
    shared = len(mine & its)
    # One word in common ("garage") is a place to meet, and no sameness.
    return shared >= TWINS * min(len(mine), len(its)) and (shared > 1 or mine == its)


_MET = ("words", "topics", "named", "holds")


def _worded(card: Json, known: Phrases) -> frozenset[str]:
    """The words of a card that are no numbers: what it speaks of, without the value."""
    return frozenset(t for t in terms(str(card.get("text") or ""), known.language) if not _DIGIT.search(t))


def _weights(
    wanted: frozenset[str], blobs: Sequence[str], stems: Sequence[frozenset[str]]
) -> Mapping[str, float]:
    """Rarer among the found cards weighs more; a word that none has says little."""
    counts = {t: sum(_has(t, blob, stem) for blob, stem in zip(blobs, stems, strict=True)) for t in wanted}
    return {t: _rarity(count, len(blobs)) if count else UNMET_WORD for t, count in counts.items()}


def _days(question: Asked, known: Phrases, now: datetime) -> frozenset[date]:
    """The days that a question names, in the past and to come."""
    mentions = [
        mention
        for tense in ("future", "past")
        for mention in find_times(question.text, language=known.language, now=now, tense=tense)
    ]
    return frozenset(m.date for m in mentions if m.date is not None and m.has_date)


def _date_of(card: Json) -> date | None:
    when = when_of(card.get("when"), "UTC")
    return when.start.date() if when is not None else None


def _rarity(count: int, total: int) -> float:
    return math.log(1 + (total + 0.5) / (count + 0.5)) if count else UNMET_TOPIC


def _has(term: str, blob: str, stems: frozenset[str]) -> bool:
    # Inside a longer word too: German writes "Tresornummer" as one word.
    return term in stems or (len(term) >= _INSIDE and term in blob)


def _names_someone_asked(question: Asked, card: Json, blob: str, known: Phrases, *, fully: bool) -> bool:
    """Whether a card holds a person that was asked about; `fully` wants all of a name's words in it."""
    words = set(re.findall(r"[^\W_]+", blob))
    if any(person <= words if fully else person & words for person in question.people):
        return True
    held = relations_in(card, blob, known)
    if question.is_chain:  # "my boss's wife" is neither the boss nor one's own wife
        return question.relations <= held
    return bool(_wide(question.relations) & held)


# A relation that takes in others: "which of the kids" may be a son.
_WIDER: Mapping[str, frozenset[str]] = {
    "child": frozenset({"son", "daughter", "stepson", "stepdaughter"}),
    "sibling": frozenset({"brother", "sister"}),
    "parent": frozenset({"mother", "father"}),
    "grandchild": frozenset({"grandson", "granddaughter"}),
    "grandparent": frozenset({"grandmother", "grandfather"}),
    "partner": frozenset({"wife", "husband", "girlfriend", "boyfriend", "fiance"}),
}


def _wide(relations: frozenset[str]) -> frozenset[str]:
    return relations.union(*(_WIDER.get(key, frozenset()) for key in relations))


def _share_a_name(first: Fit, second: Fit, known: Phrases) -> bool:
    return bool(_name_parts(first, known) & _name_parts(second, known))


def _share_a_thing(question: Asked, first: Fit, second: Fit, known: Phrases) -> bool:
    """Whether two cards speak of one thing that the question does not name.

    "Plays in the town band" leads to "The town band rehearses on Mondays".
    """
    texts = (str(fit.card.get("text") or "") for fit in (first, second))
    mine, other = (frozenset(terms(text, known.language)) for text in texts)
    shared = (mine & other) - question.terms
    return any(len(word) >= _THING and not word.isdigit() for word in shared)


def _name_parts(fit: Fit, known: Phrases) -> set[str]:
    """Words of the names in a card, without common ones ("street") and the ending of an owner ("Emils")."""
    words = {part for name in fit.entities for part in name.split() if len(part) > 2}
    return {word.rstrip("s").rstrip("'") for word in words if not topics(word, known.language)}


def _is_acceptable(question: Asked, fit: Fit) -> bool:
    asks_about_someone = bool(question.names or question.relations)
    if asks_about_someone and not fit.named:
        return False
    says_something = bool(question.terms or question.topics)
    if asks_about_someone and says_something and not SURE & set(question.kinds):
        # What is asked about a person must be what the card tells about them.
        return bool(fit.words or fit.topics or fit.dated)
    if not asks_about_someone and _is_about_someone_else(question, fit):
        return False
    by_words = fit.share >= SHARE and bool(fit.words)
    by_topic = bool(fit.topics) and (fit.theme >= THEME or fit.meaning >= NEAR)
    by_before = fit.before >= SHARE and fit.holds and bool(question.kinds or fit.topics)
    by_day = fit.dated and (bool(question.kinds or fit.words or fit.topics) or fit.meaning >= NEAR)
    return bool(fit.card.get("relevant", False)) or by_words or by_topic or by_before or by_day


def _bridged(question: Asked, fits: Sequence[Fit], known: Phrases) -> list[Fit]:
    """Cards about a thing of the person asked about, which say what was asked.

    "When does the place where Yusuf works open?": his card leads to the bakery, whose card has the hours.
    """
    if not question.kinds or not (question.names or question.relations) or OF_PEOPLE & set(question.kinds):
        return []
    people = [fit for fit in fits if fit.named]
    return [
        fit
        for fit in fits
        if not fit.named
        and fit.holds
        and (fit.words or fit.topics)
        and not _is_namesake(question, fit)
        and any(_share_a_thing(question, fit, each, known) for each in people)
    ]


def _is_about_someone_else(question: Asked, fit: Fit) -> bool:
    """Whether a card is a trait of somebody else that neither the question nor the words before lead to."""
    if {"who", "name"} & set(question.kinds) or fit.words or fit.before >= SHARE:
        return False
    return bool(fit.card.get("subject"))


def _together(question: Asked, accepted: Sequence[Fit], fits: Sequence[Fit], known: Phrases) -> list[Fit]:
    """The main card, then those that say more of what was asked."""
    main = max(accepted, key=lambda fit: (fit.holds, fit.score))
    chosen = [main]
    covered = set(main.words)
    for fit in fits:
        if len(chosen) == MOST:
            break
        if fit in chosen or (question.kinds and main.holds and not fit.holds):
            continue  # beside the phone number that was asked for, a door code says nothing
        if _is_namesake(question, fit):
            continue
        is_near = fit.score >= BESIDE * main.score
        says_more = fit in accepted and is_near and bool(fit.words - covered) and fit.share >= SHARE
        if says_more or _completes(question, fit, chosen, known):
            chosen.append(fit)
            covered |= fit.words
    return chosen


def _completes(question: Asked, fit: Fit, chosen: Sequence[Fit], known: Phrases) -> bool:
    """Whether a card that is linked with the chosen ones says what they leave open."""
    main = chosen[0]
    if OF_PEOPLE & set(question.kinds) and (question.names or question.relations) and not fit.named:
        return False
    if not main.holds and fit.holds and any(_share_a_thing(question, fit, each, known) for each in chosen):
        return True
    if _is_enough(question, main) or not any(_share_a_name(fit, each, known) for each in chosen):
        return False
    return bool(fit.words or fit.topics or question.is_double) or (fit.holds and not main.holds)


def _is_namesake(question: Asked, fit: Fit) -> bool:
    """Whether a card is about another person who shares a name with the one asked about."""
    mine = {part for name in fit.entities for part in name.split()}
    return not fit.named and bool(question.names & mine)


def _is_enough(question: Asked, main: Fit) -> bool:
    """Whether the main card has every word of the question, and the value it asks for."""
    return main.holds and question.terms <= main.words


def without_someone_else(cards: Sequence[Json]) -> tuple[Json, ...]:
    """Cards about the owner: those with another subject, or of a guest, out."""
    return tuple(card for card in cards if not card.get("subject") and not card.get("speaker"))


def closest(question: Asked, fits: Sequence[Fit]) -> Fit | None:
    """The card that most speaks of the person asked about, for "I only know ..."."""
    named = [fit for fit in fits if fit.named and question.names]
    return replace(named[0]) if named else None
