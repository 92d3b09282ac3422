"""What the assistant had asked last is answered in few words, also after a gap: the thread is not lost."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine

from memory.records import Category
from memory.storage.engine import transaction
from memory.storage.tables import TurnRow
from tests.cases.talking import talk
from tests.fakes import FakeClock

MONDAY = datetime(2026, 6, 8, 8, 0, tzinfo=UTC)

# language, said, asked back, the short answer, what the reminder is about, when it rings
PROPOSED = [
    (
        "en",
        "Should I bake the cake on Sunday or Monday?",
        "Sunday then. Want a reminder on Saturday evening?",
        "Sure, at eight.",
        "cake",
        "2026-06-13T20:00",
    ),
    (
        "de",
        "Soll ich die Hecke am Mittwoch oder am Donnerstag schneiden?",
        "Lieber am Mittwoch. Magst du am Dienstag eine Erinnerung?",
        "Gern, halb neun.",
        "Hecke",
        "2026-06-09T08:30",
    ),
    (
        "pt",
        "Corto a sebe na quarta ou na quinta?",
        "Melhor a quarta. Queres um lembrete na terça?",
        "Sim, às oito e meia.",
        "sebe",
        "2026-06-09T08:30",
    ),
    (
        "fr",
        "Je vais voir mamie samedi ou dimanche ?",
        "Samedi, plutôt. Tu veux un rappel vendredi ?",
        "Oui, à dix heures.",
        "mamie",
        "2026-06-12T10:00",
    ),
    (
        "es",
        "¿Visito a la abuela el sábado o el domingo?",
        "Mejor el sábado. ¿Quieres un recordatorio el viernes?",
        "Sí, a las diez.",
        "abuela",
        "2026-06-12T10:00",
    ),
]
WAVERED = [
    ("en", "I'm choosing between the 9 and the 11 train.", "The 11 gives you more time. Shall we take it?"),
    ("de", "Ich schwanke zwischen dem Zug um 9 und dem um 11.", "Der um 11 lässt dir Luft. Nehmen wir den?"),
    ("pt", "Estou indeciso entre o comboio das 9 e o das 11.", "O das 11 dá-te folga. Fica esse?"),
    ("fr", "J'hésite entre le train de 9 h et celui de 11 h.", "Celui de 11 h est mieux. On le prend ?"),
    (
        "es",
        "Dudo entre el tren de las 9 y el de las 11.",
        "El de las 11 te deja margen. ¿Cogemos ese?",
    ),
]
AGREED = {
    "en": ("Yes, that one.", "Sounds good."),
    "de": ("Ja, den.", "Abgemacht."),
    "pt": ("Sim, esse.", "Combinado."),
    "fr": ("Oui, celui-là.", "Entendu."),
    "es": ("Sí, ese.", "Trato hecho."),
}


@pytest.mark.parametrize(("language", "said", "asked", "answer", "about", "rings"), PROPOSED)
def test_a_reminder_that_was_proposed_is_set_by_a_yes(
    sqlite_engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    language: str,
    said: str,
    asked: str,
    answer: str,
    about: str,
    rings: str,
) -> None:
    clock.set(MONDAY)
    with talk(sqlite_engine, clock, tmp_path, language, asked) as play:
        play.say(said)
        clock.tick(minutes=6)
        play.say(answer)
        (card,) = play.kept()
    assert (card.category, about in card.text) == (Category.REMINDER, True)
    assert card.when is not None
    assert f"{card.when.start:%Y-%m-%dT%H:%M}" == rings


@pytest.mark.parametrize(("language", "said", "asked"), WAVERED)
def test_what_was_agreed_is_said_and_a_choice_of_the_moment_is_not_kept(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, language: str, said: str, asked: str
) -> None:
    clock.set(MONDAY)
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        for agreed in AGREED[language]:
            play.someone_else(language)
            play.told.append(asked)
            play.say(said)
            clock.tick(minutes=3)
            assert "11" in play.say(agreed), agreed
            assert play.kept() == []


BROKEN = {
    "en": (
        "Remind me tomorrow at 8 to book a slot.",
        ("Did that work?", "Is the reminder set?", "Was it saved?"),
    ),
    "de": ("Erinnere mich morgen um 8 an den Zahnarzt.", ("Steht die Erinnerung?", "Ist das angekommen?")),
    "pt": ("Lembra-me amanhã às 8 de marcar consulta.", ("O lembrete ficou?", "Isso resultou?")),
    "fr": ("Rappelle-moi demain à 8h de prendre rendez-vous.", ("C'est bien noté ?", "Ça a marché ?")),
    "es": ("Recuérdame mañana a las 8 pedir cita.", ("¿Ha quedado guardado?", "¿Funcionó?")),
}


@pytest.mark.parametrize("language", BROKEN)
def test_after_a_broken_turn_the_store_tells_whether_it_worked(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, language: str
) -> None:
    said, questions = BROKEN[language]
    clock.set(MONDAY)
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        for question in questions:
            for lost in (False, True):
                play.someone_else(language)
                if lost:
                    play.told.append("…")  # the tool never ran
                    play.play.say(said, language=language)
                else:
                    play.say(said)
                with transaction(sqlite_engine) as session:  # as a kill -9 leaves it
                    session.query(TurnRow).filter_by(person_id=play.play.person.id).update(
                        {"state": "interrupted", "answer": ""}
                    )
                clock.tick(minutes=1)
                assert ("8" in play.say(question)) is not lost, question
