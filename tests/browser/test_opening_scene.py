"""A newcomer's first minutes in a real browser, in each language, with the embedded model and no double."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from memory import accounts
from memory.clock import choose_clock
from memory.records import Person
from tests.servers import PASSWORD, LiveServer, new_server

_SLOW_MS = 60_000  # on a busy machine the first answer in a language waits for its tables


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What is said, and what must come of it."""

    language: str
    hello: str
    ask: str
    remind: str
    due: str  # a part of the reminder's moment as the page writes it


SCENES = [
    Scene(
        language="en",
        hello="hello, my wife's name is Claire, my daughter is eleven and my son eighteen",
        ask="what is my wife's name?",
        remind="remind me on Thursday at five pm to pay the rent",
        due=r"17:00|5:00\W*p",
    ),
    Scene(
        language="de",
        hello="hallo, meine Frau heißt Claire, meine Tochter ist elf und mein Sohn achtzehn",
        ask="wie heißt meine Frau?",
        remind="erinnere mich am Donnerstag um fünf Uhr nachmittags daran, die Miete zu zahlen",
        due="17:00",
    ),
    Scene(
        language="pt",
        hello="olá, a minha mulher chama-se Claire, a minha filha tem onze anos e o meu filho dezoito",
        ask="como se chama a minha mulher?",
        remind="lembra-me na quinta-feira às cinco da tarde de pagar a renda",
        due="17:00",
    ),
    Scene(
        language="fr",
        hello="bonjour, ma femme s'appelle Claire, ma fille a onze ans et mon fils dix-huit",
        ask="comment s'appelle ma femme ?",
        remind="rappelle-moi jeudi à dix-sept heures de payer le loyer",
        due="17:00",
    ),
    Scene(
        language="es",
        hello="hola, mi mujer se llama Claire, mi hija tiene once años y mi hijo dieciocho",
        ask="¿cómo se llama mi mujer?",
        remind="recuérdame el jueves a las cinco de la tarde que pague el alquiler",
        due="17:00",
    ),
]

SignIn = Callable[[LiveServer, Person], Page]


@pytest.fixture
def sign_in(browser: Browser) -> Iterator[SignIn]:
    """Call it for a page on which this person has signed in through the form."""
    contexts = []

    def go(server: LiveServer, person: Person) -> Page:
        context = browser.new_context(
            locale=person.language,
            timezone_id="Europe/Berlin",
            base_url=server.url,
            viewport={"width": 1280, "height": 800},
        )
        context.set_default_timeout(_SLOW_MS)
        contexts.append(context)
        page = context.new_page()
        page.goto("/sign-in")
        page.locator("input[name=email]").fill(person.email)
        page.locator("input[name=password]").fill(PASSWORD)
        page.locator("input[name=password]").press("Enter")
        expect(page.locator("#composer")).to_be_visible(timeout=_SLOW_MS)
        return page

    yield go
    for context in contexts:
        context.close()


def say(page: Page, text: str) -> str:
    """Say it, wait for the whole answer and give it."""
    before = page.locator("#log .prose").count()
    page.locator("#text").fill(text)
    page.locator("#composer [data-send]").click()  # works before the script has loaded, too
    answer = page.locator("#log .prose").nth(before)
    expect(answer).to_be_visible(timeout=_SLOW_MS)
    return answer.inner_text()


def chips(page: Page) -> list[str]:
    """The chips that can be seen."""
    return [chip.inner_text() for chip in page.locator("#log .chip").all() if chip.is_visible()]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.language)
def test_it_keeps_in_silence_answers_from_memory_and_shows_one_chip(
    scene: Scene, live_server: LiveServer, sign_in: SignIn
) -> None:
    person = live_server.account("Nora", language=scene.language)
    page = sign_in(live_server, person)

    answer = say(page, scene.hello)
    assert 0 < len(answer) < 200
    assert chips(page) == []

    live_server.work()  # the second look
    page.goto("/memories/")
    remembered = page.locator(".memory")
    expect(remembered).to_have_count(3, timeout=_SLOW_MS)
    expect(remembered.filter(has_text="Claire")).not_to_have_count(0)

    page.goto("/")
    page.reload()
    assert "Claire" in say(page, scene.ask)
    assert chips(page) == []

    say(page, scene.remind)
    expect(page.locator("#log .chip")).to_have_count(1, timeout=_SLOW_MS)
    (chip,) = chips(page)
    assert re.search(scene.due, chip)


def test_the_words_the_answer_and_the_memory_survive_a_killed_server(
    sqlite_url: str, valkey_url: str, tmp_path: Path, sign_in: SignIn
) -> None:
    server = new_server(LiveServer, tmp_path / "server", sqlite_url, f"{valkey_url}?db=3", 1, {})
    try:
        person = server.account("Nora")
        page = sign_in(server, person)
        answer = say(page, SCENES[0].hello)
        server.kill()
        page.locator("#text").fill(SCENES[0].ask)
        page.locator("#text").press("Enter")  # while nobody answers
        server.start()
        expect(page.locator("#log .prose")).to_have_count(2, timeout=2 * _SLOW_MS)
        first, second = page.locator("#log .prose").all_inner_texts()
        assert first == answer
        assert "Claire" in second
    finally:
        server.stop()


def test_a_newcomer_makes_the_first_account_through_the_printed_link(
    sqlite_url: str, valkey_url: str, tmp_path: Path, browser: Browser
) -> None:
    server = new_server(LiveServer, tmp_path / "server", sqlite_url, f"{valkey_url}?db=3", 1, {})
    parts = server.wiring()
    context = browser.new_context(locale="de-DE", timezone_id="Europe/Vienna")
    try:
        link = accounts.ensure_first_link(
            parts.engine, server.settings, choose_clock(server.settings.clock_file)(), base=server.url
        )
        assert link is not None
        page = context.new_page()
        page.goto(link)
        page.locator("#name").fill("Nora")
        page.locator("#email").fill("nora@example.org")
        page.locator("#password").fill(PASSWORD)
        page.locator("#password").press("Enter")
        expect(page.locator("#composer")).to_be_visible(timeout=_SLOW_MS)
        assert page.locator("html").get_attribute("lang") == "de"
        page.goto(link)
        expect(page.locator("#password")).to_have_count(0)  # it worked once
    finally:
        context.close()
        parts.engine.dispose()
        server.stop()
