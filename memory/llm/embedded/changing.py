"""Changing something that is to be done: moving, ticking off, calling off, leaving one out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from memory.language import find_times, fold, terms
from memory.language import words as split_words
from memory.listening import Act
from memory.llm.embedded import saying
from memory.llm.embedded.evidence import card_text
from memory.llm.embedded.moving import bare_hour, mention, moved, undated
from memory.llm.embedded.part import Part, Wanted, searching
from memory.llm.embedded.scene import Json, Scene, when_json, when_of
from memory.llm.embedded.telling import card_arguments

CHANGES = frozenset({"cancel", "move", "done", "snooze", "other_one", "skip"})
_TO_DO = frozenset({"task", "reminder", "event"})
_MINUTE = timedelta(minutes=1)
_MOST_CHOICES = 5


def _verb(scene: Scene) -> str:
    """What is to happen to an existing item, "" for nothing."""
    request = scene.heard.request
    if request is not None and request.verb in CHANGES:
        return request.verb
    return "move" if _is_bare_move(scene) or _keeps_hour(scene) or _is_bare_time(scene) else ""


def _is_bare_time(scene: Scene) -> bool:
    """ "Make it ten", said after a moment was confirmed: nothing but another moment."""
    heard = scene.heard
    if heard.candidates or heard.question is not None or Act.REQUEST in heard.acts:
        return False
    if mention(scene) is None and bare_hour(scene) is None:
        return False
    confirmed = find_times(scene.answered_before, language=scene.language, now=scene.now)
    return bool(confirmed) and len(_content(scene, scene.said)) <= 1


def _keeps_hour(scene: Scene) -> bool:
    """ "Saturday instead, same time": the hour that is kept belongs to something that exists."""
    told = mention(scene)
    return told is not None and (told.same_time or scene.has("no_change"))


def _is_bare_move(scene: Scene) -> bool:
    """ "No, Saturday": a correction that tells nothing but a moment."""
    heard = scene.heard
    return bool(heard.correction and not heard.candidates and heard.when is not None)


def _topic(scene: Scene) -> str:
    request = scene.heard.request
    topic = request.topic if request else ""
    voice = scene.phrases.voice
    kinds = frozenset().union(*voice.categories.values())
    named = set(split_words(fold(topic))) - voice.pointing - kinds  # "that last reminder" names nothing
    return topic if _content(scene, topic) & _content(scene, " ".join(named)) else ""


def _content(scene: Scene, topic: str) -> set[str]:
    """The topic's content words, without those that name a moment."""
    for told in reversed(find_times(topic, language=scene.language, now=scene.now)):
        for start, end in reversed(told.spans):
            topic = topic[:start] + topic[end:]
    return set(terms(topic, scene.language))


def _change_first(scene: Scene) -> Sequence[Wanted]:
    topic = _topic(scene) or f"{scene.said_before} {scene.answered_before}".strip() or scene.said
    angles = [{"kind": "meaning", "query": topic}, {"kind": "theme", "query": topic}]
    return [searching(angles, agenda=True)]


def _targets(scene: Scene) -> tuple[Json, ...]:
    """The items that are meant: one when it is clear, several when it is not, none when there is none."""
    items = [card for card in scene.found if card.get("category") in _TO_DO]
    if _verb(scene) == "done":
        items = [card for card in items if card.get("category") != "event"] or items
    if _action(scene) == "skip":
        items = [card for card in items if (card.get("when") or {}).get("rrule")]
    wanted = _content(scene, _topic(scene))
    if not wanted and _is_bare_time(scene):  # "the washing an hour later"
        wanted = _content(scene, scene.said)
        wanted = wanted if any(_hits(scene, card, wanted) for card in items) else set()
    if not wanted:
        alike = _of_kind(scene, items)
        return () if _sets(scene) and not alike else _unnamed(scene, alike or items)
    scores = [(_hits(scene, card, wanted), card) for card in items]
    best = max((hits for hits, _ in scores), default=0)
    if not best and _sets(scene):
        return ()
    if not best:
        if _verb(scene) in ("snooze", "move", "skip", "other_one"):
            # Only what may be undone in a word: a wrong cancel is worse than asking again.
            return _unnamed(scene, items)
        return tuple(card for card in items if card.get("relevant"))[:1]
    return tuple(card for hits, card in scores if hits == best)


def _sets(scene: Scene) -> bool:
    """Whether something new is meant where it is not there: "stell den Wecker auf sieben"."""
    return any(candidate.category == "reminder" for candidate in scene.heard.candidates)


def _of_kind(scene: Scene, items: Sequence[Json]) -> Sequence[Json]:
    """The items that hold the word of the kind that was said ("the alarm")."""
    request = scene.heard.request
    said = _content(scene, request.topic) if request else set()
    return [card for card in items if said and _hits(scene, card, said)]


def _unnamed(scene: Scene, items: Sequence[Json]) -> tuple[Json, ...]:
    """ "Snooze it", "cancel that": what has just rung, what was just spoken of, or the only one there is."""
    rang = [card for card in items if card.get("rang")]
    if rang and _verb(scene) in ("snooze", "done", "move"):
        return (max(rang, key=lambda card: str(card["rang"])),)
    spoken_of = _last_spoken_of(scene, items)
    if spoken_of or len(items) == 1:
        return spoken_of or tuple(items)
    relevant = [card for card in items if card.get("relevant")]
    return tuple(_newest_first(relevant)[:1]) if _verb(scene) != "cancel" else tuple(items)


def _last_spoken_of(scene: Scene, items: Sequence[Json]) -> tuple[Json, ...]:
    """The newest item that the exchange before was about; none when it was about none."""
    before = _content(scene, f"{scene.said_before} {scene.answered_before}")
    spoken_of = _newest_first([card for card in items if _hits(scene, card, before)])
    reminders = [card for card in spoken_of if card.get("category") == "reminder"]
    if reminders and _is_bare_time(scene):  # an hour alone is when to be reminded, not when it happens
        return tuple(reminders[:1])
    return tuple(spoken_of[:1])


def _newest_first(items: Sequence[Json]) -> list[Json]:
    return sorted(items, key=lambda card: str(card.get("learned") or ""), reverse=True)


def _hits(scene: Scene, card: Json, wanted: set[str]) -> int:
    blob = fold(card_text(card))
    own = set(terms(card_text(card), scene.language))
    return sum(word in own or (len(word) >= 4 and word in blob) for word in wanted)


def _change_second(scene: Scene) -> Sequence[Wanted]:
    targets = _targets(scene)
    if not targets:
        return _told_anew(scene)
    action = _action(scene)
    new = moved(scene, targets[0], verb=_verb(scene)) if action == "move" else None
    data: dict[str, Any] = {"when": when_json(new)} if new is not None else {}
    if action == "skip" and (day := _day(scene)):
        data["day"] = day
    if not _is_one_matter(targets):
        data |= {"action": action, "options": [dict(card) for card in targets[:_MOST_CHOICES]]}
        return [Wanted("ask_back", {"ask": "which", "data": data})]
    if action == "move" and new is None:
        waiting = {key: targets[0].get(key) for key in ("category", "text", "when") if targets[0].get(key)}
        return [
            Wanted("ask_back", {"ask": "day", "data": {"card": waiting | {"supersedes": targets[0]["id"]}}})
        ]
    return act(scene, action, targets, data)


def _told_anew(scene: Scene) -> list[Wanted]:
    """The event of a told move that nothing known is about, or the alarm: it is kept as it is now."""
    events = [c for c in scene.heard.candidates if c.category in ("event", "reminder") and c.when is not None]
    return [Wanted("create_card", card_arguments(event, speaker=scene.speaker)) for event in events[:1]]


def _action(scene: Scene) -> str:
    """What is done to the item; of a series that is called off for one day, that day is left out."""
    verb = _verb(scene)
    if verb in ("move", "snooze", "other_one"):
        return "move"
    if verb != "cancel" or not _day(scene):
        return verb
    wanted = _content(scene, _topic(scene))
    series = [card for card in scene.found if (card.get("when") or {}).get("rrule")]
    return "skip" if any(_hits(scene, card, wanted) for card in series) or not wanted else verb


def _day(scene: Scene) -> str:
    """The one day that the message names, as a date; "" when it names none or a recurrence."""
    days = [
        told
        for told in find_times(scene.said, language=scene.language, now=scene.now)
        if told.date is not None and told.has_date and told.granularity not in ("week", "month", "year")
    ]
    if len(days) != 1 or days[0].rrule or days[0].date is None:
        return ""
    return days[0].date.isoformat()


def _is_one_matter(targets: Sequence[Json]) -> bool:
    """Whether these are one thing: an event with the reminders that were set for it, or a single item."""
    texts = {fold(str(card.get("text") or "")) for card in targets}
    events = sum(card.get("category") == "event" for card in targets)
    return len(targets) == 1 or (len(texts) == 1 and events == 1)


def _change_text(scene: Scene) -> str:
    verb, targets = _verb(scene), _targets(scene)
    made = scene.results("create_card")
    if not targets and made:
        return saying.confirmation(scene, made[0]) if made[0].ok else scene.say(saying.failure(made[0]))
    if not targets:
        return scene.say("confirm.never_mind" if verb == "cancel" else "confirm.not_kept")
    if not _is_one_matter(targets):
        return scene.say("ask.which", list=saying.labels(scene, targets[:_MOST_CHOICES]))
    if any(not done.ok for done in scene.results("update_card")):
        return scene.say("confirm.nothing_then" if _action(scene) == "skip" else "confirm.failed")
    if _action(scene) != "move":
        return changed_text(scene, _action(scene), targets, None)
    new = moved(scene, targets[0], verb=_verb(scene))
    if new is None:
        return scene.say("ask.day", what=str(targets[0].get("text", "")))
    return changed_text(scene, "move", targets, when_json(new))


def changed_text(scene: Scene, action: str, cards: Sequence[Json], when: Any) -> str:
    names = dict.fromkeys(str(card.get("title") or card.get("text") or "") for card in cards)
    what = scene.phrases.listed(list(names))
    if action == "move":
        return scene.say("confirm.moved", what=what, when=saying.moment(scene, when))
    if action == "skip":
        rings = next(
            (str(done.result["rings"]) for done in scene.results("update_card") if done.result.get("rings")),
            "",
        )
        day = (scene.pending[1].get("day") if scene.pending[0] == "which" else None) or _day(scene)
        if day:
            told = {"start": f"{day}T00:00", "zone": scene.zone, "all_day": True}
            return scene.say("confirm.skipped_on", what=what, when=saying.moment(scene, told))
        if not rings:
            return scene.say("confirm.skipped", what=what)
        coming = saying.moment(scene, {"start": rings, "zone": scene.zone})
        return scene.say("confirm.skipped_next", what=what, when=coming)
    return scene.say("confirm.done" if action == "done" else "confirm.cancelled", what=what)


def act(scene: Scene, action: str, cards: Sequence[Json], data: Json) -> list[Wanted]:
    if not cards:
        return []
    if action == "forget":
        return [Wanted("forget", {"cards": [card["id"] for card in cards]})]
    if action == "move":
        return _moves(scene, cards, dict(data["when"]))
    if action == "skip":
        return [Wanted("update_card", _skipping(scene, card, data.get("day"))) for card in cards]
    status = "done" if action == "done" else "cancelled"
    return [Wanted("update_card", {"card": card["id"], "status": status}) for card in cards]


def _skipping(scene: Scene, card: Json, day: Any) -> dict[str, Any]:
    """Arguments that leave one occurrence out: that of the day that was named, else the next."""
    skipped: dict[str, Any] = {"card": card["id"], "skip": True}
    return skipped | {"skip_on": day} if day else skipped


def _moves(scene: Scene, cards: Sequence[Json], when: dict[str, Any]) -> list[Wanted]:
    """An item is moved; the reminders that were set some time before an event go along with it."""
    event = next((card for card in cards if card.get("category") == "event"), None)
    if event is None or len(cards) == 1:
        return [_moving(scene, card, when) for card in cards]
    old, new = when_of(event.get("when"), scene.zone), when_of(when, scene.zone)
    if old is None or new is None:
        return [_moving(scene, event, when)]
    calls = [_moving(scene, event, when)]
    for card in cards:
        own = when_of(card.get("when"), scene.zone)
        if card is not event and own is not None:
            calls.append(
                _moving(scene, card, when_json(replace(own, start=own.start + (new.start - old.start))))
            )
    return calls


def _moving(scene: Scene, card: Json, when: dict[str, Any]) -> Wanted:
    """A move; of a series that is put off for a while, only the next ring moves."""
    if not (card.get("when") or {}).get("rrule") or when.get("rrule"):
        text = undated(str(card.get("text") or ""), scene, when_of(card.get("when"), scene.zone))
        return Wanted("update_card", {"card": card["id"], "when": when} | ({"text": text} if text else {}))
    wait = datetime.fromisoformat(str(when["start"])) - scene.now.replace(tzinfo=None)
    return Wanted("update_card", {"card": card["id"], "snooze_minutes": max(1, round(wait / _MINUTE))})


CHANGE = Part(
    name="change",
    wanted=lambda scene: _verb(scene) != "" and Act.FORGET not in scene.heard.acts,
    first=_change_first,
    second=_change_second,
    text=_change_text,
    takes_all=True,
)
