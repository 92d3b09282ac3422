"""A moved card's words do not name the day that it no longer has."""

from __future__ import annotations

from datetime import datetime
from types import SimpleNamespace
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest

from memory.llm.embedded.moving import undated
from memory.records import When


@pytest.mark.parametrize(
    ("language", "text", "rest"),
    [
        ("de", "Sommerfest am 18. November bei Frau Kern", "Sommerfest bei Frau Kern"),
        ("en", "Open day on 18 November, with Tom", "Open day with Tom"),
        ("pt", "Ensaio a 18 de novembro", "Ensaio"),
        ("en", "Talk about the fire of 5 May", ""),
        ("en", "Open day", ""),
    ],
)
def test_the_day_that_has_gone_leaves_the_words(language: str, text: str, rest: str) -> None:
    now = datetime(2026, 11, 6, 10, tzinfo=ZoneInfo("Europe/Berlin"))
    scene = cast(Any, SimpleNamespace(language=language, now=now))
    old = When(start=datetime.fromisoformat("2026-11-18T16:20"), zone="Europe/Berlin")
    assert undated(text, scene, old) == rest
