"""Alarms and timers, and what is asked about them or taken back."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory.listening import Act, Heard, listen
from memory.records import Category

NOW = datetime(2026, 3, 20, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))  # a Friday


def hear(text: str, language: str, previous: str = "") -> Heard:
    return listen(text, language=language, now=NOW, zone="Europe/Berlin", previous=previous)


@pytest.mark.parametrize(
    ("language", "said", "text", "rings"),
    [
        ("de", "Stell mir für sechs Uhr einen Wecker.", "Wecker", "21 06:00"),
        ("de", "Stell einen Wecker auf halb sieben.", "Wecker", "21 06:30"),
        ("de", "Kannst du mir einen Wecker auf 6:15 stellen?", "Wecker", "21 06:15"),
        ("de", "Timer auf 12 Minuten für die Nudeln", "Für die Nudeln", "20 10:12"),
        ("en", "Set an alarm for six.", "Alarm", "21 06:00"),
        ("en", "Set a timer for ten minutes.", "Timer", "20 10:10"),
        ("en", "set a timer for the pasta, ten minutes", "The pasta", "20 10:10"),
        ("pt", "Põe um despertador para as seis.", "Despertador", "21 06:00"),
        ("pt", "Põe um temporizador de dez minutos.", "Temporizador", "20 10:10"),
        ("fr", "Mets un réveil à six heures.", "Réveil", "21 06:00"),
        ("fr", "Mets un minuteur de dix minutes pour les œufs.", "Les œufs", "20 10:10"),
        ("es", "Pon un temporizador de diez minutos.", "Temporizador", "20 10:10"),
    ],
)
def test_an_alarm_or_a_timer_is_set(language: str, said: str, text: str, rings: str) -> None:
    (card,) = hear(said, language).candidates
    assert card.category is Category.REMINDER
    assert card.when is not None
    assert (card.text, f"{card.when.start:%d %H:%M}") == (text, rings)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Stell den Wecker auf halb sieben."),
        ("en", "Move the alarm to seven"),
        ("fr", "Mets mon réveil à sept heures."),
    ],
)
def test_the_one_that_is_there_is_moved(language: str, said: str) -> None:
    heard = hear(said, language)
    assert heard.request is not None
    assert heard.request.verb == "move"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Woran sollst du mich heute noch erinnern?"),
        ("de", "Wann erinnerst du mich an die Wäsche?"),
        ("en", "When will you remind me to call Ida?"),
        ("en", "What reminders do I have?"),
        ("pt", "Que lembretes tenho?"),
        ("fr", "Quels rappels j'ai ?"),
        ("es", "¿Qué recordatorios tengo?"),
    ],
)
def test_what_is_set_is_asked_and_nothing_is_made(language: str, said: str) -> None:
    heard = hear(said, language)
    assert heard.candidates == ()
    assert heard.question is not None


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Erinner mich um acht an den Müll... ach nee, lass mal."),
        ("es", "Recuérdame a las ocho sacar la basura... bueno no, déjalo."),
        ("pt", "Lembra-me às oito de pôr o lixo lá fora... deixa lá, esquece."),
        ("fr", "Rappelle-moi à huit heures de sortir les poubelles... non, laisse tomber."),
    ],
)
def test_what_is_taken_back_in_the_same_breath_is_not_set(language: str, said: str) -> None:
    heard = hear(said, language)
    assert heard.candidates == ()
    assert Act.CANCEL in heard.acts


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "Lê-me o capítulo «Cancela tudo»."),
        ("fr", "Lis-moi le chapitre « Annule tout »."),
        ("en", "Read me the chapter called “Cancel Everything”."),
    ],
)
def test_a_title_calls_nothing_off(language: str, said: str) -> None:
    assert Act.CANCEL not in hear(said, language).acts


@pytest.mark.parametrize(
    ("language", "said", "before"),
    [
        ("en", "Could you remember that?", "I can't stand coriander."),
        ("en", "Please remember that.", "I can't stand coriander."),
        ("de", "Merk dir das bitte.", "Ich vertrage keinen Knoblauch."),
        ("de", "Merk dir das: Ich vertrage keinen Knoblauch.", ""),
        ("fr", "Retiens ça : je déteste la coriandre.", ""),
    ],
)
def test_remember_that_is_the_sentence_before_or_behind(language: str, said: str, before: str) -> None:
    (fact,) = hear(said, language, before).candidates
    assert fact.category is Category.FACT
    assert "oriand" in fact.text or "Knoblauch" in fact.text
    assert "das" not in fact.text.casefold().split()
