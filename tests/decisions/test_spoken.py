"""Decisions as people speak: taken back in one breath, several at once, asked politely, asked whether."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine

from memory.storage import decisions as rows
from memory.storage.engine import reading
from tests.cases.talking import Talk, talk
from tests.fakes import FakeClock


def held(play: Talk) -> dict[str, str]:
    """What holds for the person, by key; with its matter where that is named."""
    with reading(play.play.engine) as session:
        found = rows.current(session, play.play.person.id, now=play.play.clock())
    return {
        each.key if each.matter.startswith("conversation ") else f"{each.matter} {each.key}": each.value
        for each in found
    }


FRIDAY = "2026-03-06"
TAKEN_BACK = {
    "en": [
        ("I need sixty, no, make it twenty pieces.", {"quantity": "20"}),
        ("Make it sixty... no, twenty pieces.", {"quantity": "20"}),
        ("I'll take sixty pieces, no, forty, no, twenty.", {"quantity": "20"}),
        ("I'll pay by cash, no wait, by card.", {"payment_method": "card"}),
        ("Send it to Dock Road 9, sorry, Mill Lane 4.", {"delivery_address": "Mill Lane 4"}),
        ("My budget is 500 euros, no, 450 euros.", {"budget": "450.00 EUR"}),
        ("My order number is QX-90, sorry, QX-91.", {"order_number": "QX-91"}),
        ("Call me at 020 7946 0018, no, at 020 7946 0019.", {"contact_detail": "020 7946 0019"}),
        ("The colour should be blue, no, green.", {"variant": "green"}),
        (
            "Delivery on Thursday between 9 and 12, sorry, Friday please.",
            {"delivery_window": f"{FRIDAY} 09:00-12:00"},
        ),
        ("Pick up at nine, no, ten please.", {"pickup_time": "10:00"}),
    ],
    "de": [
        ("Ich nehme sechzig, nein, doch lieber zwanzig Stück.", {"quantity": "20"}),
        ("Sechzig, nein zwanzig Stück bitte.", {"quantity": "20"}),
        ("Ich zahle bar, ach nein, per Lastschrift.", {"payment_method": "direct_debit"}),
        (
            "Schicken Sie es in die Hafenstraße 9, nein, in den Lindenweg 4.",
            {"delivery_address": "Lindenweg 4"},
        ),
        ("Mein Budget liegt bei 500, nein, 450 Euro.", {"budget": "450.00 EUR"}),
        (
            "Bitte am Donnerstag zwischen 9 und 12 Uhr liefern, nein, zwischen 14 und 16 Uhr.",
            {"delivery_window": "2026-03-05 14:00-16:00"},
        ),
    ],
    "pt": [
        ("Quero sessenta... não, melhor vinte peças.", {"quantity": "20"}),
        ("Contacte-me por telefone, aliás, por e-mail.", {"contact_channel": "email"}),
    ],
    "fr": [
        ("Je prends soixante... non, plutôt vingt pièces.", {"quantity": "20"}),
        ("Je paie par carte, pardon, par virement.", {"payment_method": "transfer"}),
    ],
    "es": [
        ("Quiero sesenta... no, mejor veinte piezas.", {"quantity": "20"}),
        ("Pago con tarjeta, perdón, con transferencia.", {"payment_method": "transfer"}),
    ],
}


@pytest.mark.parametrize("language", list(TAKEN_BACK))
def test_what_is_taken_back_in_the_same_breath_is_neither_decided_nor_kept(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, language: str
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        for said, decided in TAKEN_BACK[language]:
            play.someone_else(language)
            play.say(said)
            assert held(play) == decided, said
            assert play.texts() == [], said


PLAIN = {
    "en": [
        ("Hi, I'd like to order 20 lamps.", {"quantity": "20"}),
        ("Quantity: 12", {"quantity": "12"}),
        ("My order number is QX-90.", {"order_number": "QX-90"}),
        ("Order number: AB12", {"order_number": "AB12"}),
        (
            "Please deliver 12 pieces on Friday between 9 and 12 to Dock Road 9.",
            {"quantity": "12", "delivery_window": f"{FRIDAY} 09:00-12:00", "delivery_address": "Dock Road 9"},
        ),
        ("We need 40 units by Thursday, budget 500 euros.", {"quantity": "40", "budget": "500.00 EUR"}),
        (
            "I'd like 12 pieces, delivered on Friday between 9 and 12, paid by card.",
            {"quantity": "12", "delivery_window": f"{FRIDAY} 09:00-12:00", "payment_method": "card"},
        ),
        ("I'll take 12 pieces and pick them up at ten.", {"quantity": "12", "pickup_time": "10:00"}),
        (
            "Order 4711-A should come on Friday between 2 and 5 to Mill Lane 4.",
            {"4711-A delivery_window": f"{FRIDAY} 14:00-17:00", "4711-A delivery_address": "Mill Lane 4"},
        ),
        ("The language should be German.", {"language": "de"}),
        ("Delivery on Friday between 9 and 12 works for me.", {"delivery_window": f"{FRIDAY} 09:00-12:00"}),
        ("Call me at +44 20 7946 0018, please.", {"contact_detail": "+44 20 7946 0018"}),
    ],
    "de": [
        ("Ich möchte 20 Lampen bestellen.", {"quantity": "20"}),
        ("Abholzeit: 10 Uhr", {"pickup_time": "10:00"}),
        ("Die Bestellnummer lautet QX-90.", {"order_number": "QX-90"}),
        (
            "Bitte liefern Sie 12 Stück am Freitag zwischen 9 und 12 Uhr in die Hafenstraße 9.",
            {
                "quantity": "12",
                "delivery_window": f"{FRIDAY} 09:00-12:00",
                "delivery_address": "Hafenstraße 9",
            },
        ),
        (
            "Auftrag 4711-A soll am Freitag zwischen 14 und 17 Uhr kommen.",
            {"4711-A delivery_window": f"{FRIDAY} 14:00-17:00"},
        ),
        (
            "Bestellung 812-B: bitte 12 Stück, Lieferung am Freitag zwischen 9 und 12, Zahlung bar.",
            {
                "812-B quantity": "12",
                "812-B delivery_window": f"{FRIDAY} 09:00-12:00",
                "812-B payment_method": "cash",
            },
        ),
        ("Ich nehme 12 Stück und hole sie um zehn ab.", {"quantity": "12", "pickup_time": "10:00"}),
        ("Die Farbe soll Blau sein.", {"variant": "Blau"}),
        ("Der Termin soll am Freitag sein.", {"appointment": FRIDAY}),
        ("Bitte schreiben Sie mir an anna@example.org.", {"contact_detail": "anna@example.org"}),
    ],
    "pt": [
        ("Olá, queria encomendar 20 candeeiros.", {"quantity": "20"}),
        ("O número da encomenda é QX-90.", {"order_number": "QX-90"}),
        (
            "Quero 12 peças e pago com cartão. Entreguem na sexta entre as 9h e as 12h, por favor.",
            {"quantity": "12", "payment_method": "card", "delivery_window": f"{FRIDAY} 09:00-12:00"},
        ),
        (
            "A encomenda 4711-A deve chegar na sexta entre as 14h e as 17h.",
            {"4711-A delivery_window": f"{FRIDAY} 14:00-17:00"},
        ),
        ("Levanto às dez, por favor.", {"pickup_time": "10:00"}),
        ("Vou buscar a encomenda às dez.", {"pickup_time": "10:00"}),
    ],
    "fr": [
        ("Bonjour, je voudrais commander 20 lampes.", {"quantity": "20"}),
        ("Paiement : carte", {"payment_method": "card"}),
        ("Mon numéro de commande est QX-90.", {"order_number": "QX-90"}),
        (
            "La commande 4711-A doit arriver vendredi entre 14 h et 17 h.",
            {"4711-A delivery_window": f"{FRIDAY} 14:00-17:00"},
        ),
        ("Joignez-moi au 06 12 34 56 78.", {"contact_detail": "06 12 34 56 78"}),
    ],
    "es": [
        ("Hola, quiero encargar 20 lámparas.", {"quantity": "20"}),
        ("Mi número de pedido es QX-90.", {"order_number": "QX-90"}),
        (
            "Quiero 12 piezas y pago con tarjeta. Entreguen el viernes de 9 a 12, por favor.",
            {"quantity": "12", "payment_method": "card", "delivery_window": f"{FRIDAY} 09:00-12:00"},
        ),
        (
            "El pedido 4711-A debe llegar el viernes entre las 14 y las 17.",
            {"4711-A delivery_window": f"{FRIDAY} 14:00-17:00"},
        ),
    ],
}


@pytest.mark.parametrize("language", list(PLAIN))
def test_each_value_of_a_sentence_finds_its_key_and_its_matter(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, language: str
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        for said, decided in PLAIN[language]:
            play.someone_else(language)
            play.say(said)
            assert held(play) == decided, said
            assert play.texts() == [], said


WONDERED = {
    "en": (
        "Please deliver on Thursday between 9 and 12.",
        [
            "Should I move the delivery to Friday?",
            "Should we make it Friday instead?",
            "Do I have to change the delivery window?",
            "What if I took Friday",
        ],
    ),
    "de": (
        "Bitte liefern Sie am Donnerstag zwischen 9 und 12 Uhr.",
        [
            "Soll ich die Lieferung auf Freitag verschieben?",
            "Soll ich lieber Freitag nehmen",
            "Muss ich das Lieferfenster ändern?",
            "Sollen wir den Liefertermin auf Freitag verlegen",
        ],
    ),
    "pt": (
        "Entreguem na quinta entre as 9h e as 12h, por favor.",
        [
            "Devo mudar a entrega para sexta?",
            "Será que devo mudar para sexta?",
            "Tenho de mudar a janela de entrega?",
        ],
    ),
    "fr": (
        "Livrez jeudi entre 9 h et 12 h, s'il vous plaît.",
        [
            "Dois-je changer la livraison à vendredi ?",
            "Est-ce que je dois prendre vendredi ?",
            "Dois-je déplacer le créneau de livraison",
        ],
    ),
    "es": (
        "Entreguen el jueves de 9 a 12, por favor.",
        [
            "¿Debo cambiar la entrega al viernes?",
            "¿Debería pasarla al viernes?",
            "¿Tengo que cambiar la franja de entrega?",
        ],
    ),
}
NOT_CHANGED = {
    "en": "not changed",
    "de": "nichts geändert",
    "pt": "não mudou",
    "fr": "rien n'a changé",
    "es": "no cambió",
}


@pytest.mark.parametrize("language", list(WONDERED))
def test_whoever_asks_whether_to_change_is_told_what_holds_and_changes_nothing(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, language: str
) -> None:
    decision, questions = WONDERED[language]
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        told = play.say(decision)
        for question in questions:
            answer = play.say(question)
            assert held(play) == {"delivery_window": "2026-03-05 09:00-12:00"}, question
            assert "5" in answer, question
            assert "12" in answer, question
            assert NOT_CHANGED[language] not in answer, question  # nobody asked for the history
        assert "5" in told


POLITE = {
    "en": [
        ("Could I have 20 pieces?", "Yes, please.", {"quantity": "20"}),
        (
            "Can you deliver 12 pieces on Friday between 2 and 4?",
            "Yes.",
            {"quantity": "12", "delivery_window": f"{FRIDAY} 14:00-16:00"},
        ),
        ("Can I pay by card?", "No.", {}),
    ],
    "de": [
        ("Könnte ich 20 Stück haben?", "Ja, bitte.", {"quantity": "20"}),
        (
            "Können Sie auch am Freitag zwischen 14 und 16 Uhr liefern?",
            "Ja.",
            {"delivery_window": f"{FRIDAY} 14:00-16:00"},
        ),
        ("Kann ich mit Karte zahlen?", "Nein.", {}),
    ],
    "pt": [
        (
            "Podem entregar na sexta entre as 14h e as 16h?",
            "Sim, pode ser.",
            {"delivery_window": f"{FRIDAY} 14:00-16:00"},
        )
    ],
    "fr": [
        (
            "Pouvez-vous livrer vendredi entre 14 h et 16 h ?",
            "Oui, d'accord.",
            {"delivery_window": f"{FRIDAY} 14:00-16:00"},
        )
    ],
    "es": [
        (
            "¿Pueden entregar el viernes de 14 a 16?",
            "Sí, por favor.",
            {"delivery_window": f"{FRIDAY} 14:00-16:00"},
        )
    ],
}


@pytest.mark.parametrize("language", list(POLITE))
def test_a_polite_question_is_put_back_and_decided_by_the_answer(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, language: str
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        for question, answer, decided in POLITE[language]:
            play.someone_else(language)
            assert play.say(question).rstrip().endswith("?"), question
            assert held(play) == {}, question
            play.say(answer)
            assert held(play) == decided, question


def test_a_decision_beside_a_question_is_heard(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        play.say("I'll take 12 pieces. When do you open?")
        answer = play.say("I'll pay by card. How many pieces did I order?")
        assert held(play) == {"quantity": "12", "payment_method": "card"}
        assert "12" in answer


ALL_OF_IT = {
    "en": [
        "Tell me everything that's settled.",
        "What's settled so far?",
        "List everything we agreed on.",
        "Give me a summary of what is agreed.",
        "Read back the order.",
        "Where do we stand?",
    ],
    "de": [
        "Was steht bisher alles fest?",
        "Was haben wir vereinbart?",
        "Sag mir alles, was feststeht.",
        "Fass zusammen, was wir ausgemacht haben.",
        "Nennen Sie mir bitte alle Vereinbarungen.",
        "Wie ist der Stand?",
    ],
    "pt": [
        "O que já ficou combinado?",
        "Diga-me tudo o que está combinado.",
        "O que combinámos?",
        "O que é que está assente?",
        "Faça um resumo do que ficou acordado.",
    ],
    "fr": [
        "Qu'est-ce qui est déjà décidé ?",
        "Qu'avons-nous convenu ?",
        "Dites-moi tout ce qui est convenu.",
        "Où en sommes-nous ?",
        "Récapitulez ce qui est fixé.",
    ],
    "es": [
        "¿Qué está decidido hasta ahora?",
        "¿Qué hemos acordado?",
        "Dígame todo lo que está acordado.",
        "¿Qué ha quedado fijado?",
        "Haga un resumen de lo acordado.",
    ],
}
DECIDED = {
    "en": (
        "I'll take 12 pieces and pay by card.",
        "Order 4711-A should come on Friday between 2 and 5.",
        "card",
    ),
    "de": (
        "Ich nehme 12 Stück und zahle mit Karte.",
        "Auftrag 4711-A soll am Freitag zwischen 14 und 17 Uhr kommen.",
        "Karte",
    ),
    "pt": (
        "Quero 12 peças e pago com cartão.",
        "A encomenda 4711-A deve chegar na sexta entre as 14h e as 17h.",
        "cartão",
    ),
    "fr": (
        "Je prends 12 pièces et je paie par carte.",
        "La commande 4711-A doit arriver vendredi entre 14 h et 17 h.",
        "carte",
    ),
    "es": (
        "Quiero 12 piezas y pago con tarjeta.",
        "El pedido 4711-A debe llegar el viernes entre las 14 y las 17.",
        "tarjeta",
    ),
}


@pytest.mark.parametrize("language", list(ALL_OF_IT))
def test_whoever_wants_all_that_is_settled_is_told_all_open_matters(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, language: str
) -> None:
    first, second, paid = DECIDED[language]
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        nothing = play.say(ALL_OF_IT[language][0])
        assert "12" not in nothing
        play.say(first)
        play.say(second)
        for question in ALL_OF_IT[language]:
            answer = play.say(question)
            assert all(each in answer for each in ("12", paid, "4711-A")), (question, answer)
            assert "6" in answer, (question, answer)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "My sister should come on Friday between 2 and 5."),
        ("en", "What was decided about the school trip?"),
        ("en", "I'll pick up the kids at ten."),
        ("de", "Meine Schwester soll am Freitag um zehn kommen."),
        ("de", "Ich hole um zehn die Kinder ab."),
        ("pt", "A minha irmã deve chegar na sexta às dez."),
        ("pt", "Levanto-me às sete."),
        ("pt", "Vou buscar os miúdos às dez."),
        ("pt", "Recolho os meus netos às cinco."),
        ("es", "El martes recojo yo a mis nietos a las cinco."),
    ],
)
def test_what_is_about_other_people_and_things_decides_nothing(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, language: str, said: str
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        play.say(said)
        assert held(play) == {}
