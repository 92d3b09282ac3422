from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.clock import FileClock, choose_clock, system_clock, write_clock_file


def test_the_system_clock_is_aware_and_in_utc() -> None:
    assert system_clock().tzinfo is UTC


def test_without_a_file_the_system_clock_is_chosen() -> None:
    assert choose_clock(None) is system_clock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "clock.json"


def _ahead_s(clock: FileClock) -> float:
    return (clock() - datetime.now(UTC)).total_seconds()


@given(days=st.integers(-4000, 4000))
@settings(max_examples=20, deadline=None)
def test_the_file_moves_the_clock_both_ways(days: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("clock") / "clock.json"
    write_clock_file(path, offset_s=days * 86400)
    assert _ahead_s(FileClock(path)) == pytest.approx(days * 86400, abs=1)


def test_a_running_clock_notices_a_change(path: Path) -> None:
    write_clock_file(path, offset_s=0)
    clock = FileClock(path)
    clock()
    write_clock_file(path, offset_s=3600)
    os.utime(path, ns=(1, 1))  # even where the file system's times are coarse
    assert _ahead_s(clock) == pytest.approx(3600, abs=1)


def test_two_clocks_on_one_file_agree(path: Path) -> None:
    write_clock_file(path, offset_s=86400, rate=60)
    first, second = FileClock(path), FileClock(path)
    assert abs(first() - second()) < timedelta(seconds=10)


def test_the_rate_makes_time_run_faster(path: Path) -> None:
    write_clock_file(path, offset_s=0, rate=100_000)
    clock = FileClock(path)
    before = clock()
    while (after := clock()) == before:
        pass
    assert after > before
    assert (after - datetime.now(UTC)).total_seconds() > 0


@pytest.mark.parametrize("torn", ["", "{", "[]", "null", '{"at": "x"}'])
def test_a_torn_file_leaves_the_last_good_setting(path: Path, torn: str) -> None:
    write_clock_file(path, offset_s=3600)
    clock = FileClock(path)
    clock()
    path.write_text(torn)
    os.utime(path, ns=(1, 1))
    assert _ahead_s(clock) == pytest.approx(3600, abs=1)


def test_a_missing_file_is_the_real_time(path: Path) -> None:
    assert _ahead_s(FileClock(path)) == pytest.approx(0, abs=1)
