"""One model call, watched from outside: the person may stop it, and it may hang."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic

from memory.conductor.turn import CallEnded, CallFailed, Happening, Stopped
from memory.llm.interface import (
    FailureKind,
    Finished,
    Model,
    ModelEvent,
    ModelFailed,
    ModelRequest,
    TextDelta,
    ToolCall,
)

_LOOK_S = 0.1


@dataclass(frozen=True)
class _End:
    """The stream's end, with what ended it when that was an error."""

    error: BaseException | None = None


def call_model(
    model: Model,
    request: ModelRequest,
    *,
    timeout_s: float,
    stopped: Callable[[], bool],
    on_text: Callable[[str], Happening | None],
) -> Happening:
    """Ask the model once, handing text on as it comes.

    The stream runs in a thread of its own, so that a model that hangs can be stopped.

    Args:
        timeout_s: the longest silence between two events.
        on_text: takes each piece; gives what ends the call early: a human's claim, a contradiction.
    """
    events: queue.Queue[ModelEvent | _End] = queue.Queue()
    abandoned = threading.Event()
    stream = model.stream(request)
    threading.Thread(target=_pump, args=(stream, events, abandoned), name="model", daemon=True).start()
    text = ""
    calls: list[ToolCall] = []
    heard_at = monotonic()
    try:
        while True:
            if stopped():
                return Stopped()
            try:
                event = events.get(timeout=_LOOK_S)
            except queue.Empty:
                if monotonic() - heard_at > timeout_s:
                    return CallFailed(error=ModelFailed(FailureKind.TIMED_OUT, "no event in time"), text=text)
                continue
            heard_at = monotonic()
            match event:
                case TextDelta():
                    text += event.text
                    if (ended := on_text(event.text)) is not None:
                        return ended
                case ToolCall():
                    calls.append(event)
                case Finished():
                    return CallEnded(text=text, calls=tuple(calls))
                case _End():
                    return CallFailed(error=_failure(event.error), text=text)
    finally:
        abandoned.set()
        # A generator that hangs cannot be closed from here; a remote call can be ended.
        hang_up = getattr(stream, "hang_up", None)
        if hang_up is not None:
            hang_up()


def _pump(
    stream: Iterator[ModelEvent], events: queue.Queue[ModelEvent | _End], abandoned: threading.Event
) -> None:
    try:
        for event in stream:
            if abandoned.is_set():
                close = getattr(stream, "close", None)
                if close is not None:
                    close()  # ends the remote call
                return
            events.put(event)
        events.put(_End())
    # Broad on purpose: whatever a model raises must end its turn, not vanish with a thread.
    except BaseException as error:
        events.put(_End(error))


def _failure(error: BaseException | None) -> ModelFailed:
    if isinstance(error, ModelFailed):
        return error
    if error is None:
        return ModelFailed(FailureKind.BROKEN_OFF, "the stream ended early")
    return ModelFailed(FailureKind.BROKEN, type(error).__name__)
