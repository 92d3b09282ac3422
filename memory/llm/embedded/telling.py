"""What was told: the cards it makes, and one kind sentence about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memory.language import find_times, fold
from memory.listening import Candidate
from memory.llm.embedded import replacing, requests, saying
from memory.llm.embedded.part import Part, Wanted
from memory.llm.embedded.scene import Scene, when_json
from memory.records import Category

_TO_DO = frozenset({Category.TASK, Category.REMINDER, Category.EVENT})


def card_arguments(candidate: Candidate, *, speaker: str = "") -> dict[str, Any]:
    """A candidate as `create_card` takes it; what a guest says of themselves is filed under the guest."""
    arguments: dict[str, Any] = {"category": str(candidate.category), "text": candidate.text}
    optional: dict[str, Any] = {
        "title": candidate.title,
        "subject": candidate.subject or speaker,
        "relation": candidate.relation,
        "attribute": candidate.attribute,
        "value": candidate.value,
        "people": list(candidate.people),
        "when": when_json(candidate.when) if candidate.when else None,
        "sensitive": candidate.sensitive,
        "consult": candidate.consult,
    }
    return arguments | {name: value for name, value in optional.items() if value}


def _kept(scene: Scene) -> list[Candidate]:
    """What was told; a question about the list or the day puts nothing on it."""
    asks_for_list = "?" in scene.said and requests.kind(scene) in requests.LISTS
    return [c for c in scene.heard.candidates if not (asks_for_list and c.category in _TO_DO)]


def _complete(scene: Scene) -> list[Candidate]:
    return [candidate for candidate in _kept(scene) if not candidate.missing_time]


def _timeless(scene: Scene) -> Candidate | None:
    """The first reminder that lacks its hour; it is kept as a question, not as a card."""
    return next((candidate for candidate in _kept(scene) if candidate.missing_time), None)


def _wanted(scene: Scene) -> bool:
    return bool(_kept(scene)) or scene.heard.correction is not None


def _first(scene: Scene) -> Sequence[Wanted]:
    calls: list[Wanted] = []
    for candidate in _complete(scene):
        if replacing.may_replace(candidate, scene):
            calls.append(replacing.search(candidate, scene))
        else:
            arguments = card_arguments(candidate, speaker=scene.speaker)
            calls.append(Wanted("create_card", arguments))
    if not scene.heard.candidates and scene.heard.correction is not None:
        calls.append(replacing.search_correction(scene))
    timeless = _timeless(scene)
    if timeless is not None:
        waiting = card_arguments(timeless, speaker=scene.speaker)
        ask = "time" if timeless.when else "day"
        calls.append(Wanted("ask_back", {"ask": ask, "data": {"card": waiting}}))
    return calls


def _second(scene: Scene) -> Sequence[Wanted]:
    calls: list[Wanted] = []
    for candidate in _complete(scene):
        if replacing.may_replace(candidate, scene):
            calls.extend(replacing.calls(candidate, card_arguments(candidate, speaker=scene.speaker), scene))
    if not scene.heard.candidates and scene.heard.correction is not None:
        calls.extend(replacing.correction_calls(scene))
    calls.extend(_again_without_people(scene))
    other = _other_reading(scene)
    if other is not None:
        calls.append(Wanted("ask_back", {"ask": "other", "data": other}))
    return calls


def _again_without_people(scene: Scene) -> Iterator[Wanted]:
    """Cards that were refused with names in their people field ("Emil" for "Emils"), once more without."""
    for made in scene.results("create_card", stage="a"):
        if not made.ok and made.call.arguments.get("people"):
            kept = {key: value for key, value in made.call.arguments.items() if key != "people"}
            yield Wanted("create_card", kept)


def _other_reading(scene: Scene) -> dict[str, Any] | None:
    """A dated card whose day could be meant otherwise, with that other day."""
    for made in scene.results("create_card", stage="a"):
        when = made.call.arguments.get("when")
        if not made.ok or not when or not made.result.get("card"):
            continue
        for mention in find_times(scene.said, language=scene.language, now=scene.now):
            local = mention.local
            if mention.alternative is None or local is None or mention.rrule:
                continue
            if local.isoformat(timespec="minutes") == when["start"]:
                other = when | {"start": mention.alternative.isoformat(timespec="minutes")}
                text = made.call.arguments["text"]
                return {"card": made.result["card"], "text": text, "when": other, "read_as": when["start"]}
    return None


def _text(scene: Scene) -> str:
    created = scene.results("create_card")
    kept = {made.call.arguments.get("text") for made in created if made.ok}
    refused = next(
        (
            made
            for made in created
            if not made.ok and saying.is_shown(made) and made.call.arguments.get("text") not in kept
        ),
        None,
    )
    if refused is not None:
        return scene.say(saying.failure(refused))
    parts = [saying.confirmation(scene, made) for made in created if saying.is_visible(made)]
    other = _other_reading(scene)
    # The other half of the day is only kept for "no, in the evening"; another day is put as a question.
    if other is not None and other["when"]["start"][:10] != other["read_as"][:10]:
        parts.append(scene.say("confirm.alternative", when=saying.moment(scene, other["when"])))
    timeless = _timeless(scene)
    if timeless is not None:
        parts.append(
            saying.ask_time(scene, timeless.text, when_json(timeless.when) if timeless.when else None)
        )
    if not parts and scene.heard.speaker_change:
        return ""  # a guest was greeted just now
    return " ".join(parts) or saying.reaction(scene)


TELLING = Part(name="telling", wanted=_wanted, first=_first, second=_second, text=_text)


def _namesakes(scene: Scene) -> tuple[str, list[str]]:
    """A first name in the message that several known people share, and these people; ("", []) when clear."""
    for candidate in scene.heard.candidates:
        for name in {candidate.subject, *candidate.people} - {""}:
            same = sorted(
                {known for known, _ in scene.request.known_people if fold(known).split()[:1] == [fold(name)]}
            )
            if len(same) > 1:
                return name, same
    return "", []


def _ask_which_person(scene: Scene) -> Sequence[Wanted]:
    name, same = _namesakes(scene)
    cards = [card_arguments(candidate) for candidate in _complete(scene)]
    return [
        Wanted("ask_back", {"ask": "which_person", "data": {"name": name, "people": same, "cards": cards}})
    ]


def _which_person_text(scene: Scene) -> str:
    name, same = _namesakes(scene)
    relations = dict(scene.request.known_people)
    labels = [f"{each} ({relations[each]})" if relations.get(each) else each for each in same]
    return scene.say("ask.which_person", who=name, list=scene.phrases.listed(labels))


PERSON_UNCLEAR = Part(
    name="person unclear",
    wanted=lambda scene: bool(_namesakes(scene)[1]),
    first=_ask_which_person,
    text=_which_person_text,
    takes_all=True,
)
