"""Forgetting: first look, then forget; ask when several things could be meant."""

from __future__ import annotations

from collections.abc import Sequence

from memory.language import fold, relation_words, terms
from memory.language import words as split_words
from memory.llm.embedded import saying
from memory.llm.embedded.evidence import card_text
from memory.llm.embedded.part import Part, Wanted, searching
from memory.llm.embedded.scene import Json, Scene
from memory.llm.embedded.topics import topics

_OPTIONS = 5  # more are not read out
_PART = 4  # letters of a word that may stand inside another


def _topic(scene: Scene) -> str:
    forgetting = scene.heard.forgetting
    topic = forgetting.topic if forgetting else ""
    # "forget that" means what was just said.
    return topic if terms(topic, scene.language) else f"{topic} {scene.said_before}".strip()


def _first(scene: Scene) -> Sequence[Wanted]:
    forgetting = scene.heard.forgetting
    if forgetting is None or forgetting.everything:
        return ()
    topic = _topic(scene)
    angles = [{"kind": "theme", "query": topic}, {"kind": "meaning", "query": topic}]
    return [searching(angles)]


def _meant(scene: Scene) -> tuple[Json, ...]:
    """The found cards that the topic means: those that hold all of its words, else most of them."""
    topic = _topic(scene)
    wanted = set(terms(topic, scene.language))
    if not wanted:
        return ()
    scored = []
    for card in scene.found:
        blob = fold(card_text(card))
        own = set(terms(card_text(card), scene.language))
        hits = sum(word in own or (len(word) >= _PART and word in blob) for word in wanted)
        scored.append((hits, card))
    best = max((hits for hits, _ in scored), default=0)
    whom = _whom(scene, topic)
    matter = wanted - set(terms(" ".join(whom), scene.language))
    if whom and matter and not any(_holds(card, matter, scene) for hits, card in scored if hits == best):
        return _about_them(scene, topic, whom)
    if best:
        same = tuple(card for hits, card in scored if hits == best)
        return _of_its_topic(scene, topic, same) or same
    # Said in other words: only the one that search is sure of.
    relevant = [card for card in scene.found if card.get("relevant")]
    return tuple(relevant[:1])


def _holds(card: Json, matter: set[str], scene: Scene) -> bool:
    text = card_text(card)
    return any(w in terms(text, scene.language) or (len(w) >= _PART and w in fold(text)) for w in matter)


def _whom(scene: Scene, topic: str) -> frozenset[str]:
    """The folded words of the topic that only say whose it is, and the names that they mean."""
    keys = relation_words(scene.language)
    words = split_words(fold(topic))
    kin = {keys[word] for word in words if word in keys}
    people = [(fold(name), keys.get(fold(relation), "")) for name, relation in scene.request.known_people]
    named = [name for name, key in people if key in kin or set(name.split()) & set(words)]
    own = [word for word in words if word in keys or any(word in name.split() for name in named)]
    return frozenset([*own, *named])


def _about_them(scene: Scene, topic: str, whom: frozenset[str]) -> tuple[Json, ...]:
    """Their cards whom a topic names, its matter said in other words: those that speak of it."""
    theirs = [card for card in scene.found if any(word in fold(card_text(card)) for word in whom)]
    rest = " ".join(word for word in split_words(fold(topic)) if word not in whom)
    matter = topics(rest, scene.language)
    fitting = [card for card in theirs if matter & topics(card_text(card), scene.language)]
    return tuple(fitting or theirs)


def _of_its_topic(scene: Scene, topic: str, cards: Sequence[Json]) -> tuple[Json, ...]:
    """Of cards that share as many words, the one that speaks of the matter: "me and Graham splitting up"."""
    matter = topics(topic, scene.language)
    fitting = [card for card in cards if matter & topics(card_text(card), scene.language)]
    return tuple(fitting) if len(fitting) == 1 < len(cards) else ()


def _second(scene: Scene) -> Sequence[Wanted]:
    meant = _meant(scene)
    if len(meant) == 1:
        return [Wanted("forget", {"cards": [meant[0]["id"]]})]
    if len(meant) > 1:
        options = [dict(card) for card in meant[:_OPTIONS]]
        return [Wanted("ask_back", {"ask": "which", "data": {"action": "forget", "options": options}})]
    return ()


def _text(scene: Scene) -> str:
    forgetting = scene.heard.forgetting
    if forgetting is not None and forgetting.everything:
        return scene.say("confirm.all_forgotten")
    done = scene.results("forget")
    if done:
        return scene.say("confirm.forgotten" if done[0].ok else "confirm.failed")
    meant = _meant(scene)
    if len(meant) > 1:
        return scene.say("ask.which_forget", list=saying.labels(scene, meant[:_OPTIONS]))
    return scene.say("unknown.nothing")


FORGETTING = Part(
    name="forgetting",
    wanted=lambda scene: scene.heard.forgetting is not None,
    first=_first,
    second=_second,
    text=_text,
    takes_all=True,
)
