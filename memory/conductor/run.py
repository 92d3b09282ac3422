"""Runs one claimed turn from the overview to the stored answer."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Any

from memory import handover
from memory.cards.chips import chips
from memory.conductor.afterwards import queue_jobs
from memory.conductor.announcements import SilentKeeping, asks_if_kept
from memory.conductor.assembly import History, assemble, figures, read_history
from memory.conductor.calling import call_model
from memory.conductor.citations import Citations
from memory.conductor.doubted import asking, doubted, question
from memory.conductor.gate import Check, Gate, GateView
from memory.conductor.parts import Parts
from memory.conductor.phrases import phrase
from memory.conductor.prompt import build_request
from memory.conductor.settled import SettledValues
from memory.conductor.settled import load as load_settled
from memory.conductor.tools import ToolContext, run_tool, specs
from memory.conductor.turn import (
    Ask,
    CallEnded,
    CallFailed,
    Claimed,
    Contradicted,
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
from memory.conductor.waiting import patiently
from memory.decisions.guard import Settled
from memory.llm.interface import Message, Model, ToolCall, ToolResult
from memory.overview import Overview
from memory.overview.telling import tell_speaker
from memory.records import Card, Conversation, Person, Turn, TurnState
from memory.storage import conversations as conversation_rows
from memory.storage import figures as figure_rows
from memory.storage import leases
from memory.storage import people as people_rows
from memory.storage import retrievals as retrieval_rows
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction
from memory.storage.figures import Figure

log = logging.getLogger(__name__)


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
    guard: SettledValues
    tools: ToolContext
    model: Model
    overview: Overview = field(default_factory=lambda: Overview(blocks=()))
    exchange: list[Message] = field(default_factory=list)
    history: History = ()
    known: Sequence[tuple[str, str]] = ()
    trace: dict[str, Any] = field(default_factory=dict)
    call_text: str = ""
    settled: Settled = field(default_factory=Settled)
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
        running.gate.drop_held()  # what broke a check must not break the end as well
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
        history = read_history(session, turn)
    citations = Citations()
    guard = SettledValues(parts.keys, zone=turn.zone, now=parts.clock())
    fallback = phrase("fallback", turn.language)
    return _Running(
        parts=parts,
        owner=owner,
        person=person,
        conversation=conversation,
        turn=turn,
        stop=stop,
        gate=Gate([SilentKeeping(guard.reads_back), *checks, guard, citations], fallback=fallback),
        citations=citations,
        guard=guard,
        history=history,
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
            frames=parts.frames,
        ),
        model=parts.model(),
    )


def _assemble(running: _Running, pool: Executor) -> None:
    """Ask the sources, and note what the model will be given."""
    assembled = assemble(
        running.parts,
        running.turn,
        person=running.person,
        conversation=running.conversation,
        history=running.history,
        model=running.model.label,
        pool=pool,
    )
    running.overview, running.known = assembled.overview, assembled.known_people
    running.trace = assembled.trace
    running.tools.proposed = next((each.answer for each, _ in reversed(running.history) if each.answer), "")
    running.tools.known = tuple(running.known)
    running.tools.said = (running.turn.said, *(each.said for each, _ in reversed(running.history)))
    _read_settled(running)


def _read_settled(running: _Running) -> None:
    """What holds now, for the guard; read again after tools, which may have decided."""
    with reading(running.parts.engine) as session:
        running.settled = load_settled(
            session,
            running.parts.keys,
            person_id=running.person.id,
            conversation=running.conversation,
            answers=[each.answer for each, _ in running.history],
            language=running.turn.language,
            now=running.parts.clock(),
        )


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
        conversation=running.tools.conversation,  # the owner may be back since
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
        note=running.guard.named(turn.language, released=running.gate.released),
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
        running.trace["failure_kind"] = happened.error.kind.value
    return _after_guard(running, happened)


def _hear(running: _Running, delta: str) -> Claimed | Contradicted | None:
    running.call_text += delta
    claimed = _release(running, running.gate.feed(delta, _view(running)))
    if claimed is None and running.guard.wants_another_answer:
        return Contradicted(text=running.call_text)
    return claimed


def _after_guard(running: _Running, happened: Happening) -> Happening:
    """An answer that contradicts what is settled is asked for once more, and then corrected."""
    guard = running.guard
    if isinstance(happened, CallEnded) and not happened.calls:
        claimed = _release(running, running.gate.rest(_view(running)))
        if claimed is not None:
            return claimed
    if guard.wants_another_answer and not isinstance(happened, CallFailed | Stopped | Claimed):
        running.gate.drop_held()
        guard.asked_again = True
        return Contradicted(text=running.call_text)
    lost = guard.contradicted if guard.contradicted is not None and not running.call_text.strip() else None
    is_end = isinstance(happened, CallFailed) or (isinstance(happened, CallEnded) and not happened.calls)
    if lost is not None and is_end and (sentence := guard.correction(lost, running.turn.language)):
        # Nothing came in place of what was held back: the store has the answer.
        return _release(running, running.gate.add(sentence)) or CallEnded(text=sentence)
    if isinstance(happened, CallEnded) and not happened.calls:
        return _put_to_the_person(running) or happened
    return happened


def _put_to_the_person(running: _Running) -> Claimed | None:
    """What an answer states of a memory in doubt is asked about, and the reply will be understood."""
    short = doubted(running.tools, running.citations.used)
    if not short:
        return None
    patiently(partial(_run_tool, running, asking(short)))
    if "?" in running.gate.released:
        return None
    return _release(running, running.gate.add(question(running.tools, short, now=running.parts.clock())))


def _release(running: _Running, text: str) -> Claimed | None:
    """Show checked text: the claim of a human is looked at again in the transaction that shows it."""
    if not text:
        return None
    parts, turn = running.parts, running.turn
    claimed = patiently(lambda again: _show(running, text, again=again))
    parts.frames.wake(turn.person_id)
    return claimed


def _show(running: _Running, text: str, *, again: bool) -> Claimed | None:
    parts, turn = running.parts, running.turn
    with transaction(parts.engine) as session:
        if again and turn_rows.by_id(session, turn.id).answer == running.gate.released:
            return None  # it was stored, and only the word of it was lost
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
    return None


def _run_tools(running: _Running, calls: Sequence[ToolCall]) -> None:
    results = []
    for call in calls:
        if running.stop.is_set():
            break
        result = patiently(partial(_run_tool, running, call))
        running.trace["tools"].append(call.name if result.get("ok") else f"{call.name}!")
        results.append(ToolResult(call_id=call.call_id, name=call.name, result=result))
    _read_settled(running)
    answered = {result.call_id for result in results}
    asked = tuple(call for call in calls if call.call_id in answered)
    running.exchange.append(Message(role="assistant", text=running.call_text, calls=asked))
    running.exchange.append(Message(role="user", results=tuple(results)))


def _run_tool(running: _Running, call: ToolCall, _again: bool) -> dict[str, Any]:
    tools = running.tools.copy()  # what a call noted that was rolled back must not be taken for done
    result = run_tool(tools, call)
    running.tools = tools
    return result


def _view(running: _Running) -> GateView:
    made = (*running.tools.made, *running.tools.changed)
    view = GateView(
        language=running.turn.language,
        said=running.turn.said,
        visible=tuple(card for card in made if card.visible),
        silent=tuple(card for card in made if not card.visible),
        asked_if_kept=asks_if_kept(running.turn.said),
        short_ids={name: card.id for name, card in running.tools.short_ids.items()},
        settled=running.settled,
    )
    return replace(view, asked_if_kept=True) if running.guard.is_asked(view) else view


def _finish(running: _Running, finish: Finish) -> None:
    """Store the answer, its frame and its chips in one transaction, then queue what follows."""
    state = _close_gate(running, finish)
    parts, turn = running.parts, running.turn
    answer = running.gate.released.rstrip()
    used = sorted(
        running.tools.short_ids[name].id for name in running.citations.used if name in running.tools.short_ids
    )
    running.trace |= {
        "gate": dict(running.gate.interventions),
        "failure": running.failure,
        "found": len(running.tools.found),
        "used": len(used),
        "contradicted": running.guard.contradicted.key if running.guard.contradicted else "",
        "corrected": len(running.guard.corrected),
    }
    if not patiently(lambda again: _store(running, state, answer=answer, used=used)):
        return
    parts.frames.wake(turn.person_id)
    queue_jobs(parts.queue, running.tools, running.trace, failed=state is TurnState.FAILED)


def _store(running: _Running, state: TurnState, *, answer: str, used: Sequence[int]) -> bool:
    parts, turn = running.parts, running.turn
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
            return False
        # A model that names none of its sources may have used any: then it stays unknown.
        if running.tools.searches and (used or running.model.label == "embedded"):
            retrieval_rows.mark_used(session, turn.id, used)
        conversation_rows.set_pending(session, turn.conversation_id, running.tools.pending)
        failed = state is TurnState.FAILED
        failures = conversation_rows.count_failure(session, turn.conversation_id, failed=failed)
        figure_rows.add(session, Figure.TURNS, now=now)
        if state is TurnState.FAILED:
            figure_rows.add(session, Figure.FAILURES, now=now)
        if running.guard.contradicted is not None:
            figure_rows.add(session, Figure.CONTRADICTIONS, now=now)
            figure_rows.add(session, Figure.CORRECTED, len(running.guard.corrected), now=now)
        _answered_frames(running, session, state=state, answer=answer, shown=shown)
        handover.ask_after_failures(session, parts.frames, running.conversation, failures, now=now)
    log.info("turn", extra={"turn_id": turn.id, "state": state.value, **figures(running.trace)})
    return True


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
        tell_speaker(
            session,
            parts.frames,
            turn.person_id,
            turn.conversation_id,
            conversation.speaker,
            now=parts.clock(),
            turn_id=turn.id,
        )
    body = {"answer": answer, "state": state.value, "at": parts.clock().isoformat(timespec="seconds")}
    parts.frames.add(session, kind="answered", body=body, **common)
    if shown:
        parts.frames.add(session, kind="cards", body={"cards": chips(shown)}, screen=turn.screen, **common)
