"""A handover in real browsers: a person with two tabs, the agent who takes it, a colleague who watches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from memory.records import Person, Role
from memory.storage import people
from memory.storage.engine import reading
from tests.stage import Stage

expect.set_options(timeout=40_000)  # a busy machine; none of these waits is long on an idle one
Open = Callable[[Person, str], Page]
ANSWERING = re.compile(
    "Hanna.? is answering you now"
)  # a mark around a name keeps it from turning the sentence


@pytest.fixture
def open_page(stage: Stage, browser: Browser) -> Iterator[Open]:
    """A tab on which somebody is signed in; every fault of a script fails the test."""
    contexts = []
    faults: list[str] = []

    def make(who: Person, path: str) -> Page:
        context = browser.new_context(
            locale="en-GB",
            timezone_id="Europe/Berlin",
            base_url=stage.url,
            viewport={"width": 1280, "height": 800},
        )
        name, _, value = stage.cookie(who).partition("=")
        context.add_cookies([{"name": name, "value": value, "url": stage.url}])
        context.on("weberror", lambda error: faults.append(str(error.error)))
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.goto(path)
        return page

    yield make
    for context in contexts:
        context.close()
    assert not faults


def say(page: Page, text: str) -> None:
    page.get_by_label("Your message").fill(text)
    page.get_by_role("button", name="Send").click()


def ask(page: Page) -> None:
    page.get_by_label("More about this conversation").click()
    page.get_by_role("button", name="Talk to a human").click()


def test_a_handover_from_the_request_to_the_return(stage: Stage, open_page: Open) -> None:
    clara = stage.person(name="Clara Weiss")
    hanna = stage.person(name="Hanna", role=Role.AGENT)
    emil = stage.person(name="Emil", role=Role.AGENT)
    chat, tab = open_page(clara, "/"), open_page(clara, "/")
    desk, colleague = open_page(hanna, "/desk/"), open_page(emil, "/desk/")

    say(chat, "I ordered lamps")
    expect(chat.locator("#log .prose")).to_have_text("You said I ordered lamps.")
    ask(chat)
    expect(chat.locator('[data-banner="handover"]')).to_contain_text("You are number")
    expect(tab.locator('[data-banner="handover"]')).to_contain_text("You are number")

    # Both desks hear of it by themselves; one takes it, the other sees who.
    row = desk.locator("#queue li", has_text="Clara Weiss")
    expect(row).to_be_visible()
    expect(desk).to_have_title("(1) Desk · Asterism")
    expect(colleague.locator("#queue li", has_text="Clara Weiss")).to_be_visible()
    row.get_by_role("button", name="Take").click()
    expect(desk.get_by_role("heading", name="Clara Weiss")).to_be_visible()
    expect(colleague.locator("section", has_text="With colleagues")).to_contain_text("Hanna")
    for page in (chat, tab):
        expect(page.locator('[data-banner="handover"]')).to_have_text(ANSWERING)
        expect(page.locator("#log .notice")).to_have_text(re.compile("Hanna.? has joined"))
        expect(page.get_by_label("Your message")).to_have_attribute("placeholder", "Write to Hanna")

    # The other tab, loaded before, talks to the human too.
    say(tab, "Are you still there?")
    expect(desk.locator("#now")).to_contain_text("Are you still there?")
    desk.get_by_label("Write to Clara Weiss").fill("Yes. When shall they **come**?")
    desk.get_by_role("button", name="Send").click()
    for page in (chat, tab):
        expect(page.locator("#log .prose").last).to_have_text("Yes. When shall they come?")
        expect(page.locator("#log .speaker").last).to_have_text("Hanna")
    expect(desk.locator("#now .human")).to_contain_text("When shall they come?")
    expect(desk.get_by_label("Write to Clara Weiss")).to_have_value("")

    # A draft outlives what comes in; decisions and notes are written beside it.
    desk.get_by_label("Write to Clara Weiss").fill("I write it d")
    say(chat, "Forty on Thursday please")
    expect(desk.locator("#now")).to_contain_text("Forty on Thursday please")
    expect(desk.get_by_label("Write to Clara Weiss")).to_have_value("I write it d")
    desk.get_by_text("Decide something").click()
    desk.get_by_label("What", exact=True).select_option("quantity")
    desk.get_by_label("Decision", exact=True).fill("many")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_role("alert")).to_have_text("Write one whole number.")
    expect(desk.get_by_label("What", exact=True)).to_have_value("quantity")  # to be put right, not begun anew
    expect(desk.get_by_label("Decision", exact=True)).to_have_value("many")
    desk.get_by_label("Decision", exact=True).fill("40")
    desk.get_by_role("button", name="Save").click()
    expect(desk.locator('[data-key="quantity"]')).to_contain_text("40")
    expect(desk.locator('[data-key="quantity"]')).to_contain_text("Hanna")
    desk.get_by_label("Internal note").fill("a good customer")
    desk.get_by_role("button", name="Keep the note").click()
    expect(desk.locator("#notes")).to_contain_text("a good customer")

    # The same sheet in another tab of the agent renews itself, and keeps what is being written beside it.
    second = desk.context.new_page()
    second.goto(desk.url)
    second.get_by_text("Decide something").click()
    second.get_by_label("Decision", exact=True).fill("half writ")
    desk.get_by_role("button", name="Withdraw: Quantity").click()
    expect(second.locator('[data-key="quantity"]')).to_have_count(0)
    expect(second.get_by_label("Decision", exact=True)).to_have_value("half writ")
    second.close()
    expect(desk.get_by_label("Write to Clara Weiss")).to_have_value("I write it d")

    # Back to the assistant, in every tab, also after a reload.
    desk.get_by_role("button", name="Hand back to Asterism").click()
    expect(desk.get_by_text("Nobody waits.")).to_be_visible()
    expect(chat.get_by_label("Your message")).to_have_attribute("placeholder", "Write to Asterism")
    for page in (chat, tab):
        expect(page.locator('[data-banner="handover"]')).to_be_hidden()
        expect(page.locator("#log .notice").last).to_have_text(re.compile("Hanna.? has left"))
    say(chat, "Thanks")
    expect(chat.locator("#log .prose").last).to_have_text("You said Thanks.")
    chat.reload()
    expect(chat.locator("#log .notice")).to_have_count(2)
    expect(chat.locator("#log .speaker")).to_have_text(["Hanna"])
    assert "good customer" not in chat.content()


def test_a_third_window_sees_each_change_of_hands(stage: Stage, open_page: Open) -> None:
    clara = stage.person(name="Clara Frost")
    hanna, emil, olga = (stage.person(name=name, role=Role.AGENT) for name in ("Greta", "Enno", "Olga"))
    chat = open_page(clara, "/")
    desk, colleague, third = (open_page(each, "/desk/") for each in (hanna, emil, olga))
    say(chat, "I ordered lamps")
    expect(chat.locator("#log .prose")).to_have_text("You said I ordered lamps.")
    ask(chat)
    third.get_by_role("button", name="Take the conversation with Clara Frost").wait_for()
    desk.locator("#queue li", has_text="Clara Frost").get_by_role("button", name="Take").click()
    held = third.locator("section", has_text="With colleagues").locator("li", has_text="Clara Frost")
    expect(held).to_contain_text("Greta")
    expect(third.get_by_role("button", name="Take the conversation with Clara Frost")).to_have_count(0)
    expect(third.locator(".agents li[data-here]", has_text="Greta")).to_contain_text("1 conversation")

    # A ready text goes to the cursor.
    texts = desk.context.new_page()
    texts.goto("/desk/texts/")
    texts.get_by_role("textbox", name="Name").fill("Greeting")
    texts.get_by_role("textbox", name="Text").fill("Good day,\nwhat can I do for you?")
    texts.get_by_role("button", name="Keep it").click()
    expect(texts.get_by_text("only for you")).to_be_visible()
    texts.close()
    desk.reload()
    field = desk.get_by_label("Write to Clara Frost")
    field.fill("Hello!  Bye.")
    field.evaluate("(field) => field.setSelectionRange(7, 7)")
    desk.locator(".ready-texts summary").click()
    desk.get_by_role("button", name="Greeting").click()
    expect(field).to_have_value("Hello! Good day,\nwhat can I do for you? Bye.")

    desk.get_by_text("Pass on", exact=True).first.click()
    desk.get_by_label("To whom").select_option(emil.public_id)
    desk.get_by_role("button", name="Pass on").click()
    expect(held).to_contain_text("Enno")
    colleague.locator("#queue").get_by_role("link", name="Open").click()
    colleague.get_by_text("Pass on", exact=True).first.click()
    colleague.get_by_role("button", name="Pass on").click()  # back to the queue
    expect(third.get_by_role("button", name="Take the conversation with Clara Frost")).to_be_visible()
    third.get_by_role("button", name="Take the conversation with Clara Frost").click()
    third.get_by_role("button", name="Hand back to Asterism").click()


def test_on_a_phone_the_bar_is_whole_and_the_menu_has_every_page(stage: Stage, open_page: Open) -> None:
    page = open_page(stage.person(name="Hanna", role=Role.AGENT, language="de"), "/constellation")
    for width in (320, 390):
        page.set_viewport_size({"width": width, "height": 740})
        bar = page.locator(".bar > nav")
        assert bar.evaluate("(nav) => nav.scrollWidth <= nav.clientWidth")
        expect(bar.get_by_role("link")).to_have_count(3)  # the talk, where one is, the desk
    page.locator(".bar .menu > summary").click()
    expect(page.locator(".menu-pages").get_by_role("link")).to_have_count(5)
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.locator(".menu-pages")).to_be_hidden()
    expect(page.locator(".bar > nav").get_by_role("link")).to_have_count(5)


def test_an_answer_under_way_ends_with_the_claim(stage: Stage, open_page: Open) -> None:
    clara = stage.person(name="Clara Holt")
    hanna = stage.person(name="Hanna", role=Role.AGENT)
    chat, desk = open_page(clara, "/"), open_page(hanna, "/desk/")
    with stage.holding() as release:
        say(chat, "hold")
        expect(chat.locator("[data-bubble]")).to_have_text("The first sentence.")
        ask(chat)
        desk.locator("#queue li", has_text="Clara Holt").get_by_role("button", name="Take").click()
        expect(chat.locator('[data-banner="handover"]')).to_have_text(ANSWERING)
        release()
        expect(chat.locator("#log .prose")).to_have_text("The first sentence.")
    expect(desk.locator(".exchange")).to_contain_text("Cut off when you took the conversation.")
    desk.get_by_role("button", name="Hand back to Asterism").click()
    with reading(stage.parts.engine) as session:
        assert people.by_id(session, clara.id).name == "Clara Holt"


def test_the_sheet_leads_into_the_folded_talk(stage: Stage, open_page: Open) -> None:
    clara = stage.person(name="Clara Lind")
    hanna = stage.person(name="Hanna", role=Role.AGENT)
    chat, desk = open_page(clara, "/"), open_page(hanna, "/desk/")
    for text in ("one", "two"):
        say(chat, text)
        expect(chat.locator("#log .prose").last).to_have_text(f"You said {text}.")
    ask(chat)
    desk.locator("#queue li", has_text="Clara Lind").get_by_role("button", name="Take").click()
    expect(desk.locator("#transcript .exchange").first).to_be_hidden()
    desk.get_by_text("Decide something").click()
    desk.get_by_label("What", exact=True).select_option("delivery_address")
    desk.get_by_label("Decision", exact=True).fill("12 Mill Lane")
    desk.get_by_role("button", name="Save").click()
    desk.locator('[data-key="delivery_address"] a').click()
    expect(desk.locator("#transcript .exchange").last).to_be_visible()
    desk.set_viewport_size({"width": 360, "height": 740})
    assert desk.evaluate("document.documentElement.scrollWidth") <= 360
    desk.get_by_role("button", name="Hand back to Asterism").click()
