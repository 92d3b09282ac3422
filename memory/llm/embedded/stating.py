"""Cards as sentences and as items of an enumeration, always with the stored words in them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.language import detect, fold, say_date
from memory.llm.embedded import gloss, saying
from memory.llm.embedded.scene import Json, Scene, when_of
from memory.llm.embedded.voice import clause, said_back, sentence, turned

_FOREIGN_FROM = 12  # a shorter text says too little about its language


def statements(scene: Scene, cards: Sequence[Json]) -> str:
    """The cards as sentences, best first; what cannot be said back is quoted, with one lead for all."""
    scene.rest_on(cards)
    plain: list[str] = []
    quotes: list[str] = []
    for card in cards:
        said = _plain(scene, card)
        if said:
            plain.append(said)
        else:
            quotes.append(_item(scene, card))
    if not quotes:
        return " ".join(plain)
    told = all(_is_first_person(scene, card) for card in cards if not _plain(scene, card))
    lead = "answer.told" if told and len(quotes) == 1 else "answer.have"
    what = "; ".join(quotes)
    said = scene.say(lead, what=what if lead == "answer.told" else sentence(what))
    return " ".join([said, *plain] if not plain or _plain(scene, cards[0]) is None else [*plain, said])


def _plain(scene: Scene, card: Json) -> str | None:
    """A card as a sentence of its own, or None when its words need a lead."""
    text = str(card.get("text") or "")
    when = when_of(card.get("when"), scene.zone)
    if _voice(scene, card):
        return _with_moment(scene, sentence(_item(scene, card)), card)
    foreign = foreign_gloss(scene, text)
    if foreign is not None:
        return _with_moment(scene, scene.say("answer.foreign", what=clause(text), gloss=foreign), card)
    if when is not None:
        what = clause(turned(text, scene.phrases) or text)
        who = [name for name in map(str, card.get("people") or ()) if fold(name) not in fold(text)]
        if who and "who" in scene.phrases.asked(fold(scene.said)):  # "com quem fui e em que dia?"
            what = scene.say("answer.with", what=what, who=scene.phrases.listed(who))
        return sentence(scene.say("answer.when", what=what, when=saying.moment(scene, when)))
    names = tuple(map(str, card.get("people") or ())) + (
        (str(card["subject"]),) if card.get("subject") else ()
    )
    return said_back(text, scene.phrases, names=names)


def _with_moment(scene: Scene, said: str, card: Json) -> str:
    moment = saying.moment(scene, card.get("when"))
    return f"{said} {sentence(moment)}" if moment else said


def _is_first_person(scene: Scene, card: Json) -> bool:
    words = set(fold(str(card.get("text") or "")).replace(",", " ").split())
    voice = scene.phrases.voice
    return bool(words & (voice.first | voice.pronouns | set(voice.swap)))


def foreign_gloss(scene: Scene, text: str) -> str | None:
    """The words of a foreign text that the lexicon has in the asked language; None when it is not foreign."""
    if len(text) < _FOREIGN_FROM:
        return None
    language = detect(text, hint=scene.language)
    if language == scene.language:
        return None
    words = gloss.gloss(text, source=language, target=scene.language)
    return scene.phrases.listed(words) if words else None


def _voice(scene: Scene, card: Json) -> str:
    """Whose "I" a card holds when it is not that of the one who is spoken to; "" when nobody else's."""
    speaker = str(card.get("speaker") or "")
    if speaker == scene.speaker:
        return ""
    if speaker:
        return "" if fold(speaker) in fold(str(card.get("text") or "")) else speaker
    return scene.request.name if _is_first_person(scene, card) else ""


def _item(scene: Scene, card: Json) -> str:
    text = clause(str(card.get("text") or ""))
    if voice := _voice(scene, card):
        return f"{voice}: {scene.phrases.quoted(text)}"
    title = str(card.get("title") or "")
    return f"{title}: {text}" if title and fold(title) not in fold(text) else text


def items(scene: Scene, cards: Sequence[Json]) -> str:
    """The cards as one enumeration, to stand after a colon."""
    scene.cite(cards)
    return "; ".join(about(scene, card) for card in cards)


def about(scene: Scene, card: Json) -> str:
    """One card as an item: its words turned to the person where that is safe, with its moment."""
    item = _item(scene, card)
    if not _voice(scene, card):
        item = turned(item, scene.phrases) or scene.phrases.quoted(item)
    moment = saying.moment(scene, card.get("when"))
    return f"{item} ({moment})" if moment else item


def trait(card: Json, name: str) -> str:
    """What a person's card says beside the name: "cousin, lives in Leeds"."""
    text = clause(str(card.get("text") or ""))
    start, _, rest = text.partition(",")
    return rest.strip() if rest and fold(start) == fold(name) else text


def learned(scene: Scene, card: Json) -> str:
    """The day on which a card was learned, in words."""
    try:
        moment = datetime.fromisoformat(str(card.get("learned")))
    except ValueError:
        return ""
    if moment.tzinfo is not None:
        moment = moment.astimezone(ZoneInfo(scene.zone))
    return say_date(moment.date(), language=scene.language, now=scene.now)
