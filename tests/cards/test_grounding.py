"""Statements rest on what was said: codes are looked for whole."""

from __future__ import annotations

import pytest

from memory.cards.grounding import is_grounded


@pytest.mark.parametrize("code", ["KK-004.517", "ST-90.12", "AB/7-33"])
def test_a_code_with_letters_and_signs_is_looked_for_whole(code: str) -> None:
    said = [f"Die Kundennummer lautet {code}."]
    assert is_grounded(f"Die Kundennummer lautet {code}", said=said, language="de")
    assert not is_grounded(f"Die Kundennummer lautet X{code}", said=said, language="de")
    assert not is_grounded("Die Kundennummer lautet ZZ-004.517", said=said, language="de")
