"""What a correction or a "no longer" replaces: the card it denies, found by search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from memory.language import TimeMention, find_times, fold, terms, words
from memory.listening import Candidate
from memory.llm.embedded.evidence import card_text
from memory.llm.embedded.part import Wanted, searching
from memory.llm.embedded.scene import Json, Scene, when_json, when_of
from memory.llm.embedded.topics import topics
from memory.llm.embedded.voice import sentence
from memory.records import Category

_KNOWN = frozenset({"fact", "person", "event", "memo"})


def may_replace(candidate: Candidate, scene: Scene) -> bool:
    """Whether a candidate may contradict a card, so that memory is searched before it is kept."""
    heard = scene.heard
    if candidate.category == Category.EVENT:
        # "Bin day is Wednesday, not Tuesday" sounds like a date, and puts a fact right.
        return heard.correction is not None or _is_moved(scene)
    if candidate.category not in (Category.FACT, Category.PERSON):
        return False
    ended = scene.phrases.cue("no_longer", fold(candidate.text)) is not None
    contradicts = scene.has("contradicts")
    return candidate.negated or ended or contradicts or heard.correction is not None


def _is_moved(scene: Scene) -> bool:
    """Whether the message says that something known is on another day now."""
    return scene.has("moved")


def search(candidate: Candidate, scene: Scene) -> Wanted:
    """Look for what the candidate contradicts."""
    angles: list[dict[str, Any]] = [{"kind": "meaning", "query": candidate.text}]
    correction = scene.heard.correction
    if correction is not None and correction.wrong:
        angles.append({"kind": "theme", "query": f"{candidate.text} {correction.wrong}"})
    names = [name for name in (candidate.subject, *candidate.people) if name]
    if names:
        angles.append({"kind": "person", "query": candidate.text, "names": names})
    return searching(angles)


def search_correction(scene: Scene) -> Wanted:
    """Look for what a bare correction ("no, twelve") is about: the words before tell."""
    query = f"{scene.said_before} {scene.said}".strip()
    return searching([{"kind": "meaning", "query": query}])


def calls(candidate: Candidate, arguments: dict[str, Any], scene: Scene) -> list[Wanted]:
    """Keep the candidate in place of what it contradicts."""
    old = replaced(candidate.text, scene)
    arguments = arguments | {"text": _without_the_denied(candidate.text, scene)}
    if old is None:
        return [Wanted("create_card", arguments)]
    correction = scene.heard.correction
    wrong = correction.wrong if correction is not None else ""
    right = (correction.right if correction is not None else "") or candidate.value
    if candidate.category == Category.EVENT:
        if old.get("category") == "event" and old.get("when") and arguments.get("when"):
            return [
                Wanted("update_card", {"card": old["id"], "when": _moment(arguments["when"], old, scene)})
            ]
        if old.get("category") != "fact" or not (wrong or _mentions(str(old.get("text") or ""), scene)):
            return [Wanted("create_card", arguments)]
        return [Wanted("create_card", _as_fact(candidate, arguments, old, scene) | {"supersedes": old["id"]})]
    new_hour = _new_hour(candidate.text, old, scene)
    if new_hour is not None:
        event = {"category": "event", "text": arguments["text"], "when": new_hour, "supersedes": old["id"]}
        return [Wanted("create_card", event | {"people": list(map(str, old.get("people") or ()))})]
    is_person = old.get("category") == "person"
    if is_person and wrong and not _is_alike(wrong, right) and candidate.value:
        right = candidate.value  # "she's twelve, not eleven": only the age is put right
    if is_person and wrong and right and _holds(old, wrong) and _is_alike(wrong, right):
        if any(fold(wrong) in fold(str(name)) for name in old.get("people") or ()):
            return [Wanted("create_card", _renamed(old, wrong, right) | {"supersedes": old["id"]})]
        return [Wanted("update_card", _put_right(old, wrong, right))]
    if old.get("subject") and not arguments.get("subject"):
        arguments = arguments | {"subject": old["subject"]}
    return [Wanted("create_card", arguments | {"supersedes": old["id"]})]


def _new_hour(text: str, old: Json, scene: Scene) -> dict[str, Any] | None:
    """The moment of an event whose hour alone is put right ("it's at half two, not half one"); else None."""
    held = when_of(old.get("when"), scene.zone)
    hours = [m for m in _mentions(text, scene) if m.time is not None and not m.has_date and not m.rrule]
    if old.get("category") != "event" or held is None or held.rrule or len(hours) != 1:
        return None
    time = hours[0].time
    start = datetime.combine(held.start.date(), time) if time is not None else held.start
    return when_json(replace(held, start=start, all_day=False))


def _moment(new: dict[str, Any], old: Json, scene: Scene) -> dict[str, Any]:
    """The new day with the old hour when the message says no hour of its own."""
    before = when_of(old.get("when"), scene.zone)
    after = when_of(new, scene.zone)
    if before is None or after is None or before.all_day or not after.all_day:
        return new
    start = datetime.combine(after.start.date(), before.start.time())
    return when_json(replace(after, start=start, all_day=False))


def _as_fact(candidate: Candidate, arguments: dict[str, Any], old: Json, scene: Scene) -> dict[str, Any]:
    """A dated statement that corrects a fact, as a fact again: with its day in its words."""
    start, end = candidate.span
    said = sentence(scene.said[start:end]).rstrip(".")
    text = _with_new_moment(str(old.get("text") or ""), scene) or _without_the_denied(said, scene)
    kept = {key: value for key, value in arguments.items() if key not in ("when", "category", "text")}
    return {"category": "fact", "text": text, **kept}


def _with_new_moment(old: str, scene: Scene) -> str:
    """The old words with the moment that the message names in place of theirs; "" when one has none."""
    before = _mentions(old, scene)
    said = _without_the_denied(scene.said, scene)
    after = _mentions(said, scene)
    if not before or not after:
        return ""
    (start, end), (first, last) = before[0].span, after[0].span
    return old[:start] + said[first:last] + old[end:]


def _mentions(text: str, scene: Scene) -> list[TimeMention]:
    return sorted(find_times(text, language=scene.language, now=scene.now), key=lambda mention: mention.span)


def _without_the_denied(text: str, scene: Scene) -> str:
    """The statement without the part that only denies the wrong value: ", not Tuesday"."""
    wrong = fold(scene.heard.correction.wrong) if scene.heard.correction is not None else ""
    if not wrong:
        return text
    first, *rest = text.split(",")
    kept = [part for part in rest if not (wrong in fold(part) and _denies(part, scene))]
    return ",".join([first, *kept]).strip()


def _denies(text: str, scene: Scene) -> bool:
    return bool(set(words(fold(text))) & scene.phrases.voice.negation)


def _is_alike(wrong: str, right: str) -> bool:
    """Whether one value can stand in the other's place: of one kind, and as short."""
    digits = any(c.isdigit() for c in wrong) == any(c.isdigit() for c in right)
    return digits and len(right.split()) <= len(wrong.split()) + 1 and right[:1].isalnum()


def correction_calls(scene: Scene) -> Sequence[Wanted]:
    """Put a bare correction right in the card that holds the wrong value."""
    correction = scene.heard.correction
    if correction is None or not correction.wrong or not correction.right:
        return ()
    if not _is_alike(correction.wrong, correction.right):
        return ()
    old = next((card for card in scene.found if _holds(card, correction.wrong)), None)
    return [Wanted("update_card", _put_right(old, correction.wrong, correction.right))] if old else ()


def replaced(text: str, scene: Scene) -> Json | None:
    """The card that a new statement contradicts: it holds the wrong value, or speaks of the same thing."""
    correction = scene.heard.correction
    made_now = {done.result.get("card") for done in scene.results("create_card")}
    found = [
        card
        for card in scene.found
        if card.get("category") in _KNOWN and card.get("text") != text and card.get("id") not in made_now
    ]
    if correction is not None and correction.wrong:
        wrong = [card for card in found if _holds(card, correction.wrong)]
        if wrong:
            return _closest(text, wrong, scene) or _closest(scene.said, wrong, scene)
    old = _closest(text, found, scene)
    if correction is None and not scene.phrases.cue("no_longer", scene.folded):
        # "No, ..." alone may contradict anything: only a card that says nearly the same gives way.
        return old if old is not None and _is_nearly(text, old, scene) else None
    return old or _closest(scene.said, found, scene)


def _is_nearly(text: str, card: Json, scene: Scene) -> bool:
    own = set(terms(str(card.get("text") or ""), scene.language))
    return len(own & set(terms(text, scene.language))) * 2 >= max(2, len(own))


def _closest(text: str, cards: Sequence[Json], scene: Scene) -> Json | None:
    """The card that shares most words with the statement; none shared is no match."""
    mine = set(terms(text, scene.language))
    names = {part for name, _ in scene.request.known_people for part in fold(name).split()}
    best: tuple[float, Json] | None = None
    rows = scene.embedder.encode([text, *(card_text(card) for card in cards)])
    for card, meaning in zip(cards, rows[1:] @ rows[0], strict=True):
        own = set(terms(str(card.get("text") or ""), scene.language))
        shared = {word for word in mine & own if word not in names}
        shared |= {word for word in mine if len(word) >= 5 and any(word in other for other in own)}
        if not shared and _same_matter(text, card, scene, mine & own):
            shared = mine & own
        if not shared:
            continue
        score = len(shared) / (len(own) or 1) + float(meaning)
        if best is None or score > best[0]:
            best = score, card
    return best[1] if best else None


def _same_matter(text: str, card: Json, scene: Scene, shared: set[str]) -> bool:
    """Whether a statement and a card speak of one person and one topic: "doesn't live with us", "lodger"."""
    if not shared or card.get("category") != "person":
        return False
    return bool(topics(text, scene.language) & topics(card_text(card), scene.language))


def _holds(card: Json, value: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(fold(value))}(?!\w)", fold(card_text(card))) is not None


def _renamed(card: Json, wrong: str, right: str) -> dict[str, Any]:
    """A person's card under the right name."""
    pattern = re.compile(rf"(?<!\w){re.escape(wrong)}(?!\w)", re.IGNORECASE)
    names = [pattern.sub(right, str(name)) for name in card.get("people") or ()]
    changed: dict[str, Any] = {"category": "person", "text": pattern.sub(right, str(card.get("text") or ""))}
    changed |= {"people": names, "relation": str(card.get("relation") or "")}
    return changed


def _put_right(card: Json, wrong: str, right: str) -> dict[str, Any]:
    pattern = re.compile(rf"(?<!\w){re.escape(wrong)}(?!\w)", re.IGNORECASE)
    changed: dict[str, Any] = {"card": card["id"], "text": pattern.sub(right, str(card.get("text") or ""))}
    if fold(str(card.get("value") or "")) == fold(wrong):
        changed["value"] = right
    return changed
