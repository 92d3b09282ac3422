"""A model that plays a script: for tests and demos, so that no test needs a key or a network.

    model = ScriptedModel([
        [Call("create_card", {"category": "fact", "text": "Lives in Graz"})],
        [Say("Graz is lovely in spring.")],
    ])

One step is one model call. A step may also be a function of the request, which
is how the personalities at the end of this page are made: `lazy`, `greedy` and
`hostile` behave as badly as real models do, for measuring what the product
still gets right then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.llm.interface import (
    FailureKind,
    Finished,
    ModelEvent,
    ModelFailed,
    ModelRequest,
    TextDelta,
    ToolCall,
)


@dataclass(frozen=True)
class Say:
    """Some text, streamed in `pieces` parts of about equal length."""

    text: str
    pieces: int = 1


@dataclass(frozen=True)
class Call:
    """A tool call. Without an id it gets one that is unique in the script."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    call_id: str = ""
    malformed: str = ""


@dataclass(frozen=True)
class Fail:
    """The call ends with this failure."""

    kind: FailureKind = FailureKind.BROKEN
    reason: str = "scripted"
    retry_after_s: float | None = None


@dataclass(frozen=True)
class Hang:
    """Nothing comes until `until` is set; `reached` is set when the model begins to hang."""

    until: threading.Event
    reached: threading.Event = field(default_factory=threading.Event)
    timeout_s: float = 30.0  # so that a broken test ends


Action = Say | Call | Fail | Hang
Step = Sequence[Action] | Callable[[ModelRequest], Sequence[Action]]

EMPTY: Step = ()


class ScriptedModel:
    """Plays one step a call, in order; afterwards `then`, for ever.

    May be called from several threads; each call takes the next step. `requests`
    holds what it was asked, in order.
    """

    def __init__(
        self, steps: Iterable[Step] = (), *, then: Step = (Say("All right."),), label: str = "scripted"
    ) -> None:
        self._steps = list(steps)
        self._then = then
        self._label = label
        self._lock = threading.Lock()
        self._calls = 0
        self.requests: list[ModelRequest] = []

    @property
    def label(self) -> str:
        """Short name for the trace and the page."""
        return self._label

    @property
    def steps_left(self) -> int:
        """How many steps of the script were not played yet."""
        with self._lock:
            return len(self._steps)

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]:
        """Play the next step.

        Raises:
            ModelFailed: where the script says `Fail`.
        """
        with self._lock:
            self.requests.append(request)
            step = self._steps.pop(0) if self._steps else self._then
        for action in step(request) if callable(step) else step:
            yield from self._play(action)
        yield Finished()

    def _play(self, action: Action) -> Iterator[ModelEvent]:
        match action:
            case Say(text, pieces):
                yield from (TextDelta(text=piece) for piece in _cut(text, pieces))
            case Call(name, arguments, call_id, malformed):
                yield ToolCall(
                    call_id=call_id or self._next_id(),
                    name=name,
                    arguments=dict(arguments),
                    malformed=malformed,
                )
            case Fail(kind, reason, retry_after_s):
                raise ModelFailed(kind, reason, retry_after_s=retry_after_s)
            case Hang(until, reached, timeout_s):
                reached.set()
                if not until.wait(timeout_s):
                    raise ModelFailed(FailureKind.TIMED_OUT, "nobody released the scripted model")

    def _next_id(self) -> str:
        with self._lock:
            self._calls += 1
            return f"scripted-{self._calls}"


def _cut(text: str, pieces: int) -> list[str]:
    """`text` in at most `pieces` parts that join to it again; none is empty."""
    size = max(1, -(-len(text) // max(1, pieces)))
    return [text[start : start + size] for start in range(0, len(text), size)]


def present(request: ModelRequest) -> str:
    """What the person has just said."""
    for message in reversed(request.messages):
        if message.role == "user" and not message.results:
            return message.text
    return ""


def answered(request: ModelRequest) -> bool:
    """Whether the model's own tool calls of this turn have come back."""
    return bool(request.messages) and bool(request.messages[-1].results)
