"""What a browser may say: parsed or refused, never anything else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.errors import InvalidInput
from memory.web.messages import Hello, Ping, Say, Stop, read, storable

_KEYS = st.sampled_from(["hello", "say", "stop", "ping", "client_id", "screen", "zone", "language", "x"])
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=5),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (
            {"hello": 7, "screen": "a-b_c", "zone": "Europe/Lisbon", "language": "pt-PT"},
            Hello(last=7, screen="a-b_c", zone="Europe/Lisbon", language="pt"),
        ),
        (
            {"hello": 0, "screen": "s", "zone": "Mars/Olympus", "language": "tlh"},
            Hello(last=0, screen="s", zone="", language=""),
        ),
        ({"hello": 0, "screen": "s"}, Hello(last=0, screen="s", zone="", language="")),
        ({"say": "hi", "client_id": "one"}, Say(client_id="one", text="hi")),
        ({"stop": "turn-1"}, Stop(turn="turn-1")),
        ({"ping": 1}, Ping()),
    ],
)
def test_the_four_messages(told: dict[str, Any], expected: object) -> None:
    assert read(json.dumps(told)) == expected


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60) | st.binary(max_size=60) | _JSON.map(json.dumps))
def test_nothing_but_invalid_input_is_ever_raised(raw: str | bytes) -> None:
    try:
        read(raw)
    except InvalidInput:
        return


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(InvalidInput):
        read("[" * 100_000)


@given(st.text(alphabet=st.characters(), max_size=40))
def test_what_can_be_stored_is_left_as_it_was(text: str) -> None:
    whole = storable(text)
    whole.encode()  # raises where a database would
    if "\0" not in text and not any("\ud800" <= each <= "\udfff" for each in text):
        assert whole == text
