"""What every model is to the conductor: one call in, a stream of events out.

One `stream` is one model call. The conductor owns the loop (run the tools, call
again with their results), so that retries, leases and the output gate are the
same for the embedded model, the scripted one and every remote one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol


@dataclass(frozen=True, kw_only=True)
class ToolSpec:
    """A tool as a model sees it."""

    name: str
    description: str
    parameters: dict[str, Any]  # JSON schema of the arguments


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """A model asks for a tool."""

    call_id: str
    name: str
    arguments: dict[str, Any]
    malformed: str = ""  # the raw arguments when they were not a JSON object


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """What the tool gave back, as data."""

    call_id: str
    name: str
    result: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Message:
    """One message of the prompt. `results` answer the calls of the assistant message before."""

    role: str  # "user" or "assistant"
    text: str = ""
    speaker: str = ""  # the guest who said it; "" is the owner, or the assistant
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """Everything a model is given for one call. The last user message is the present one."""

    instructions: str
    overview: str  # what memory knows, as quoted data
    settled: str  # settled decisions, apart from the transcript; "" when there are none
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    language: str
    zone: str
    now: datetime  # aware, in the person's zone
    name: str = ""  # the person's name
    speaker: str = ""  # "" is the owner
    known_people: tuple[tuple[str, str], ...] = ()  # (name, relation)
    pending: dict[str, Any] = field(default_factory=dict)  # the question the assistant waits on
    blocks: dict[str, Any] = field(default_factory=dict)  # the overview as data, for the embedded model


@dataclass(frozen=True, kw_only=True)
class TextDelta:
    """Some more of the answer."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Finished:
    """The call ended as it should."""

    input_tokens: int = 0
    output_tokens: int = 0


ModelEvent = TextDelta | ToolCall | Finished


class FailureKind(StrEnum):
    """Why a model call failed; the person gets one clear sentence for each."""

    BUSY = "busy"  # 429 or overloaded
    REFUSED = "refused"  # wrong key, no such model, bad request
    UNREACHABLE = "unreachable"
    TIMED_OUT = "timed_out"
    BROKEN_OFF = "broken_off"  # the stream ended before its end
    TOO_LONG = "too_long"
    BROKEN = "broken"  # 5xx or an answer that cannot be read


class ModelFailed(Exception):
    """A model call failed. `reason` goes to the trace; it holds no text of the person."""

    def __init__(self, kind: FailureKind, reason: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(f"{kind}: {reason}")
        self.kind = kind
        self.reason = reason
        self.retry_after_s = retry_after_s


class Model(Protocol):
    """A model.

    `stream` may be called from any thread, also several at once. It yields events
    until `Finished`. Closing the generator early (the person pressed stop) ends the
    remote call. A call that yields nothing but `Finished` is an empty answer.

    Raises:
        ModelFailed: from the generator, at any point.
    """

    @property
    def label(self) -> str:
        """Short name for the trace and the page, e.g. "openai:gpt-5" or "embedded"."""

    def stream(self, request: ModelRequest) -> Iterator[ModelEvent]: ...
