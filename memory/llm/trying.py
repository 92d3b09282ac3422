"""The operator's test of a connection: one word asked for, and what went wrong in plain words."""

from __future__ import annotations

from datetime import UTC, datetime

from memory.errors import AppError, Unavailable
from memory.llm.choose import Connection
from memory.llm.failures import said_by_server
from memory.llm.interface import (
    FailureKind,
    Message,
    ModelFailed,
    ModelRequest,
    TextDelta,
    ToolCall,
    ToolSpec,
)
from memory.llm.remote import RemoteModel

TRY_S = 30.0  # a server of one's own may load its model first

# With a tool, because each turn has tools: some models refuse them, and that is better known now.
_REQUEST = ModelRequest(
    instructions="You are being tested. Answer with the one word: ready",
    overview="",
    settled="",
    messages=(Message(role="user", text="Are you ready?"),),
    tools=(
        ToolSpec(
            name="say_not_ready",
            description="Only when you are not ready.",
            parameters={"type": "object", "properties": {}},
        ),
    ),
    language="en",
    zone="UTC",
    now=datetime(2026, 1, 1, tzinfo=UTC),  # no part of what is sent
)


def complaint_about(connection: Connection, *, timeout_s: float = TRY_S) -> AppError | None:
    """None when the model answers; else the error to show, with what the server said, never the key."""
    model = RemoteModel(connection, timeout_s=timeout_s)
    try:
        events = list(model.stream(_REQUEST))
    except ModelFailed as failure:
        said = said_by_server(failure, connection.key)
        detail = f"{failure.reason}: {said}" if said else failure.reason
        return _complaint(failure, connection, detail, timeout_s)
    finally:
        model.close()
    if any(isinstance(event, ToolCall) or (isinstance(event, TextDelta) and event.text) for event in events):
        return None
    return Unavailable("The model is reached, but its answer is empty.")


def _complaint(failure: ModelFailed, connection: Connection, detail: str, timeout_s: float) -> AppError:
    match failure.kind:
        case FailureKind.UNREACHABLE:
            address = connection.base_url or connection.provider
            return Unavailable(
                "Nothing answers at %(address)s. Is the address right, and the server running? (%(detail)s)",
                address=address,
                detail=detail,
            )
        case FailureKind.TIMED_OUT:
            return Unavailable(
                "The server is reached, but no answer came within %(seconds)s seconds. (%(detail)s)",
                seconds=round(timeout_s),
                detail=detail,
            )
        case FailureKind.BUSY:
            return Unavailable(
                "The server is reached, but it is overloaded. Try again in a minute. (%(detail)s)",
                detail=detail,
            )
        case FailureKind.REFUSED | FailureKind.TOO_LONG:
            return _refusal(failure, detail)
    return Unavailable(
        "The server is reached, but its answer cannot be read. Is the address that of a model? (%(detail)s)",
        detail=detail,
    )


def _refusal(failure: ModelFailed, detail: str) -> AppError:
    status = getattr(getattr(failure, "error", None), "status_code", None)
    if status in (401, 403):
        return Unavailable("The provider refuses the key. (%(detail)s)", detail=detail)
    if status == 404:
        return Unavailable(
            "The provider knows no model of this name, or the address is wrong. (%(detail)s)", detail=detail
        )
    return Unavailable("The provider refuses the request. (%(detail)s)", detail=detail)
