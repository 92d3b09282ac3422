"""A model behind a provider's interface, or behind any server that speaks OpenAI's chat completions.

The libraries' asyncio stays on one loop (`loop.py`); `stream` hands events from it to
the thread that asks. Nothing here repeats a call: who asks decides that.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from time import monotonic
from typing import TYPE_CHECKING

from memory.llm.choose import Connection
from memory.llm.interface import (
    FailureKind,
    Finished,
    ModelEvent,
    ModelFailed,
    ModelRequest,
    TextDelta,
)
from memory.llm.loop import event_loop

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.messages import ModelResponseStreamEvent
    from pydantic_ai.models import Model as ProviderModel
    from pydantic_ai.models import StreamedResponse
    from pydantic_ai.settings import ModelSettings

_LIFE_S = 1.0  # how often a model that thinks, or writes a tool call, shows that it is alive
_CLOSE_S = 5.0

_Put = Callable[[ModelEvent | ModelFailed], None]


class RemoteModel:
    """A `Model` behind a connection. Safe from any thread, several calls at once, and in a forked child.

    `stream` gives, beside what `interface.Model` promises, an iterator whose `hang_up` may be
    called from another thread, and now and then an empty `TextDelta` while the model
    works on something that is not text.
    """

    def __init__(
        self, connection: Connection, *, timeout_s: float = 60.0, longest_chars: int = 20_000
    ) -> None:
        """`timeout_s`: the longest silence between two events; `longest_chars`: text and arguments in all."""
        self._connection = connection
        self._longest_chars = longest_chars
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._ready: tuple[asyncio.AbstractEventLoop, ProviderModel] | None = None
        self._finalizer: weakref.finalize[..., RemoteModel] | None = None

    @property
    def label(self) -> str:
        """Provider and model, e.g. "openai:gpt-5"."""
        return f"{self._connection.provider}:{self._connection.model}"

    def stream(self, request: ModelRequest) -> RemoteCall:
        """Begin one call; the events come from iterating."""
        return RemoteCall(lambda put: self._begin(request, put), timeout_s=self._timeout_s)

    def close(self) -> None:
        """Close the connections that were kept open for the next call."""
        with self._lock:
            finalizer, self._finalizer, self._ready = self._finalizer, None, None
        if finalizer is not None and (closing := finalizer()) is not None:
            closing.result(_CLOSE_S)

    def _begin(self, request: ModelRequest, put: _Put) -> Callable[[], object]:
        """Start a call on the loop; gives what cancels it."""
        loop, model = self._model()
        future = asyncio.run_coroutine_threadsafe(self._ask(model, request, put), loop)
        return future.cancel

    def _model(self) -> tuple[asyncio.AbstractEventLoop, ProviderModel]:
        loop = event_loop()
        with self._lock:
            if self._ready is None or self._ready[0] is not loop:  # another loop: this is a forked child
                from memory.llm.providers import make_client, make_model  # takes seconds to load

                client = make_client(self._timeout_s)
                self._finalizer = weakref.finalize(self, _close_client, loop, client)
                self._finalizer.atexit = False  # the loop's thread is gone by then
                self._ready = (loop, make_model(self._connection, client))
            return self._ready

    async def _ask(self, model: ProviderModel, request: ModelRequest, put: _Put) -> None:
        from pydantic_ai.direct import model_request_stream

        from memory.llm.failures import failure_of
        from memory.llm.prompting import to_messages, to_parameters

        answering = False
        try:
            parameters = to_parameters(request)
            settings: ModelSettings = {"max_retries": 0, "timeout": self._timeout_s}
            if parameters.function_tools and not request.tools:
                settings["tool_choice"] = "none"
            async with model_request_stream(
                model, to_messages(request), model_settings=settings, model_request_parameters=parameters
            ) as response:
                answering = True
                await _read(response, request, put, longest_chars=self._longest_chars)
        except ModelFailed as failure:
            put(failure)
        # Broad on purpose: whatever a library raises must end the call, not vanish on the loop.
        except Exception as error:
            put(failure_of(error, answering=answering))


class RemoteCall(Iterator[ModelEvent]):
    """The events of one call, as they come."""

    def __init__(self, begin: Callable[[_Put], Callable[[], object]], *, timeout_s: float) -> None:
        self._events: queue.SimpleQueue[ModelEvent | ModelFailed | None] = queue.SimpleQueue()
        self._timeout_s = timeout_s
        self._over = False
        self._cancel: Callable[[], object] = lambda: None
        try:
            self._cancel = begin(self._events.put)
        # Broad on purpose: a library refuses some settings with errors of its own.
        except Exception as error:
            self._events.put(ModelFailed(FailureKind.REFUSED, f"{type(error).__name__} before the call"))

    def __next__(self) -> ModelEvent:
        if self._over:
            raise StopIteration
        try:
            event = self._events.get(timeout=self._timeout_s)
        except queue.Empty:
            self.hang_up()
            raise ModelFailed(FailureKind.TIMED_OUT, f"silent for {self._timeout_s:g} s") from None
        if event is None:
            raise StopIteration
        if isinstance(event, ModelFailed):
            self._over = True
            raise event
        if isinstance(event, Finished):
            self._over = True
        return event

    def hang_up(self) -> None:
        """End the call now, from any thread: the connection closes, and who waits gets no more."""
        self._over = True
        self._cancel()
        self._events.put(None)

    close = hang_up  # as a generator's

    def __del__(self) -> None:
        self._cancel()  # nobody listens any more


async def _read(response: StreamedResponse, request: ModelRequest, put: _Put, *, longest_chars: int) -> None:
    """Hand on a response: text as it comes, calls when they are whole, then its end.

    Raises:
        ModelFailed: it ended for a reason that makes it no whole answer.
    """
    from pydantic_ai.messages import ToolCallPart

    from memory.llm.prompting import taken_ids, to_call

    shown_at = monotonic()
    length = 0
    async for event in response:
        text = _text_of(event)
        length += len(text) or _arguments_length(event)
        if length > longest_chars:  # a weak model that never ends would hold the person's turn, and a worker
            raise ModelFailed(FailureKind.BROKEN_OFF, f"it went on after {longest_chars} characters")
        if text or monotonic() - shown_at > _LIFE_S:
            put(TextDelta(text=text))
            shown_at = monotonic()
    if response.finish_reason == "length":
        raise ModelFailed(FailureKind.BROKEN_OFF, "the model's own limit of tokens was reached")
    if response.finish_reason == "content_filter":
        raise ModelFailed(FailureKind.BROKEN, "the provider's content filter stopped the answer")
    taken = taken_ids(request)
    for part in response.get().parts:
        if isinstance(part, ToolCallPart):
            put(to_call(part, taken))
    usage = response.usage
    put(Finished(input_tokens=usage.input_tokens or 0, output_tokens=usage.output_tokens or 0))


def _text_of(event: ModelResponseStreamEvent) -> str:
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _arguments_length(event: ModelResponseStreamEvent) -> int:
    """Of a tool call in pieces; thoughts count nothing: a model that thinks long works as it should."""
    from pydantic_ai.messages import PartDeltaEvent, ToolCallPartDelta

    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, ToolCallPartDelta):
        return len(event.delta.args_delta or "")
    return 0


def _close_client(loop: asyncio.AbstractEventLoop, client: httpx2.AsyncClient) -> Future[None]:
    return asyncio.run_coroutine_threadsafe(client.aclose(), loop)
