from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.llm.interface import Model
from memory.llm.scripted import Call, Fail, Say, ScriptedModel
from memory.running.terminal import plain, talk
from memory.wiring import Wiring
from tests import factories


@pytest.fixture
def model() -> Model:
    return ScriptedModel(
        [
            [Call("create_card", {"category": "fact", "text": "Lives in Graz."})],
            [Say("Graz is lovely in \x1b[31mspring.")],
            [Fail()],
        ]
    )


def test_each_answer_is_said_with_what_was_kept_and_no_word_steers_the_terminal(wiring: Wiring) -> None:
    person = factories.person(wiring.engine)
    said: list[str] = []
    looked_at: list[int] = []
    answered = talk(
        wiring,
        person,
        ["I live in Graz", "  ", "hm"],
        say=said.append,
        verify=looked_at.append,
        echo=True,
        show_kept=True,
    )
    assert answered == 1
    assert said[:3] == [
        "> I live in Graz",
        "Graz is lovely in [31mspring.",
        "    kept, silent: fact: Lives in Graz.",
    ]
    assert "[failed]" in said
    assert len(looked_at) == 2


def test_a_second_look_that_fails_is_not_felt(wiring: Wiring) -> None:
    def broken(_turn_id: int) -> None:
        raise RuntimeError

    said: list[str] = []
    person = factories.person(wiring.engine)
    assert talk(wiring, person, ["hello"], say=said.append, verify=broken, show_kept=True) == 1


@given(st.text())
def test_plain_text_holds_no_control_characters(text: str) -> None:
    assert not any(ord(each) < 32 and each not in "\n\t" for each in plain(text))
    assert "\x7f" not in plain(text)
