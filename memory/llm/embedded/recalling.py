"""Questions answered from memory: search from several sides, then the stored words in a natural sentence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from memory.language import fold, question_words, terms
from memory.language import words as split_words
from memory.listening import Act, listen
from memory.llm.embedded import asking, chat, pricing, requests, stating, talks, unknown
from memory.llm.embedded.matching import Fit, answering
from memory.llm.embedded.part import Part, Wanted, searching
from memory.llm.embedded.scene import Json, Scene, name_of
from memory.llm.embedded.voice import subject_asked
from memory.records import Category

_MESSAGES_BACK = 4
_STATEMENTS = frozenset({Category.FACT, Category.PERSON, Category.EVENT})


def _is_asked(scene: Scene) -> bool:
    """Whether the message surely asks something."""
    return scene.heard.question is not None or Act.QUESTION in scene.heard.acts


def _may_ask(scene: Scene) -> bool:
    """Whether a message that was understood as nothing could be a question dictated without its mark."""
    heard = scene.heard
    if heard.candidates or set(heard.acts) - {Act.SMALL_TALK, Act.GREETING} or chat.small_talk_cue(scene):
        return False
    words = split_words(scene.folded)
    question_word = question_words(scene.language)
    begins = bool(words) and words[0] in question_word
    return begins or (
        bool(set(words) & question_word) and ("?" in scene.said or bool(scene.phrases.asked(scene.folded)))
    )


def _wanted(scene: Scene) -> bool:
    heard = scene.heard
    is_question = _is_asked(scene) or _may_ask(scene)
    other = Act.WHAT_DO_YOU_KNOW in heard.acts or talks.is_wanted(scene)
    if heard.correction is not None and "?" not in scene.said:
        return False  # "twelve, not eleven. Where does the time go." wants no answer
    if not is_question or other or _kept_wanted(scene) or requests.kind(scene):
        return False
    return requests.is_about_memory(scene) or talks.may_be_meant(scene)


def _first(scene: Scene) -> Sequence[Wanted]:
    return [searching(asking.angles(scene), talks=talks.may_be_meant(scene))]


def told_now(scene: Scene) -> tuple[Json, ...]:
    """What the person told in this conversation's last messages, as cards: a statement whose keeping failed
    is still known, a joke or a "what if" still is not."""
    said = [m for m in scene.request.messages if m.role == "user" and m.text and not m.results]
    told = []
    for message in reversed(said[:-1][-_MESSAGES_BACK:]):
        if message.speaker != scene.speaker:
            continue  # what a guest told is the guest's, and the other way round
        heard = listen(message.text, language=scene.language, now=scene.now, zone=scene.zone)
        told += [candidate for candidate in heard.candidates if candidate.category in _STATEMENTS]
    return tuple(
        {
            "id": f"said-{at}",
            "category": "said",
            "text": each.text,
            "subject": each.subject,
            "speaker": scene.speaker,
        }
        for at, each in enumerate(told)
    )


def _is_anothers(scene: Scene, card: Json) -> bool:
    """Whether "I" in the question and "I" in a card are two people: the owner and a guest, or two guests."""
    asks_own = scene.heard.question is not None and scene.heard.question.about_speaker
    return asks_own and not asking.names(scene) and str(card.get("speaker") or "") != scene.speaker


def _answering(scene: Scene) -> tuple[Fit, ...]:
    find = partial(
        answering,
        asking.question(scene),
        known=scene.phrases,
        embedder=scene.embedder,
        now=scene.now,
    )
    just_told = {candidate.text for candidate in scene.heard.candidates}
    cards = tuple(
        card for card in scene.found if card.get("text") not in just_told and not _is_anothers(scene, card)
    )
    cards = pricing.own_price(scene.said, cards, known=scene.phrases)
    told = pricing.own_price(scene.said, told_now(scene), known=scene.phrases)
    if scene.has("former") and told:
        return find(told)
    # What was told in this conversation comes second, but beside the cards: of two Annas the
    # wrong one is still wrong.
    return find(cards) or (find((*cards, *told)) if told else ())


def _all_told(scene: Scene) -> tuple[Json, ...]:
    """What the message before told, when all of it is asked for ("give me all three"); else nothing."""
    if not scene.has("all_of_them") or asking.names(scene):
        return ()
    told = listen(scene.said_before, language=scene.language, now=scene.now, zone=scene.zone)
    texts = {c.text for c in told.candidates if c.category in _STATEMENTS}
    cards = tuple(card for card in told_now(scene) if card["text"] in texts)
    return cards if len(cards) > 1 else ()


def _text(scene: Scene) -> str:
    together = _all_told(scene)
    if together:
        return stating.statements(scene, together)
    fits = _answering(scene)
    if not fits:
        if not _is_asked(scene) and "?" not in scene.said:
            return scene.say("chat.any")
        if scene.heard.candidates and not asking.names(scene):
            return scene.say("request.any")  # something was told, and advice is asked for
        settled = _settled(scene)
        if settled:
            return scene.say("answer.settled", what=settled)
        return talks.fitting(scene) or unknown.unknown(scene)
    name = _name_only(scene, fits[0])
    if name:
        scene.rest_on([fits[0].card])
        return name
    return stating.statements(scene, [fit.card for fit in fits])


def _name_only(scene: Scene, fit: Fit) -> str:
    """The plain answer to "what is my wife called?" from a person's card, "" when it is another question."""
    kinds = asking.question(scene).kinds
    if fit.card.get("category") != "person" or kinds[:1] not in (("name",), ("who",)):
        return ""
    if asking.question(scene).is_double:
        return ""
    name = name_of(fit.card)
    if not name or fold(name) in scene.folded:
        return ""
    subject = subject_asked(scene.said, scene.phrases)
    return (
        scene.say("answer.name", subject=subject, who=name) if subject else scene.say("answer.is", who=name)
    )


def _settled(scene: Scene) -> str:
    """The line of the settled decisions that the question is about, "" when none is."""
    wanted = asking.question(scene).terms
    for line in scene.request.settled.splitlines():
        own = set(terms(line, scene.language))
        if wanted and len(wanted & own) * 2 >= len(wanted):
            return line.strip(" -*•")
    return ""


QUESTION = Part(name="question", wanted=_wanted, first=_first, text=_text)


# "Did you keep that?"


def _kept_wanted(scene: Scene) -> bool:
    heard = scene.heard
    return not heard.candidates and (heard.asks_if_kept or scene.has("worked"))


def _kept_first(scene: Scene) -> Sequence[Wanted]:
    query = f"{scene.said_before} {scene.said}".strip()
    return [searching([{"kind": "meaning", "query": query}], agenda=scene.has("reminders"))]


def _kept_text(scene: Scene) -> str:
    about = scene.said_before or scene.said
    wanted = set(terms(about, scene.language)) | set(terms(scene.said, scene.language))
    kept = [card for card in scene.found if wanted & set(terms(str(card.get("text")), scene.language))]
    if not kept and scene.has("reminders"):  # "did you set the reminder?", some messages later
        kept = [card for card in scene.found if card.get("category") == "reminder"]
    if not kept:
        return scene.say("confirm.not_kept")
    return scene.say("confirm.kept", what=stating.items(scene, kept[:3]))


KEPT = Part(
    name="kept",
    wanted=_kept_wanted,
    first=_kept_first,
    text=_kept_text,
    takes_all=True,
)
