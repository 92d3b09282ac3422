"""Dates and reminders as they are asked for, and as they are said back."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import Engine

from memory.language import next_occurrence
from memory.llm.embedded.phrases import phrases
from memory.llm.embedded.voice import turned
from memory.records import Category
from tests.cases.talking import ZONES, talk
from tests.fakes import FakeClock

WEDNESDAY = datetime(2026, 6, 10, 9, 0, tzinfo=ZoneInfo("Europe/London"))
FRIDAYS = {12, 19}


OTHER_FRIDAY = [
    ("en", "Remind me next Friday at noon to send the contract.", "No, I meant the other one."),
    ("en", "Remind me next Friday at noon to send it off.", "not that one, the other Friday"),
    ("de", "Erinner mich nächsten Freitag um zwölf an den Vertrag.", "Nein, ich meinte den anderen."),
    ("de", "Erinner mich Freitag um zwölf an den Vertrag.", "Nee, den Freitag drauf meinte ich."),
    ("pt", "Lembra-me na próxima sexta ao meio-dia do contrato.", "Não, quis dizer a outra."),
    ("pt", "Lembra-me sexta às doze horas do contrato.", "A sexta seguinte, aliás."),
    ("fr", "Rappelle-moi vendredi à midi d'envoyer le contrat.", "Pas ce vendredi, celui d'après."),
    ("es", "Recuérdame el próximo viernes a mediodía el contrato.", "No, me refería al otro."),
    ("es", "Recuérdame el viernes a mediodía el contrato.", "no, el viernes siguiente"),
]


def test_next_friday_is_one_reminder_and_the_other_friday_after_a_word(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        for language, asked, other in OTHER_FRIDAY:
            clock.set(WEDNESDAY.replace(tzinfo=ZoneInfo(ZONES[language])))
            play.someone_else(language)
            play.say(asked)
            (first,) = play.kept()
            play.say(other)
            (second,) = play.kept()
            assert first.category is second.category is Category.REMINDER
            assert first.when is not None
            assert second.when is not None
            assert {first.when.start.day, second.when.start.day} == FRIDAYS, other
            assert first.when.start.hour == second.when.start.hour == 12, other


def test_the_half_of_the_day_alone_takes_the_other_hour(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    clock.set(WEDNESDAY.replace(tzinfo=ZoneInfo(ZONES["de"])))
    with talk(sqlite_engine, clock, tmp_path, "de") as play:
        play.say("Erinner mich um acht an die Wäsche")
        play.say("nein, morgens")
        (card,) = play.kept()
    assert card.when is not None
    assert (card.when.start.day, card.when.start.hour) == (11, 8)


@pytest.mark.parametrize(
    ("said", "back"),
    [
        ("Hab ich Probe", "Hast du Probe"),
        ("Morgen habe ich Chorprobe", "Morgen hast du Chorprobe"),
        ("Am Montag singe ich Lieder", "Am Montag singst du Lieder"),
        ("Ich koche gern", "Du kochst gern"),
    ],
)
def test_a_noun_is_no_verb_when_words_are_said_back(said: str, back: str) -> None:
    assert turned(said, phrases("de")) == back


SPRING = datetime(2026, 3, 3, 9, 0, tzinfo=ZoneInfo("Europe/London"))
# Language, now, what was told, what is said of it, the day it is then on; the hour stays at three.
OTHER_DAYS = [
    (
        "de",
        "2026-03-03",
        "Am 12. April um 15 Uhr ist der Hoftag.",
        "Nicht am Zwölften, sondern am Dreizehnten.",
        "04-13",
    ),
    ("de", "2026-03-03", "Am 12. April um 15 Uhr ist der Hoftag.", "Am 13., nicht am 12.", "04-13"),
    (
        "de",
        "2026-03-03",
        "Erinnere mich am 12. April um 15 Uhr an den Zaun.",
        "Verschieb das auf den Dreizehnten.",
        "04-13",
    ),
    ("en", "2026-03-03", "Dentist on 12 April at 3pm.", "Not the twelfth, the thirteenth.", "04-13"),
    (
        "en",
        "2026-03-03",
        "I have choir on 12 April at 3pm.",
        "Actually it's on the 13th, not the 12th.",
        "04-13",
    ),
    ("en", "2026-03-03", "Remind me on 12 April at 3pm to ring Una.", "Make it the 13th.", "04-13"),
    ("en", "2026-03-10", "Dentist on 28 April at 3pm.", "Move the dentist to the 2nd.", "05-02"),
    ("en", "2026-04-14", "Dentist on 28 April at 3pm.", "Move the dentist to the 13th.", "05-13"),
    ("en", "2026-04-14", "Dentist on 28 April at 3pm.", "Move the dentist to the 20th.", "04-20"),
    ("en", "2026-04-10", "Remind me on 30 April at 3pm to ring Una.", "Make it the 31st.", "05-31"),
    (
        "en",
        "2026-03-03",
        "Remind me on the 12th of every month at 3pm to ring Una.",
        "Make it the 13th.",
        "03-13",
    ),
    (
        "pt",
        "2026-03-03",
        "Tenho dentista no dia 12 de abril às 15h.",
        "Não é no dia doze, é no dia treze.",
        "04-13",
    ),
    ("pt", "2026-03-03", "A consulta é a 12 de abril às 15h.", "Não é a doze, é a treze.", "04-13"),
    (
        "pt",
        "2026-03-03",
        "Lembra-me a 12 de abril às 15h de ligar à Una.",
        "Afinal passa para dia 13.",
        "04-13",
    ),
    ("fr", "2026-03-03", "La réunion est le 12 avril à 15h.", "C'est pas le 12, c'est le 13.", "04-13"),
    ("fr", "2026-03-03", "J'ai le dentiste le 12 avril à 15h.", "Pas le douze, le treize.", "04-13"),
    ("es", "2026-03-03", "Tengo dentista el 12 de abril a las 15h.", "No el doce, sino el trece.", "04-13"),
    ("es", "2026-03-03", "La cita es el 12 de abril a las 15h.", "No es el 12, es el 13.", "04-13"),
    (
        "es",
        "2026-11-20",
        "La cena es el viernes 11 de diciembre a las 15h.",
        "Me he equivocado de viernes: la cena es el dieciocho, a la misma hora.",
        "12-18",
    ),
    ("es", "2026-03-03", "Recuérdame el 12 de abril a las 15h llamar a Una.", "Mejor el 13.", "04-13"),
    (
        "en",
        "2026-03-03",
        "Dentist on Thursday at 3pm.",
        "Move the dentist from Thursday to Friday.",
        "03-06",
    ),
    (
        "de",
        "2026-03-03",
        "Am Donnerstag um 15 Uhr ist der Hoftag.",
        "Verleg den Hoftag von Donnerstag auf Freitag.",
        "03-06",
    ),
    (
        "pt",
        "2026-03-03",
        "Tenho dentista na quinta às 15h.",
        "Passa o dentista de quinta para sexta.",
        "03-06",
    ),
]


def test_a_day_of_the_month_alone_is_one_of_the_months_of_what_is_moved(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        for language, today, told, other, day in OTHER_DAYS:
            clock.set(datetime.fromisoformat(f"{today}T09:00").replace(tzinfo=ZoneInfo(ZONES[language])))
            play.someone_else(language)
            play.say(told)
            play.say(other)
            starts = [card.when.start for card in play.kept() if card.when is not None]
            assert [f"{start:%m-%d %H}" for start in starts] == [f"{day} 15"], other


# Language, what is said, and the hours of the daily reminders that come of it.
DAILY = [
    ("en", "Remind me every day at nine and at eight in the evening to take the tablets.", {9, 20}),
    ("de", "Erinnere mich jeden Tag um acht und um zwanzig Uhr an die Tabletten.", {8, 20}),
    ("pt", "Lembra-me todos os dias às oito e às vinte horas de tomar os comprimidos.", {8, 20}),
    ("fr", "Rappelle-moi tous les jours à huit heures et à vingt heures de prendre mes gouttes.", {8, 20}),
    ("es", "Recuérdame todos los días a las ocho y a las veinte horas tomar la pastilla.", {8, 20}),
    (
        "en",
        "Remind me to take the tablets three times a day, at eight, at one and at seven in the evening.",
        {8, 13, 19},
    ),
]


def test_a_reminder_at_several_hours_of_the_day_rings_at_each(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        for language, said, hours in DAILY:
            clock.set(SPRING.replace(tzinfo=ZoneInfo(ZONES[language])))
            play.someone_else(language)
            play.say(said)
            moments = [card.when for card in play.kept()]
            assert {when.start.hour for when in moments if when is not None} == hours, said
            assert {when.rrule for when in moments if when is not None} == {"FREQ=DAILY"}, said


# Language, what is said, and when the reminder rings.
BEFORE = [
    (
        "en",
        "Mum's birthday is on 20 April, remind me the day before at six in the evening to ring her.",
        "04-19 18",
    ),
    ("en", "I have the dentist on Friday at three, remind me at two to leave.", "03-06 14"),
    ("de", "Am Freitag um 15 Uhr hab ich Zahnarzt, erinner mich um zwei ans Losfahren.", "03-06 14"),
    ("pt", "Tenho dentista na sexta às três, lembra-me às duas de sair.", "03-06 14"),
    ("de", "Am 20. April hat Mama Geburtstag, erinnere mich am Abend vorher an die Torte.", "04-19 19"),
    ("pt", "A operação é a 20 de abril às oito. Lembra-me na véspera à noite de não comer.", "04-19 21"),
    (
        "pt",
        "Tenho exame no dia 20 de abril às oito da manhã, lembra-me na véspera à noite de não comer.",
        "04-19 21",
    ),
    (
        "fr",
        "J'ai une prise de sang le 20 avril à 8h, rappelle-moi la veille au soir de ne rien manger.",
        "04-19 19",
    ),
    (
        "es",
        "El 20 de abril tengo análisis a las ocho, recuérdame la víspera por la noche que no cene.",
        "04-19 21",
    ),
]


def test_the_day_before_has_its_own_hour(sqlite_engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        for language, said, rings in BEFORE:
            clock.set(SPRING.replace(tzinfo=ZoneInfo(ZONES[language])))
            play.someone_else(language)
            play.say(said)
            reminders = [card.when for card in play.kept() if card.category is Category.REMINDER]
            assert [f"{when.start:%m-%d %H}" for when in reminders if when is not None] == [rings], said


# Language, what is said first, and what sets an alarm where there is none yet.
ALARMS = [
    (
        "de",
        "Erinnere mich morgen um neun an Ute.",
        "Stell den Wecker auf sieben.",
        "Wecker",
        "Mach den Wecker aus, ja?",
    ),
    (
        "fr",
        "Rappelle-moi demain à neuf heures d'appeler Ute.",
        "Mets le réveil à sept heures.",
        "Réveil",
        "Éteins le réveil.",
    ),
    (
        "pt",
        "Lembra-me amanhã às nove de ligar à Ute.",
        "Põe o despertador para as sete.",
        "Despertador",
        "Desliga o despertador, podes?",
    ),
]


def test_an_alarm_is_set_where_there_is_none_and_moves_nothing_else(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        for language, other, sets, name, ends in ALARMS:
            clock.set(SPRING.replace(tzinfo=ZoneInfo(ZONES[language])))
            play.someone_else(language)
            play.say(other)
            play.say(sets)
            hours = {card.text: card.when.start.hour for card in play.kept() if card.when is not None}
            assert hours.pop(name) == 7, sets
            assert list(hours.values()) == [9], sets
            play.say(ends)
            assert name not in play.texts(), ends
            assert len(play.texts()) == 1, ends


# Language, what sets a reminder, what changes it, and the hours that are left to ring on the next two days.
CHANGED = [
    (
        "en",
        ("Remind me on weekdays at ten to seven to wake Tom.", "Move it to seven."),
        ["03-04 07", "03-05 07"],
    ),
    (
        "de",
        ("Erinner mich werktags um zehn vor sieben, Tom zu wecken.", "Verschieb das auf sieben."),
        ["03-04 07", "03-05 07"],
    ),
    ("en", ("Remind me every day at 7:15 to stretch.", "But not tomorrow."), ["03-05 07"]),
    ("de", ("Erinner mich jeden Tag um 7:15 ans Dehnen.", "Morgen aber nicht."), ["03-05 07"]),
    ("pt", ("Lembra-me todos os dias às 7:15 de fazer alongamentos.", "Amanhã não."), ["03-05 07"]),
    ("pt", ("Lembra-me na quarta dos impostos.", "Às dez.", "Afinal às onze."), ["03-04 11"]),
]


def test_a_reminder_follows_what_is_said_of_it_in_a_few_words(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        for language, said, rings in CHANGED:
            now = SPRING.replace(tzinfo=ZoneInfo(ZONES[language]))
            clock.set(now)
            play.someone_else(language)
            for each in said:
                play.say(each)
            (card,) = play.kept()
            assert card.when is not None
            found, after = [], now
            while (coming := next_occurrence(card.when, after=after)) and (coming - now).days < 2:
                found.append(f"{coming:%m-%d %H}")
                after = coming
            assert found == rings, said
