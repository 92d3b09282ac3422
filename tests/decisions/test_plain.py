"""The built-in model hears decisions of the shipped keys in plain sentences, and tells all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine

from memory.storage import decisions as rows
from memory.storage.engine import reading
from tests.cases.talking import BUILT_IN
from tests.conductor.playing import Stage, stage
from tests.fakes import FakeClock

HELD = {
    "quantity": "50",
    "order_number": "812-B",
    "budget": "1500.00 EUR",
    "contact_channel": "email",
}
SAID = {
    "en": (
        "They should be fifty pieces.",
        "The order number is 812-B.",
        "Our budget is 1,500 euros at most.",
        "It's best to reach me by e-mail, please.",
        "Send it to Dock Road 9, Bristol BS1 4RW.",
    ),
    "de": (
        "Es werden fünfzig Stück.",
        "Die Auftragsnummer lautet 812-B.",
        "Unser Budget liegt bei höchstens 1.500 Euro.",
        "Erreichen Sie mich bitte per E-Mail.",
        "Schicken Sie es in die Hafenstraße 9, 1020 Wien.",
    ),
    "pt": (
        "Ficam cinquenta peças.",
        "O número do pedido é 812-B.",
        "O nosso orçamento é no máximo 1.500 euros.",
        "O melhor é contactar-me por e-mail.",
        "Enviem para a Rua do Moinho 9, 1000-001 Lisboa.",
    ),
}
STREETS = {
    "en": "Dock Road 9, Bristol BS1 4RW",
    "de": "Hafenstraße 9, 1020 Wien",
    "pt": "Rua do Moinho 9, 1000-001 Lisboa",
}
ALL = {
    "en": "What have we settled so far?",
    "de": "Was haben wir bisher alles vereinbart?",
    "pt": "O que é que já ficou decidido até agora?",
}


def held(play: Stage) -> dict[str, str]:
    with reading(play.engine) as session:
        return {each.key: each.value for each in rows.current(session, play.person.id, now=play.clock())}


@pytest.mark.parametrize("language", ["en", "de", "pt"])
def test_what_is_decided_in_plain_words_is_heard_and_told_back(
    engine: Engine, clock: FakeClock, tmp_path: Path, language: str
) -> None:
    with stage(engine, clock, model=lambda: BUILT_IN, tmp=tmp_path) as play:
        for text in SAID[language]:
            play.say(text, language=language)
        assert held(play) == HELD | {"delivery_address": STREETS[language]}
        told = play.say(ALL[language], language=language).answer
    assert all(value in told for value in ("50", "812-B", "1500", STREETS[language]))


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "My brother ate forty pieces of cake."),
        ("en", "My address is Dock Road 9."),
        ("de", "Die Miete beträgt 900 Euro."),
        ("de", "Es sind vierzig Leute gekommen."),
        ("pt", "Ontem comi oito peças de sushi."),
    ],
)
def test_what_is_only_told_decides_nothing(
    engine: Engine, clock: FakeClock, tmp_path: Path, language: str, said: str
) -> None:
    with stage(engine, clock, model=lambda: BUILT_IN, tmp=tmp_path) as play:
        play.say(said, language=language)
        assert held(play) == {}
