"""Runs one claimed turn from the overview to the stored answer."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from sqlalchemy import Engine

from memory.cards.recall import CardCache
from memory.clock import Clock
from memory.conductor.announcements import SilentKeeping, asks_if_kept
from memory.conductor.calling import call_model
from memory.conductor.citations import Citations
from memory.conductor.gate import Check, Gate, GateView
from memory.conductor.phrases import phrase
from memory.conductor.prompt import build_request
from memory.conductor.tools import ToolContext, read_known, run_tool, specs
from memory.conductor.turn import (
    Ask,
    CallFailed,
    Claimed,
    Finish,
    Happening,
    Pause,
    Paused,
    Progress,
    RunTools,
    Stopped,
    ToolsRan,
    advance,
    begin,
)
from memory.config import Settings
from memory.decisions.schema import Keys
from memory.embedding import Embedder
from memory.frames import Frames
from memory.llm.interface import Message, Model, ToolCall, ToolResult
from memory.overview import Overview, gather, pack, sources_for, tokens_of
from memory.queue import JobName, JobQueue
from memory.records import Card, Conversation, Person, Turn, TurnState
from memory.storage import cards as card_rows
from memory.storage import conversations as conversation_rows
from memory.storage import figures as figure_rows
from memory.storage import leases, tool_calls
from memory.storage import people as people_rows
from memory.storage import retrievals as retrieval_rows
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction
from memory.storage.figures import Figure

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What the conductor works with."""

    settings: Settings
    clock: Clock
    engine: Engine
    frames: Frames
    queue: JobQueue
    embedder: Embedder
    cache: CardCache
    keys: Keys
    model: Callable[[], Model]  # asked anew each turn, so that a connected model holds from the next one


@dataclass
class _Running:
    """One turn while it runs."""

    parts: Parts
    owner: str
    person: Person
    conversation: Conversation
    turn: Turn
    stop: threading.Event
    gate: Gate
    citations: Citations
    tools: ToolContext
    model: Model
    overview: Overview = field(default_factory=lambda: Overview(blocks=()))
    exchange: list[Message] = field(default_factory=list)
    history: Sequence[tuple[Turn, Sequence[str]]] = ()
    known: Sequence[tuple[str, str]] = ()
    trace: dict[str, Any] = field(default_factory=dict)
    call_text: str = ""
    failure: str = ""


def run_turn(
    parts: Parts,
    turn: Turn,
    *,
    owner: str,
    stop: threading.Event,
    pool: Executor,
    checks: Sequence[Check] = (),
) -> None:
    """Run a claimed turn to its end; whatever fails ends in a sentence, a reason and no lost words."""
    started = perf_counter()
    try:
        running = _prepare(parts, turn, owner=owner, stop=stop, checks=checks)
    # Broad on purpose: as below; without its parts the turn can still end with a sentence.
    except Exception as error:
        log.exception("turn not prepared", extra={"turn_id": turn.id})
        _fail(parts, turn, owner=owner, reason=type(error).__name__)
        return
    if running.conversation.handled_by is not None:
        _finish(running, Finish(state=TurnState.WITH_HUMAN))
        return
    try:
        _assemble(running, pool)
        progress = _loop(running)
        running.trace["timings_ms"]["total"] = round((perf_counter() - started) * 1000, 1)
        running.trace |= {"calls": progress.calls, "retried": progress.retried}
        assert isinstance(progress.step, Finish)  # noqa: S101 (what the loop ends on)
        _finish(running, progress.step)
    # Broad on purpose: a bug must end the turn with a sentence, not leave it running for ever.
    except Exception as error:
        log.exception("turn failed", extra={"turn_id": turn.id})
        running.failure = type(error).__name__
        _finish(running, Finish(state=TurnState.FAILED, emergency="error"))


def _fail(parts: Parts, turn: Turn, *, owner: str, reason: str) -> None:
    """End a turn that could not even begin."""
    answer = phrase("error", turn.language)
    with transaction(parts.engine) as session:
        now = parts.clock()
        if not leases.finish(
            session,
            turn.id,
            owner=owner,
            state=TurnState.FAILED,
            answer=answer,
            trace={"failure": reason},
            kept=(),
            error=reason,
            now=now,
        ):
            return
        figure_rows.add(session, Figure.FAILURES, now=now)
        parts.frames.add(
            session,
            person_id=turn.person_id,
            kind="answered",
            body={"answer": answer, "state": "failed", "at": now.isoformat(timespec="seconds")},
            now=now,
            conversation_id=turn.conversation_id,
            turn_id=turn.id,
        )
    parts.frames.wake(turn.person_id)


def _prepare(
    parts: Parts, turn: Turn, *, owner: str, stop: threading.Event, checks: Sequence[Check]
) -> _Running:
    with reading(parts.engine) as session:
        person = people_rows.by_id(session, turn.person_id)
        conversation = conversation_rows.by_id(session, turn.conversation_id)
    citations = Citations()
    return _Running(
        parts=parts,
        owner=owner,
        person=person,
        conversation=conversation,
        turn=turn,
        stop=stop,
        gate=Gate([SilentKeeping(), *checks, citations], fallback=phrase("fallback", turn.language)),
        citations=citations,
        tools=ToolContext(
            engine=parts.engine,
            embedder=parts.embedder,
            cache=parts.cache,
            person=person,
            conversation=conversation,
            turn=turn,
            language=turn.language,
            zone=turn.zone,
            clock=parts.clock,
            keys=parts.keys,
        ),
        model=parts.model(),
    )


def _assemble(running: _Running, pool: Executor) -> None:
    """Ask the sources, read the thread, and note what the model will be given."""
    parts, turn, settings = running.parts, running.turn, running.parts.settings
    started = perf_counter()
    gathered = gather(
        sources_for(
            running.person,
            language=turn.language,
            zone=turn.zone,
            now=parts.clock(),
            guest=bool(running.conversation.speaker),
            keys=parts.keys,
        ),
        engine=parts.engine,
        executor=pool,
        deadline_s=settings.overview_deadline_s,
    )
    blocks = pack(gathered.blocks, settings.overview_tokens)
    running.overview = Overview(blocks=blocks, missing=gathered.missing)
    with reading(parts.engine) as session:
        earlier = [
            each
            for each in turn_rows.of_conversation(session, turn.conversation_id)
            if each.id < turn.id and each.state not in (TurnState.WAITING, TurnState.RUNNING)
        ]
        running.history = [
            (each, _done(session, each) if each.state is TurnState.INTERRUPTED else ()) for each in earlier
        ]
    running.tools.proposed = next((each.answer for each in reversed(earlier) if each.answer), "")
    running.known = read_known(parts.engine, running.person.id)
    running.trace = {
        "sources": {block.source: len(block.entries) for block in blocks},
        "missing": dict(gathered.missing),
        "tokens": {
            block.source: sum(entry.tokens or tokens_of(entry.text) for entry in block.entries)
            for block in blocks
        },
        "history": len(running.history),
        "model": running.model.label,
        "tools": [],
        "timings_ms": {
            "assembly": round((perf_counter() - started) * 1000, 1),
            **{f"source:{name}": round(took, 1) for name, took in gathered.timings_ms.items()},
        },
    }


def _done(session: Any, turn: Turn) -> list[str]:
    """What the tools of a broken-off turn did, told truthfully from the store."""
    done = []
    for name, result in tool_calls.of_turn(session, turn.id):
        if not result.get("ok") or "card" not in result:
            continue
        try:
            card = card_rows.by_public_id(session, turn.person_id, result["card"])
        except Exception:  # noqa: S112 (a card forgotten since: then nothing of it is told)
            continue
        done.append(f"{name}: {card.category.value} “{card.text}”")
    return done


def _loop(running: _Running) -> Progress:
    progress = begin()
    while not isinstance(progress.step, Finish):
        match progress.step:
            case Ask(tools=tools):
                progress = advance(progress, _ask(running, with_tools=tools))
            case Pause():
                stopped = running.stop.wait(running.parts.settings.retry_pause_s)
                progress = advance(progress, Stopped() if stopped else Paused())
            case RunTools(calls=calls):
                _run_tools(running, calls)
                progress = advance(progress, Stopped() if running.stop.is_set() else ToolsRan())
    return progress


def _ask(running: _Running, *, with_tools: bool) -> Happening:
    turn = running.turn
    request = build_request(
        person=running.person,
        conversation=running.conversation,
        turn=turn,
        history=running.history,
        overview=running.overview,
        exchange=running.exchange,
        tools=specs() if with_tools else (),
        known_people=running.known,
        language=turn.language,
        zone=turn.zone,
        now=running.parts.clock(),
        keys=running.parts.keys,
    )
    running.call_text = ""
    started = perf_counter()
    happened = call_model(
        running.model,
        request,
        timeout_s=running.parts.settings.model_timeout_s,
        stopped=running.stop.is_set,
        on_text=lambda delta: _hear(running, delta),
    )
    running.trace["timings_ms"].setdefault("model", 0.0)
    running.trace["timings_ms"]["model"] += round((perf_counter() - started) * 1000, 1)
    if isinstance(happened, CallFailed):
        running.failure = str(happened.error)
    return happened


def _hear(running: _Running, delta: str) -> Claimed | None:
    running.call_text += delta
    return _release(running, running.gate.feed(delta, _view(running)))


def _release(running: _Running, text: str) -> Claimed | None:
    """Show checked text: the claim of a human is looked at again in the transaction that shows it."""
    if not text:
        return None
    parts, turn = running.parts, running.turn
    with transaction(parts.engine) as session:
        if conversation_rows.held_by(session, turn.conversation_id) is not None:
            running.gate.take_back(text)
            return Claimed()
        if not leases.save_progress(session, turn.id, owner=running.owner, answer=running.gate.released):
            running.gate.take_back(text)
            running.stop.set()  # the lease was lost: another process told the person already
            return None
        parts.frames.add(
            session,
            person_id=turn.person_id,
            kind="text",
            body={"delta": text},
            now=parts.clock(),
            conversation_id=turn.conversation_id,
            turn_id=turn.id,
        )
    parts.frames.wake(turn.person_id)
    return None


def _run_tools(running: _Running, calls: Sequence[ToolCall]) -> None:
    results = []
    for call in calls:
        if running.stop.is_set():
            break
        result = run_tool(running.tools, call)
        running.trace["tools"].append(call.name if result.get("ok") else f"{call.name}!")
        results.append(ToolResult(call_id=call.call_id, name=call.name, result=result))
    answered = {result.call_id for result in results}
    asked = tuple(call for call in calls if call.call_id in answered)
    running.exchange.append(Message(role="assistant", text=running.call_text, calls=asked))
    running.exchange.append(Message(role="user", results=tuple(results)))


def _view(running: _Running) -> GateView:
    made = (*running.tools.made, *running.tools.changed)
    return GateView(
        language=running.turn.language,
        said=running.turn.said,
        visible=tuple(card for card in made if card.visible),
        silent=tuple(card for card in made if not card.visible),
        asked_if_kept=asks_if_kept(running.turn.said),
        short_ids={name: card.id for name, card in running.tools.short_ids.items()},
    )


def _finish(running: _Running, finish: Finish) -> None:
    """Store the answer, its frame and its chips in one transaction, then queue what follows."""
    state = _close_gate(running, finish)
    parts, turn = running.parts, running.turn
    answer = running.gate.released.rstrip()
    used = sorted(
        running.tools.short_ids[name].id for name in running.citations.used if name in running.tools.short_ids
    )
    running.trace |= {"gate": dict(running.gate.interventions), "failure": running.failure, "used": len(used)}
    with transaction(parts.engine) as session:
        now = parts.clock()
        held = conversation_rows.held_by(session, turn.conversation_id) is not None
        if held:
            state = TurnState.WITH_HUMAN
        shown = [card for card in _visible(running) if not held]
        stored = leases.finish(
            session,
            turn.id,
            owner=running.owner,
            state=state,
            answer=answer,
            trace=running.trace,
            kept=[card.public_id for card in shown],
            error=running.failure,
            now=now,
            cut_off=held and bool(answer),
        )
        if not stored:
            return
        if running.tools.searches:
            retrieval_rows.mark_used(session, turn.id, used)
        conversation_rows.set_pending(session, turn.conversation_id, running.tools.pending)
        conversation_rows.count_failure(session, turn.conversation_id, failed=state is TurnState.FAILED)
        figure_rows.add(session, Figure.TURNS, now=now)
        if state is TurnState.FAILED:
            figure_rows.add(session, Figure.FAILURES, now=now)
        _answered_frames(running, session, state=state, answer=answer, shown=shown)
    parts.frames.wake(turn.person_id)
    log.info("turn", extra={"turn_id": turn.id, "state": state.value, **_figures(running.trace)})
    _queue_jobs(running)


def _close_gate(running: _Running, finish: Finish) -> TurnState:
    """Let out the rest of the answer, or the sentence that says what failed."""
    if finish.state in (TurnState.STOPPED, TurnState.WITH_HUMAN):
        running.gate.drop_held()
        return finish.state
    claimed = _release(running, running.gate.close(_view(running)))
    if claimed is not None:
        return TurnState.WITH_HUMAN
    if finish.emergency:
        sentence = phrase(
            "done"
            if finish.emergency == "empty" and finish.state is TurnState.ANSWERED
            else "broken_off"
            if running.gate.released and finish.state is TurnState.FAILED
            else finish.emergency,
            running.turn.language,
        )
        if running.gate.released and not running.gate.released.endswith("\n"):
            sentence = f"\n\n{sentence}"
        _release(running, running.gate.add(sentence))
    return finish.state


def _visible(running: _Running) -> list[Card]:
    """Visible creations and changes of the turn, each once, as they stand now."""
    cards = {card.id: card for card in (*running.tools.made, *running.tools.changed) if card.visible}
    return list(cards.values())


def _answered_frames(
    running: _Running, session: Any, *, state: TurnState, answer: str, shown: Sequence[Card]
) -> None:
    parts, turn = running.parts, running.turn
    common: dict[str, Any] = {
        "person_id": turn.person_id,
        "now": parts.clock(),
        "conversation_id": turn.conversation_id,
        "turn_id": turn.id,
    }
    if running.tools.speaker_changed:
        conversation = conversation_rows.by_id(session, turn.conversation_id)
        parts.frames.add(session, kind="speaker", body={"name": conversation.speaker}, **common)
    body = {"answer": answer, "state": state.value, "at": parts.clock().isoformat(timespec="seconds")}
    parts.frames.add(session, kind="answered", body=body, **common)
    if shown:
        chips = [
            {
                "id": card.public_id,
                "category": card.category.value,
                "label": card.title or card.text,
                "when": None if card.when is None else card.when.start.isoformat(timespec="minutes"),
            }
            for card in shown
        ]
        parts.frames.add(session, kind="cards", body={"cards": chips}, screen=turn.screen, **common)


def _queue_jobs(running: _Running) -> None:
    """By id, never with text. What cannot be queued is found by the sweep."""
    turn = running.turn
    if running.conversation.private:
        return
    running.parts.queue.enqueue(JobName.VERIFY, unique=str(turn.id), turn_id=turn.id)
    if running.tools.found:
        running.parts.queue.enqueue(JobName.WARM, unique=str(turn.id), turn_id=turn.id)


def _figures(trace: dict[str, Any]) -> dict[str, Any]:
    """The trace as numbers for one log line: no text, no name, no code."""
    return {
        "sources": trace.get("sources", {}),
        "missing": trace.get("missing", {}),
        "tokens": sum(trace.get("tokens", {}).values()),
        "calls": trace.get("calls", 0),
        "tools": len(trace.get("tools", ())),
    }
