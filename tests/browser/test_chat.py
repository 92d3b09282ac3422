"""The chat in a real browser: what a person does while networks, tabs and servers come and go."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, WebSocketRoute, expect

from memory.records import Person
from memory.storage import turns
from memory.storage.engine import reading, transaction
from memory.storage.tables import FrameRow, PersonRow, TurnRow
from tests import factories
from tests.stage import SAID, Stage

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
expect.set_options(timeout=15_000)  # a busy machine; none of these waits is long on an idle one
HELD = "The first sentence. And then the second one."
Open = Callable[..., BrowserContext]


@pytest.fixture
def page(window: Open) -> Page:
    """The chat on a desk-sized window."""
    return chat(window(viewport={"width": 1280, "height": 800}))


def chat(context: BrowserContext) -> Page:
    """A tab with the chat, connected."""
    tab = context.new_page()
    tab.goto("/")
    return tab


def say(page: Page, text: str) -> None:
    page.get_by_label("Your message").fill(text)
    page.get_by_role("button", name="Send").click()


def answers(page: Page) -> list[str]:
    return page.locator("#log .prose").all_inner_texts()


def words(page: Page) -> list[str]:
    return page.locator(".words").all_inner_texts()


def stored(stage: Stage, person: Person) -> list[tuple[str, str]]:
    with reading(stage.parts.engine) as session:
        return [(turn.said, turn.state.value) for turn, _ in turns.timeline(session, person.id)]


def test_send_and_see_the_answer_in_the_log(page: Page) -> None:
    say(page, "Good **morning**")
    expect(page.locator("#log .prose")).to_have_text("You said Good morning.")
    expect(page.locator("#log .words")).to_have_text("Good **morning**")
    expect(page.get_by_label("Your message")).to_be_focused()
    expect(page.get_by_role("status").last).to_have_text("The answer is complete")
    expect(page.locator("#welcome")).to_have_count(0)


def test_a_reload_in_the_middle_of_an_answer_loses_and_doubles_nothing(stage: Stage, page: Page) -> None:
    with stage.holding() as release:
        say(page, "hold")
        expect(page.locator("[data-bubble]")).to_have_text("The first sentence.")
        page.reload()
        expect(page.locator("[data-bubble]")).to_have_text("The first sentence.")
        release()
        expect(page.locator("#log .prose")).to_have_text(HELD)
    assert words(page) == ["hold"]
    expect(page.locator("#live")).to_be_hidden()


class Network:
    """What is between a page and the server, and can be taken away."""

    def __init__(self, page: Page) -> None:
        self.is_down = False
        self._page = page
        self._lines: list[WebSocketRoute] = []
        self._dead: list[WebSocketRoute] = []
        page.route_web_socket(re.compile("chat/socket"), self._open)

    def _open(self, line: WebSocketRoute) -> None:
        if self.is_down:
            line.close()
            return
        server = line.connect_to_server()
        line.on_message(lambda message: self._pass(line, server, message))
        server.on_message(lambda message: self._pass(line, line, message))
        self._lines.append(line)

    def _pass(self, line: WebSocketRoute, onward: WebSocketRoute, message: str | bytes) -> None:
        if line not in self._dead:
            onward.send(message)

    def go(self, *, silently: bool) -> None:
        """Take it away: with a word, or silently, as in a tunnel; lines that were open never wake again."""
        self.is_down = True
        self._dead += self._lines
        if not silently:
            for line in self._lines:
                line.close()

    def come_back(self) -> None:
        """Bring it back, and let the browser notice as it does."""
        self.is_down = False
        self._page.evaluate("dispatchEvent(new Event('online'))")


@pytest.mark.parametrize("silently", [False, True])
def test_offline_for_a_while_on_a_phone_the_answer_is_there_once(
    stage: Stage, clara: Person, window: Open, silently: bool
) -> None:
    page = window(**PHONE).new_page()
    network = Network(page)
    page.goto("/")
    with stage.holding() as release:
        say(page, "hold")
        expect(page.locator("[data-bubble]")).to_have_text("The first sentence.")
        network.go(silently=silently)
        say(page, "typed in a tunnel")
        expect(page.locator("#connection")).to_be_hidden()  # nothing is said at first
        if not silently:
            expect(page.get_by_text("No connection.")).to_be_visible()
        release()
        stage.parts.conductor.wait(_newest(stage, clara), 10)
    network.come_back()
    expect(page.locator("#log .prose")).to_have_text([HELD, "You said typed in a tunnel."])
    expect(page.locator("#connection")).to_be_hidden()
    assert words(page) == ["hold", "typed in a tunnel"]
    assert stored(stage, clara) == [("hold", "answered"), ("typed in a tunnel", "answered")]


@pytest.mark.parametrize("is_told", [True, False])
def test_offline_for_a_whole_minute_on_a_phone_the_answer_is_there_once(
    stage: Stage, clara: Person, window: Open, is_told: bool
) -> None:
    """Both clocks: every timer of the page fires in between. By the browser's own switch, or in a tunnel."""
    context = window(**PHONE)
    page = context.new_page()
    page.clock.install()
    network = Network(page)
    page.goto("/")
    with stage.holding() as release:
        say(page, "hold")
        expect(page.locator("[data-bubble]")).to_have_text("The first sentence.")
        network.go(silently=True)
        if is_told:
            context.set_offline(True)
        else:
            say(page, "typed in a tunnel")  # words that nothing answers
        page.clock.run_for(13_000)
        expect(page.get_by_text("No connection.")).to_be_visible()
        page.clock.run_for(17_000)
        release()
        stage.parts.conductor.wait(_newest(stage, clara), 10)
        if is_told:
            say(page, "typed in a tunnel")
        page.clock.run_for(30_000)
        expect(page.get_by_text("No connection.")).to_be_visible()
    network.is_down = False
    if is_told:
        context.set_offline(False)  # the browser tells the page itself
    page.clock.run_for(15_000)
    expect(page.locator("#log .prose")).to_have_text([HELD, "You said typed in a tunnel."])
    expect(page.locator("#connection")).to_be_hidden()
    assert words(page) == ["hold", "typed in a tunnel"]
    assert stored(stage, clara) == [("hold", "answered"), ("typed in a tunnel", "answered")]
    page.reload()
    assert words(page) == ["hold", "typed in a tunnel"]


def test_words_that_the_store_could_not_take_are_sent_again_by_themselves(
    stage: Stage, clara: Person, window: Open
) -> None:
    page = window().new_page()
    page.clock.install()
    refusals: list[str] = []

    def between(line: WebSocketRoute) -> None:
        server = line.connect_to_server()

        def up(message: str | bytes) -> None:
            told = json.loads(message)
            if "say" in told and len(refusals) < 2:  # as the server says while somebody holds the database
                refusals.append(told["client_id"])
                again = {"n": 0, "kind": "refused", "message": "It is tried again.", "again": True}
                line.send(json.dumps({**again, "client_id": told["client_id"]}))
            else:
                server.send(message)

        line.on_message(up)
        server.on_message(line.send)

    page.route_web_socket(re.compile("chat/socket"), between)
    page.goto("/")
    say(page, "patience")
    expect(page.locator("#problem")).to_have_text("It is tried again.")
    expect(page.get_by_label("Your message")).to_have_value("")
    expect(page.get_by_label("Your message")).not_to_have_attribute("aria-invalid", re.compile(".*"))
    page.clock.run_for(12_000)
    expect(page.locator("#log .prose")).to_have_text("You said patience.")
    expect(page.locator("#problem")).to_be_hidden()
    assert words(page) == ["patience"]
    assert len(refusals) == 2
    assert len(set(refusals)) == 1
    assert stored(stage, clara) == [("patience", "answered")]


def test_after_a_long_sleep_the_thread_is_fetched_anew_and_the_draft_stays(
    stage: Stage, clara: Person, window: Open
) -> None:
    context = window()
    page = context.new_page()
    network = Network(page)
    page.goto("/")
    say(page, "before")
    expect(page.locator("#log .prose")).to_have_count(1)
    page.get_by_label("Your message").fill("half a thought")
    network.go(silently=False)
    other = chat(context)
    say(other, "meanwhile")
    expect(other.locator("#log .prose")).to_have_count(2)
    other.close()
    with transaction(stage.parts.engine) as session:
        session.query(FrameRow).filter_by(person_id=clara.id).delete()
    network.come_back()
    expect(page.locator("#log .prose")).to_have_text(["You said before.", "You said meanwhile."])
    assert page.get_by_label("Your message").input_value() == "half a thought"
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#log .prose")).to_have_count(3)


def _newest(stage: Stage, person: Person) -> int:
    with reading(stage.parts.engine) as session:
        return turns.timeline(session, person.id)[-1][0].id


def test_what_was_typed_survives_a_reload(stage: Stage, window: Open) -> None:
    context = window()
    page = chat(context)
    page.get_by_label("Your message").fill("half a thou")
    page.reload()
    expect(page.get_by_label("Your message")).to_have_value("half a thou")


def test_signing_out_leaves_no_words_in_the_browser(page: Page) -> None:
    page.get_by_label("Your message").fill("a secret draft")
    page.get_by_label("Settings and more").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Password")).to_be_visible()
    assert "secret" not in page.evaluate("JSON.stringify(localStorage)")


def test_what_was_sent_without_a_network_survives_a_reload(stage: Stage, clara: Person, window: Open) -> None:
    context = window()
    page = context.new_page()
    network = Network(page)
    network.is_down = True
    page.goto("/")
    say(page, "do not lose me")
    expect(page.locator(".pending .words")).to_have_text("do not lose me")
    network.is_down = False
    page.reload()
    expect(page.locator("#log .prose")).to_have_text("You said do not lose me.")
    assert stored(stage, clara) == [("do not lose me", "answered")]


def test_an_override_turns_nothing_around_before_and_after_a_reload(page: Page) -> None:
    say(page, "pay\u202egnp.exe and more")
    expect(page.locator("#log .prose")).to_have_text("You said paygnp.exe and more.")
    assert words(page) == ["paygnp.exe and more"]
    page.reload()
    assert words(page) == ["paygnp.exe and more"]


def test_words_whose_receipt_was_lost_are_not_shown_twice(stage: Stage, window: Open) -> None:
    page = chat(window())
    say(page, "hello")
    expect(page.locator("#log .prose")).to_have_text("You said hello.")
    # As after a crash of the browser between sending and the receipt: the outbox still has it.
    entry = page.evaluate("""() => {
        const turn = document.querySelector("#log .turn").dataset.turn;
        const key = `asterism.outbox.${document.querySelector("#chat").dataset.person}`;
        return { turn, key };
    }""")
    with reading(stage.parts.engine) as session:
        client_id = session.query(TurnRow).filter_by(public_id=entry["turn"]).one().client_id
    left = json.dumps([{"client_id": client_id, "text": "hello"}])
    page.evaluate("([key, left]) => localStorage.setItem(key, left)", [entry["key"], left])
    page.reload()
    expect(page.locator(".pending")).to_have_count(0)
    assert page.evaluate("key => localStorage.getItem(key)", entry["key"]) is None
    assert words(page) == ["hello"]


def test_two_tabs_stay_in_step(stage: Stage, window: Open) -> None:
    context = window()
    one, two = chat(context), chat(context)
    with stage.holding() as release:
        say(one, "hold")
        expect(two.locator("[data-bubble]")).to_have_text("The first sentence.")
        say(two, "and I")
        expect(one.locator("#waiting .words")).to_have_text("and I")
        release()
        for tab in (one, two):
            expect(tab.locator("#log .prose")).to_have_text([HELD, "You said and I."])
            assert words(tab) == ["hold", "and I"]


@pytest.mark.parametrize("how", ["button", "escape"])
def test_stop_keeps_what_was_shown(stage: Stage, page: Page, how: str) -> None:
    with stage.holding():
        say(page, "hold")
        expect(page.locator("[data-bubble]")).to_have_text("The first sentence.")
        if how == "button":
            page.get_by_role("button", name="Stop answering").click()
        else:
            page.keyboard.press("Escape")
        expect(page.locator("#log .prose")).to_have_text("The first sentence.")
        expect(page.locator("#log .state")).to_have_text("Stopped.")
        expect(page.get_by_role("button", name="Stop answering")).to_be_hidden()


def test_enter_sends_shift_enter_breaks_and_composition_does_neither(page: Page) -> None:
    field = page.get_by_label("Your message")
    field.press_sequentially("one")
    field.press("Shift+Enter")
    field.press_sequentially("two")
    assert field.input_value() == "one\ntwo"
    field.dispatch_event("keydown", {"key": "Enter", "isComposing": True, "bubbles": True})
    assert field.input_value() == "one\ntwo"
    field.press("Enter")
    expect(page.locator("#log .words")).to_have_text("one\ntwo")
    assert field.input_value() == ""


def test_on_a_phone_return_breaks_the_line_and_nothing_runs_over_the_edge(window: Open) -> None:
    page = chat(window(**PHONE))
    field = page.get_by_label("Your message")
    field.fill("one")
    field.press("Enter")
    assert field.input_value() == "one\n"
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#log .prose")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    for button in page.locator("#log .tools :is(button, summary):visible").all():
        box = button.bounding_box()
        assert box is not None
        assert box["width"] >= 44
        assert box["height"] >= 44


def test_too_long_words_are_told_before_they_are_sent(stage: Stage, page: Page) -> None:
    page.get_by_label("Your message").fill("x" * (stage.settings.max_message_chars + 5))
    expect(page.get_by_text("5 characters too many")).to_be_visible()
    expect(page.get_by_role("button", name="Send")).to_be_disabled()


def test_reading_above_is_not_disturbed_by_what_comes_below(stage: Stage, page: Page) -> None:
    for number in range(12):
        say(page, f"line {number}")
        expect(page.locator("#log .prose")).to_have_count(number + 1)
    page.evaluate("scrollTo(0, 0)")
    with stage.holding() as release:
        say_from_elsewhere(page, "hold")
        expect(page.get_by_role("button", name="New messages")).to_be_visible()
        release()
    assert page.evaluate("scrollY") == 0
    page.get_by_role("button", name="New messages").click()
    expect(page.get_by_role("button", name="New messages")).to_be_hidden()
    expect(page.locator("#log .turn").last).to_be_in_viewport()


def say_from_elsewhere(page: Page, text: str) -> None:
    """Send from another tab of the same browser."""
    other = page.context.new_page()
    other.goto("/")
    say(other, text)
    expect(other.locator("[data-bubble]")).to_be_visible()
    other.close()


def test_a_vote_shows_at_once_and_stays(stage: Stage, page: Page) -> None:
    say(page, "hi")
    helpful = page.get_by_role("button", name="Helpful", exact=True)
    helpful.click()
    expect(page.get_by_role("button", name="Helpful", exact=True)).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.get_by_role("button", name="Helpful", exact=True)).to_have_attribute("aria-pressed", "true")


def test_cards_are_one_quiet_line_that_opens_in_place(page: Page) -> None:
    say(page, SAID["cards"])
    summary = page.locator("#log .several > summary")
    expect(summary).to_have_text(re.compile(r"2\s+added"))
    summary.click()
    page.get_by_role("link", name="Pay the rent").click()
    opened = page.locator(".opened")
    expect(opened).to_contain_text("Thursday, 5 December 2030, 17:00")
    opened.get_by_role("link", name="Edit").click()
    opened.get_by_label("What I remember").fill("Pay the rent and the gas")
    opened.get_by_role("button", name="Save").click()
    expect(opened).to_contain_text("and the gas")
    opened.get_by_role("link", name="Close").click()
    expect(page.get_by_role("link", name="Pay the rent and the gas")).to_be_visible()
    assert urlsplit(page.url).path == "/"


def test_delete_and_undo_answer_again_and_edit(page: Page) -> None:
    say(page, "first")
    expect(page.locator("#log .prose")).to_have_text("You said first.")
    page.get_by_label("More about this exchange").click()
    page.get_by_role("button", name="Delete this exchange").click()
    expect(page.locator("#log .words")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#log .prose")).to_have_text("You said first.")
    before = page.locator("#log .turn").get_attribute("id")
    page.get_by_label("More about this exchange").click()
    page.get_by_role("button", name="Answer again").click()
    expect(page.locator(f"#{before}")).to_have_count(0)
    expect(page.locator("#log .prose")).to_have_text("You said first.")
    page.get_by_label("More about this exchange").click()
    page.get_by_role("button", name="Edit what you said").click()
    page.get_by_label("What you said").last.fill(SAID["cards"])
    page.get_by_role("button", name="Send again").click()
    expect(page.locator("#log .prose")).to_contain_text("You said Remind me")
    expect(page.get_by_text("This exchange is deleted.")).to_have_count(0)
    expect(page.locator("#log .several")).to_contain_text("2 added")  # on the screen that asked


def test_earlier_turns_load_above_without_moving_what_is_read(
    stage: Stage, clara: Person, window: Open
) -> None:
    thread = factories.conversation(stage.parts.engine, clara)
    for number in range(70):
        factories.turn(stage.parts.engine, clara, thread, said=f"number {number}")
    page = chat(window())
    page.evaluate("scrollTo(0, 0)")
    first = page.locator("#log .words").first
    assert first.inner_text() == "number 40"
    held = page.get_by_text("number 40", exact=True)
    before = held.bounding_box()
    page.get_by_role("link", name="Earlier").click()
    expect(page.locator("#log .words").first).to_have_text("number 10")
    after = held.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) < 60  # the link above it went away
    assert page.locator("[data-day]").count() == 1


def test_without_a_script_one_reads_and_sends(stage: Stage, window: Open) -> None:
    page = chat(window(java_script_enabled=False))
    page.get_by_label("Your message").fill("no script here")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#log .prose")).to_have_text("You said no script here.")
    page.get_by_role("button", name="Not helpful").click()
    expect(page.get_by_role("button", name="Not helpful")).to_have_attribute("aria-pressed", "true")


def test_signed_out_elsewhere_is_said_with_the_words_kept(stage: Stage, clara: Person, page: Page) -> None:
    with transaction(stage.parts.engine) as session:
        row = session.get(PersonRow, clara.id)
        assert row is not None
        row.session_epoch += 1
    say(page, "is anybody there")
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    expect(page.locator(".pending .words")).to_have_text("is anybody there")
