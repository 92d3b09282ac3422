"""What is to be done: filling a missing hour, the other reading, moving, ticking off, calling off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import Any

from memory.language import find_times, fold, surface_terms, terms
from memory.language import words as split_words
from memory.listening import Act
from memory.llm.embedded import saying
from memory.llm.embedded.choosing import chosen
from memory.llm.embedded.matching import card_text
from memory.llm.embedded.moving import bare_hour, mention, moved
from memory.llm.embedded.part import Part, Wanted, searching
from memory.llm.embedded.scene import Json, Scene, when_json, when_of
from memory.records import When

_CHANGES = frozenset({"cancel", "move", "done", "snooze", "other_one", "skip"})
_TO_DO = frozenset({"task", "reminder", "event"})
_EARLIEST = time(6, 30)  # of two readings of a bare hour on another day, the one after this is meant
_MINUTE = timedelta(minutes=1)
_MOST_CHOICES = 5


# A question that the assistant waits on


def _data(scene: Scene) -> Json:
    return scene.pending[1]


def _pending_wanted(scene: Scene) -> bool:
    ask, data = scene.pending
    if ask in ("time", "day"):
        return isinstance(data.get("card"), Mapping) and (_filled(scene) is not None or _is_dropped(scene))
    if ask == "other":
        return _takes_other(scene)
    if ask == "which":
        return _picked(scene) is not None
    if ask == "which_person":
        return _person_meant(scene) != ""
    return False


def _is_dropped(scene: Scene) -> bool:
    """Whether the person lets the matter go instead of answering."""
    verb = scene.heard.request.verb if scene.heard.request else ""
    return scene.heard.yes_no is False or verb == "cancel"


def _filled(scene: Scene) -> When | None:
    """The moment of the waiting card with the hour that the message tells."""
    told = mention(scene)
    if told is None or told.time is None or scene.heard.question is not None:
        return None
    waiting = when_of(_data(scene)["card"].get("when"), scene.zone)
    if waiting is None or (told.has_date and told.date is not None):
        return told.when(scene.zone)
    hour = _hour_on(scene, waiting.start, told.time)
    return replace(waiting, start=datetime.combine(waiting.start.date(), hour), all_day=False)


def _hour_on(scene: Scene, day: datetime, otherwise: time) -> time:
    """The hour as it is meant on that day: "at nine" on another day is in the morning."""
    early = datetime.combine(day.date(), _EARLIEST, tzinfo=scene.now.tzinfo)
    if day.date() == scene.now.date():
        return otherwise
    told = [m.time for m in find_times(scene.said, language=scene.language, now=early) if m.time is not None]
    return told[0] if told else otherwise


def _takes_other(scene: Scene) -> bool:
    """Whether the message says that the other reading was meant."""
    heard = scene.heard
    if heard.request is not None and heard.request.verb == "other_one":
        return True
    if heard.candidates or heard.question is not None or Act.REQUEST in heard.acts:
        return False  # another matter, though its day may be the same
    if heard.request is not None and heard.request.verb in _CHANGES - {"move"}:
        return False
    if heard.yes_no is True:
        return True
    other = when_of(_data(scene).get("when"), scene.zone)
    told = mention(scene)
    if other is None or told is None or not told.has_date or told.date != other.start.date():
        return False
    return told.time is None or told.time == other.start.time()


def _picked(scene: Scene) -> tuple[Json, ...] | None:
    options = _data(scene).get("options") or ()
    return chosen(scene, options)


def _person_meant(scene: Scene) -> str:
    """The namesake that the message picks, by another name or by the relation."""
    relations = dict(scene.request.known_people)
    words = set(surface_terms(scene.said, scene.language)) | set(scene.folded.split())
    fitting = [
        name
        for name in _data(scene).get("people") or ()
        if (set(fold(f"{name} {relations.get(name, '')}").split()) - set(fold(_data(scene)["name"]).split()))
        & {word.strip(".,!?") for word in words}
    ]
    return fitting[0] if len(fitting) == 1 else ""


def _pending_calls(scene: Scene) -> Sequence[Wanted]:
    ask, data = scene.pending
    if ask in ("time", "day"):
        filled = _filled(scene)
        return [Wanted("create_card", dict(data["card"]) | {"when": when_json(filled)})] if filled else ()
    if ask == "other":
        return [Wanted("update_card", {"card": data["card"], "when": dict(data["when"])})]
    if ask == "which":
        return _act(scene, str(data.get("action")), _picked(scene) or (), data)
    name = _person_meant(scene)
    return [Wanted("create_card", _about(dict(card), str(data["name"]), name)) for card in data["cards"]]


def _about(card: dict[str, Any], short: str, full: str) -> dict[str, Any]:
    """A card with the full name of the person in place of the short one."""
    if full not in card["text"]:
        card["text"] = card["text"].replace(short, full, 1)
    if card.get("subject") in (short, ""):
        card["subject"] = full
    if card.get("people"):
        card["people"] = [full if each == short else each for each in card["people"]]
    return card


def _act(scene: Scene, action: str, cards: Sequence[Json], data: Json) -> list[Wanted]:
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
        return Wanted("update_card", {"card": card["id"], "when": when})
    wait = datetime.fromisoformat(str(when["start"])) - scene.now.replace(tzinfo=None)
    return Wanted("update_card", {"card": card["id"], "snooze_minutes": max(1, round(wait / _MINUTE))})


def _pending_text(scene: Scene) -> str:
    ask, data = scene.pending
    failed = next((done for done in scene.done if not done.ok), None)
    if failed is not None:
        return scene.say(saying.failure(failed))
    if ask in ("time", "day"):
        created = scene.results("create_card")
        return saying.confirmation(scene, created[0]) if created else scene.say("confirm.never_mind")
    if ask == "other":
        what, when = str(data.get("text", "")), saying.moment(scene, data.get("when"))
        return scene.say("confirm.moved", what=what, when=when)
    if ask == "which_person":
        return saying.reaction(scene)
    cards = _picked(scene) or ()
    if not cards:
        return scene.say("confirm.never_mind")
    if data.get("action") == "forget":
        return scene.say("confirm.forgotten")
    return _changed_text(scene, str(data.get("action")), cards, data.get("when"))


PENDING = Part(
    name="pending", wanted=_pending_wanted, first=_pending_calls, text=_pending_text, takes_all=True
)


# The assistant's own proposal in its last words, answered with yes and perhaps an hour


def _proposed(scene: Scene) -> When | None:
    """The moment of the reminder that the assistant had proposed and the person accepts."""
    if scene.pending[0] or scene.phrases.cue("proposal", fold(scene.answered_before)) is None:
        return None
    if scene.heard.yes_no is not True:
        return None
    proposed = find_times(scene.answered_before, language=scene.language, now=scene.now)
    told = mention(scene)
    days = [each for each in proposed if each.has_date and each.date is not None]
    if not days and told is None:
        return None
    day = days[-1] if days else told
    if day is None or day.date is None:
        return None
    hour = day.time
    if told is not None and told.time is not None:
        hour = _hour_on(scene, datetime.combine(day.date, time()), told.time)
    start = datetime.combine(day.date, hour or time())
    return When(start=start, zone=scene.zone, all_day=hour is None)


def _proposal_card(scene: Scene, when: When) -> dict[str, Any]:
    """The reminder: what it is about stands in the person's message before."""
    spans = [
        span
        for m in find_times(scene.said_before, language=scene.language, now=scene.now)
        for span in m.spans
    ]
    text = scene.said_before
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    kept = set(surface_terms(text, scene.language))
    words = [word for word in text.split() if fold(word.strip('.,;:!?¿¡«»"')) in kept]
    what = " ".join(word.strip('.,;:!?¿¡«»"') for word in words) or scene.said_before
    return {"category": "reminder", "text": what, "when": when_json(when)}


def _proposal_calls(scene: Scene) -> Sequence[Wanted]:
    when = _proposed(scene)
    if when is None:
        return ()
    card = _proposal_card(scene, when)
    if when.all_day:
        return [Wanted("ask_back", {"ask": "time", "data": {"card": card}})]
    return [Wanted("create_card", card)]


def _proposal_text(scene: Scene) -> str:
    created = scene.results("create_card")
    if created:
        made = created[0]
        return saying.confirmation(scene, made) if made.ok else scene.say(saying.failure(made))
    when = _proposed(scene)
    return saying.ask_time(scene, _proposal_card(scene, when)["text"], when_json(when)) if when else ""


PROPOSAL = Part(
    name="proposal",
    wanted=lambda scene: _proposed(scene) is not None,
    first=_proposal_calls,
    text=_proposal_text,
    takes_all=True,
)


# Changing something that exists


def _verb(scene: Scene) -> str:
    """What is to happen to an existing item, "" for nothing."""
    request = scene.heard.request
    if request is not None and request.verb in _CHANGES:
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
    kinds = frozenset().union(*voice.categories.values()) if voice.pointing else frozenset()
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
        return _unnamed(scene, items)
    scores = [(_hits(scene, card, wanted), card) for card in items]
    best = max((hits for hits, _ in scores), default=0)
    if not best:
        if _verb(scene) in ("snooze", "move", "skip"):
            # Only what may be undone in a word: a wrong cancel is worse than asking again.
            return _unnamed(scene, items)
        return tuple(card for card in items if card.get("relevant"))[:1]
    return tuple(card for hits, card in scores if hits == best)


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
        return ()
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
    return _act(scene, action, targets, data)


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
    if not targets:
        return scene.say("confirm.never_mind" if verb == "cancel" else "confirm.not_kept")
    if not _is_one_matter(targets):
        return scene.say("ask.which", list=saying.labels(scene, targets[:_MOST_CHOICES]))
    if any(not done.ok for done in scene.results("update_card")):
        return scene.say("confirm.nothing_then" if _action(scene) == "skip" else "confirm.failed")
    if _action(scene) != "move":
        return _changed_text(scene, _action(scene), targets, None)
    new = moved(scene, targets[0], verb=_verb(scene))
    if new is None:
        return scene.say("ask.day", what=str(targets[0].get("text", "")))
    return _changed_text(scene, "move", targets, when_json(new))


def _changed_text(scene: Scene, action: str, cards: Sequence[Json], when: Any) -> str:
    names = dict.fromkeys(str(card.get("title") or card.get("text") or "") for card in cards)
    what = scene.phrases.listed(list(names))
    if action == "move":
        return scene.say("confirm.moved", what=what, when=saying.moment(scene, when))
    if action == "skip":
        rings = next(
            (str(done.result["rings"]) for done in scene.results("update_card") if done.result.get("rings")),
            "",
        )
        day = (_data(scene).get("day") if scene.pending[0] == "which" else None) or _day(scene)
        if day:
            told = {"start": f"{day}T00:00", "zone": scene.zone, "all_day": True}
            return scene.say("confirm.skipped_on", what=what, when=saying.moment(scene, told))
        if not rings:
            return scene.say("confirm.skipped", what=what)
        coming = saying.moment(scene, {"start": rings, "zone": scene.zone})
        return scene.say("confirm.skipped_next", what=what, when=coming)
    return scene.say("confirm.done" if action == "done" else "confirm.cancelled", what=what)


CHANGE = Part(
    name="change",
    wanted=lambda scene: _verb(scene) != "" and Act.FORGET not in scene.heard.acts,
    first=_change_first,
    second=_change_second,
    text=_change_text,
    takes_all=True,
)
