from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.web.plain import neutral, plain

OVERRIDES = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@settings(max_examples=80)
@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from(OVERRIDES + "<>&\"'\x00"))))
def test_whatever_is_written_stays_inside_and_turns_nothing_around(text: str) -> None:
    shown = plain(text)
    assert shown.startswith('<bdi dir="auto">')
    assert shown.endswith("</bdi>")
    inner = shown.removeprefix('<bdi dir="auto">').removesuffix("</bdi>")
    assert "<" not in inner
    assert not set(inner) & set(OVERRIDES)
    assert neutral(neutral(text)) == neutral(text)


def test_ordinary_text_of_any_script_is_untouched() -> None:
    for text in ("Zoë, José Muñoz\n\tzwei", "أختي سلمى تسكن في Lyon 0075", "👩‍👩‍👧 ‏0075"):
        assert neutral(text) == text
