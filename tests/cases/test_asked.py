"""What is set and what is known, asked for in other words than the listed ones."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from sqlalchemy import Engine

from tests.cases.talking import ZONES, talk
from tests.fakes import FakeClock

AT_THREE = datetime(2026, 6, 8, 15, 0, tzinfo=UTC)
SET = {
    "en": ("Remind me at five to call Ida.", "Put buying stamps on my list."),
    "de": ("Erinner mich um fünf daran, Ida anzurufen.", "Setz Briefmarken kaufen auf meine Liste."),
    "pt": ("Lembra-me às cinco de ligar à Ida.", "Põe comprar selos na minha lista."),
    "fr": ("Rappelle-moi à cinq heures d'appeler Ida.", "Mets acheter des timbres sur ma liste."),
    "es": ("Recuérdame a las cinco llamar a Ida.", "Pon comprar sellos en mi lista."),
}
ASKED = [
    ("en", "What reminders do I have?", "Ida", "stamps"),
    ("en", "What's still open?", "Ida", ""),
    ("en", "Did you set the reminder?", "Ida", ""),
    ("de", "Welche Erinnerungen habe ich?", "Ida", "Briefmarken"),
    ("de", "Woran sollst du mich heute noch erinnern?", "Ida", "Briefmarken"),
    ("de", "Was ist noch offen?", "Briefmarken", ""),
    ("pt", "Que lembretes tenho?", "Ida", "selos"),
    ("pt", "O que está por fazer?", "selos", ""),
    ("fr", "Quels rappels j'ai ?", "Ida", "timbres"),
    ("fr", "Qu'est-ce qui me reste à faire ?", "timbres", ""),
    ("es", "¿Qué recordatorios tengo?", "Ida", "sellos"),
    ("es", "¿Qué tareas tengo pendientes?", "sellos", ""),
]
KNOWN = [
    ("en", "What do you recall about me?", "Works in a bakery", "bakery"),
    ("de", "Woran erinnerst du dich bei mir?", "Arbeitet in einer Bäckerei", "Bäckerei"),
    ("pt", "De que é que te lembras a meu respeito?", "Trabalha numa padaria", "padaria"),
    ("fr", "De quoi tu te souviens à mon sujet ?", "Travaille dans une boulangerie", "boulangerie"),
    ("es", "¿De qué te acuerdas sobre mí?", "Trabaja en una panadería", "panadería"),
]


def test_what_is_set_is_told_when_it_is_asked_for(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        for language, (reminder, task) in SET.items():
            clock.set(AT_THREE.replace(tzinfo=ZoneInfo(ZONES[language])))
            play.someone_else(language)
            play.say(reminder)
            play.say(task)
            kept = play.kept()
            for _, question, told, untold in [each for each in ASKED if each[0] == language]:
                answer = play.say(question)
                assert told in answer, question
                assert not untold or untold not in answer, question
            assert play.kept() == kept


def test_what_is_known_is_told_and_nothing_is_kept(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "en") as play:
        for language, question, fact, word in KNOWN:
            play.someone_else(language)
            play.knows(fact)
            assert word in play.say(question), question
            assert len(play.kept()) == 1


def test_a_day_that_is_asked_for_holds_its_own_things_only(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with talk(sqlite_engine, clock, tmp_path, "pt") as play:
        for language, said, question, told, untold in (
            (
                "pt",
                "Lembra-me na sexta às nove das plantas e no domingo às dez da avó.",
                "O que tenho na sexta?",
                "lantas",
                "vó",
            ),
            (
                "fr",
                "Rappelle-moi vendredi à neuf heures d'arroser, et dimanche à midi d'appeler.",
                "Qu'est-ce que j'ai vendredi ?",
                "rroser",
                "ppeler",
            ),
        ):
            clock.set(AT_THREE.replace(tzinfo=ZoneInfo(ZONES[language])))
            play.someone_else(language)
            play.say(said)
            answer = play.say(question)
            assert told in answer, question
            assert untold not in answer, question
