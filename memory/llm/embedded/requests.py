"""Work asked for: the few simple things the built-in model can do, and an honest word about the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from memory.language import find_times, fold, next_occurrence, question_words, say_date, say_time, terms
from memory.language import words as split_words
from memory.listening import Act, handed
from memory.llm.embedded import arithmetic, asking, chat, knowing, places, shortening, stating, talks, unknown
from memory.llm.embedded.matching import answering
from memory.llm.embedded.part import Part, Wanted, searching
from memory.llm.embedded.scene import Json, Scene, when_of
from memory.llm.embedded.topics import topics
from memory.records import Category, When

LISTS = frozenset({"agenda", "tasks", "date", "time", "time_in"})  # answered from cards or the clock
_LONG_CHARS = 240  # from here on a message carries a text to shorten
_SIMPLE = ("summary", "time_in", "time", "date", "signature", "salutation", "tasks", "agenda", "sum")
_ASKED_ONLY = frozenset({"time_in", "time", "date", "agenda", "tasks", "sum"})
_ABOUT_ME = frozenset({"chat.who", "chat.how", "chat.preference", "chat.praise"})
_FEW = 2  # content words beside the asked time from which on something else is asked as well
_MATTERS = 3  # cards that are brought to mind before cooking


def kind(scene: Scene) -> str:
    """Which request a message makes: one the model can serve, "recipe", "other", or "" when it makes none."""
    heard = scene.heard
    if talks.is_wanted(scene) or heard.rule:
        return ""
    if heard.correction is not None and "?" not in scene.said:
        return ""
    is_request = Act.REQUEST in heard.acts
    asks = is_request or heard.question is not None or Act.QUESTION in heard.acts
    if not asks and scene.heard.candidates and ("?" not in scene.said or _puts_down(scene)):
        return ""
    for name in _SIMPLE:
        asked_for = asks or name in _ASKED_ONLY or (name == "summary" and bool(handed(scene.message)))
        if scene.has(name) and asked_for and _can(scene, name):
            return name
    if talks.may_be_meant(scene):
        return ""  # "which table did I pick?" asks for words of mine, however it is put
    if not is_request:
        place = {"where", "who", "when"} & set(scene.phrases.asked(scene.folded))
        cooks = scene.has("recipe") and scene.has("cooking") and _is_open(scene) and not place
        return "recipe" if asks and cooks else ""
    if scene.has("recipe"):
        return "recipe"
    return "other" if is_about_memory(scene) else ""


def _puts_down(scene: Scene) -> bool:
    """Whether a message has something to be done or a date to keep, so that its "?" asks for no list."""
    kinds = (Category.TASK, Category.REMINDER, Category.MEMO, Category.EVENT)
    return any(candidate.category in kinds for candidate in scene.heard.candidates)


def is_about_memory(scene: Scene) -> bool:
    """Whether a question can be meant for memory: it names somebody, or is not about the assistant."""
    question = scene.heard.question
    named = bool(question and (question.names or question.relations))
    return named or chat.small_talk_cue(scene) not in _ABOUT_ME


def _is_open(scene: Scene) -> bool:
    """Whether a question is about the world and not about a person or a thing of the person."""
    question = scene.heard.question
    return not (question and (question.names or question.relations))


def _can(scene: Scene, name: str) -> bool:
    if name == "sum":
        return arithmetic.value(scene.folded) is not None
    if name == "agenda":
        return not _names_a_matter(scene)
    if name == "time":
        return len(_other_words(scene, "time")) <= _FEW
    if name == "date":
        return not (scene.heard.question and (scene.heard.question.names or scene.heard.question.relations))
    return True


def _other_words(scene: Scene, cue: str) -> set[str]:
    """The content words of a message beside those that a cue matches."""
    match = scene.phrases.cue(cue, scene.folded)
    rest = scene.folded if match is None else scene.folded[: match.start()] + scene.folded[match.end() :]
    return set(terms(rest, scene.language)) - scene.phrases.voice.talk_words


def _names_a_matter(scene: Scene) -> bool:
    """Whether a question about what is coming names a matter and no day: "anything on at the dentist's?"."""
    if any(m.date is not None for m in find_times(scene.said, language=scene.language, now=scene.now)):
        return False
    if scene.has("week"):
        return False
    return bool(topics(" ".join(_other_words(scene, "agenda")), scene.language))


def _first(scene: Scene) -> Sequence[Wanted]:
    wanted = kind(scene)
    if wanted == "other":
        return [searching(asking.angles(scene))]
    voice = scene.phrases.voice
    queries = {
        "recipe": voice.diet_query,
        "signature": voice.job_query,
        "agenda": scene.said,
        "tasks": scene.said,
    }
    if wanted not in queries:
        return ()
    angles = [{"kind": "theme", "query": queries[wanted]}]
    if wanted in ("agenda", "tasks"):
        angles.append({"kind": "meaning", "query": scene.said})
    return [searching(angles, agenda=wanted in ("agenda", "tasks"))]


def _text(scene: Scene) -> str:
    return _ANSWERS[kind(scene)](scene)


def _date(scene: Scene) -> str:
    mentions = [m for m in find_times(scene.said, language=scene.language, now=scene.now) if m.date]
    day = mentions[0].date if mentions else None
    if day is not None and day != scene.now.date():
        return scene.say("request.weekday", date=say_date(day, language=scene.language, now=scene.now))
    return scene.say("request.date", date=say_date(scene.now.date(), language=scene.language, now=scene.now))


def _time(scene: Scene) -> str:
    return scene.say("request.time", time=say_time(scene.now.time(), language=scene.language))


def _time_in(scene: Scene) -> str:
    match = scene.phrases.cue("time_in", scene.folded)
    found = places.zone_of(match.group("place") if match else "", scene.language)
    if found is None:
        return scene.say("request.no_place")
    there = scene.now.astimezone(found.zone)
    return scene.say(
        "request.time_in",
        place=found.name,
        time=say_time(there.time(), language=scene.language),
        date=say_date(there.date(), language=scene.language, now=scene.now),
    )


def _signature(scene: Scene) -> str:
    name = scene.request.name
    jobs = [card for card in scene.found if str(card.get("attribute") or "").startswith("job")]
    jobs = jobs or [c for c in scene.found if c.get("relevant") and _is_job(scene, c)]
    jobs = [card for card in jobs if not card.get("subject") and not _is_denied(scene, card)]
    own = [card for card in jobs if card.get("category") == "fact"]
    if not own:
        return scene.say("request.signature", name=name)
    employer = _as_written(str(own[0].get("value") or ""), str(own[0].get("text") or ""))
    return scene.say("request.signature_with", name=name, employer=employer)


def _is_denied(scene: Scene, card: Json) -> bool:
    words = set(re.findall(r"[^\W\d_]+(?:'[^\W\d_]*)?", fold(str(card.get("text") or ""))))
    return bool(words & scene.phrases.voice.negation)


def _as_written(value: str, text: str) -> str:
    """A value with the capitals it has in the text; the text when it holds no value."""
    at = fold(text).find(fold(value)) if value else -1
    same_length = len(fold(text)) == len(text)
    if at >= 0 and same_length:
        return text[at : at + len(value)]
    return value or text


def _is_job(scene: Scene, card: Json) -> bool:
    return scene.phrases.evidence["job"].search(fold(str(card.get("text") or ""))) is not None


def _salutation(scene: Scene) -> str:
    words = set(re.findall(r"[^\W_]+", scene.folded))
    for name, relation in scene.request.known_people:
        if words & (set(fold(name).split()) | set(fold(relation).split())):
            return scene.say("request.salutation", name=name)
    question = scene.heard.question
    if question and question.names:
        return scene.say("request.salutation", name=question.names[0])
    return scene.say("request.any")


def _summary(scene: Scene) -> str:
    text = handed(scene.message) or handed(scene.message_before)
    text = text or (scene.message if len(scene.message) >= _LONG_CHARS else scene.message_before)
    short = shortening.shorten(text, embedder=scene.embedder, language=scene.language)
    return scene.say("request.summary", what=short) if short else scene.say("request.too_short")


def _sum(scene: Scene) -> str:
    found = arithmetic.value(scene.folded)
    if found is None:
        return scene.say("request.any")
    return scene.say("request.sum", sum=found.text, result=found.result)


def _agenda(scene: Scene) -> str:
    """What the known cards hold for the day that was named; today when none was."""
    mentions = [m for m in find_times(scene.said, language=scene.language, now=scene.now) if m.date]
    first = mentions[0].date if mentions and mentions[0].date else scene.now.date()
    is_week = bool(mentions and mentions[0].granularity == "week") or scene.has("week")
    span = timedelta(days=7) if is_week else timedelta(days=1)
    day = say_date(first, language=scene.language, now=scene.now)
    coming = []
    for card in _every(scene):
        when = when_of(card.get("when"), scene.zone)
        if when is None:
            continue
        start = scene.now.replace(
            year=first.year, month=first.month, day=first.day, hour=0, minute=0, second=0
        )
        instant = _falls(card, when, start, scene)
        if instant is not None and start <= instant < start + span:
            coming.append((instant, card))
    if not coming:
        told = knowing.chosen(scene)
        undated = [card for card in told if not card.get("when")] if span > timedelta(days=1) else []
        if undated:  # "my week" may be a habit without a date
            return scene.say("answer.about_me", list=stating.items(scene, undated))
        return scene.say("answer.agenda_free", day=day)
    ordered = [card for _, card in sorted(coming, key=lambda pair: pair[0])]
    return scene.say("answer.agenda", day=day, list=stating.items(scene, ordered))


def _falls(card: Json, when: When, start: datetime, scene: Scene) -> datetime | None:
    """The first time that a card falls on `start` or later: what was put off or left out counts."""
    coming = str(card.get("next") or "")
    if coming and card.get("category") == "reminder":
        rings = datetime.fromisoformat(coming).replace(tzinfo=scene.now.tzinfo)
        if rings >= start:
            return rings
    elif "next" in card and card.get("category") == "reminder":
        return None
    return next_occurrence(when, after=start - timedelta(seconds=1), zone=scene.zone)


def _tasks(scene: Scene) -> str:
    kinds = ("reminder",) if scene.has("reminders") else ("task", "reminder")
    open_items = [card for card in _every(scene) if card.get("category") in kinds]
    days = [m.date for m in find_times(scene.said, language=scene.language, now=scene.now) if m.has_date]
    if days and days[0] is not None:  # "what will you remind me of today?"
        return _agenda(scene)
    if not open_items:
        return scene.say("unknown.nothing")
    return scene.say("answer.have", what=stating.items(scene, open_items) + ".")


def _every(scene: Scene) -> list[Json]:
    return list({str(card.get("id")): card for card in (*scene.cards_at_hand(), *scene.found)}.values())


def _recipe(scene: Scene) -> str:
    """No recipe, but what the person cannot or does not eat, also when it was told only now."""
    evidence = scene.phrases.evidence["diet"]
    now_told = [{"text": each.text, "subject": each.subject} for each in scene.heard.candidates]
    matters: dict[str, Json] = {}
    for card in (*now_told, *scene.found):
        text = str(card.get("text") or "")
        if card.get("subject"):
            continue  # what a colleague does not eat is not the cook's concern
        is_diet = str(card.get("attribute") or "").startswith(("allergy", "diet", "likes"))
        if is_diet or evidence.search(fold(text)):
            matters.setdefault(text, card)
    if not matters:
        return scene.say("request.recipe")
    kept = list(matters.values())[:_MATTERS]
    return f"{scene.say('request.recipe')} {scene.say('request.mind', list=stating.items(scene, kept))}"


def _other(scene: Scene) -> str:
    """An honest no, with what memory has on the people and things in the request; or the answer after all."""
    question = asking.question(scene)
    fits = answering(question, scene.found, known=scene.phrases, embedder=scene.embedder, now=scene.now)
    begins = scene.folded.lstrip("¿¡ ").split()[:1]
    # "Is the dentist this week?" asks what memory has, though it names nobody.
    dated = scene.heard.question is not None and any(
        m.date is not None for m in find_times(scene.said, language=scene.language, now=scene.now)
    )
    asks = dated or bool(question.kinds) or bool(set(begins) & question_words(scene.language))
    if fits and asks:
        return stating.statements(scene, [fit.card for fit in fits])
    said = set(split_words(scene.folded))
    is_own = bool(said & scene.phrases.voice.possessives) or bool(question.names or question.relations)
    if asks and (is_own or dated) and not scene.has("worldly"):
        return unknown.unknown(scene)
    told_now = {candidate.text for candidate in scene.heard.candidates}
    matters = [fit.card for fit in fits if (fit.words or fit.named) and fit.card.get("text") not in told_now]
    if not matters:
        return scene.say("request.any")
    return f"{scene.say('request.any')} {scene.say('request.mind', list=stating.items(scene, matters))}"


_ANSWERS: Mapping[str, Callable[[Scene], str]] = {
    "date": _date,
    "time": _time,
    "time_in": _time_in,
    "signature": _signature,
    "salutation": _salutation,
    "summary": _summary,
    "sum": _sum,
    "agenda": _agenda,
    "tasks": _tasks,
    "recipe": _recipe,
    "other": _other,
}

REQUEST = Part(name="request", wanted=lambda scene: kind(scene) != "", first=_first, text=_text)
