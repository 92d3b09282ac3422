"""Whoever holds the phone: what a guest tells is the guest's, and what the owner told is the owner's."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine

from memory.llm.interface import Message, ModelRequest
from memory.llm.prompting import to_messages
from memory.records import Category
from tests.cases.talking import talk
from tests.fakes import T0, FakeClock

GUESTS = [
    (
        "en",
        "I'm passing you to my sister Carla for a minute.",
        "Oh, and I drive a blue van.",
        "It's me again. What car do I drive?",
        "What does Carla drive?",
        "van",
    ),
    (
        "pt",
        "Vou passar o telemóvel ao Bruno, o meu vizinho.",
        "O meu cão chama-se Bolota.",
        "Já sou eu outra vez. Como se chama o meu cão?",
        "Como se chama o cão do Bruno?",
        "Bolota",
    ),
    (
        "es",
        "Te paso a mi cuñado Iván.",
        "¡Hola! Mi coche es un descapotable.",
        "Ya estoy de vuelta. ¿Qué coche tengo?",
        "¿Qué coche tiene Iván?",
        "descapotable",
    ),
]


@pytest.mark.parametrize(("language", "handed", "told", "mine", "theirs", "value"), GUESTS)
def test_what_a_guest_said_is_not_said_of_the_owner(
    sqlite_engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    language: str,
    handed: str,
    told: str,
    mine: str,
    theirs: str,
    value: str,
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        play.say(handed)
        play.say(told)
        assert value not in play.say(mine)
        answer = play.say(theirs)
        assert value in answer
        name = next(card.people[0] for card in play.kept() if card.category is Category.PERSON)
        assert name in answer  # never "you drive a blue van"


def test_what_the_owner_said_is_not_said_of_a_guest(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        play.say("My bicycle is a green tandem.")
        play.say("I'm handing the phone to my friend Lou.")
        assert "tandem" not in play.say("What is my bicycle like?")


def test_a_guests_journey_has_the_guest_in_it(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        play.say("I'm passing you to my sister Carla for a minute.")
        play.say("I'm flying to Oslo on 3 August.")
        journey = next(card for card in play.kept() if card.category is Category.EVENT)
        assert journey.people == ("Carla",)


def test_what_is_known_of_a_thing_is_not_said_to_be_about_the_owner(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        play.say("I'm passing you to my brother-in-law Tobias.")
        play.say("I can't stand strawberries.")
        answer = play.say("It's me again. What do you know about strawberries?")
    assert "Tobias" in answer
    assert "about you" not in answer


def test_a_model_is_told_who_said_what() -> None:
    request = ModelRequest(
        instructions="i",
        overview="",
        settled="",
        messages=(
            Message(role="user", text="I drive a van.", speaker="Carla"),
            Message(role="assistant", text="I see."),
            Message(role="user", text="What do I drive?"),
        ),
        tools=(),
        language="en",
        zone="Europe/London",
        now=T0,
    )
    said = repr(to_messages(request))
    assert "[Carla says:] I drive a van." in said
    assert said.count("says:]") == 1


@pytest.mark.parametrize(
    ("language", "said", "trait", "journey"),
    [
        ("de", "Ich vertrage keine Erdbeeren und fahre im Juli nach Kreta.", "Erdbeeren", "Kreta"),
        ("de", "Ich mag keine Erdbeeren und fahre am 3. August nach Rom.", "Erdbeeren", "Rom"),
        ("de", "Ich esse kein Fleisch und fliege am Freitag nach Porto.", "Fleisch", "Porto"),
    ],
)
def test_a_trait_and_a_journey_in_one_breath_are_two(
    sqlite_engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    language: str,
    said: str,
    trait: str,
    journey: str,
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        play.say(said)
        texts = {card.category: card.text for card in play.kept()}
    assert trait in texts[Category.FACT]
    assert journey not in texts[Category.FACT]
    assert journey in texts[Category.EVENT]
    assert trait not in texts[Category.EVENT]
