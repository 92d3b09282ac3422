"""Fixtures for a real browser: the system's Chromium, or the one that Playwright installed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.databases import missing

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """How pytest-playwright starts the browser. Skips, or fails with CI=true, when there is none."""
    if _system_browser() is None and not _has_own():
        missing("no Chromium for the browser tests; make test installs one")
    return launch_options()


def launch_options() -> dict[str, Any]:
    """What Playwright needs to be told to start the system's Chromium, or else its own."""
    path = _system_browser()
    return {"args": list(_ARGUMENTS)} | ({} if path is None else {"executable_path": path})


def _system_browser() -> str | None:
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


def _has_own() -> bool:
    folder = os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright"
    return any(Path(folder).glob("chromium-*"))


@pytest.fixture(scope="session")
def browser_context_args() -> dict[str, Any]:
    """A desk-sized window in English; a test that wants another makes its own context."""
    return {"viewport": {"width": 1280, "height": 800}, "locale": "en-GB", "timezone_id": "Europe/Berlin"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last, the quick ones tell first; and Playwright's event loop troubles nobody."""
    for item in items:
        if "tests/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
