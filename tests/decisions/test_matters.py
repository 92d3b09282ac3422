"""Matters and choices as people speak of them: two orders, two appointments, the second of three."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine

from memory.decisions.schema import Keys
from tests.cases.talking import talk
from tests.decisions.test_spoken import FRIDAY, held
from tests.fakes import FakeClock

MONDAY = "2026-03-09"
TWO_ORDERS = {
    "en": (
        "Order 4711 for 14 pieces please.",
        "And order 4712: 30 pieces please.",
        "How many in order 4711?",
        "And order 4712?",
        "Order 4711 is done.",
    ),
    "de": (
        "Auftrag 4711: 14 Stück bitte.",
        "Auftrag 4712: 30 Stück bitte.",
        "Wie viele bei Auftrag 4711?",
        "Und bei Auftrag 4712?",
        "Der Auftrag 4711 ist erledigt.",
    ),
    "pt": (
        "Encomenda 4711: 14 peças, por favor.",
        "Encomenda 4712: 30 peças, por favor.",
        "Quantas peças na encomenda 4711?",
        "E na encomenda 4712?",
        "A encomenda 4711 está concluída.",
    ),
    "fr": (
        "Commande 4711 : 14 pièces, s'il vous plaît.",
        "Commande 4712 : 30 pièces, s'il vous plaît.",
        "Combien de pièces pour la commande 4711 ?",
        "Et pour la commande 4712 ?",
        "La commande 4711 est terminée.",
    ),
    "es": (
        "Pedido 4711: 14 piezas, por favor.",
        "Pedido 4712: 30 piezas, por favor.",
        "¿Cuántas piezas en el pedido 4711?",
        "¿Y en el pedido 4712?",
        "El pedido 4711 está terminado.",
    ),
}


@pytest.mark.parametrize("language", list(TWO_ORDERS))
def test_two_orders_never_mix_and_one_closes_without_the_other(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, language: str
) -> None:
    first, second, ask_first, ask_second, done = TWO_ORDERS[language]
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        play.say(first)
        play.say(second)
        assert held(play) == {"4711 quantity": "14", "4712 quantity": "30"}
        one, two = play.say(ask_first), play.say(ask_second)
        assert ("14" in one, "30" in one) == (True, False)
        assert ("14" in two, "30" in two) == (False, True)
        play.say(done)
        assert held(play) == {"4712 quantity": "30"}
        assert play.texts() == []


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            ["Order 4711-A should come on Friday between 2 and 5.", "And 12 pieces please.", "Make it 15."],
        ),
        (
            "de",
            [
                "Auftrag 4711-A soll am Freitag zwischen 14 und 17 Uhr kommen.",
                "Und 12 Stück bitte.",
                "Machen Sie 15 draus.",
            ],
        ),
        (
            "pt",
            [
                "A encomenda 4711-A deve chegar na sexta entre as 14h e as 17h.",
                "E quero 12 peças.",
                "Que sejam 15.",
            ],
        ),
    ],
)
def test_what_follows_belongs_to_the_order_that_was_just_spoken_of(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, language: str, said: list[str]
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        for text in said:
            play.say(text)
        assert held(play) == {"4711-A delivery_window": f"{FRIDAY} 14:00-17:00", "4711-A quantity": "15"}


def test_what_holds_for_the_talk_is_changed_there_though_an_order_was_spoken_of(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        play.say("I'll take 12 pieces.")
        play.say("Order 4711: please deliver on Friday between 9 and 12.")
        play.say("Make it 15 pieces.")
        assert held(play) == {"quantity": "15", "4711 delivery_window": f"{FRIDAY} 09:00-12:00"}
        told = play.say("What is settled for order 4711?")
        assert ("9:00" in told, "15" in told) == (True, False)


@pytest.mark.parametrize(
    ("language", "said", "question", "one", "other"),
    [
        (
            "en",
            [
                "Let's make the appointment with Dr Weber on Friday.",
                "Let's make the appointment with Ms Klein on Monday.",
            ],
            "When is the appointment with Dr Weber?",
            "Dr Weber",
            "Ms Klein",
        ),
        (
            "de",
            [
                "Der Termin bei Dr. Weber soll am Freitag sein.",
                "Der Termin bei Frau Klein soll am Montag sein.",
            ],
            "Wann ist der Termin bei Dr. Weber?",
            "Dr. Weber",
            "Frau Klein",
        ),
    ],
)
def test_two_appointments_are_two_matters(
    sqlite_engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    language: str,
    said: list[str],
    question: str,
    one: str,
    other: str,
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        for text in said:
            play.say(text)
        assert held(play) == {f"{one} appointment": FRIDAY, f"{other} appointment": MONDAY}
        answer = play.say(question)
        assert ("6" in answer, "9" in answer) == (True, False)


ADDRESSES = "I have three: Mill Lane 4, Dock Road 9, Hill Street 1. Which one?"
WINDOWS = "We could deliver on Thursday between 9 and 12 or on Friday between 2 and 4. Which suits you?"


@pytest.mark.parametrize(
    ("language", "ask", "offer", "go_on", "choice", "decided"),
    [
        (
            "en",
            "Send it to my usual address.",
            ADDRESSES,
            "",
            "The second one.",
            {"delivery_address": "Dock Road 9"},
        ),
        (
            "en",
            "When can you deliver?",
            WINDOWS,
            "OK, go ahead.",
            "Friday, please.",
            {"delivery_window": f"{FRIDAY} 14:00-16:00"},
        ),
        (
            "en",
            "How can you reach me?",
            "Would you like phone or e-mail?",
            "Carry on.",
            "E-mail then.",
            {"contact_channel": "email"},
        ),
        (
            "de",
            "Schicken Sie es an meine Adresse.",
            "Ich habe zwei Adressen: Lindenweg 4 oder Hafenstraße 9. Welche?",
            "",
            "Die zweite bitte.",
            {"delivery_address": "Hafenstraße 9"},
        ),
        (
            "de",
            "Wann liefern Sie?",
            "Lieber Donnerstag von 9 bis 12 oder Freitag von 14 bis 16 Uhr?",
            "Machen Sie weiter.",
            "Den Freitag bitte.",
            {"delivery_window": f"{FRIDAY} 14:00-16:00"},
        ),
        ("de", "Hallo.", "Soll ich 20 oder 30 Stück nehmen?", "Weiter.", "Dreißig.", {"quantity": "30"}),
        (
            "pt",
            "Quando entregam?",
            "Prefere quinta entre as 9h e as 12h ou sexta entre as 14h e as 16h?",
            "Continue.",
            "A segunda, por favor.",
            {"delivery_window": f"{FRIDAY} 14:00-16:00"},
        ),
        (
            "fr",
            "Quand livrez-vous ?",
            "Préférez-vous jeudi entre 9 h et 12 h ou vendredi entre 14 h et 16 h ?",
            "Continuons.",
            "Vendredi, s'il vous plaît.",
            {"delivery_window": f"{FRIDAY} 14:00-16:00"},
        ),
    ],
)
def test_one_of_several_is_chosen_by_its_place_its_day_its_number_or_its_name(
    sqlite_engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    language: str,
    ask: str,
    offer: str,
    go_on: str,
    choice: str,
    decided: dict[str, str],
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language, offer) as play:
        play.say(ask)
        if go_on:
            assert play.say(go_on) == offer  # put again, with what it offers
        assert held(play) == {}
        play.say(choice)
        assert held(play) == decided


@pytest.mark.parametrize(
    ("language", "said", "then", "offered"),
    [
        ("en", "I'll pay with seashells.", "By card then.", "cash"),
        ("de", "Ich zahle mit Muscheln.", "Dann mit Karte.", "bar"),
        ("pt", "Pago com conchas.", "Então com cartão.", "dinheiro"),
        ("fr", "Je paie avec des coquillages.", "Alors par carte.", "espèces"),
        ("es", "Pago con conchas.", "Entonces con tarjeta.", "efectivo"),
    ],
)
def test_what_is_no_choice_is_refused_with_what_there_is(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, language: str, said: str, then: str, offered: str
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        assert offered in play.say(said)
        assert held(play) == {}
        play.say(then)
        assert held(play) == {"payment_method": "card"}


@pytest.mark.parametrize(
    ("language", "decide", "change", "leave"),
    [
        ("en", "I'll take 40 pieces.", "Make it 75.", "Oh, then never mind."),
        ("de", "Ich nehme 40 Stück.", "Machen Sie 0 draus.", "Na gut, vergessen Sie's."),
        ("pt", "Quero 40 peças.", "Que sejam 400.", "Ah, então deixe estar."),
    ],
)
def test_a_refused_value_changes_nothing_and_is_kept_nowhere(
    sqlite_engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    language: str,
    decide: str,
    change: str,
    leave: str,
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        play.say(decide)
        assert "40" in play.say(change)
        play.say(leave)
        assert held(play) == {"quantity": "40"}
        assert not any("75" in text or "400" in text for text in play.texts())


@pytest.mark.parametrize(
    ("language", "decide", "back"),
    [
        ("en", "I'll take 12 pieces.", "Cancel the quantity, please."),
        ("de", "Ich nehme 12 Stück.", "Streichen Sie die Menge."),
        ("de", "Ich nehme 12 Stück.", "Löschen Sie bitte die Menge."),
        ("pt", "Quero 12 peças.", "Cancele a quantidade."),
        ("fr", "Je prends 12 pièces.", "Supprimez la quantité."),
        ("es", "Quiero 12 piezas.", "Cancele la cantidad."),
    ],
)
def test_a_decision_is_taken_back_by_any_word_for_it(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, language: str, decide: str, back: str
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        play.say(decide)
        assert held(play) == {"quantity": "12"}
        play.say(back)
        assert held(play) == {}


def test_a_question_about_another_thing_is_no_question_for_the_window(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        play.say("Please deliver on Thursday between 9 and 12.")
        assert "9:00" in play.say("When does it come?")
        for question in ("When does the train arrive?", "When does my sister come?"):
            assert "9:00" not in play.say(question)


def test_what_a_retired_key_holds_is_told_and_taken_back_but_not_changed(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        play.say("I'll take 12 pieces and pay by card.")
        keys = play.play.parts.keys
        fewer = {
            name: replace(key, retired=name == "quantity")
            for name, key in keys.by_name.items()
            if name != "payment_method"
        }
        play.play.conductor._parts = replace(play.play.parts, keys=Keys(by_name=fewer))
        told = play.say("Where do we stand?")
        assert all(each in told for each in ("Quantity: 12", "payment_method: card"))
        play.say("Make it 15 pieces.")
        assert "12" in play.say("What was the quantity?")
        assert held(play)["quantity"] == "12"
        play.say("Forget the quantity.")
        assert held(play) == {"payment_method": "card"}
