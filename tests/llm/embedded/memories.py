"""A small memory in a list, with the tools of the conductor over it, and a conversation that plays turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from memory.embedding import Embedder
from memory.language import detect, fold, terms
from memory.llm.embedded import EmbeddedModel
from memory.llm.interface import Message, ModelRequest, TextDelta, ToolCall, ToolResult

MONDAY = datetime.fromisoformat("2026-06-08T10:00:00+01:00")
_SILENT = ("fact", "person")
_NEAR = 0.33  # cosine from which the fake search calls a card relevant


@cache
def embedder() -> Embedder:
    """One embedder for all tests: loading takes a second."""
    return Embedder()


def card(category: str, text: str, **fields: Any) -> dict[str, Any]:
    """A stored card."""
    return {"category": category, "text": text, "status": "active", **fields}


@dataclass
class Memory:
    """Cards of one person, with the tools as the conductor offers them."""

    cards: list[dict[str, Any]] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    speaker: str = ""
    pending: dict[str, Any] = field(default_factory=dict)
    human: str = ""
    talks: list[dict[str, Any]] = field(default_factory=list)
    broken: frozenset[str] = frozenset()  # tools that fail

    def add(self, cards: Iterable[Mapping[str, Any]]) -> None:
        for each in cards:
            self._store(dict(each))

    def _store(self, new: dict[str, Any]) -> dict[str, Any]:
        number = len(self.cards) + 1
        new = {
            "id": f"card-{number}",
            "status": "active",
            "learned": f"2026-01-01T00:00:{number % 60:02}",
            **new,
        }
        self.cards.append(new)
        return new

    @property
    def active(self) -> list[dict[str, Any]]:
        return [each for each in self.cards if each["status"] == "active"]

    def run(self, call: ToolCall, now: datetime) -> dict[str, Any]:
        """Do what the tool does."""
        if call.name in self.broken:  # as the conductor answers when a tool raises
            return {"ok": False, "error": "unavailable"}
        tool = getattr(self, f"_tool_{call.name}")
        result: dict[str, Any] = tool(dict(call.arguments), now)
        return result

    def _tool_create_card(self, given: dict[str, Any], now: datetime) -> dict[str, Any]:
        replaced = given.pop("supersedes", None)
        for old in self.active:
            same = {key: old.get(key, "") == given.get(key, "") for key in ("subject", "attribute", "value")}
            if fold(old["text"]) == fold(given["text"]) and old.get("when") == given.get("when"):
                return {"ok": True, "card": old["id"], "visible": False, "outcome": "merged"}
            if given.get("attribute") and same["subject"] and same["attribute"] and not same["value"]:
                replaced = replaced or old["id"]
        gone = [old for old in self.cards if old["id"] == replaced]
        for old in gone:
            old["status"] = "superseded"
        visible = given["category"] not in _SILENT and not (
            given["category"] == "event"
            and given.get("when", {}).get("start", "9") < now.replace(tzinfo=None).isoformat()
        )
        new = self._store(given | {"visible": visible, "learned": now.isoformat()})
        return {
            "ok": True,
            "card": new["id"],
            "visible": visible,
            "superseded": [old["text"] for old in gone],
        }

    def _tool_update_card(self, given: dict[str, Any], now: datetime) -> dict[str, Any]:
        wanted = given.pop("card")
        found = [each for each in self.active if each["id"] == wanted]
        if not found:
            return {"ok": False, "error": "no such card"}
        found[0].update(given)
        return {"ok": True, "card": found[0]["id"]}

    def _tool_forget(self, given: dict[str, Any], now: datetime) -> dict[str, Any]:
        found = [each for each in self.active if each["id"] in given["cards"]]
        for each in found:
            each["status"] = "forgotten"
        return {"ok": True, "forgotten": len(found)}

    def _tool_search_memory(self, given: dict[str, Any], now: datetime) -> dict[str, Any]:
        scores: dict[str, float] = {}
        for angle in given["angles"]:
            for each, score in self._scored(str(angle["query"]), angle.get("names") or ()):
                scores[each["id"]] = max(scores.get(each["id"], 0.0), score)
        ranked = sorted(self.active, key=lambda each: -scores[each["id"]])[:8]
        cards = [
            {key: value for key, value in each.items() if key != "status"}
            | {"short": f"c{at}", "score": scores[each["id"]], "relevant": scores[each["id"]] >= _NEAR}
            for at, each in enumerate(ranked, start=1)
        ]
        return {"cards": cards, "talks": self.talks if given.get("talks") else []}

    def _scored(self, query: str, names: Iterable[str]) -> list[tuple[dict[str, Any], float]]:
        if not self.active:
            return []
        language = detect(query, hint="en")
        texts = [f"{each['text']} {' '.join(each.get('people', ()))}" for each in self.active]
        rows = embedder().encode([query, *texts])
        wanted = set(terms(query, language))
        scored = []
        for each, text, meaning in zip(self.active, texts, rows[1:] @ rows[0], strict=True):
            shared = len(wanted & set(terms(text, language))) / (len(wanted) or 1)
            named = any(fold(name) in fold(text) for name in names)
            scored.append((each, float(meaning) + 0.5 * shared + (0.3 if named else 0.0)))
        return scored

    def _tool_ask_back(self, given: dict[str, Any], now: datetime) -> dict[str, Any]:
        self.pending = {"ask": given["ask"], **given["data"]}
        return {"ok": True}

    def _tool_set_rule(self, given: dict[str, Any], now: datetime) -> dict[str, Any]:
        self.rules.append(given["text"])
        return {"ok": True}

    def _tool_set_speaker(self, given: dict[str, Any], now: datetime) -> dict[str, Any]:
        self.speaker = given["name"]
        return {"ok": True}

    def _tool_ask_for_human(self, given: dict[str, Any], now: datetime) -> dict[str, Any]:
        self.human = given["reason"]
        return {"ok": True}


@dataclass
class Talk:
    """A conversation with the built-in model over a memory."""

    language: str = "en"
    zone: str = "Europe/London"
    now: datetime = MONDAY
    memory: Memory = field(default_factory=Memory)
    blocks: dict[str, Any] = field(default_factory=dict)
    name: str = "Nadia"
    settled: str = ""
    messages: list[Message] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)  # of the last turn

    def known_people(self) -> tuple[tuple[str, str], ...]:
        found = {}
        for each in self.memory.active:
            if each["category"] == "person":
                parts = [part.strip() for part in each["text"].split(",")]
                found[parts[0]] = each.get("relation") or (parts[1] if len(parts) > 1 else "")
        return tuple(found.items())

    def request(self) -> ModelRequest:
        return ModelRequest(
            instructions="",
            overview="",
            settled=self.settled,
            messages=tuple(self.messages),
            tools=(),
            language=self.language,
            zone=self.zone,
            now=self.now,
            name=self.name,
            speaker=self.memory.speaker,
            known_people=self.known_people(),
            pending=self._pending,
            blocks=self.blocks,
        )

    def say(self, text: str) -> str:
        """Play one turn; the answer."""
        self.language = detect(text, hint=self.language)
        self.messages.append(Message(role="user", text=text))
        self.calls = []
        self._pending, self.memory.pending = self.memory.pending, {}
        model = EmbeddedModel(embedder())
        for _ in range(5):
            events = list(model.stream(self.request()))
            calls = tuple(event for event in events if isinstance(event, ToolCall))
            answer = "".join(event.text for event in events if isinstance(event, TextDelta))
            answer = re.sub(r" \[c\d+(?:, c\d+)*\]$", "", answer)  # the gate takes citations out
            if not calls:
                self.messages = [m for m in self.messages if not m.calls and not m.results]
                self.messages.append(Message(role="assistant", text=answer))
                self.now += timedelta(minutes=1)
                return answer
            self.calls.extend(calls)
            results = tuple(
                ToolResult(call_id=c.call_id, name=c.name, result=self.memory.run(c, self.now)) for c in calls
            )
            self.messages.append(Message(role="assistant", calls=calls))
            self.messages.append(Message(role="user", results=results))
        raise AssertionError("the model never answered")

    _pending: dict[str, Any] = field(default_factory=dict)
