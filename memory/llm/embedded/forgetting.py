"""Forgetting: first look, then forget; ask when several things could be meant."""

from __future__ import annotations

from collections.abc import Sequence

from memory.language import fold, terms
from memory.llm.embedded import saying
from memory.llm.embedded.evidence import card_text
from memory.llm.embedded.part import Part, Wanted, searching
from memory.llm.embedded.scene import Json, Scene
from memory.llm.embedded.topics import topics

_OPTIONS = 5  # more are not read out


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
        hits = sum(word in own or (len(word) >= 4 and word in blob) for word in wanted)
        scored.append((hits, card))
    best = max((hits for hits, _ in scored), default=0)
    if best:
        same = tuple(card for hits, card in scored if hits == best)
        return _of_its_topic(scene, topic, same) or same
    # Said in other words: only the one that search is sure of.
    relevant = [card for card in scene.found if card.get("relevant")]
    return tuple(relevant[:1])


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
