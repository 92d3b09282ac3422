"""The whole conversation in a real browser: starting afresh, a guest, and what an answer was given."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from memory.records import Person
from memory.storage import conversations
from memory.storage.engine import reading
from tests.browser.test_chat import chat, page, say  # noqa: F401 (fixtures)
from tests.stage import Stage


def answered(tab: Page, words: str) -> None:
    expect(tab.locator("#log .prose").last).to_have_text(words)


def menu(tab: Page) -> None:
    tab.get_by_label("More about this conversation").click()


def test_start_afresh_closes_the_thread_and_the_next_message_begins_anew(
    stage: Stage,
    clara: Person,
    page: Page,  # noqa: F811
) -> None:
    say(page, "one")
    answered(page, "You said one.")
    menu(page)
    page.get_by_role("button", name="Start afresh").click()
    expect(page.locator(".notice")).to_contain_text("Your next message begins a new one")
    expect(page.get_by_role("button", name="Start afresh")).not_to_be_visible()
    with reading(stage.parts.engine) as session:
        assert conversations.open_of(session, clara.id) is None
    say(page, "two")
    answered(page, "You said two.")
    expect(page.locator("#log .begins")).to_have_count(1)
    page.reload()
    expect(page.locator("#log .begins")).to_have_count(1)


def test_a_guest_is_shown_on_every_page_until_the_owner_is_back(window: object, page: Page) -> None:  # noqa: F811
    other = chat(page.context)
    menu(page)
    page.get_by_text("Hand the phone to a guest").click()
    page.get_by_label("Who speaks now?").fill("Tobias")
    page.get_by_role("button", name="Hand over").click()
    for each in (page, other):
        expect(each.locator('[data-banner="speaker"]')).to_contain_text("Tobias")
    say(page, "hello")
    answered(page, "You said hello.")
    expect(page.locator("#log .said .speaker")).to_have_text("Tobias")
    other.reload()
    expect(other.locator('[data-banner="speaker"]')).to_contain_text("Tobias")
    other.get_by_role("button", name="It is me again").click()
    for each in (page, other):
        expect(each.locator('[data-banner="speaker"]')).to_be_hidden()
        expect(each.get_by_role("button", name="It is me again")).to_be_hidden()


def test_what_an_answer_was_given_is_one_click_away(page: Page) -> None:  # noqa: F811
    say(page, "hello")
    answered(page, "You said hello.")
    page.get_by_label("More about this exchange").click()
    page.get_by_role("link", name="What I was given for this").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What I was given for this answer")
    expect(page.get_by_role("heading", name="Memory was empty")).to_be_visible()
    page.get_by_role("link", name="Back to the exchange").click()
    expect(page.locator("#log .prose")).to_have_text("You said hello.")
