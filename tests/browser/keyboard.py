"""What one does by keyboard alone."""

from __future__ import annotations

from playwright.sync_api import Locator, Page


def reach(page: Page, what: Locator, *, within: int) -> None:
    """Go on with the Tab key until something has the focus, in at most so many steps."""
    for _ in range(within):
        if what.count() and what.evaluate("node => node === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach {what}")
