"""The private switch in a real browser: visible while on, and its words leave every open page."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from memory.records import Person
from tests.browser.conftest import Open
from tests.browser.test_chat import chat, page, say, words
from tests.stage import Stage

__all__ = ["page"]  # a fixture
BANNER = '[data-banner="private"]'


def test_the_switch_shows_and_takes_the_words_from_both_pages(
    stage: Stage, clara: Person, window: Open, page: Page
) -> None:
    second = chat(window(viewport={"width": 360, "height": 740}))
    say(page, "the heron nests")
    expect(page.locator("#log .prose")).to_have_count(1, timeout=40_000)
    expect(page.locator(BANNER)).to_be_hidden()
    page.get_by_label("More about this conversation").click()
    page.get_by_role("button", name="Talk in private").click()
    for each in (page, second):
        expect(each.locator(BANNER)).to_contain_text("nothing of this conversation is kept")
    say(page, "the owl hoots")
    for each in (page, second):
        expect(each.locator("#log .prose")).to_have_count(2)
    page.get_by_role("button", name="End the private conversation").click()
    for each in (page, second):
        expect(each.locator("#log .prose")).to_have_count(1)
        expect(each.locator(BANNER)).to_be_hidden()
        assert words(each) == ["the heron nests"]
    page.reload()
    assert words(page) == ["the heron nests"]


def test_what_is_erased_leaves_every_open_page(clara: Person, window: Open, page: Page) -> None:
    say(page, "the heron nests")
    expect(page.locator("#log .prose")).to_have_count(1, timeout=40_000)
    phone = chat(window(viewport={"width": 360, "height": 740}))
    expect(phone.locator("#log .prose")).to_have_count(1)
    other = window().new_page()
    other.goto("/data/")
    other.get_by_label("Type your e-mail address to confirm").fill(clara.email)
    other.get_by_role("button", name="Erase everything").click()
    expect(other.get_by_role("heading", name="Everything is erased")).to_be_visible(timeout=30_000)
    for each in (page, phone):
        expect(each.locator("#log .prose")).to_have_count(0)
        expect(each.locator("#log")).not_to_contain_text("heron")
    say(page, "the owl hoots")  # and the talk goes on
    for each in (page, phone):
        expect(each.locator("#log .prose")).to_have_count(1, timeout=40_000)
        assert words(each) == ["the owl hoots"]
