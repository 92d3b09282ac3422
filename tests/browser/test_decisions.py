"""What is decided stays decided, in a real browser: the incident that must not happen."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, WebSocket, expect

from tests.stage import ASKED, OTHER_WINDOW, PACKAGING, WINDOW, Stage


def say(page: Page, text: str) -> None:
    """Write a message and send it."""
    page.get_by_label("Your message").fill(text)
    page.get_by_label("Your message").press("Enter")


def test_a_settled_window_stays_though_the_model_names_another(
    stage: Stage, window: Callable[..., BrowserContext]
) -> None:
    page = window().new_page()
    frames: list[str] = []

    def follow(socket: WebSocket) -> None:
        socket.on("framereceived", lambda payload: frames.append(str(payload)))

    page.on("websocket", follow)
    page.goto("/")
    answers = page.locator("#log .prose")
    for said, word in ((WINDOW, "5 December"), *((each, "Yes") for each in PACKAGING)):
        say(page, said)
        expect(answers.last).to_contain_text(word)
    for number in (4, 5):  # asked twice, in case the second answer is another one
        say(page, ASKED)
        expect(answers).to_have_count(number)
        expect(answers.last).to_contain_text("5 December")
        expect(answers.last).to_contain_text("9:00")
    shown = page.content() + "".join(frames)
    assert "5 December" in shown
    for word in ("Friday", "6 December", "14:00", "16:00"):
        assert word in OTHER_WINDOW
        assert word not in shown
    page.reload()
    expect(answers).to_have_count(5)
    assert "Friday" not in page.content()
