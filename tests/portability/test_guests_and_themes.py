"""Who spoke as a guest, and which themes the person wants none of: both come back from a file."""

from __future__ import annotations

from sqlalchemy import Engine

from memory.cards.tidy import tidy
from memory.portability import export
from memory.records import Author, CardStatus, Category, Link, LinkKind, Person
from memory.storage import guests, tidying
from memory.storage import links as link_rows
from memory.storage.engine import reading, transaction
from tests import factories
from tests.conductor.playing import EMBEDDER
from tests.fakes import T0
from tests.portability.test_round_trip import bring, wipe

BALCONY = ("I planted tomatoes", "Basil beside the tomatoes", "The tomatoes need water", "Tomatoes in August")


def seen(engine: Engine, owner: Person) -> object:
    with reading(engine) as session:
        spoke = [
            (guest.name, guest.messages, guest.last_at, [card.text for card in guest.cards])
            for guest in guests.of_person(session, owner.id)
        ]
        themes = tidying.themes(session, owner.id, with_away=True)
        return spoke, [(theme.text, theme.away, len(theme.cards)) for theme in themes]


def test_they_come_back_and_what_was_put_away_stays_so(engine: Engine) -> None:
    owner = factories.person(engine)
    talk = factories.conversation(engine, owner, archived_at=T0)
    turn = factories.turn(engine, owner, talk, said="I grow roses", speaker="Rosa")
    factories.card(
        engine,
        owner,
        text="Rosa grows roses.",
        speaker="Rosa",
        author=Author.GUEST,
        turn_id=turn,
        statement_key="r",
    )
    cards = [factories.card(engine, owner, text=text, statement_key=text) for text in BALCONY]
    theme = factories.card(
        engine,
        owner,
        category=Category.THEME,
        text="Tomatoes",
        author=Author.TIDY,
        status=CardStatus.CANCELLED,
        statement_key="t",
    )
    ties = [
        Link(a_id=each, b_id=theme, kind=LinkKind.THEME, weight=0.6, reason="same theme") for each in cards
    ]
    with transaction(engine) as session:
        link_rows.add(session, owner.id, ties, now=T0)
    before, file = seen(engine, owner), export.as_data(engine, owner, now=T0)
    assert before == ([("Rosa", 1, T0, ["Rosa grows roses."])], [("Tomatoes", True, 4)])
    wipe(engine, owner)
    bring(engine, owner, file)
    assert seen(engine, owner) == before
    assert tidy(engine, EMBEDDER, owner.id, now=T0).themes_made == 0
    assert seen(engine, owner) == before
