"""The summary that needs no model."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine

from memory.overview.summary import summarise
from memory.records import Turn
from memory.storage import turns
from memory.storage.engine import reading
from tests import factories


def a_turn(engine: Engine) -> Turn:
    owner = factories.person(engine)
    turn = factories.turn(engine, owner, factories.conversation(engine, owner))
    with reading(engine) as session:
        return turns.by_id(session, turn)


def test_sentences_do_not_run_into_each_other(sqlite_engine: Engine) -> None:
    turn = a_turn(sqlite_engine)
    talk = [
        replace(turn, said="my son is eighteen", answer="Eighteen already!"),
        replace(turn, said="the heron nests behind the boathouse", answer="Lovely."),
    ]
    told = summarise(talk)
    assert "my son is eighteen. " in told
    assert "boathouse." in told
    assert ".." not in told


def test_it_is_never_longer_than_asked_for(sqlite_engine: Engine) -> None:
    turn = a_turn(sqlite_engine)

    @given(st.lists(st.text("abc .!?\n", max_size=60), max_size=8), st.integers(1, 80))
    def holds(said: list[str], most: int) -> None:
        assert len(summarise([replace(turn, said=each) for each in said], most_chars=most)) <= most

    holds()
