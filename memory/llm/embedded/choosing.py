"""Which of several things is meant: by its words, its day, its kind or its place in the list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from memory.language import TimeMention, find_times, fold, question_words, terms
from memory.llm.embedded.evidence import card_text
from memory.llm.embedded.scene import Json, Scene, when_of

_SIGNS = re.compile(r"[^\w'’\-]+")
_BY_GRANULARITY = {"week": timedelta(days=7), "month": timedelta(days=31), "year": timedelta(days=366)}


def chosen(scene: Scene, options: Sequence[Json]) -> tuple[Json, ...] | None:
    """The options that the message picks; () for none of them, None when it does not say."""
    voice = scene.phrases.voice
    plain = _SIGNS.sub(" ", scene.folded).split()
    words, padded = set(plain), f" {' '.join(plain)} "
    if scene.heard.question is not None and words & question_words(scene.language):
        return None  # "and where does Graham work?" asks: it must not choose what is to be forgotten
    if _lets_be(scene) or any(f" {word} " in padded for word in voice.none):
        return ()
    if any(f" {word} " in padded for word in voice.all):
        return tuple(options)
    kept = list(options)
    narrowed = False
    kinds = {kind for kind, names in voice.categories.items() if words & names}
    by_kind = [card for card in kept if card.get("category") in kinds]
    if by_kind and len(by_kind) < len(kept):
        same = {fold(str(card.get("text") or "")) for card in by_kind}
        kept = [card for card in kept if fold(str(card.get("text") or "")) in same]  # with its reminder
        narrowed = True
    by_day = _on_day(scene, kept)
    if by_day and len(by_day) < len(kept):
        kept, narrowed = by_day, True
    by_words = _by_words(scene, kept)
    if by_words and len(by_words) < len(kept):
        kept, narrowed = by_words, True
    if narrowed and len({fold(str(card.get("text") or "")) for card in kept}) == 1:
        return tuple(kept)  # one thing; an event may have its reminder beside it
    for at, names in enumerate(voice.ordinals):
        if words & names and at < len(options):
            return (options[at],)
    if words & voice.last:
        return (options[-1],)
    return () if scene.heard.yes_no is False else None


def _lets_be(scene: Scene) -> bool:
    """Whether the person takes the whole matter back: in "no, keep them all" the "all" chooses nothing."""
    request = scene.heard.request
    return scene.has("let_be") or (request is not None and request.verb == "cancel" and not request.topic)


def _on_day(scene: Scene, options: Sequence[Json]) -> list[Json]:
    """The options whose moment lies in a span of time that the message names."""
    mentions = find_times(scene.said, language=scene.language, now=scene.now)
    return [card for card in options if any(_lies_in(scene, card, mention) for mention in mentions)]


def _lies_in(scene: Scene, card: Json, mention: TimeMention) -> bool:
    when = when_of(card.get("when"), scene.zone)
    if when is None or mention.date is None:
        return False
    first = mention.date
    if mention.end is not None:
        last = mention.end.date()
    else:
        last = first + _BY_GRANULARITY.get(mention.granularity, timedelta(days=1)) - timedelta(days=1)
    if mention.granularity == "week":
        first = first - timedelta(days=first.weekday())
        last = first + timedelta(days=6)
    return first <= when.start.date() <= last


def _by_words(scene: Scene, options: Sequence[Json]) -> list[Json]:
    """The options that share most words with the message, if any does."""
    mine = set(terms(scene.said, scene.language))
    scores = []
    for card in options:
        blob = fold(card_text(card))
        own = set(terms(card_text(card), scene.language))
        scores.append(sum(word in own or (len(word) >= 5 and word in blob) for word in mine))
    best = max(scores, default=0)
    return [card for card, score in zip(options, scores, strict=True) if score == best] if best else []
