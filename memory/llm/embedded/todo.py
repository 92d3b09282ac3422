"""What the assistant waits for: a missing hour, the other reading, a choice, yes to a proposal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import Any

from memory.language import find_times, fold, surface_terms
from memory.listening import Act
from memory.llm.embedded import saying
from memory.llm.embedded.changing import CHANGES, act, changed_text
from memory.llm.embedded.choosing import chosen
from memory.llm.embedded.moving import bare_hour, in_month_of, mention, other_day, says_other
from memory.llm.embedded.part import Part, Wanted
from memory.llm.embedded.scene import Json, Scene, when_json, when_of
from memory.records import When

_MORNING = time(9)
_WORDS_OF_AN_HOUR = 3  # "nine", "nine please", "so zehn"
_EARLIEST = time(6, 30)  # of two readings of a bare hour on another day, the one after this is meant


# A question that the assistant waits on


def _data(scene: Scene) -> Json:
    return scene.pending[1]


def _pending_wanted(scene: Scene) -> bool:
    ask, data = scene.pending
    if ask in ("time", "day"):
        answered = _filled(scene) is not None or _redated(scene) is not None or _is_dropped(scene)
        return isinstance(data.get("card"), Mapping) and answered
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
    waiting = when_of(_data(scene)["card"].get("when"), scene.zone)
    if waiting is not None and (told is None or told.time is None) and scene.has("any_time"):
        return replace(waiting, start=_some_hour(scene, waiting.start), all_day=False)
    if told is None and waiting is not None and scene.pending[0] == "time":
        return _at_bare_hour(scene, waiting)
    if told is None or told.time is None or scene.heard.question is not None:
        return None
    if waiting is None or (told.has_date and told.date is not None):
        return told.when(scene.zone)
    hour = _hour_on(scene, waiting.start, told.time)
    return replace(waiting, start=datetime.combine(waiting.start.date(), hour), all_day=False)


def _some_hour(scene: Scene, day: datetime) -> datetime:
    """An hour for somebody who does not mind: nine in the morning, or two hours on when that has passed."""
    morning = datetime.combine(day.date(), _MORNING)
    now = scene.now.replace(tzinfo=None)
    if morning > now:
        return morning
    return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=2)


def _at_bare_hour(scene: Scene, waiting: When) -> When | None:
    """The waiting moment at an hour that is told by its number alone ("nine", "9")."""
    hour = bare_hour(scene)
    if hour is None or len(scene.folded.split()) > _WORDS_OF_AN_HOUR or scene.heard.candidates:
        return None
    said = hour % 24
    if said < _EARLIEST.hour:  # "three" on another day is in the afternoon
        said += 12
    start = datetime.combine(waiting.start.date(), time(said))
    if start <= scene.now.replace(tzinfo=None) and said + 12 < 24:
        start += timedelta(hours=12)
    return replace(waiting, start=start, all_day=False)


def _redated(scene: Scene) -> When | None:
    """The moment of the waiting card on a day that the message names alone ("tomorrow", "no, on the 18th").

    All day where no hour is known yet: it is still to be asked for.
    """
    heard, told = scene.heard, mention(scene)
    if told is None or told.time is not None or not told.has_date or told.date is None:
        return None
    if heard.question is not None or heard.candidates:
        return None
    waiting = when_of(_data(scene)["card"].get("when"), scene.zone)
    if waiting is not None:
        told = in_month_of(told, waiting, scene)
    if waiting is not None and not waiting.all_day and told.date is not None:
        return replace(waiting, start=datetime.combine(told.date, waiting.start.time()))
    return told.when(scene.zone)


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
    if heard.request is not None and heard.request.verb in CHANGES - {"move"}:
        return False
    if heard.yes_no is True:
        return True
    other = when_of(_data(scene).get("when"), scene.zone)
    return other is not None and says_other(scene, other, str(_data(scene).get("read_as")))


def _other(scene: Scene) -> dict[str, Any]:
    """The other reading's moment; "the other one" after a day that has two readings means the day."""
    data = _data(scene)
    when, read_as = when_of(data.get("when"), scene.zone), data.get("read_as")
    is_other = scene.heard.request is not None and scene.heard.request.verb == "other_one"
    if is_other and when is not None and read_as and str(read_as)[:10] == when.start.date().isoformat():
        day = other_day(scene, datetime.fromisoformat(str(read_as)))
        if day is not None:
            return when_json(replace(when, start=day))
    return dict(data["when"])


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
        when = _filled(scene) or _redated(scene)
        if when is None:
            return ()
        card = dict(data["card"]) | {"when": when_json(when)}
        if when.all_day:
            return [Wanted("ask_back", {"ask": "time", "data": {"card": card}})]
        return [Wanted("create_card", card)]
    if ask == "other":
        return [Wanted("update_card", {"card": data["card"], "when": _other(scene)})]
    if ask == "which":
        return act(scene, str(data.get("action")), _picked(scene) or (), data)
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


def _pending_text(scene: Scene) -> str:
    ask, data = scene.pending
    failed = next((done for done in scene.done if not done.ok), None)
    if failed is not None:
        return scene.say(saying.failure(failed))
    if ask in ("time", "day"):
        created = scene.results("create_card")
        if created:
            return saying.confirmation(scene, created[0])
        day = _redated(scene)
        if day is not None:
            return saying.ask_time(scene, str(data["card"].get("text") or ""), when_json(day))
        return scene.say("confirm.never_mind")
    if ask == "other":
        what, when = str(data.get("text", "")), saying.moment(scene, _other(scene))
        return scene.say("confirm.moved", what=what, when=when)
    if ask == "which_person":
        return saying.reaction(scene)
    cards = _picked(scene) or ()
    if not cards:
        return scene.say("confirm.never_mind")
    if data.get("action") == "forget":
        return scene.say("confirm.forgotten")
    return changed_text(scene, str(data.get("action")), cards, data.get("when"))


PENDING = Part(
    name="pending", wanted=_pending_wanted, first=_pending_calls, text=_pending_text, takes_all=True
)


def _keeps_waiting(scene: Scene) -> bool:
    """Whether the missing hour or day is still waited for: for one message that is about something else."""
    ask, data = scene.pending
    if ask not in ("time", "day") or not isinstance(data.get("card"), Mapping) or data.get("again"):
        return False
    return not _pending_wanted(scene)


def _waiting_calls(scene: Scene) -> Sequence[Wanted]:
    ask, data = scene.pending
    return [Wanted("ask_back", {"ask": ask, "data": {"card": dict(data["card"]), "again": True}})]


WAITING = Part(name="waiting", wanted=_keeps_waiting, first=_waiting_calls, text=lambda scene: "")


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
        evening = day.time is not None and day.time.hour >= 12 > hour.hour
        if evening and not scene.has("in_morning"):  # "on Saturday evening?" - "at eight"
            hour = hour.replace(hour=hour.hour + 12)
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
