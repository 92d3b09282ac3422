from __future__ import annotations

import itertools
import json
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.constellation import columns, handles, label, picked, skeleton
from memory.records import Category
from memory.storage.sky import Point
from tests.fakes import T0

UTC = ZoneInfo("UTC")


def point(number: int, category: Category = Category.FACT) -> Point:
    return Point(number, f"id{number:08d}", category.value, 0.5, number / 100, 2.0, 3.0, T0)


@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9))))
def test_threads_come_back_as_they_were(pairs: set[tuple[int, int]]) -> None:
    sent = columns([point(at) for at in range(10)], {}, sorted(pairs), UTC)
    firsts = list(itertools.accumulate(sent["a"]))
    back = [(a, a + step) for a, step in zip(firsts, sent["b"], strict=True)]
    assert back == sorted(pairs)


def test_columns_are_of_one_length_and_hold_whole_numbers() -> None:
    sent = columns([point(1), point(2, Category.THEME)], {}, [], UTC)
    assert sent["c"] == "06"
    assert sent["x"] == [5000, 5000]
    assert sent["y"] == [100, 200]
    assert {len(sent[name]) for name in "kxycnsd"} == {2}


def test_a_point_without_a_place_takes_the_one_handed_in() -> None:
    sent = columns([point(1)._replace(x=None, y=None)], {1: (0.25, 0.75)}, [], UTC)
    assert (sent["x"], sent["y"]) == ([2500], [7500])


@given(st.lists(st.text("ab", min_size=8, max_size=8), unique=True, max_size=20))
def test_no_two_handles_are_alike_and_each_begins_its_id(ids: list[str]) -> None:
    sent = handles(ids)
    assert len(set(sent)) == len(ids)
    assert all(each.startswith(handle) for each, handle in zip(ids, sent, strict=True))
    assert picked(sent, ids) == list(range(len(ids)))


def test_a_label_is_short_and_names_the_person() -> None:
    assert label("person", "", "my wife", ["Claire"]) == "Claire: my wife"
    assert label("memo", "Wifi", "a long text", []) == "Wifi"
    long = label("fact", "", "word " * 40, [])
    assert len(long) <= 60
    assert long.endswith("…")


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_skeleton_has_the_seven_shapes_one_halo_and_no_data(theme: str) -> None:
    figure = json.loads(skeleton(theme))
    traces = {trace["name"]: trace for trace in figure["data"]}
    assert list(traces) == ["threads", "halo", *(each.value for each in Category)]
    assert {name: traces[name]["marker"]["symbol"] for name in list(traces)[2:]} == {
        "fact": "circle",
        "person": "circle",
        "event": "diamond",
        "memo": "hexagon",
        "task": "triangle-up",
        "reminder": "diamond-open",
        "theme": "star",
    }
    assert traces["person"]["marker"]["line"] == {"width": 1.8, "color": "#ffffff"}
    assert traces["reminder"]["marker"]["size"] < traces["event"]["marker"]["size"]
    halo = traces["halo"]["marker"]
    assert halo["gradient"]["type"] == "radial"
    assert halo["color"].endswith(", 0)")  # its edge is not seen
    assert isinstance(halo["size"], float)  # one for all
    assert all(trace["x"] == [] for trace in figure["data"])
