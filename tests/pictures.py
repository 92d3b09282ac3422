"""Takes the pictures of the README from a real run: `make pictures`.

Nothing is staged: a fresh database, the embedded model, a real browser.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from memory.storage.engine import make_engine
from memory.storage.migrate import upgrade
from tests.browsers import launch_options
from tests.servers import PASSWORD, ROOT, LiveServer, new_server

_PATIENCE_MS = 60_000
_SAID = (
    "hello, my wife's name is Claire, my daughter is eleven and my son eighteen",
    "remind me on Thursday at five pm to pay the rent",
    "what is my wife's name?",
)


def main() -> int:
    """Play the scene and write docs/chat.png and docs/remembers.png."""
    with tempfile.TemporaryDirectory(prefix="asterism-pictures-") as folder:
        return _take(Path(folder))


def _take(folder: Path) -> int:
    database = f"sqlite:///{folder / 'asterism.db'}"
    engine = make_engine(database)
    upgrade(engine)
    engine.dispose()
    # No queue is needed: what the second look would find is looked for here, by `work`.
    server = new_server(LiveServer, folder / "var", database, f"unix://{folder / 'none'}", 1, {})
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(**launch_options())
            page = browser.new_context(
                locale="en-GB", timezone_id="Europe/Berlin", viewport={"width": 900, "height": 720}
            ).new_page()
            page.set_default_timeout(_PATIENCE_MS)
            _play(page, server)
            browser.close()
    finally:
        server.stop()
    return 0


def _play(page: Page, server: LiveServer) -> None:
    person = server.account("Sam")
    page.goto(f"{server.url}/sign-in")
    page.locator("input[name=email]").fill(person.email)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("input[name=password]").press("Enter")
    for number, text in enumerate(_SAID):
        page.locator("#text").fill(text)
        page.locator("#composer [data-send]").click()
        expect(page.locator("#log .prose").nth(number)).to_be_visible(timeout=_PATIENCE_MS)
    page.mouse.move(450, 5)
    page.screenshot(path=ROOT / "docs" / "chat.png")
    page.set_viewport_size({"width": 900, "height": 1010})
    page.goto(f"{server.url}/memories/")
    page.screenshot(path=ROOT / "docs" / "remembers.png")
    print("\n".join(f"  {each!r}" for each in page.locator(".memory").all_inner_texts()))


if __name__ == "__main__":
    sys.exit(main())
