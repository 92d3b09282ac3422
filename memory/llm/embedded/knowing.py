"""What do you know about me, about her, about my plans? An enumeration of what is stored."""

from __future__ import annotations

from collections.abc import Sequence

from memory.language import fold, relation_word, surface_terms
from memory.listening import Act
from memory.llm.embedded import asking, stating
from memory.llm.embedded.matching import Fit, weigh
from memory.llm.embedded.part import Part, Wanted, searching
from memory.llm.embedded.scene import Json, Scene

MOST = 8  # more is for the page that lists everything
NEAR = 0.2  # cosine from which a card belongs to a topic when no card shares a word with it


def _names(scene: Scene) -> tuple[str, ...]:
    return asking.names(scene)


def _about_someone(scene: Scene) -> bool:
    question = scene.heard.question
    return bool(_names(scene) or (question and question.relations))


def _topic(scene: Scene) -> str:
    """What exactly is asked about, "" for everything."""
    words = set(surface_terms(scene.said, scene.language)) - scene.phrases.voice.talk_words
    return " ".join(sorted(words))


def _first(scene: Scene) -> Sequence[Wanted]:
    return [searching(asking.angles(scene))]


def _mine(scene: Scene, card: Json) -> bool:
    """Whether a card is about the one who asks: the owner, or the guest who holds the phone."""
    subject = fold(str(card.get("subject") or ""))
    return subject == fold(scene.speaker)


def _fits(scene: Scene, cards: Sequence[Json]) -> list[Fit]:
    return weigh(asking.question(scene), cards, known=scene.phrases, embedder=scene.embedder, now=scene.now)


def chosen(scene: Scene) -> tuple[Json, ...]:
    """The cards to enumerate."""
    if _about_someone(scene):
        return tuple(fit.card for fit in _fits(scene, scene.found) if fit.named)[:MOST]
    cards = tuple({str(card.get("id")): card for card in (*scene.found, *scene.cards_at_hand())}.values())
    question = scene.heard.question
    about_me = not _topic(scene) or bool(question and question.about_speaker)
    own = [card for card in cards if _mine(scene, card)] if about_me else list(cards)
    if not _topic(scene):
        return tuple(own[:MOST])
    fits = _fits(scene, own)
    near = [fit for fit in fits if fit.words or fit.card.get("relevant")]
    return tuple(fit.card for fit in near or [fit for fit in fits[:3] if fit.score >= NEAR])[:MOST]


def _text(scene: Scene) -> str:
    cards = chosen(scene)
    if _about_someone(scene):
        question = scene.heard.question
        relations = question.relations if question else ()
        words = _names(scene) or tuple(relation_word(each, scene.language) for each in relations)
        who = scene.phrases.listed(words)
        if not cards:
            return scene.say("unknown.nothing_about", who=who)
        return scene.say("answer.about", who=who, list=stating.items(scene, cards))
    if not cards:
        return scene.say("unknown.nothing")
    anyones = _topic(scene) and not all(_mine(scene, card) for card in cards)
    return scene.say("answer.on_topic" if anyones else "answer.about_me", list=stating.items(scene, cards))


KNOWING = Part(
    name="knowing",
    wanted=lambda scene: Act.WHAT_DO_YOU_KNOW in scene.heard.acts,
    first=_first,
    text=_text,
)
