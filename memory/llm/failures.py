"""What the libraries raise, as the failures that the conductor knows."""

from __future__ import annotations

import re

from pydantic_ai import exceptions

from memory.llm.interface import FailureKind, ModelFailed

# Codes are names such as "context_length_exceeded"; anything else could be a person's words.
_CODE = re.compile(r"[\w.:-]{1,60}")
_TOO_LONG = re.compile(
    r"context.{0,20}(length|window|size)|maximum context|too many tokens|(prompt|input) is too long"
    r"|exceed\w*.{0,40}\btokens?\b",
    re.IGNORECASE,
)
_MOST_SAID = 300

# The first class that fits counts: the libraries' classes stand under one another.
_KINDS: tuple[tuple[type[exceptions.ModelAPIError], FailureKind], ...] = (
    (exceptions.ModelContextWindowExceededError, FailureKind.TOO_LONG),
    (exceptions.ModelQuotaExceededError, FailureKind.REFUSED),
    (exceptions.ModelRateLimitError, FailureKind.BUSY),
    (exceptions.ModelUnavailableError, FailureKind.BUSY),
    (exceptions.ModelRequestTimeout, FailureKind.TIMED_OUT),
    (exceptions.ModelRequestRejectedError, FailureKind.REFUSED),
    (exceptions.ModelServerError, FailureKind.BROKEN),
)
_BY_STATUS = {
    408: FailureKind.TIMED_OUT,
    413: FailureKind.TOO_LONG,
    429: FailureKind.BUSY,
    503: FailureKind.BUSY,
    504: FailureKind.TIMED_OUT,
    529: FailureKind.BUSY,
}


class RemoteFailed(ModelFailed):
    """A failure that knows the library's own error: for the operator's test alone, as it may hold words."""

    error: BaseException | None = None


def failure_of(error: BaseException, *, answering: bool) -> RemoteFailed:
    """The failure that an error of a library means.

    Its reason is made of the error's class, status and codes, never of the server's
    prose, which may repeat the person's words or the key.

    Args:
        answering: whether the answer had begun to arrive.
    """
    if isinstance(error, exceptions.ModelConnectionError):
        failure = _connection(error, answering=answering)
    elif isinstance(error, exceptions.ModelAPIError):
        failure = RemoteFailed(_kind(error), _reason(error), retry_after_s=error.retry_after)
    else:
        failure = RemoteFailed(FailureKind.BROKEN, type(error).__name__)
    failure.error = error
    return failure


def said_by_server(failure: ModelFailed, key: str) -> str:
    """What the server itself said about a failure, shortened and without the key; "" when it said nothing.

    Only for the operator's own test request, in which nobody's words are.
    """
    error = getattr(failure, "error", None)
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error", body)
        told = inner.get("message", "") if isinstance(inner, dict) else inner
    else:
        told = body if isinstance(body, str) else ""
    text = " ".join(str(told).split())
    if key:
        text = text.replace(key, "…")
    return text if len(text) <= _MOST_SAID else f"{text[:_MOST_SAID]}…"


def _connection(error: exceptions.ModelConnectionError, *, answering: bool) -> RemoteFailed:
    before = error.phase in ("pool", "connect")
    cause = f"{type(error.__cause__).__name__} while in {error.phase or 'an unknown phase'}"
    if answering:
        timed_out = isinstance(error, exceptions.ModelTimeoutError)
        return RemoteFailed(FailureKind.TIMED_OUT if timed_out else FailureKind.BROKEN_OFF, cause)
    if isinstance(error, exceptions.ModelTimeoutError) and not before:
        return RemoteFailed(FailureKind.TIMED_OUT, cause)
    return RemoteFailed(FailureKind.UNREACHABLE, cause)


def _kind(error: exceptions.ModelAPIError) -> FailureKind:
    status = getattr(error, "status_code", None)
    if status in _BY_STATUS and not isinstance(error, exceptions.ModelQuotaExceededError):
        return _BY_STATUS[status]
    # Servers of one's own name the code in no standard way; their words are only looked at, never kept.
    if status in (400, 422, 500) and _TOO_LONG.search(str(error.body)):
        return FailureKind.TOO_LONG
    for category, kind in _KINDS:
        if isinstance(error, category):
            return kind
    if "finish_reason" in error.message and status is None:
        return FailureKind.BROKEN_OFF
    return FailureKind.REFUSED if status is not None and status < 500 else FailureKind.BROKEN


def _reason(error: exceptions.ModelAPIError) -> str:
    parts = [type(error).__name__]
    if error.__cause__ is not None:
        parts.append(type(error.__cause__).__name__)
    if (status := getattr(error, "status_code", None)) is not None:
        parts.append(f"http {status}")
    for code in (error.provider_error_code, error.provider_error_type):
        if code and _CODE.fullmatch(code) and code not in parts:
            parts.append(code)
    if error.in_stream:
        parts.append("inside the stream")
    if error.retry_after is not None:
        parts.append(f"retry after {error.retry_after:g} s")
    return ", ".join(parts)
