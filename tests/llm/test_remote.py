"""Remote models against a real server: what comes, in which form, and what each failure is."""

from __future__ import annotations

import os
import signal
import socket
import threading
from dataclasses import replace
from typing import Any

import pytest
from pydantic_ai import models

from memory.llm.choose import Connection
from memory.llm.interface import (
    FailureKind,
    Finished,
    Message,
    ModelEvent,
    ModelFailed,
    ModelRequest,
    TextDelta,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from memory.llm.remote import RemoteModel
from memory.llm.scripted import Call, Hang, Say
from tests.llm.openai_server import (
    KEY,
    Cut,
    Finish,
    Raw,
    Status,
    Step,
    Unfinished,
    serving,
)
from tests.llm.test_scripted import ask
from tests.servers import free_port

SECRET = "my gate code is 4820"
KEEP = ToolSpec(
    name="create_card",
    description="Keep one thing.",
    parameters={"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
)


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls are allowed here: the guard on sockets lets them reach this machine only."""
    monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", True)


def heard(connection: Connection, request: ModelRequest, *, timeout_s: float = 10) -> list[ModelEvent]:
    """All events of one call."""
    model = RemoteModel(connection, timeout_s=timeout_s)
    try:
        return list(model.stream(request))
    finally:
        model.close()


def text(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def calls(events: list[ModelEvent]) -> list[ToolCall]:
    return [event for event in events if isinstance(event, ToolCall)]


def failing(*steps: Step, timeout_s: float = 10, **changes: str) -> tuple[ModelFailed, str]:
    """How a call to a server with these steps fails, and the text before that."""
    with serving(*steps) as server:
        model = RemoteModel(server.connection(**changes), timeout_s=timeout_s)
        events: list[ModelEvent] = []
        with pytest.raises(ModelFailed) as failure:
            events.extend(model.stream(ask(SECRET)))
        model.close()
        assert len(server.requests) <= 1, "a call must not be repeated by the library"
    assert KEY not in failure.value.reason
    assert "4820" not in failure.value.reason
    return failure.value, text(events)


def test_text_streams_in_the_pieces_it_comes_in() -> None:
    gate = Hang(threading.Event())
    with serving([Say("The first part. "), gate, Say("And the rest.", 3)]) as server:
        model = RemoteModel(server.connection(), timeout_s=10)
        stream = model.stream(ask())
        assert next(stream) == TextDelta(text="The first part. ")  # before the server has said the rest
        gate.until.set()
        rest = list(stream)
        model.close()
    assert text(rest) == "And the rest."
    assert len(rest) == 4
    assert rest[-1] == Finished(input_tokens=11, output_tokens=7)


def test_calls_in_pieces_several_at_once() -> None:
    told = [
        Call("create_card", {"text": "Claire lives in Graz, «Österreich»"}, call_id="call_a"),
        Call("create_card", {"text": 'A quote " and a brace }'}, call_id="call_b"),
        Call("search_memory", {"angles": [{"kind": "person", "query": "Claire"}]}, call_id="call_c"),
    ]
    with serving([Say("One moment. "), *told]) as server:
        events = heard(server.connection(), replace(ask(), tools=(KEEP,)))
    assert text(events) == "One moment. "
    assert [(call.call_id, call.name, call.arguments) for call in calls(events)] == [
        (call.call_id, call.name, call.arguments) for call in told
    ]
    assert isinstance(events[-1], Finished)


@pytest.mark.parametrize("raw", ['{"text": "half', "[1, 2]", '"text"', "null", "{'text': 'x'}"])
def test_arguments_that_are_no_object_come_as_they_are(raw: str) -> None:
    with serving([Call("create_card", malformed=raw)]) as server:
        (call,) = calls(heard(server.connection(), replace(ask(), tools=(KEEP,))))
    assert (call.arguments, call.malformed) == ({}, raw)


def test_an_unknown_tool_is_handed_on() -> None:
    with serving([Call("no_such_tool", {"a": 1})]) as server:
        (call,) = calls(heard(server.connection(), replace(ask(), tools=(KEEP,))))
    assert (call.name, call.arguments, call.malformed) == ("no_such_tool", {"a": 1}, "")


def test_ids_that_the_server_gives_twice_are_told_apart() -> None:
    again = [Call("create_card", {"text": "b"}, call_id="call_0"), Call("create_card", {}, call_id="call_0")]
    with serving(again) as server:
        events = heard(server.connection(), after_a_call(ToolCall(call_id="call_0", name="t", arguments={})))
    assert [call.call_id for call in calls(events)] == ["call_0_2", "call_0_3"]


def test_an_empty_answer_is_nothing_but_its_end() -> None:
    with serving([]) as server:
        assert [type(event) for event in heard(server.connection(), ask())] == [Finished]


def test_the_prompt_keeps_its_parts_apart() -> None:
    request = replace(
        after_a_call(ToolCall(call_id="c1", name="create_card", arguments={"text": "x"})),
        instructions="Be kind.",
        overview="<warm_memories>Claire</warm_memories>",
        settled="<settled>time: 15:00</settled>",
        tools=(KEEP,),
    )
    with serving() as server:
        heard(server.connection(), request)
    (body,) = server.requests
    system, *thread = body["messages"]
    assert system["role"] == "system"
    assert system["content"].split("\n\n") == [request.instructions, request.overview, request.settled]
    assert [message["role"] for message in thread] == ["user", "assistant", "tool"]
    assert thread[0]["content"] == "hello"
    assert thread[1]["tool_calls"][0]["function"] == {"name": "create_card", "arguments": '{"text":"x"}'}
    assert (thread[2]["tool_call_id"], thread[2]["content"]) == ("c1", '{"ok":true}')
    assert [tool["function"]["name"] for tool in body["tools"]] == ["create_card"]
    assert body["tools"][0]["function"]["parameters"]["required"] == ["text"]
    assert body["stream"] is True


def test_openai_itself_gets_each_part_as_a_message_of_its_own() -> None:
    from pydantic_ai.models.openai import OpenAIChatModel

    from memory.llm.providers import make_client, make_model

    model = make_model(Connection(provider="openai", model="gpt-5", key="k"), make_client(5))
    assert isinstance(model, OpenAIChatModel)
    assert model.base_url == "https://api.openai.com/v1/"
    assert model.profile.get("openai_chat_supports_multiple_system_messages", True)


def test_words_of_one_side_after_another_are_joined() -> None:
    told = ("assistant", "user", "user", "assistant", "assistant", "user")
    messages = tuple(Message(role=role, text=f"{role} {number}") for number, role in enumerate(told))
    with serving() as server:
        heard(server.connection(), replace(ask(), messages=messages))
    thread = [(message["role"], message["content"]) for message in server.requests[0]["messages"]]
    assert thread == [
        ("assistant", "assistant 0"),
        ("user", "user 1\n\nuser 2"),
        ("assistant", "assistant 3\n\nassistant 4"),
        ("user", "user 5"),
    ]


def test_arguments_that_were_malformed_go_back_as_an_object() -> None:
    with serving() as server:
        heard(
            server.connection(),
            after_a_call(ToolCall(call_id="c", name="t", arguments={}, malformed='{"text')),
        )
    function = server.requests[0]["messages"][1]["tool_calls"][0]["function"]
    assert function["arguments"] == '{"INVALID_JSON":"{\\"text"}'


def test_the_last_call_may_use_no_tools_but_knows_those_it_used() -> None:
    with serving() as server:
        heard(server.connection(), after_a_call(ToolCall(call_id="c", name="create_card", arguments={})))
    assert [tool["function"]["name"] for tool in server.requests[0]["tools"]] == ["create_card"]
    assert server.requests[0]["tool_choice"] == "none"


@pytest.mark.parametrize(
    ("told", "kind", "reason"),
    [
        (
            Status(429, SECRET, "rate_limit_exceeded", headers={"Retry-After": "7"}),
            FailureKind.BUSY,
            "http 429",
        ),
        (Status(503, SECRET), FailureKind.BUSY, "http 503"),
        (Status(429, SECRET, "insufficient_quota"), FailureKind.REFUSED, "insufficient_quota"),
        (Status(400, SECRET), FailureKind.REFUSED, "http 400"),
        (Status(403, SECRET), FailureKind.REFUSED, "http 403"),
        (Status(400, SECRET, "context_length_exceeded"), FailureKind.TOO_LONG, "context_length_exceeded"),
        (
            Status(400, "This model's maximum context length is 2048 tokens"),
            FailureKind.TOO_LONG,
            "http 400",
        ),
        (
            Status(400, "the request exceeds the available context size", kind="exceed_context_size_error"),
            FailureKind.TOO_LONG,
            "http 400",
        ),
        (Status(413, SECRET), FailureKind.TOO_LONG, "http 413"),
        (Status(500, SECRET), FailureKind.BROKEN, "http 500"),
        (Status(502, SECRET), FailureKind.BROKEN, "http 502"),
        (Status(504, SECRET), FailureKind.TIMED_OUT, "http 504"),
        (Status(418, SECRET, code=SECRET), FailureKind.REFUSED, "http 418"),
    ],
    ids=lambda value: str(value.status) if isinstance(value, Status) else "",
)
def test_each_status_is_a_failure_of_its_kind(told: Status, kind: FailureKind, reason: str) -> None:
    failure, said = failing([told])
    assert (failure.kind, said) == (kind, "")
    assert reason in failure.reason
    assert failure.retry_after_s == (7 if told.headers else None)


def test_a_wrong_key_and_a_wrong_name_are_refused() -> None:
    failure, _ = failing(key="sk-wrong-42")
    assert (failure.kind, "invalid_api_key" in failure.reason) == (FailureKind.REFUSED, True)
    assert "sk-wrong" not in failure.reason
    failure, _ = failing(model="gpt-17")
    assert (failure.kind, "model_not_found" in failure.reason) == (FailureKind.REFUSED, True)


@pytest.mark.parametrize("end", [Cut(), Unfinished(), Finish("length")])
def test_a_stream_that_breaks_off_keeps_what_came(end: Cut | Unfinished | Finish) -> None:
    failure, said = failing([Say("Half an ans"), end])
    assert (failure.kind, said) == (FailureKind.BROKEN_OFF, "Half an ans")


def test_a_model_that_does_not_end_is_broken_off() -> None:
    with serving([Say("again and " * 50, 50)]) as server:
        model = RemoteModel(server.connection(), timeout_s=10, longest_chars=120)
        events: list[ModelEvent] = []
        with pytest.raises(ModelFailed, match="120 characters") as failure:
            events.extend(model.stream(ask()))
        model.close()
    assert failure.value.kind is FailureKind.BROKEN_OFF
    assert len(text(events)) <= 120


def test_calls_of_a_stream_that_breaks_off_are_not_made() -> None:
    with serving([Call("create_card", {"text": "x"}), Cut()]) as server:
        model = RemoteModel(server.connection(), timeout_s=10)
        events: list[ModelEvent] = []
        with pytest.raises(ModelFailed):
            events.extend(model.stream(replace(ask(), tools=(KEEP,))))
        model.close()
    assert calls(events) == []


def test_a_connection_that_breaks_before_an_answer_was_not_reached() -> None:
    assert failing([Cut()])[0].kind is FailureKind.UNREACHABLE


@pytest.mark.parametrize("data", ["{not json", "[]", '{"error": {"message": "boom", "code": 500}}'])
def test_an_answer_that_cannot_be_read_is_broken(data: str) -> None:
    assert failing([Raw(data)])[0].kind is FailureKind.BROKEN


def test_an_overload_inside_the_stream_is_busy() -> None:
    data = '{"error": {"message": "Slow down", "type": "rate_limit_error", "code": "rate_limit_exceeded"}}'
    failure, said = failing([Say("So"), Raw(data)])
    assert (failure.kind, said) == (FailureKind.BUSY, "So")


@pytest.mark.parametrize("first", [[], [Say("Well, ")]])
def test_a_server_that_falls_silent_times_out(first: list[Say]) -> None:
    failure, _ = failing([*first, Hang(threading.Event(), timeout_s=5)], timeout_s=0.3)
    assert failure.kind is FailureKind.TIMED_OUT


def test_nobody_listening_is_unreachable() -> None:
    with pytest.raises(ModelFailed) as failure:
        heard(
            Connection(provider="openai", model="m", base_url=f"http://127.0.0.1:{free_port()}/v1", key="k"),
            ask(),
        )
    assert failure.value.kind is FailureKind.UNREACHABLE


def test_an_unknown_host_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    with pytest.raises(ModelFailed) as failure:
        heard(Connection(provider="openai", model="m", base_url="http://models.invalid/v1", key="k"), ask())
    assert failure.value.kind is FailureKind.UNREACHABLE


@pytest.mark.parametrize("how", ["hang_up", "close", "forget"])
def test_whoever_hangs_up_ends_the_remote_call(how: str) -> None:
    hang = Hang(threading.Event(), timeout_s=10)
    with serving([Say("Well, "), hang]) as server:
        model = RemoteModel(server.connection(), timeout_s=10)
        stream = model.stream(ask())
        assert next(stream) == TextDelta(text="Well, ")
        assert hang.reached.wait(5)
        if how == "forget":
            del stream
        else:
            getattr(stream, how)()
            assert list(stream) == []
        assert server.hung_up.wait(5)
        model.close()


def test_who_waits_for_a_silent_model_can_be_freed_by_another_thread() -> None:
    hang = Hang(threading.Event(), timeout_s=10)
    with serving([hang]) as server:
        model = RemoteModel(server.connection(), timeout_s=10)
        stream = model.stream(ask())
        got: list[list[ModelEvent]] = []
        waiting = threading.Thread(target=lambda: got.append(list(stream)))
        waiting.start()
        assert hang.reached.wait(5)
        stream.hang_up()
        waiting.join(5)
        assert got == [[]]
        assert server.hung_up.wait(5)
        model.close()


def test_several_threads_share_one_model() -> None:
    def echo(body: dict[str, Any]) -> list[Say]:
        return [Say(f"You said {body['messages'][-1]['content']}.", 4)]

    with serving(then=echo) as server:
        model = RemoteModel(server.connection(), timeout_s=10)
        answers: dict[int, str] = {}

        def talk(number: int) -> None:
            answers[number] = text(list(model.stream(ask(f"word {number}"))))

        threads = [threading.Thread(target=talk, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        model.close()
    assert answers == {number: f"You said word {number}." for number in range(8)}


def test_ollama_takes_the_address_that_it_prints() -> None:
    with serving() as server:
        told = server.connection(provider="ollama", base_url=server.url.removesuffix("/v1"))
        assert text(heard(told, ask())) == "All right."


def test_without_a_key_none_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)  # the server would take it
    with serving() as server, pytest.raises(ModelFailed) as failure:
        heard(server.connection(key=""), ask())
    assert "http 401" in failure.value.reason


def test_mistral_speaks_for_itself() -> None:
    with serving([Say("So it is.", 3)]) as server:
        told = server.connection(provider="mistral", base_url=server.url.removesuffix("/v1"))
        assert text(heard(told, ask())) == "So it is."


@pytest.mark.parametrize("provider", ["anthropic", "google"])
def test_what_another_provider_refuses_is_told(provider: str) -> None:
    with serving() as server, pytest.raises(ModelFailed) as failure:
        heard(server.connection(provider=provider, base_url=server.url.removesuffix("/v1")), ask())
    assert (failure.value.kind, "http 404" in failure.value.reason) == (FailureKind.REFUSED, True)


@pytest.mark.parametrize("provider", ["anthropic", "google", "mistral", "ollama"])
def test_another_provider_that_is_not_there_is_unreachable(provider: str) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(ModelFailed) as failure:
        heard(Connection(provider=provider, model="m", base_url=nowhere, key="k"), ask())
    assert failure.value.kind is FailureKind.UNREACHABLE


def test_the_label_names_provider_and_model() -> None:
    assert RemoteModel(Connection(provider="openai", model="gpt-5")).label == "openai:gpt-5"


def after_a_call(call: ToolCall) -> ModelRequest:
    """A request in whose turn a tool has run."""
    result = ToolResult(call_id=call.call_id, name=call.name, result={"ok": True})
    exchange = (Message(role="assistant", calls=(call,)), Message(role="user", results=(result,)))
    return replace(ask(), messages=(*ask().messages, *exchange))


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_forked_child_talks_on_a_loop_of_its_own() -> None:
    with serving() as server:
        model = RemoteModel(server.connection(), timeout_s=10)
        assert text(list(model.stream(ask()))) == "All right."  # the parent's loop and client are in use
        child = os.fork()
        if child == 0:
            signal.alarm(20)  # a child that hangs ends, and the test fails
            # _exit: the child must not run the parent's tests to their end.
            os._exit(0 if text(list(model.stream(ask()))) == "All right." else 1)
        _, status = os.waitpid(child, 0)
        model.close()
    assert status == 0
