"""What holds is changed as people change it: only the day or the hours, "not this, that", a bare choice."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine

from memory.decisions.schema import load
from memory.decisions.values import Refused, canonical, say
from memory.storage import decisions as rows
from memory.storage.engine import reading
from tests.cases.talking import talk
from tests.decisions.test_spoken import FRIDAY, held
from tests.fakes import T0, FakeClock

SATURDAY, SUNDAY = "2026-03-07", "2026-03-08"
CHANGES = {
    "en": [
        (
            ["Please deliver on Thursday between 9 and 12.", "Actually, Friday."],
            {"delivery_window": f"{FRIDAY} 09:00-12:00"},
        ),
        (
            ["Please deliver on Friday between 9 and 12.", "Make it between 2 and 5."],
            {"delivery_window": f"{FRIDAY} 14:00-17:00"},
        ),
        (
            [
                "Please deliver on Thursday between 9 and 12.",
                "Not on Thursday but on Friday between 2 and 4, please.",
            ],
            {"delivery_window": f"{FRIDAY} 14:00-16:00"},
        ),
        (
            ["Let's go for Saturday morning for the delivery.", "Not Saturday, Sunday."],
            {"delivery_window": f"{SUNDAY} 08:00-12:00"},
        ),
        (
            ["I'd like it delivered to Dock Road 9 on Friday, not to Mill Lane 4."],
            {"delivery_window": FRIDAY, "delivery_address": "Dock Road 9"},
        ),
        (["Invoice, please.", "Cash is fine."], {"payment_method": "cash"}),
        (["I'll pay by card.", "I'd rather pay by bank transfer."], {"payment_method": "transfer"}),
        (["The quantity is 15.", "It's 25 pieces now.", "Change it to 30."], {"quantity": "30"}),
        (["I'll take two dozen pieces."], {"quantity": "24"}),
        (["I'll take a dozen."], {"quantity": "12"}),
        (
            ["I'd like 12 pieces, delivered on Friday between 9 and 12."],
            {"quantity": "12", "delivery_window": f"{FRIDAY} 09:00-12:00"},
        ),
    ],
    "de": [
        (
            ["Bitte liefern Sie am Donnerstag zwischen 9 und 12 Uhr.", "Doch lieber am Freitag."],
            {"delivery_window": f"{FRIDAY} 09:00-12:00"},
        ),
        (["Bitte per Rechnung.", "Mit Karte bitte."], {"payment_method": "card"}),
        (
            [
                "Die Lieferadresse ist Hafenstraße 9, 1020 Wien.",
                "Bitte ändern Sie die Adresse auf Lindenweg 4.",
            ],
            {"delivery_address": "Lindenweg 4"},
        ),
        (["Ich nehme zwei Dutzend Stück."], {"quantity": "24"}),
    ],
    "pt": [
        (
            ["Entreguem na sexta de manhã, por favor.", "Afinal, no sábado."],
            {"delivery_window": f"{SATURDAY} 08:00-12:00"},
        ),
        (["Quero duas dúzias."], {"quantity": "24"}),
    ],
    "fr": [
        (
            [
                "Livrez-moi vendredi entre 9 h et midi au 12 rue des Lilas.",
                "Changez l'adresse : 4 quai du Port.",
            ],
            {"delivery_window": f"{FRIDAY} 09:00-12:00", "delivery_address": "4 quai du Port"},
        ),
    ],
    "es": [
        (
            [
                "Quiero pagar con tarjeta y que me entreguen el viernes de 9 a 12.",
                "Mejor el sábado a la misma hora.",
            ],
            {"payment_method": "card", "delivery_window": f"{SATURDAY} 09:00-12:00"},
        ),
    ],
}


@pytest.mark.parametrize("language", list(CHANGES))
def test_what_is_changed_keeps_the_rest_and_is_the_persons_own_word(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, language: str
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        for said, decided in CHANGES[language]:
            play.someone_else(language)
            for text in said:
                play.say(text)
            assert held(play) == decided, said
            with reading(sqlite_engine) as session:
                found = rows.current(session, play.play.person.id, now=clock())
            assert {each.decided_by for each in found} == {"person"}, said


@pytest.mark.parametrize(
    ("key", "language", "value", "stored"),
    [
        ("quantity", "en", "two dozen", "24"),
        ("quantity", "de", "ein halbes Dutzend", "6"),
        ("quantity", "fr", "trois douzaines", "36"),
        ("delivery_window", "en", "Saturday morning", f"{SATURDAY} 08:00-12:00"),
        ("delivery_window", "de", "am Freitagnachmittag", f"{FRIDAY} 12:00-18:00"),
        ("delivery_window", "en", "Friday at three in the afternoon", f"{FRIDAY} 15:00"),
    ],
)
def test_dozens_and_parts_of_the_day_have_values_of_their_own(
    key: str, language: str, value: str, stored: str
) -> None:
    found = load().get(key)
    assert found is not None
    taken = canonical(found, value, language=language, now=T0, zone="Europe/Berlin")
    assert not isinstance(taken, Refused)
    assert taken == stored


@pytest.mark.parametrize(
    ("key", "language", "value", "said"),
    [
        ("budget", "en", "1500.00 EUR", "€1500"),
        ("budget", "en", "45.50 USD", "$45.50"),
        ("budget", "de", "1200.50 EUR", "1200,50 €"),
        ("budget", "fr", "45.00 CHF", "45 CHF"),
        ("language", "de", "fr", "Französisch"),
        ("language", "pt", "de", "alemão"),
    ],
)
def test_amounts_and_languages_are_said_as_people_write_them(
    key: str, language: str, value: str, said: str
) -> None:
    found = load().get(key)
    assert found is not None
    assert say(found, value, language=language, now=T0, zone="Europe/Berlin") == said
    assert canonical(found, said, language=language, now=T0, zone="Europe/Berlin") == value
