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
        ("en", "turn off the alarm"),
        ("en", "stop that one"),
        ("de", "Stell den Wecker ab."),
        ("de", "Du musst mich nicht mehr an die Rechnung erinnern."),
        ("pt", "Desliga o despertador."),
        ("fr", "Éteins le réveil."),
        ("es", "Quita la alarma."),
        ("en", "Turn that alarm off, would you."),
        ("en", "Turn the alarm off, will you?"),
        ("en", "Switch that alarm off for me, please."),
        ("en", "Cancel that alarm, could you?"),
        ("en", "Stop that timer, can you."),
        ("en", "Kill the alarm, there's a love."),
        ("de", "Mach den Wecker aus, ja?"),
        ("de", "Schalt den Wecker bitte aus, sei so gut."),
        ("de", "Stell den Wecker wieder ab, würdest du?"),
        ("de", "Stopp den Timer mal, magst du?"),
        ("de", "Lösch die Erinnerung, ok?"),
        ("pt", "Desliga-me esse alarme, se faz favor."),
        ("pt", "Desliga o despertador, podes?"),
        ("pt", "Cancela esse lembrete, pode ser?"),
        ("fr", "Éteins le réveil, tu veux bien ?"),
        ("fr", "Désactive le réveil, veux-tu."),
        ("es", "Apaga el despertador, ¿quieres?"),
        ("es", "Apágame la alarma, ¿vale?"),
        ("es", "Cancela ese recordatorio, por favor, ¿puedes?"),
    ],
)
def test_an_alarm_is_turned_off(language: str, said: str) -> None:
    heard = hear(said, language)
    assert heard.candidates == ()
    assert heard.request is not None
    assert heard.request.verb == "cancel"


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


@pytest.mark.parametrize(
    ("language", "said", "reminders"),
    [
        (
            "en",
            "Remind me at eleven to phone Ida and at noon to eat.",
            ["Phone Ida 20 11:00", "Eat 20 12:00"],
        ),
        ("en", "Remind me tomorrow at ten to call and at one to eat.", ["Call 21 10:00", "Eat 21 13:00"]),
        ("de", "Erinner mich um elf an Ida und um zwölf ans Essen.", ["Ida 20 11:00", "Essen 20 12:00"]),
        ("pt", "Lembra-me às onze de ligar e ao meio-dia de comer.", ["Ligar 20 11:00", "Comer 20 12:00"]),
        (
            "fr",
            "Rappelle-moi à onze heures d'appeler, et à midi de manger.",
            ["Appeler 20 11:00", "Manger 20 12:00"],
        ),
        ("es", "Recuérdame a las once llamar y a las doce comer.", ["Llamar 20 11:00", "Comer 20 12:00"]),
        ("en", "Remind me on Monday and on Friday at nine to sing.", ["Sing 23 09:00", "Sing 27 09:00"]),
        (
            "de",
            "Erinner mich am Montag und am Freitag um neun ans Singen.",
            ["Singen 23 09:00", "Singen 27 09:00"],
        ),
        ("en", "Remind me tomorrow at nine to call Ida and Tom.", ["Call Ida and Tom 21 09:00"]),
    ],
)
def test_one_sentence_may_ask_for_more_than_one(language: str, said: str, reminders: list[str]) -> None:
    cards = [card for card in hear(said, language).candidates if card.category is Category.REMINDER]
    assert [f"{card.text} {card.when.start:%d %H:%M}" for card in cards if card.when] == reminders


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Remind me yesterday at five to call Ida."),
        ("en", "Remind me today at 8am to call Ida."),
        ("de", "Erinner mich gestern um fünf an Ida."),
    ],
)
def test_a_moment_that_has_passed_is_asked_for_again(language: str, said: str) -> None:
    (card,) = hear(said, language).candidates
    assert (card.when, card.missing_time) == (None, True)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Dentist Thursday at 3, remind me the evening before."),
        ("de", "Zahnarzt Donnerstag um drei, erinner mich am Abend vorher."),
        ("fr", "J'ai dentiste jeudi à quinze heures, rappelle-le-moi la veille au soir."),
    ],
)
def test_the_evening_before_is_in_the_evening(language: str, said: str) -> None:
    (reminder,) = [card for card in hear(said, language).candidates if card.category is Category.REMINDER]
    assert reminder.when is not None
    assert f"{reminder.when.start:%d %H:%M}" == "25 19:00"


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("de", "Erinner mich werktags um acht an die Tonne.", "Die Tonne"),
        ("de", "Erinner mich wochentags um acht an die Tonne.", "Die Tonne"),
        ("fr", "Rappelle-moi quinze minutes avant le film.", "Le film"),
    ],
)
def test_a_question_word_is_a_whole_word(language: str, said: str, text: str) -> None:
    (card,) = hear(said, language).candidates
    assert (card.category, card.text) == (Category.REMINDER, text)


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("en", "Set the alarm for seven, would you.", "Alarm"),
        ("en", "Set my alarm for half six tomorrow, there's a love.", "Alarm"),
        ("en", "Remind me tomorrow at nine to ring Bert, will you?", "Ring Bert"),
        ("de", "Erinnere mich morgen um neun an die Post, ja?", "Die Post"),
        ("pt", "Lembra-me amanhã às nove de pagar a luz, está bem?", "Pagar a luz"),
        ("fr", "Rappelle-moi demain à neuf heures de payer le gaz, d'accord ?", "Payer le gaz"),
        ("es", "Recuérdame mañana a las nueve pagar la luz, ¿vale?", "Pagar la luz"),
    ],
)
def test_what_only_asks_nicely_is_no_part_of_what_is_to_be_done(language: str, said: str, text: str) -> None:
    (card,) = hear(said, language).candidates
    assert (card.category, card.text) == (Category.REMINDER, text)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "Um halb fünf nachmittags."),
        ("en", "Half past four in the afternoon."),
        ("pt", "Às quatro e meia da tarde."),
        ("fr", "À seize heures trente."),
        ("es", "A las cuatro y media de la tarde."),
    ],
)
def test_a_moment_alone_tells_nothing(language: str, said: str) -> None:
    assert hear(said, language).candidates == ()


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "No, the other Friday."),
        ("de", "Nein, ich meinte den anderen Freitag."),
        ("pt", "Não, na outra."),
        ("pt", "na outra sexta"),
        ("fr", "Non, l'autre vendredi."),
        ("es", "No, el otro viernes."),
    ],
)
def test_the_other_one_of_two_days_is_meant(language: str, said: str) -> None:
    heard = hear(said, language)
    assert heard.candidates == ()
    assert heard.request is not None
    assert heard.request.verb == "other_one"


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        (
            "de",
            "Am dritten Elften um neun Uhr hab ich Prüfung, weck mich zwei Stunden vorher.",
            "Hab ich Prüfung",
        ),
        ("en", "My exam is on 3 November at nine, wake me two hours before.", "My exam"),
    ],
)
def test_who_is_woken_before_something_is_told_what_for(language: str, said: str, text: str) -> None:
    event, reminder = hear(said, language).candidates
    assert (event.text, reminder.text) == (text, text)
    assert reminder.when is not None
    assert f"{reminder.when.start:%m-%d %H}" == "11-03 07"
