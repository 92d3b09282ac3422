"""Cleaning up behind an erasure goes on until nobody is reading."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jobs import erase
from jobs.wiring import using
from memory.queue import BACKGROUND
from memory.wiring import Wiring


def test_a_reader_in_the_way_is_waited_for(wiring: Wiring, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [False, False, True]
    monkeypatch.setattr(erase, "scrub", lambda _engine: answers.pop(0))
    monkeypatch.setattr(erase, "PAUSE_S", 0.0)
    with using(wiring):
        assert erase.run()
    assert answers == []


def test_what_stays_unclean_is_queued_again(
    wiring: Wiring, worker: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erase, "scrub", lambda _engine: False)
    monkeypatch.setattr(erase, "PAUSE_S", 0.0)
    with using(wiring):
        assert not erase.run()
    assert wiring.redis.llen(f"rq:queue:{BACKGROUND}") == 1
    monkeypatch.undo()
    assert worker() == 1
