"""Browsers that somebody is signed in on, against the stage's server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext

from memory.records import Person
from tests.stage import Stage

Open = Callable[..., BrowserContext]


@pytest.fixture
def clara(stage: Stage) -> Person:
    return stage.person(name="Clara")


@pytest.fixture
def window(stage: Stage, browser: Browser, clara: Person) -> Iterator[Open]:
    """A browser on which Clara is signed in; every fault of a script fails the test."""
    opened: list[BrowserContext] = []
    faults: list[str] = []

    def make(person: Person = clara, **options: Any) -> BrowserContext:
        context = browser.new_context(
            **{"locale": "en-GB", "timezone_id": "Europe/Berlin", "base_url": stage.url, **options}
        )
        name, _, value = stage.cookie(person).partition("=")
        context.add_cookies([{"name": name, "value": value, "url": stage.url}])
        context.on("weberror", lambda error: faults.append(str(error.error)))
        context.set_default_timeout(15_000)
        opened.append(context)
        return context

    yield make
    for context in opened:
        context.close()
    assert not faults
