"""The guard: what contradicts a settled value is found in any form; what only mentions another is let go."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory.decisions.guard import Settled, View, asked_directly, look
from memory.decisions.schema import load
from memory.records import Decision
from tests.decisions.settling import holding

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))  # a Monday
KEYS = load()
VALUES = {
    "delivery_window": "2026-03-05 09:00-12:00",
    "pickup_time": "09:00",
    "quantity": "40",
    "budget": "500.00 EUR",
    "payment_method": "invoice",
    "delivery_address": "Dock Road 9",
    "appointment": "2026-03-12",
    "variant": "beech",
    "order_number": "A-1047",
    "language": "de",
    "contact_channel": "email",
    "contact_detail": "anna@example.org",
}


def settled(*keys: str, rivals: frozenset[str] = frozenset()) -> Settled:
    return holding({key: VALUES[key] for key in keys}, now=NOW, rivals=rivals)


def contradicts(
    sentence: str, key: str, *, language: str = "en", said: str = "", rivals: frozenset[str] = frozenset()
) -> bool:
    view = View(
        keys=KEYS,
        settled=settled(key, rivals=rivals),
        said=said,
        language=language,
        now=NOW,
        zone="Europe/Berlin",
    )
    return look(sentence, view).contradicts is not None


OTHER = [
    # In passing, without a word of the key: the value is too whole to be anything else.
    ("delivery_window", "en", "Two men ring your bell on Friday between two and five.", "How is it packed?"),
    (
        "delivery_window",
        "de",
        "Am Freitag von 14 bis 17 Uhr klingelt der Fahrer bei Ihnen.",
        "Ist Folie drum?",
    ),
    ("delivery_address", "de", "Bei Ihnen am Mühlweg 4 klingeln wir zweimal.", "Ist es schwer?"),
    ("contact_detail", "en", "You will get a short word at bob@example.net then.", "Is it heavy?"),
    ("delivery_window", "en", "We deliver on Friday between 9 and 12.", ""),
    ("delivery_window", "en", "Your delivery comes on Thursday from two to five.", ""),
    ("delivery_window", "en", "As agreed before, the delivery is tomorrow morning.", ""),
    ("delivery_window", "en", "In four days, in the afternoon.", "When do you deliver again?"),
    ("delivery_window", "de", "Die Lieferung kommt am 6. März zwischen neun und zwölf Uhr.", ""),
    ("delivery_window", "de", "Wir liefern übermorgen, von 14 bis 17 Uhr.", ""),
    ("delivery_window", "pt", "A entrega é na sexta-feira, das 9h às 12h.", ""),
    ("delivery_window", "fr", "La livraison est prévue vendredi de 9 h à 12 h.", ""),
    ("delivery_window", "es", "La entrega es el jueves de dos a cinco de la tarde.", ""),
    ("pickup_time", "en", "You can't miss it: pickup is at half past ten.", ""),
    ("pickup_time", "en", "Ten o'clock.", "At what time do I pick it up?"),
    ("pickup_time", "de", "Die Abholung ist um zehn.", ""),
    ("quantity", "en", "You ordered fifty pieces.", ""),
    ("quantity", "de", "Die Menge ist 50.", ""),
    ("quantity", "pt", "São cinquenta peças.", "Quantas peças encomendei?"),
    ("quantity", "fr", "La quantité est de 50.", ""),
    ("budget", "en", "Your budget is 600 euros.", ""),
    ("budget", "de", "Das Budget liegt bei sechshundert Euro.", ""),
    ("payment_method", "en", "You pay by card.", ""),
    ("payment_method", "es", "El pago es con tarjeta.", ""),
    ("delivery_address", "en", "We send it to Mill Lane 4.", ""),
    ("appointment", "en", "Your appointment is on Friday.", ""),
    ("appointment", "de", "Der Termin ist am 13.3.", ""),
    ("order_number", "en", "Your order number is A-1048.", ""),
    ("language", "en", "The language is French.", ""),
    ("delivery_window", "es", "Domingo, de 10 a 13.", "¿Cuándo es la entrega, otra vez?"),
    ("delivery_window", "pt", "Domingo, das 10 às 13 horas.", "Quando é a entrega, outra vez?"),
]
FINE = [
    ("delivery_window", "en", "We deliver on Thursday between 9 and 12.", ""),
    ("delivery_window", "en", "In three days, in the morning.", "When do you deliver again?"),
    ("delivery_window", "en", "Before that we had Friday between 2 and 5 for the delivery.", ""),
    ("delivery_window", "en", "Shall I change the delivery to Friday?", ""),
    ("delivery_window", "en", "We could also deliver on Friday.", ""),
    ("delivery_window", "en", "Our delivery desk is open from 8 to 18.", ""),
    ("delivery_window", "de", "Ursprünglich hatten wir für die Lieferung Freitag von 14 bis 17 Uhr.", ""),
    ("delivery_window", "de", "Montags bis freitags haben wir von 8 bis 18 Uhr geöffnet.", "Wann kommt es?"),
    ("delivery_window", "de", "Ihre andere Bestellung liefern wir am Freitag.", ""),
    ("delivery_window", "de", "Wir liefern Donnerstag, 5. März, zwischen neun und zwölf.", ""),
    ("delivery_window", "pt", "Antes tínhamos sexta-feira das 14h às 17h.", "Quando é a entrega?"),
    ("delivery_window", "fr", "On pourrait aussi livrer vendredi de 14 h à 17 h.", ""),
    ("delivery_window", "es", "El otro pedido se entrega el viernes.", ""),
    ("delivery_window", "en", "Anna comes on Friday at ten.", "When do you deliver, and who comes?"),
    ("pickup_time", "en", "We had ten first, then eleven.", "Did we change it?"),
    ("pickup_time", "en", "Nine it is.", "At what time do I pick it up?"),
    ("quantity", "en", "Your 40 pieces come in 4 boxes.", ""),
    ("quantity", "de", "Mehr als 60 Stück gehen leider nicht.", ""),
    ("quantity", "en", "More than 60 is not possible.", "Make it 400."),
    ("budget", "en", "Card payments over 600 euros would be too much for the budget.", ""),
    ("payment_method", "en", "You pay by invoice, not by card.", ""),
    ("delivery_address", "en", "We send it to Dock Road 9.", ""),
    ("appointment", "de", "Der Termin ist am 12. März.", ""),
    ("payment_method", "en", "Last month's order was paid by card.", "How do I pay again?"),
    ("quantity", "en", "You ordered 12 pieces.", "And how many pieces were in my last order?"),
    ("quantity", "de", "Das waren 12 Stück.", "Und wie viele Stück hatte meine letzte Bestellung?"),
]


@pytest.mark.parametrize(("key", "language", "sentence", "said"), OTHER)
def test_another_value_is_found_in_any_form(key: str, language: str, sentence: str, said: str) -> None:
    assert contradicts(sentence, key, language=language, said=said)


@pytest.mark.parametrize(("key", "language", "sentence", "said"), FINE)
def test_the_same_value_and_other_matters_are_let_go(
    key: str, language: str, sentence: str, said: str
) -> None:
    assert not contradicts(sentence, key, language=language, said=said)


def test_another_variant_is_known_by_what_was_offered() -> None:
    rivals = frozenset({"oak"})
    assert contradicts("You chose the oak variant.", "variant", rivals=rivals)
    assert not contradicts("You chose the beech variant.", "variant", rivals=rivals)
    assert not contradicts("Before that, the variant was oak.", "variant", rivals=rivals)


@pytest.mark.parametrize(
    ("language", "said", "key"),
    [
        ("en", "When do you deliver again?", "delivery_window"),
        ("en", "How much may it cost?", "budget"),
        ("en", "Where does it go again?", "delivery_address"),
        ("de", "Auf welche Art zahle ich?", "payment_method"),
        ("de", "Welche Ausführung hatte ich?", "variant"),
        ("pt", "Quantas peças encomendei?", "quantity"),
        ("fr", "À quelle heure était le retrait ?", "pickup_time"),
        ("es", "¿Qué día es mi cita?", "appointment"),
    ],
)
def test_a_question_for_what_is_settled_is_known(language: str, said: str, key: str) -> None:
    assert asked_directly(_view(language, said)) == {key}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "How much does the lamp cost?"),
        ("en", "Could you deliver on Friday?"),
        ("en", "When are you open?"),
        ("en", "Did we change the delivery in between?"),
        ("en", "Which delivery slot did we have before?"),
        ("en", "What is the delivery charge?"),
        ("de", "Wann kommt meine andere Lieferung?"),
        ("de", "Wie zahle ich die Karte auf?"),
        ("pt", "Posso mudar a entrega?"),
        ("es", "¿Cuándo abren?"),
    ],
)
def test_a_question_for_something_else_needs_no_settled_value(language: str, said: str) -> None:
    assert asked_directly(_view(language, said)) == frozenset()


@pytest.mark.parametrize(
    ("key", "language", "sentence"),
    [
        ("budget", "en", "The bare table costs 60 euros."),
        ("variant", "de", "Die Ausführung in Nussbaum ist ausverkauft."),
        ("payment_method", "pt", "Pagar por cartão tem uma taxa de dois euros."),
        ("quantity", "fr", "Une palette contient 50 pièces."),
        ("contact_channel", "es", "La mayoría quiere contacto por correo postal."),
        ("appointment", "en", "Dr Hall is away on Friday."),
    ],
)
def test_what_is_true_of_others_and_of_the_thing_is_let_go(key: str, language: str, sentence: str) -> None:
    assert not contradicts(sentence, key, language=language)


@pytest.mark.parametrize(
    ("key", "value", "sentence", "same"),
    [
        ("delivery_address", "Dock Road 9", "We send it to 9 Dock Road.", True),
        ("delivery_address", "Dock Road 9", "We send it to 19 Dock Road.", False),
        ("quantity", "12", "You ordered a dozen pieces.", True),
        ("quantity", "12", "You ordered two dozen pieces.", False),
        ("quantity", "6", "You ordered half a dozen pieces.", True),
        ("contact_detail", "lea9@example.org", "Your contact detail is lea7@example.org.", False),
        ("contact_detail", "0151 2345678", "Your contact detail is 01512345678.", True),
        ("delivery_window", "2026-03-05 09:00-12:00", "Delivery: March 5, 9-12.", True),
        ("delivery_window", "2026-03-05 09:00-12:00", "Delivery: March 5, 10-12.", False),
    ],
)
def test_a_value_is_the_same_in_any_form(key: str, value: str, sentence: str, same: bool) -> None:
    view = replace(_view("en", ""), settled=replace(settled(key), decisions=(_decision(key, value),)))
    looked = look(sentence, view)
    assert (looked.contradicts is None) is same
    assert (looked.told == {key}) is same


@pytest.mark.parametrize(
    "sentence",
    [
        "We reach you at 0179 608 8982.",
        "We come on March 8 between 10 and 12.",
        "Write to b12@example.org.",
        "It is order 4660.",
    ],
)
def test_numbers_of_other_things_are_no_counts(sentence: str) -> None:
    assert not contradicts(sentence, "quantity", said="How many did I order?")


def _view(language: str, said: str) -> View:
    return View(
        keys=KEYS, settled=settled(*VALUES), said=said, language=language, now=NOW, zone="Europe/Berlin"
    )


def _decision(key: str, value: str) -> Decision:
    return replace(settled(key).decisions[0], value=value)


@pytest.mark.parametrize(
    ("language", "said", "key"),
    [
        ("en", "How much did I say I could spend?", "budget"),
        ("en", "Could you read me my order number?", "order_number"),
        ("de", "Wofür hatte ich mich bei der Ausführung entschieden?", "variant"),
        ("pt", "Por que acabamento me decidi?", "variant"),
        ("fr", "Où est-ce que vous apportez la table ?", "delivery_address"),
        ("es", "¿A dónde llevan la mesa?", "delivery_address"),
    ],
)
def test_asking_again_is_known_whatever_other_words_stand_beside(language: str, said: str, key: str) -> None:
    assert key in asked_directly(_view(language, said))


@pytest.mark.parametrize(
    ("language", "said", "answer"),
    [
        ("en", "When is my dentist appointment?", "It is on Friday at ten."),
        ("en", "When do I have to pick up the kids?", "At half past three."),
        ("en", "When does the concert start?", "It starts on Friday at eight."),
        ("de", "Wann kommt meine Schwester?", "Sie kommt am Freitag."),
        ("de", "Wie viel habe ich für das Rad bezahlt?", "Du hast 600 Euro bezahlt."),
        ("es", "¿Qué hora es?", "Son las once."),
    ],
)
def test_a_question_about_others_and_other_things_is_answered_freely(
    language: str, said: str, answer: str
) -> None:
    view = _view(language, said)
    assert asked_directly(view) == frozenset()
    assert look(answer, view).contradicts is None


@pytest.mark.parametrize(
    ("key", "language", "sentence", "said"),
    [
        (
            "pickup_time",
            "en",
            "Since you come at noon, I'll leave it at the counter.",
            "When did I want to pick it up?",
        ),
        ("contact_detail", "es", "Si surge algo, le localizo en lea7@example.org.", "¿Dónde me localizan?"),
        (
            "delivery_address",
            "fr",
            "La livraison se fait au 8 rue du Moulin.",
            "Quelle adresse figure sur la livraison ?",
        ),
        ("quantity", "de", "Mit den 50 Stück kommen Sie gut hin.", "Wie viele habe ich am Ende bestellt?"),
    ],
)
def test_another_value_in_passing_is_no_answer(key: str, language: str, sentence: str, said: str) -> None:
    view = replace(_view(language, said), settled=settled(key))
    looked = look(sentence, view)
    assert looked.contradicts is not None or not (looked.aside or key in looked.told)


def test_what_was_changed_after_it_held_once() -> None:
    assert not contradicts("The delivery was on Friday, before you moved it.", "delivery_window")
    assert contradicts("The delivery is on Friday, as you know.", "delivery_window")


@pytest.mark.parametrize(
    ("sentence", "contradicted"),
    [
        ("Quantity (4711): 12.", False),
        ("For order 4711 it is 12 pieces.", False),
        ("Order 4711: 12 pieces; order 4712: 30 pieces.", False),
        ("Quantity (4711): 13.", True),
        ("For order 4711 it is 13 pieces.", True),
        ("Order 4711 comes with 30 pieces.", True),  # that is the other one's
        ("Quantity (4712): 12.", True),
    ],
)
def test_the_number_of_an_order_is_no_value_and_tells_whose_value_stands_beside_it(
    sentence: str, contradicted: bool
) -> None:
    decisions = tuple(
        replace(each, id=number, matter=matter)
        for number, (each, matter) in enumerate(
            (
                (_decision("quantity", "40"), "conversation x"),
                (_decision("quantity", "12"), "4711"),
                (_decision("quantity", "30"), "4712"),
            ),
            start=1,
        )
    )
    view = replace(_view("en", ""), settled=Settled(decisions=decisions, here="conversation x"))
    assert (look(sentence, view).contradicts is not None) is contradicted
