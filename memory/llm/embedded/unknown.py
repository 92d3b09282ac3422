"""Honest words for what is not known."""

from __future__ import annotations

from memory.llm.embedded import asking, stating
from memory.llm.embedded.matching import closest, guess, weigh
from memory.llm.embedded.pricing import own_price
from memory.llm.embedded.scene import Scene


def _guess(scene: Scene) -> str:
    """What may be meant, offered as a guess, "" when nothing stands out."""
    question = asking.question(scene)
    if not question.kinds:
        return ""
    cards = own_price(scene.said, scene.found, known=scene.phrases)
    fits = weigh(question, cards, known=scene.phrases, embedder=scene.embedder, now=scene.now)
    fit = guess(question, fits)
    return scene.say("answer.perhaps", what=stating.statements(scene, [fit.card])) if fit else ""


def unknown(scene: Scene) -> str:
    """An honest "I don't know"."""
    names = asking.names(scene)
    heard = scene.heard.question
    if scene.has("worldly") and not names and not (heard and heard.relations):
        return scene.say("unknown.world")
    who = scene.phrases.listed(names)
    if not who:
        return _guess(scene) or scene.say("unknown.any")
    said = scene.say("unknown.who", who=who)
    question = asking.question(scene)
    fits = weigh(question, scene.found, known=scene.phrases, embedder=scene.embedder, now=scene.now)
    near = closest(question, [fit for fit in fits if fit.card.get("category") == "person"])
    if near is None or (question.kinds and near.holds):
        return said  # what the card has of this kind belongs to something else and would mislead
    return f"{said} {scene.say('unknown.only', who=who, what=stating.trait(near.card, who))}"
