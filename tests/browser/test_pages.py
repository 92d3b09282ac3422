"""The pages around the chat in a real browser: editing in place, undo, search, narrow screens, no script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from memory import cards
from memory.config import LANGUAGES
from memory.records import Category, NewCard, Person, Role
from memory.storage import cards as rows
from memory.storage.engine import reading, transaction
from tests import factories
from tests.browser import keyboard
from tests.fakes import T0
from tests.stage import Stage

reach = partial(keyboard.reach, within=70)

PATHS = ("/memories/", "/settings/", "/rules/", "/operator/", "/operator/model", "/no-such-page")
MORE_PATHS = ("/guests/", "/guests/forget?name=Rosa", "/tidy/", "/worth", "/data/", "/search?q=the")
NARROW = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}
expect.set_options(timeout=15_000)  # a busy machine
Open = Callable[..., BrowserContext]


@pytest.fixture
def clara(stage: Stage) -> Person:
    person = stage.person(name="Clara", role=Role.OPERATOR)
    keep(stage, person, "Lives in Porto, near the river.")
    keep(stage, person, "The gate code is 0075")
    return person


@pytest.fixture
def window(stage: Stage, browser: Browser) -> Iterator[Open]:
    """A browser on which someone is signed in; what the page's policy refuses fails the test."""
    opened: list[BrowserContext] = []
    faults: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text or "evalDisallowed" in message.text:
            faults.append(message.text)

    def make(person: Person, **options: Any) -> BrowserContext:
        context = browser.new_context(**{"locale": "en-GB", "base_url": stage.url, **options})
        name, _, value = stage.cookie(person).partition("=")
        context.add_cookies([{"name": name, "value": value, "url": stage.url}])
        context.on("weberror", lambda error: faults.append(str(error.error)))
        context.on("console", note)
        opened.append(context)
        return context

    yield make
    for context in opened:
        context.close()
    assert not faults


def keep(stage: Stage, person: Person, text: str) -> None:
    parts = stage.parts
    with transaction(parts.engine) as session:
        new = NewCard(category=Category.FACT, text=text)
        cards.remember(session, person, new, embedder=parts.embedder, now=parts.clock())


def kept(stage: Stage, person: Person) -> set[str]:
    with reading(stage.parts.engine) as session:
        return {card.text for card in rows.active(session, person.id)}


def memories(context: BrowserContext) -> Page:
    page = context.new_page()
    page.goto("/memories/")
    return page


def test_a_memory_is_corrected_where_it_stands(stage: Stage, window: Open, clara: Person) -> None:
    page = memories(window(clara))
    card = page.locator(".memory", has_text="gate code")
    card.get_by_role("link", name="Edit").click()
    field = page.get_by_label("What I remember", exact=True)
    expect(field).to_be_focused()
    field.fill("   ")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_have_text("A memory needs some text.")
    page.get_by_label("What I remember", exact=True).fill("The gate code is 0076")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".memory-text", has_text="0076")).to_be_visible()
    expect(page.locator(".memory")).to_have_count(2)
    assert "The gate code is 0076" in kept(stage, clara)


def test_forgetting_is_undone_where_it_happened(stage: Stage, window: Open, clara: Person) -> None:
    page = memories(window(clara))
    page.locator(".memory", has_text="gate code").get_by_role("button", name="Forget").click()
    expect(page.locator(".memory")).to_have_count(1)
    assert kept(stage, clara) == {"Lives in Porto, near the river."}
    expect(page.get_by_role("button", name="Undo")).to_be_focused()  # the keyboard goes on from there
    page.keyboard.press("Enter")
    expect(page.locator(".memory")).to_have_count(2)
    expect(page.locator(".memory", has_text="gate code").get_by_role("link", name="Edit")).to_be_focused()
    assert "The gate code is 0075" in kept(stage, clara)


def test_searching_narrows_the_list_while_typing(window: Open, clara: Person) -> None:
    page = memories(window(clara))
    page.get_by_role("searchbox").press_sequentially("pórto")
    expect(page.locator(".memory")).to_have_count(1)
    expect(page.locator("#total")).to_have_text("1 memory")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.get_by_role("radio", name="Task").check(force=True)
    expect(page.locator("#total")).to_have_text("Nothing fits.")
    page.reload()  # the address holds what was searched
    expect(page.get_by_role("searchbox")).to_have_value("pórto")
    expect(page.get_by_role("radio", name="Task")).to_be_checked()


def test_rules_are_kept_in_place(window: Open, clara: Person) -> None:
    page = window(clara).new_page()
    page.goto("/rules/")
    page.get_by_label("New rule").fill("Answer briefly.")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("listitem")).to_have_count(1)
    expect(page.get_by_label("New rule")).to_have_value("")
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("listitem")).to_have_count(0)


def test_the_menu_opens_and_closes_by_keyboard(window: Open, clara: Person) -> None:
    page = memories(window(clara))
    menu = page.locator("summary")
    menu.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Settings")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Settings")).to_be_hidden()
    expect(menu).to_be_focused()


def test_an_error_is_said_where_one_stands(stage: Stage, window: Open, clara: Person) -> None:
    page = memories(window(clara))
    with transaction(stage.parts.engine) as session:
        rows.remove(session, [card.id for card in rows.active(session, clara.id)])
    page.locator(".memory").first.get_by_role("button", name="Forget").click()
    expect(page.get_by_role("alert")).to_have_text("This does not exist, or it is not yours.")


def test_the_browsers_zone_comes_with_the_first_account(stage: Stage, browser: Browser) -> None:
    from memory import accounts
    from memory.storage import people

    parts = stage.parts
    token = accounts.invite(
        parts.engine, role=Role.PERSON, by=stage.person(name="Olga", role=Role.OPERATOR), now=parts.clock()
    )
    context = browser.new_context(base_url=stage.url, locale="pt-PT", timezone_id="Atlantic/Azores")
    page = context.new_page()
    page.goto(f"/join/{token}")
    email = f"bento-{token[:8].lower()}@example.org"
    page.get_by_label("Como te devo chamar?").fill("Bento")
    page.get_by_label("Endereço de e-mail").fill(email)
    page.get_by_label("Palavra-passe").fill("three words in a row")
    page.get_by_role("button", name="Criar conta").click()
    page.wait_for_url("**/")
    context.close()
    with reading(parts.engine) as session:
        found = people.by_email(session, accounts.fold_email(email))
    assert found is not None
    assert (found[0].zone, found[0].language) == ("Atlantic/Azores", "pt")


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_wider_than_a_narrow_phone(stage: Stage, window: Open, language: str) -> None:
    person = stage.person(name="Maximiliana", role=Role.OPERATOR, language=language)
    keep(stage, person, "https://example.org/" + "very-long-address-without-a-break/" * 8)
    page = window(person, **NARROW).new_page()
    page.goto("/")
    way = page.locator(".bar > nav a[href='/memories/']").bounding_box()  # one click from the chat
    assert way is not None
    assert way["x"] + way["width"] <= 320
    talk = factories.conversation(stage.parts.engine, person, archived_at=T0)
    factories.turn(stage.parts.engine, person, talk, speaker="Rosa")
    factories.card(stage.parts.engine, person, category=Category.THEME, text="Kayak")
    for path in (*PATHS, *(MORE_PATHS if language == "de" else ())):  # German words are the longest
        page.goto(path)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, path
        small = page.evaluate(
            """[...document.querySelectorAll("button, .button, input, select, summary, nav a")]
            .filter((e) => e.checkVisibility() && !e.matches(".visually-hidden, [type=radio], [type=hidden]"))
            .map((e) => e.matches("[type=checkbox]") && e.closest("label") || e)
            .filter((e) => e.getBoundingClientRect().height < 43.5)
            .map((e) => e.outerHTML)"""
        )
        assert small == [], path


def test_the_reasons_of_a_vote_are_not_under_the_field(stage: Stage, window: Open, clara: Person) -> None:
    talk = factories.conversation(stage.parts.engine, clara, archived_at=T0)
    for number in range(12):
        factories.turn(stage.parts.engine, clara, talk, said=f"What is {number}?", answer="It is **so**.")
    page = window(clara, viewport={"width": 390, "height": 700}).new_page()
    page.goto("/")
    page.get_by_role("button", name="Not helpful").last.click()
    reasons, field = page.locator(".why"), page.locator(".foot")
    expect(reasons).to_be_visible()
    box = reasons.bounding_box()
    foot = field.bounding_box()
    assert box is not None
    assert foot is not None
    assert box["y"] + box["height"] <= foot["y"] + 1


def test_everything_works_without_a_script(stage: Stage, window: Open, clara: Person) -> None:
    page = memories(window(clara, java_script_enabled=False))
    page.get_by_role("searchbox").fill("gate")
    page.get_by_role("searchbox").press("Enter")
    expect(page.locator(".memory")).to_have_count(1)
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("What I remember", exact=True).fill("The gate code is 0077")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".memory-text", has_text="0077")).to_be_visible()
    page.locator(".memory", has_text="0077").get_by_role("button", name="Forget").click()
    expect(page.locator(".memory")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".memory")).to_have_count(2)
    assert "The gate code is 0077" in kept(stage, clara)


def test_my_memories_by_keyboard_alone(stage: Stage, window: Open, clara: Person) -> None:
    page = memories(window(clara))
    press, code = page.keyboard.press, page.locator(".memory", has_text="gate code")
    reach(page, page.get_by_role("searchbox"))
    page.keyboard.type("gate")
    expect(page.locator(".memory")).to_have_count(1)
    reach(page, code.get_by_role("link", name="Edit"))
    press("Enter")
    expect(page.get_by_label("What I remember", exact=True)).to_be_focused()
    press("Control+End")
    page.keyboard.type("6")
    reach(page, page.get_by_label("Kind").last)
    page.keyboard.type("Memo")  # another kind
    reach(page, page.get_by_role("button", name="Save"))
    press("Enter")
    expect(code.locator(".memory-kind")).to_have_text("Memo")
    reach(page, code.get_by_role("button", name="Pin"))
    press("Enter")
    expect(code.get_by_role("button", name="Unpin")).to_be_visible()
    reach(page, code.get_by_role("checkbox"))
    press("Space")
    reach(page, page.get_by_role("button", name="Forget the ticked ones"))
    press("Enter")
    reach(page, page.get_by_role("button", name="Undo"))
    press("Enter")
    expect(page.get_by_text("1 memory is back.")).to_be_visible()
    assert "The gate code is 00756" in kept(stage, clara)
    page.goto("/data/")
    reach(page, page.get_by_label("Type your e-mail address to confirm"))
    page.keyboard.type(clara.email)
    press("Enter")
    expect(page.get_by_role("heading", name="Everything is erased")).to_be_visible(timeout=30_000)
    assert kept(stage, clara) == set()
