"""Reminders as the product fires them: two real dispatchers, one killed in the middle, the clock set back."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from tests.benchmarks.bench_firing import play


def test_with_killed_dispatchers_and_a_moving_clock_each_rings_once_and_in_time(tmp_path: Path) -> None:
    """The night Berlin's clocks go forward; `make bench-firing` plays the long version."""
    night = [datetime.fromisoformat("2026-03-28T01:30Z"), datetime.fromisoformat("2026-03-29T01:30Z")]
    played = play(
        tmp_path, count=80, instants=night, seed=7, kinds=("dispatcher",), spread_s=1.5, settle_s=0.5
    )
    assert (played.expected, played.missing, played.twice, played.frames_wrong) == (80, 0, 0, 0)
    assert max(played.lateness_s) < 60  # seconds on a busy machine; the benchmark holds it to two
