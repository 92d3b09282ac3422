"""One moment of a turn, read from the request: what was said, heard and already done in it.

The built-in model keeps no state. Each call rebuilds the scene from the request,
so that a lost connection, another process or a restart changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from memory.language import detect, fold
from memory.listening import Heard, KnownPerson, is_order, listen, own_words
from memory.llm.embedded.phrases import Phrases, phrases
from memory.llm.interface import Message, ModelRequest, ToolCall
from memory.records import When

Json = Mapping[str, Any]


class Embeds(Protocol):
    """What the model needs of an embedder: unit rows for texts."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


@dataclass(frozen=True)
class Done:
    """One tool call of this turn, with its result."""

    call: ToolCall
    result: Json

    @property
    def ok(self) -> bool:
        """Whether the tool did what it was asked."""
        return bool(self.result.get("ok", "error" not in self.result))


@dataclass(frozen=True)
class Scene:
    """Everything that the answer depends on."""

    request: ModelRequest
    message: str  # with everything in it
    said: str  # the person's own words in it, each in its place: what was pasted is blank
    message_before: str  # "" at the beginning
    said_before: str  # the person's own words in the message before
    answered_before: str  # the assistant's answer to it
    done: tuple[Done, ...]
    heard: Heard
    phrases: Phrases
    embedder: Embeds

    @property
    def now(self) -> datetime:
        """Aware, in the person's zone."""
        return self.request.now

    @property
    def zone(self) -> str:
        return self.request.zone

    @property
    def language(self) -> str:
        """The language of the message, which is the one to answer in."""
        return self.phrases.language

    @property
    def speaker(self) -> str:
        """Who speaks from this message on: a guest's name, "" is the owner."""
        changed = self.heard.speaker_change
        return self.request.speaker if changed is None else changed

    @cached_property
    def cited(self) -> list[str]:
        """Short ids of the found cards that the answer rests on so far."""
        return []

    def cite(self, cards: Iterable[Json]) -> None:
        """Note that the answer rests on these cards, of which only found ones have a short id."""
        self.cited.extend(
            short for card in cards if (short := str(card.get("short") or "")) and short not in self.cited
        )

    @cached_property
    def doubted(self) -> list[Json]:
        """Cards whose worth is in doubt and that the answer states as so."""
        return []

    def rest_on(self, cards: Sequence[Json]) -> None:
        """Note that the answer states these cards as so."""
        self.cite(cards)
        self.doubted.extend(card for card in cards if card.get("suspect"))

    @cached_property
    def memo(self) -> dict[str, Any]:
        """What a part has worked out of this scene, so that it does so once."""
        return {}

    @cached_property
    def folded(self) -> str:
        return fold(self.said)

    @property
    def pending(self) -> tuple[str, Json]:
        """What the assistant waits for ("time", "which" ...; "" is nothing) and what it needs to go on."""
        pending = self.request.pending
        data = pending.get("data")
        return str(pending.get("ask", "")), data if isinstance(data, Mapping) else pending

    def say(self, key: str, **slots: str) -> str:
        """A phrase in the person's language; the variant follows from what was said."""
        return self.phrases.say(key, seed=self.said, **slots)

    def has(self, cue: str) -> bool:
        """Whether the message holds a cue."""
        return self.phrases.cue(cue, self.folded) is not None

    def results(self, name: str, *, stage: str = "") -> tuple[Done, ...]:
        """What came back from a tool in this turn, in order."""
        return tuple(
            done for done in self.done if done.call.name == name and done.call.call_id.startswith(stage)
        )

    def reached(self, stage: str) -> bool:
        """Whether the calls of a stage were made."""
        return any(done.call.call_id.startswith(stage) for done in self.done)

    @property
    def found(self) -> tuple[Json, ...]:
        """Cards of this turn's searches, best first, each once; an old pasted order is no answer."""
        return _unique(
            card
            for done in self.results("search_memory")
            for card in done.result.get("cards", ())
            if not is_order(str(card.get("text") or ""))
        )

    @property
    def found_talks(self) -> tuple[Json, ...]:
        """Earlier exchanges that this turn's searches found, best first."""
        return tuple(talk for done in self.results("search_memory") for talk in done.result.get("talks", ()))

    def block(self, name: str) -> tuple[Json, ...]:
        """One source of the overview."""
        entries = self.request.blocks.get(name) or ()
        return tuple(entry for entry in entries if isinstance(entry, Mapping))

    def is_missing(self, source: str) -> bool:
        """Whether a source of the overview failed or was late this turn."""
        return source in (self.request.blocks.get("missing") or {})

    def cards_at_hand(self) -> tuple[Json, ...]:
        """Cards that the overview already shows."""
        return _unique(card for name in ("warm", "lately", "sample") for card in self.block(name))


def read(request: ModelRequest, embedder: Embeds) -> Scene:
    """The scene of a request."""
    at = _present(request.messages)
    message = request.messages[at].text if at is not None else ""
    earlier = request.messages[:at] if at is not None else ()
    message_before = next((m.text for m in reversed(earlier) if m.role == "user" and m.text), "")
    answered_before = next((m.text for m in reversed(earlier) if m.role == "assistant" and m.text), "")
    said, said_before = own_words(message), own_words(message_before)
    language = detect(said if said.strip() else message, hint=request.language)
    heard = listen(
        message,
        language=language,
        now=request.now,
        zone=request.zone,
        known=tuple(KnownPerson(name=name, relation=relation) for name, relation in request.known_people),
        speaker=request.speaker,
        pending=request.pending or None,
        previous=message_before,
    )
    return Scene(
        request=request,
        message=message,
        said=said,
        message_before=message_before,
        said_before=said_before,
        answered_before=answered_before,
        done=_done(request.messages[at + 1 :] if at is not None else ()),
        heard=heard,
        phrases=phrases(language),
        embedder=embedder,
    )


def _present(messages: Sequence[Message]) -> int | None:
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].role == "user" and not messages[at].results:
            return at
    return None


def _done(messages: Sequence[Message]) -> tuple[Done, ...]:
    calls = {call.call_id: call for message in messages for call in message.calls}
    return tuple(
        Done(calls[result.call_id], result.result)
        for message in messages
        for result in message.results
        if result.call_id in calls
    )


def _unique(cards: Iterable[Json]) -> tuple[Json, ...]:
    seen: dict[str, Json] = {}
    for card in cards:
        seen.setdefault(str(card.get("id", card.get("text", ""))), card)
    return tuple(seen.values())


def when_json(when: When) -> dict[str, Any]:
    """A moment as tools take it."""
    data: dict[str, Any] = {"start": when.start.isoformat(timespec="minutes"), "zone": when.zone}
    if when.all_day:
        data["all_day"] = True
    if when.end is not None:
        data["end"] = when.end.isoformat(timespec="minutes")
    if when.rrule:
        data["rrule"] = when.rrule
    return data


def when_of(data: Any, zone: str) -> When | None:
    """A moment as tools give it, or None when there is none or it cannot be read."""
    if isinstance(data, When):
        return data
    if not isinstance(data, Mapping) or not data.get("start"):
        return None
    try:
        start = datetime.fromisoformat(str(data["start"]))
        end = datetime.fromisoformat(str(data["end"])) if data.get("end") else None
    except ValueError:
        return None
    return When(
        start=start.replace(tzinfo=None),
        zone=str(data.get("zone") or zone),
        all_day=bool(data.get("all_day")),
        end=end.replace(tzinfo=None) if end else None,
        rrule=str(data["rrule"]) if data.get("rrule") else None,
        exdates=tuple(datetime.fromisoformat(str(each)) for each in data.get("exdates") or ()),
    )


def name_of(card: Json) -> str:
    """The name on a person's card, "" when it holds none."""
    start = str(card.get("text") or "").split(",")[0].strip()
    people = [str(name) for name in card.get("people") or ()]
    if str(card.get("attribute") or "").startswith(("name", "relation")) and card.get("value"):
        return str(card["value"])
    if start[:1].isupper() and len(start.split()) <= 4 and "," in str(card.get("text")):
        return start
    return people[0] if people else ""
