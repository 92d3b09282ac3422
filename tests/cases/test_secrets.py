"""A password told in passing: kept whole and in silence, told back exactly, and in no log."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine

from memory.records import Category
from tests.cases.talking import talk
from tests.fakes import FakeClock


@pytest.mark.parametrize(
    ("language", "told", "asked", "secret"),
    [
        ("en", "Wifi in the cabin is Huette_24!x9.", "What was the cabin wifi?", "Huette_24!x9"),
        ("en", "The safe opens with 19-04-33, keep that to yourself", "How do I open the safe?", "19-04-33"),
        (
            "de",
            "Passwort fürs Gäste-WLAN: Sommer%2026#Ö",
            "Wie lautet das Passwort vom Gäste-WLAN?",
            "Sommer%2026#Ö",
        ),
        (
            "pt",
            "O wifi da casa de férias é Ferias_24!x9",
            "Qual era o wifi da casa de férias?",
            "Ferias_24!x9",
        ),
        ("fr", "Le wifi du chalet c'est Chalet_24!x9", "C'était quoi le wifi du chalet ?", "Chalet_24!x9"),
        ("es", "La clave del garaje es 4471B", "¿Cuál es la clave del garaje?", "4471B"),
    ],
)
def test_a_secret_is_kept_as_it_was_typed_and_told_to_its_owner_alone(
    sqlite_engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    language: str,
    told: str,
    asked: str,
    secret: str,
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        assert secret not in play.say(told)
        (card,) = play.kept()
        assert (card.category, card.visible, card.sensitive) == (Category.FACT, False, True)
        assert secret in card.text
        clock.tick(days=3)
        assert secret in play.say(asked)
        assert secret not in str(play.play.queue.__dict__)
    assert secret not in caplog.text
