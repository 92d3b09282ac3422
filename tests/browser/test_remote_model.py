"""An operator connects a model on the page of a running server, and the opening scene is played with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from pydantic_ai import models

from memory.llm import choose
from memory.llm.scripted import Call, Say
from memory.records import Person, Role
from tests.llm.openai_server import KEY, MODEL, Action, ModelServer, serving
from tests.servers import PASSWORD, LiveServer

_SLOW_MS = 60_000
HELLO = "hello, my wife's name is Claire, my daughter is eleven and my son eighteen"
ASK = "what is my wife's name?"
REMIND = "remind me on Thursday at five pm to pay the rent"


def script(body: dict[str, Any]) -> Sequence[Action]:
    """What the model says, by what it is asked."""
    tools = [tool["function"]["name"] for tool in body.get("tools", ())]
    *_, last = body["messages"]
    said = next(each["content"] for each in reversed(body["messages"]) if each["role"] == "user")
    if tools == ["say_not_ready"]:
        return [Say("ready")]
    if tools == ["create_card"]:  # the verifier: all was kept
        return []
    answered = last["role"] == "tool"
    if said == HELLO and not answered:
        return [
            Call(
                "create_card",
                {"category": "person", "text": "My wife's name is Claire", "people": ["Claire"]},
            ),
            Call("create_card", {"category": "fact", "text": "My daughter is eleven"}),
            Call("create_card", {"category": "fact", "text": "My son is eighteen"}),
        ]
    if said == ASK and not answered:
        return [Call("search_memory", {"angles": [{"kind": "person", "query": "wife", "names": []}]})]
    if said == REMIND and not answered:
        told = {"category": "reminder", "text": "Pay the rent", "when": {"start": "2030-12-05T17:00"}}
        return [Call("create_card", told)]
    answers = {HELLO: "Two children and Claire: a full house!", ASK: "Claire, of course."}
    return [Say(answers.get(said, "On Thursday, 5 December 2030, at five pm."), pieces=6)]


@contextmanager
def page_of(browser: Browser, server: LiveServer, person: Person) -> Iterator[Page]:
    """A page on which this person has signed in."""
    context = browser.new_context(locale="en-GB", timezone_id="Europe/Berlin", base_url=server.url)
    context.set_default_timeout(_SLOW_MS)
    page = context.new_page()
    page.goto("/sign-in")
    page.locator("input[name=email]").fill(person.email)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("input[name=password]").press("Enter")
    expect(page.locator("#composer")).to_be_visible(timeout=_SLOW_MS)
    yield page
    context.close()


def connect(page: Page, server: ModelServer, *, key: str, press: str) -> None:
    """Fill in the form and press one of its buttons."""
    page.goto("/operator/model")
    page.locator("#provider").select_option("openai")
    page.locator("#model").fill(MODEL)
    page.locator("#base_url").fill(server.url)
    page.locator("#key").fill(key)
    page.get_by_role("button", name=press, exact=True).click()


def say(page: Page, text: str) -> str:
    """Say it, wait for the whole answer and give it."""
    before = page.locator("#log .prose").count()
    page.locator("#text").fill(text)
    page.locator("#text").press("Enter")
    answer = page.locator("#log .prose").nth(before)
    expect(answer).to_be_visible(timeout=_SLOW_MS)
    return answer.inner_text()


def test_a_connected_model_plays_the_opening_scene(
    browser: Browser, live_server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", True)  # the jobs run in this process
    operator = live_server.account("Olga", role=Role.OPERATOR)
    try:
        with serving(then=script) as server, page_of(browser, live_server, operator) as page:
            connect(page, server, key="sk-wrong-42", press="Test")
            expect(page.locator("#fault")).to_contain_text("The provider refuses the key.")
            expect(page.locator("#fault")).not_to_contain_text("sk-wrong-42")
            connect(page, server, key=KEY, press="Test")
            expect(page.locator(".done")).to_have_text("It works: the model answered.")
            connect(page, server, key=KEY, press="Save")
            expect(page.get_by_text("Saved. The model answers")).to_be_visible()
            assert KEY not in page.content()

            page.goto("/")
            assert say(page, HELLO) == "Two children and Claire: a full house!"
            assert say(page, ASK) == "Claire, of course."
            assert page.locator("#log .chip").count() == 0
            assert "5 December 2030" in say(page, REMIND)
            expect(page.locator("#log .chip")).to_have_count(1)
            live_server.work()
            page.goto("/memories/")
            expect(page.locator(".memory")).to_have_count(4)
            assert all(each["stream"] for each in server.requests)
    finally:
        choose.save_connection(live_server.settings, None)  # the other tests' server answers by itself again
