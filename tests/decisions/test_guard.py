"""The guard: what contradicts a settled value is found in any form; what only mentions another is let go."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory.decisions.guard import Settled, View, look
from memory.decisions.schema import load
from memory.records import Decision

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
}


def settled(*keys: str, rivals: frozenset[str] = frozenset()) -> Settled:
    return Settled(
        decisions=tuple(
            Decision(
                id=number,
                person_id=1,
                matter="conversation x",
                key=key,
                value=VALUES[key],
                decided_at=NOW,
                turn_id=1,
                decided_by="person",
                active=True,
            )
            for number, key in enumerate(keys, start=1)
        ),
        here="conversation x",
        rivals={("conversation x", key): rivals for key in keys},
    )


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
