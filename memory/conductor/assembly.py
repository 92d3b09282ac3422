"""What one turn is given: the sources asked, the thread read, and both noted in the trace."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from sqlalchemy.orm import Session

from memory.conductor.parts import Parts
from memory.overview import Overview, gather, pack, sources_for, tokens_of
from memory.overview.blocks import PEOPLE, RULES, SETTLED, Block
from memory.overview.interrupted import done
from memory.records import Conversation, Person, Turn, TurnState
from memory.storage import turns as turn_rows

History = Sequence[tuple[Turn, Sequence[str]]]


@dataclass(frozen=True, kw_only=True)
class Assembled:
    """What the model is given besides the message, and the trace of it."""

    overview: Overview
    known_people: tuple[tuple[str, str], ...]  # (name, relation), last mentioned first
    trace: dict[str, Any]


def read_history(session: Session, turn: Turn) -> History:
    """The earlier turns of a turn's conversation, oldest first, each with what it did if it broke off."""
    return [
        (each, done(session, each) if each.state is TurnState.INTERRUPTED else ())
        for each in turn_rows.of_conversation(session, turn.conversation_id)
        if each.id < turn.id and each.state not in (TurnState.WAITING, TurnState.RUNNING)
    ]


def assemble(
    parts: Parts,
    turn: Turn,
    *,
    person: Person,
    conversation: Conversation,
    history: History,
    model: str,
    pool: Executor,
) -> Assembled:
    """Ask all sources, keep what answers, cut it to the budget, and note what the model will be given."""
    started = perf_counter()
    gathered = gather(
        sources_for(
            person,
            language=turn.language,
            zone=turn.zone,
            now=parts.clock(),
            guest=bool(conversation.speaker),
            keys=parts.keys,
        ),
        engine=parts.engine,
        executor=pool,
        deadline_s=parts.settings.overview_deadline_s,
    )
    people = next((block for block in gathered.blocks if block.source == PEOPLE), Block(source=PEOPLE))
    blocks = pack(
        [block for block in gathered.blocks if block.source != PEOPLE], parts.settings.overview_tokens
    )
    trace = _trace(blocks, gathered.missing, people=len(people.entries), history=history)
    trace["model"] = model
    trace["timings_ms"] = {
        "assembly": round((perf_counter() - started) * 1000, 1),
        **{f"source:{name}": round(took, 1) for name, took in gathered.timings_ms.items()},
    }
    if conversation.pending:
        trace["pending"] = dict(conversation.pending)  # open again when this turn is said anew
    return Assembled(
        overview=Overview(blocks=blocks, missing=gathered.missing),
        known_people=tuple((entry.data["name"], entry.data["relation"]) for entry in people.entries),
        trace=trace,
    )


def _trace(blocks: Sequence[Block], missing: Any, *, people: int, history: History) -> dict[str, Any]:
    """Counts, sizes and ids: the words themselves are looked up when somebody may see them."""
    return {
        "sources": {**{block.source: len(block.entries) for block in blocks}, PEOPLE: people},
        "missing": dict(missing),
        "tokens": {
            block.source: sum(entry.tokens or tokens_of(entry.text) for entry in block.entries)
            for block in blocks
        },
        "given": {
            block.source: [entry.key.partition(":")[2] for entry in block.entries]
            for block in blocks
            if block.entries and block.source not in (SETTLED, RULES)
        },
        "history": len(history),
        "tools": [],
    }


def figures(trace: dict[str, Any]) -> dict[str, Any]:
    """A trace as numbers and names of parts for one log line: no text, no name, no code."""
    timings = trace.get("timings_ms", {})
    return {
        "model": trace.get("model", ""),
        "sources": trace.get("sources", {}),
        "missing": trace.get("missing", {}),
        "tokens": sum(trace.get("tokens", {}).values()),
        "history": trace.get("history", 0),
        "calls": trace.get("calls", 0),
        "retried": trace.get("retried", False),
        "tools": len(trace.get("tools", ())),
        "found": trace.get("found", 0),
        "used": trace.get("used", 0),
        "failure": trace.get("failure_kind", ""),
        "ms": {name: timings[name] for name in ("assembly", "model", "total") if name in timings},
    }
