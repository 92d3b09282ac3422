"""What sentences claim and questions ask for: told by reading, not by a word of the key."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory.decisions.guard import View, asked_directly, look
from memory.decisions.leaning import asked_for, claimed, inputs, networks
from memory.decisions.schema import Keys, KeyType, load
from memory.listening.network import GRAMS
from tests.decisions.settling import holding

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))  # a Monday
KEYS = load()
VALUES = {
    "delivery_window": "2026-03-05 09:00-12:00",
    "pickup_time": "09:00",
    "quantity": "40",
    "budget": "500.00 EUR",
    "delivery_address": "Dock Road 9",
}


def view(language: str = "en", said: str = "How is it packed?", keys: Keys = KEYS) -> View:
    """Everything above is settled."""
    seen = View(
        keys=keys,
        settled=holding(VALUES, now=NOW),
        said=said,
        language=language,
        now=NOW,
        zone="Europe/Berlin",
    )
    return replace(seen, asking=asked_for(said, seen))


@pytest.mark.parametrize("which", ["claims", "asks"])
def test_the_weights_fit_the_tables_they_were_trained_with(which: str) -> None:
    network = networks()[which]
    seen = inputs(["Fine."], [view()])
    assert network.hidden.shape[0] == seen.shape[1], "train again: python -m memory.decisions.train"
    assert set(network.classes[1:]) == set(KEYS.by_name)
    assert all(each.shape == (GRAMS, len(network.classes)) for each in network.sequences.values())


@pytest.mark.parametrize(
    ("language", "said", "key"),
    [
        ("en", "Which day do I need to stay in for the van?", "delivery_window"),
        ("en", "What was the most I wanted to lay out?", "budget"),
        ("de", "An welchem Tag muss ich für den Lieferwagen daheim sein?", "delivery_window"),
        ("de", "Mehr als was wollte ich nicht hinlegen?", "budget"),
        ("pt", "Em que dia tenho de ficar em casa à espera da carrinha?", "delivery_window"),
        ("es", "¿Qué día tengo que quedarme en casa a esperar la furgoneta?", "delivery_window"),
    ],
)
def test_a_question_is_known_without_a_word_of_the_key(language: str, said: str, key: str) -> None:
    assert asked_directly(view(language, said)) == {key}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "thanks, that is all"),
        ("en", "How much did the dentist charge me?"),
        ("de", "Wie viele Katzen hat meine Schwester?"),
        ("de", "alles klar, bis dann"),
        ("pt", "Quando é que a minha prima chega do Brasil?"),
        ("fr", "Où est-ce que j'ai mis mes lunettes ?"),
        ("es", "¿Cuánto pagué por el taxi?"),
    ],
)
def test_other_messages_ask_for_nothing_settled(language: str, said: str) -> None:
    assert not asked_directly(view(language, said))


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Please keep the hallway clear, because our men carry it up to you on Friday."),
        ("en", "By the way, all 55 of yours are already wrapped."),
    ],
)
def test_another_value_in_passing_needs_no_word_of_the_key(language: str, sentence: str) -> None:
    assert look(sentence, view(language)).contradicts is not None


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "You paid 620 euros for your bicycle."),
        ("en", "Your mother's birthday is on Friday."),
        ("en", "Until you changed it, it was Friday."),
        ("de", "Deine Schwester hat elf Katzen."),
        ("de", "Unsere Werkstatt ist am Freitag geschlossen."),
        ("pt", "O teu comboio parte às dez e meia."),
        ("fr", "Ton loyer est de 870 euros."),
        ("es", "La película empieza a las ocho."),
    ],
)
def test_what_has_nothing_to_do_with_it_is_let_go(language: str, sentence: str) -> None:
    assert look(sentence, view(language)).contradicts is None


def test_a_key_of_another_file_has_no_network() -> None:
    budget = replace(KEYS.by_name["budget"], type=KeyType.INTEGER)  # the same name, another thing
    seen = view(keys=Keys(by_name={"budget": budget}))
    assert claimed("It stays at 620 euros.", seen) == {}
