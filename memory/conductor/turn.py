"""One turn as a pure state machine: what happened so far decides what happens next.

START -> Ask -> (text) -> Finish(answered)
             -> (tool calls) -> RunTools -> Ask -> ...
             -> (contradicts what is settled) -> Ask        once: the check holds back, then corrects
             -> (nothing, first call) -> Pause -> Ask      once, and only then
             -> (nothing, later call) -> Finish             never repeated: its tools already ran
             -> (failure) -> Finish(failed)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from memory.llm.interface import ModelFailed, ToolCall
from memory.records import TurnState

MAX_CALLS = 8


@dataclass(frozen=True, kw_only=True)
class Ask:
    """Call the model."""

    tools: bool = True  # False: the last call, which must answer in words


@dataclass(frozen=True, kw_only=True)
class Pause:
    """Wait a moment, then call the model again."""


@dataclass(frozen=True, kw_only=True)
class RunTools:
    """Run these calls, in order."""

    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, kw_only=True)
class Finish:
    """End the turn."""

    state: TurnState
    emergency: str = ""  # "" is none; "empty", or the kind of a failure: which sentence to say


Step = Ask | Pause | RunTools | Finish


@dataclass(frozen=True, kw_only=True)
class CallEnded:
    """One model call is over."""

    text: str  # the raw text of this call
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CallFailed:
    """One model call failed."""

    error: ModelFailed
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class Paused:
    """The moment is over."""


@dataclass(frozen=True, kw_only=True)
class ToolsRan:
    """All calls of a step have their results."""


@dataclass(frozen=True, kw_only=True)
class Stopped:
    """The person pressed stop."""


@dataclass(frozen=True, kw_only=True)
class Claimed:
    """A human took the conversation over."""


@dataclass(frozen=True, kw_only=True)
class Contradicted:
    """The answer states another value than a settled one, and was held back."""

    text: str = ""


Happening = CallEnded | CallFailed | Paused | ToolsRan | Stopped | Claimed | Contradicted


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Where a turn stands."""

    calls: int = 0  # model calls begun
    said: str = ""  # raw text of all calls
    retried: bool = False
    tools_ran: int = 0
    step: Step = field(default_factory=Ask)


def begin() -> Progress:
    """A claimed turn before its first call."""
    return Progress(calls=1, step=Ask())


def advance(progress: Progress, happened: Happening) -> Progress:
    """What follows from one happening.

    Raises:
        ValueError: this cannot happen in this state; a bug in the caller.
    """
    if isinstance(progress.step, Finish):
        raise ValueError("the turn is over")
    match happened:
        case Stopped():
            return replace(progress, step=Finish(state=TurnState.STOPPED))
        case Claimed():
            return replace(progress, step=Finish(state=TurnState.WITH_HUMAN))
        case CallFailed():
            said = progress.said + happened.text
            return replace(
                progress, said=said, step=Finish(state=TurnState.FAILED, emergency=happened.error.kind.value)
            )
        case CallEnded():
            return _after_call(replace(progress, said=progress.said + happened.text), happened)
        case Contradicted():
            said = progress.said + happened.text
            return replace(progress, said=said, calls=progress.calls + 1, step=Ask())
        case Paused():
            return replace(progress, calls=progress.calls + 1, step=Ask())
        case ToolsRan():
            # A chain that never ends is cut by asking for words only.
            last = progress.calls + 1 >= MAX_CALLS
            return replace(
                progress, calls=progress.calls + 1, tools_ran=progress.tools_ran + 1, step=Ask(tools=not last)
            )


def _after_call(progress: Progress, ended: CallEnded) -> Progress:
    if ended.calls and progress.calls < MAX_CALLS:
        return replace(progress, step=RunTools(calls=ended.calls))
    if progress.said.strip():
        return replace(progress, step=Finish(state=TurnState.ANSWERED))
    if progress.calls == 1 and not progress.retried and progress.tools_ran == 0:
        return replace(progress, retried=True, step=Pause())
    state = TurnState.ANSWERED if progress.tools_ran else TurnState.FAILED
    return replace(progress, step=Finish(state=state, emergency="empty"))
