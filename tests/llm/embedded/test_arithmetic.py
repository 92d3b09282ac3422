"""Small sums are right, and what only looks like a sum is none."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.llm.embedded.arithmetic import value

NUMBERS, SIGNS = st.integers(0, 9999), st.sampled_from("+-*")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("what is 12 * 7", "84"),
        ("wie viel ist 3,5 + 1", "4.5"),
        ("2 + 3 * 4", "14"),
        ("100 / 8", "12.5"),
        ("quanto e 15% de 80", "12"),
        ("7 x 8 - 6", "50"),
    ],
)
def test_sums(text: str, result: str) -> None:
    found = value(text)
    assert found is not None
    assert found.result == result


@pytest.mark.parametrize(
    "text",
    ["remind me at 8:30", "on 03/04", "2026-06-08", "call 04 65 71 00 08", "1 / 0", "room 12", "030-4711-08"],
)
def test_no_sums(text: str) -> None:
    assert value(text) is None


@settings(max_examples=80)
@given(
    st.integers(0, 9999),
    st.sampled_from("+-*"),
    st.integers(0, 9999),
    st.sampled_from("+-*"),
    st.integers(0, 99),
)
def test_like_exact_arithmetic(a: int, first: str, b: int, second: str, c: int) -> None:
    found = value(f"{a} {first} {b} {second} {c}")
    assert found is not None
    assert Fraction(found.result) == Fraction(eval(f"{a}{first}{b}{second}{c}"))  # noqa: S307 - digits and signs
