"""What a model wants to keep, put right by code: it must rest on the person's words, in its true category.

The listener that the product ships hears every message too. Where it hears the same
thing, its category counts, and its moment where the model named none: a model's slip
must not show a fact or hide a reminder.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from memory import language as lang
from memory.cards.grounding import is_grounded
from memory.listening import Candidate, Heard, KnownPerson, listen, own_words
from memory.records import Category, Turn, When

_ALIKE = 0.5  # share of words that two statements must have in common


def hear(turn: Turn, *, known: Sequence[tuple[str, str]], previous: str) -> Heard:
    """What the shipped listener hears in a turn."""
    return listen(
        turn.said,
        language=turn.language,
        now=turn.created_at.astimezone(ZoneInfo(turn.zone)),
        zone=turn.zone,
        known=[KnownPerson(name=name, relation=relation) for name, relation in known],
        speaker=turn.speaker,
        previous=previous,
    )


def warm_up(language: str, *, now: datetime) -> None:
    """Compile a language's tables now, so that the first message need not wait for them."""
    listen("ok", language=language, now=now.astimezone(ZoneInfo("UTC")), zone="UTC")
    lang.find_times("ok", language=language, now=now)


def rests_on(
    text: str,
    *,
    said: Sequence[str],
    language: str,
    known: Sequence[tuple[str, str]],
    when: When | None,
    people: Sequence[str] = (),
) -> bool:
    """Whether a statement, and the names beside it, stand in the person's own words.

    Args:
        said: this message and the earlier ones of the conversation, newest first.
    """
    names = [name for pair in known for name in pair]
    sources = [own_words(each) for each in said]
    if not is_grounded(text, said=sources, language=language, names=names, moment_words=when is not None):
        return False
    heard = {word for each in (*sources, *names) for word in lang.words(lang.fold(each))}
    return all(_was_named(word, heard) for person in people for word in lang.words(lang.fold(person)))


def _was_named(word: str, heard: set[str]) -> bool:
    """Whether a name was said, as it is or in the genitive: "Emils", "Emil's" name Emil."""
    return word in heard or f"{word}s" in heard


def has_moment(said: Sequence[str], *, language: str, now: datetime) -> bool:
    """Whether the person named any time in these messages, of what was or of what is to come."""
    own = [own_words(each) for each in said]
    return any(
        lang.find_times(each, language=language, now=now)
        or lang.find_times(each, language=language, now=now, tense="future")
        or lang.find_span(each, language=language, now=now) is not None  # "a timer for ten minutes"
        for each in own
    )


def same_thing(text: str, heard: Heard, *, wished: Category, when: When | None) -> Candidate | None:
    """The candidate of the listener that says the same as a model's statement, if there is one.

    "Recital on Friday, remind me an hour before" is heard as two things with the same
    words: the moment tells them apart, then the category that the model wished for.
    """
    wanted = set(lang.terms(text, heard.language))
    best: tuple[tuple[float, bool, bool], Candidate] | None = None
    for candidate in heard.candidates:
        held = set(lang.terms(f"{candidate.text} {candidate.title}", heard.language))
        common = len(wanted & held)
        if not common:
            continue
        share = common / min(len(wanted), len(held))
        whole = common / len(wanted | held)
        if share < _ALIKE or whole < _ALIKE / 2:
            continue
        fits = (whole, when is not None and candidate.when == when, candidate.category is wished)
        if best is None or fits > best[0]:
            best = (fits, candidate)
    return None if best is None else best[1]


def true_category(wished: Category, candidate: Candidate | None) -> Category:
    """The category that a statement is kept in: the listener's where it heard the same thing."""
    if candidate is None:
        return wished
    both = {wished, candidate.category}
    if both == {Category.FACT, Category.PERSON}:
        return wished  # either is right, and both are silent
    return candidate.category
