"""A reminder whose day or hour was not told: asked for, corrected meanwhile, left alone for a message."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from sqlalchemy import Engine

from memory.records import Category
from tests.cases.talking import ZONES, talk
from tests.fakes import FakeClock

TUESDAY = datetime(2026, 3, 10, 10, 0, tzinfo=ZoneInfo("Europe/London"))
SAID: list[tuple[str, tuple[str, ...], str]] = [
    ("en", ("remind me on the 17th to call Jo", "actually make it the 18th", "ten o'clock"), "18 10:00"),
    ("de", ("Erinner mich am 17. an den Arzt.", "nee, besser am 18.", "um zehn"), "18 10:00"),
    ("pt", ("Lembra-me no dia 17 de ligar à Ana.", "Aliás, no dia 18.", "Às dez da manhã."), "18 10:00"),
    ("en", ("Remind me to call the bank.", "tomorrow", "half four"), "11 16:30"),
    ("fr", ("Rappelle-moi d'appeler la banque.", "après-demain", "à quinze heures"), "12 15:00"),
    ("es", ("Recuérdame ir al banco.", "el viernes", "No, mejor el sábado.", "A las once."), "14 11:00"),
    ("en", ("Remind me on Friday to water the plants.", "My sister Jo moved to Leeds.", "nine"), "13 09:00"),
    ("de", ("Erinner mich am Freitag an die Blumen.", "Wie spät ist es?", "um neun"), "13 09:00"),
    ("de", ("Erinner mich morgen an den Kuchen.", "egal wann"), "11 09:00"),
    ("pt", ("Lembra-me amanhã do bolo.", "Tanto faz."), "11 09:00"),
    ("en", ("Remind me on Friday to water the plants.", "no, leave it", "at nine"), ""),
]


def test_the_day_may_change_while_the_hour_is_waited_for(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        for language, messages, rings in SAID:
            clock.set(TUESDAY.replace(tzinfo=ZoneInfo(ZONES[language])))
            play.someone_else(language)
            for message in messages[:-1]:
                play.say(message)
                assert not any(card.category is Category.REMINDER for card in play.kept()), message
            play.say(messages[-1])
            cards = [card for card in play.kept() if card.category is Category.REMINDER]
            assert [f"{card.when.start:%d %H:%M}" for card in cards if card.when] == [rings][: len(rings)], (
                messages
            )


def test_a_timer_and_an_alarm_are_kept_and_turned_off(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        for language, said, rings, off in (
            ("en", "Timer for ten minutes", "10 10:10", "turn off the timer"),
            ("de", "Stell mir einen Wecker auf sechs.", "11 06:00", "Stell den Wecker ab."),
            ("fr", "Mets un réveil à six heures demain.", "11 06:00", "Éteins le réveil."),
        ):
            clock.set(TUESDAY.replace(tzinfo=ZoneInfo(ZONES[language])))
            play.someone_else(language)
            play.say(said)
            assert [f"{card.when.start:%d %H:%M}" for card in play.kept() if card.when] == [rings], said
            play.say(off)
            assert play.kept() == [], off
