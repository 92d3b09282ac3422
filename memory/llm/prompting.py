"""A request of ours as messages and tools of the providers' library. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydantic_ai import messages as wire
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from memory.llm.interface import Message, ModelRequest, ToolCall

MOST_CALL_ID = 72  # the store takes 80; a number may follow


def to_messages(request: ModelRequest) -> list[wire.ModelMessage]:
    """The whole prompt: instructions, overview and settled decisions first, each a system part of its own,
    then the transcript. Neighbours of one side are joined: many servers take only alternating sides.
    """
    system: list[wire.ModelRequestPart] = [
        wire.SystemPromptPart(content=text)
        for text in (request.instructions, request.overview, request.settled)
        if text.strip()
    ]
    made: list[wire.ModelMessage] = []
    pending = system
    for message in _joined(request.messages):
        if message.role == "assistant":
            if pending:
                made.append(wire.ModelRequest(parts=pending))
                pending = []
            made.append(wire.ModelResponse(parts=_answer(message)))
        else:
            pending = [*pending, *_told(message)]
    if pending:
        made.append(wire.ModelRequest(parts=pending))
    return made


def to_parameters(request: ModelRequest) -> ModelRequestParameters:
    """The tools a model may call. Where none is offered but some were called, those are named all the same:
    some providers refuse a transcript with calls of tools that they were not told of.
    """
    tools = [
        ToolDefinition(
            name=tool.name,
            description=tool.description,
            parameters_json_schema=tool.parameters,
            strict=False,  # our schemas have defaults, which strict ones must not
        )
        for tool in request.tools
    ]
    if not tools:
        called = dict.fromkeys(call.name for message in request.messages for call in message.calls)
        tools = [ToolDefinition(name=name, strict=False) for name in called]
    return ModelRequestParameters(function_tools=tools)


def to_call(part: wire.ToolCallPart, taken: set[str]) -> ToolCall:
    """A call as the conductor takes it, with an id that is not in `taken`, to which it is added.

    Servers of one's own give the same id again ("call_0") in each answer; the store
    would take the second call for the first.
    """
    call_id, number = part.tool_call_id[:MOST_CALL_ID] or "call", 1
    while call_id in taken:
        number += 1
        call_id = f"{part.tool_call_id[:MOST_CALL_ID] or 'call'}_{number}"
    taken.add(call_id)
    if not part.args or isinstance(part.args, dict):
        return ToolCall(call_id=call_id, name=part.tool_name, arguments=dict(part.args or {}))
    raw = str(part.args)
    try:
        arguments = json.loads(raw)
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        return ToolCall(call_id=call_id, name=part.tool_name, arguments={}, malformed=raw)
    return ToolCall(call_id=call_id, name=part.tool_name, arguments=arguments)


def taken_ids(request: ModelRequest) -> set[str]:
    """The ids of the calls that the prompt already holds."""
    return {call.call_id for message in request.messages for call in message.calls}


def _joined(messages: Sequence[Message]) -> Iterator[Message]:
    """The messages, with plain words of one side after another made one message."""
    held: Message | None = None
    for message in messages:
        plain = not (message.calls or message.results)
        if held is not None and plain and held.role == message.role and not (held.calls or held.results):
            held = Message(role=held.role, text=f"{held.text}\n\n{_words(message)}")
            continue
        if held is not None:
            yield held
        held = replace(message, text=_words(message))
    if held is not None:
        yield held


def _words(message: Message) -> str:
    """The words of a message; a guest's are marked, for a wire format knows only one user."""
    return f"[{message.speaker} says:] {message.text}" if message.speaker and message.text else message.text


def _answer(message: Message) -> list[wire.ModelResponsePart]:
    text: list[wire.ModelResponsePart] = [wire.TextPart(content=message.text)] if message.text else []
    return [
        *text,
        *(
            wire.ToolCallPart(
                tool_name=call.name,
                # What was no JSON object is wrapped in one by the library: every server can read it.
                args=call.malformed or call.arguments,
                tool_call_id=call.call_id,
            )
            for call in message.calls
        ),
    ]


def _told(message: Message) -> list[wire.ModelRequestPart]:
    returned: list[wire.ModelRequestPart] = [
        wire.ToolReturnPart(tool_name=each.name, content=each.result, tool_call_id=each.call_id)
        for each in message.results
    ]
    return [*returned, *([wire.UserPromptPart(content=message.text)] if message.text else [])]
