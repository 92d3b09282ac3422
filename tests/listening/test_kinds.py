"""Kinds of sentences that several languages share: commands behind their matter, fronted parts, tails."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory.listening import Act, Heard, KnownPerson, listen
from memory.records import Category


def hear(text: str, language: str) -> Heard:
    now = datetime(2026, 8, 12, 10, 0, tzinfo=ZoneInfo("Europe/Lisbon"))  # a Wednesday
    return listen(text, language=language, now=now, zone="Europe/Lisbon")


def facts(heard: Heard) -> list[str]:
    return [c.text for c in heard.candidates if c.category is Category.FACT]


@pytest.mark.parametrize(
    ("language", "text", "topic"),
    [
        ("fr", "Le truc sur mon prêt, efface-le, ça m'appartient.", "mon prêt"),
        ("fr", "ce que je t'ai dit sur mon frère, oublie", "mon frère"),
        ("en", "What I said about my divorce, scrap that please.", "my divorce"),
        ("pt", "Aquilo da minha multa, apaga, não interessa a ninguém.", "minha multa"),
        ("es", "Lo que te dije del despido, olvídalo.", "despido"),
        ("de", "Das mit der Abmahnung nimmst du bitte wieder raus, das geht keinen was an.", "Abmahnung"),
        ("de", "Was ich dir über meinen Bruder erzählt hab, lösch das.", "meinen Bruder"),
    ],
)
def test_the_matter_may_stand_before_the_wish_to_forget(language: str, text: str, topic: str) -> None:
    heard = hear(text, language)
    assert heard.forgetting is not None
    assert heard.forgetting.topic == topic
    assert heard.candidates == ()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The thing about Jo is she forgets it all the time"),
        ("pt", "a minha avó tem oitenta anos, esquece tudo"),
    ],
)
def test_who_forgets_asks_for_nothing(language: str, text: str) -> None:
    assert hear(text, language).forgetting is None


@pytest.mark.parametrize(
    ("text", "plain", "wrong"),
    [
        ("No wait, it's celery I'm allergic to, not parsley.", "I'm allergic to celery", "parsley"),
        ("It's the cello my sister plays", "My sister plays the cello", ""),
    ],
)
def test_a_part_brought_to_the_front_goes_back_to_its_place(text: str, plain: str, wrong: str) -> None:
    heard = hear(text, "en")
    assert plain in [c.text for c in heard.candidates]
    assert (heard.correction.wrong if heard.correction else "") == wrong


@pytest.mark.parametrize(
    ("language", "text", "day"),
    [
        ("en", "Remind me every Friday at 7 am to put the bins out. Starting next month.", 4),
        ("pt", "Lembra-me todas as sextas às 7 de pôr o lixo lá fora. A partir de dia 1 de setembro.", 4),
    ],
)
def test_from_when_moves_the_first_occurrence(language: str, text: str, day: int) -> None:
    (only,) = hear(text, language).candidates
    assert only.when is not None
    assert only.when.rrule
    assert only.when.start.isoformat() == f"2026-09-0{day}T07:00:00"


@pytest.mark.parametrize(
    ("language", "text", "fact"),
    [
        ("en", "The old bike died so now I zip about on a Vespa.", "I zip about on a Vespa"),
        ("fr", "maintenant je roule en Twingo jaune", "Maintenant je roule en Twingo jaune"),
        ("es", "ahora ando con una furgoneta vieja", "Ahora ando con una furgoneta vieja"),
        ("en", "um what else so we have two hens", "We have two hens"),
        ("pt", "agora tô vendendo bolo de pote na feira", "Agora tô vendendo bolo de pote na feira"),
        (
            "pt",
            "Já não é na Avenida da Liberdade, agora estamos no Beco do Forno, número 3, segundo andar.",
            "Agora estamos no Beco do Forno, número 3, segundo andar",
        ),
        ("en", "My brother farms near Ely, and me I mend clocks for a living.", "I mend clocks for a living"),
    ],
)
def test_what_holds_now_is_kept(language: str, text: str, fact: str) -> None:
    assert fact in facts(hear(text, language))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "What size shoe does Yaw take? His coach is asking."),
        ("en", "Who wrote that? Sounds like an old hymn."),
        ("es", "¿De quién es esa letra? Me suena a bolero antiguo."),
        ("pt", "Ahahah ouve esta: «garçom, há uma mosca na sopa» e o garçom «não faz mal, ela come pouco»."),
        ("pt", "vou comprar um casaco à minha neta, e que número é?"),
    ],
)
def test_what_only_stands_beside_is_nothing(language: str, text: str) -> None:
    assert facts(hear(text, language)) == []


def test_an_event_may_be_at_a_place_that_sounds_like_a_wish() -> None:
    (event,) = hear(
        "Firmamos la hipoteca el lunes 5 de octubre a las 12 en la notaría del centro", "es"
    ).candidates
    assert event.category is Category.EVENT
    assert event.when is not None
    assert event.when.start.isoformat() == "2026-10-05T12:00:00"


def test_where_somebody_was_born_is_part_of_the_outing() -> None:
    (event,) = hear("No domingo o Duarte levou-nos a ver a casa onde nasceu.", "pt").candidates
    assert (event.category, event.people) == (Category.EVENT, ("Duarte",))


def test_to_be_pestered_is_to_be_reminded() -> None:
    (only,) = hear("me cobra sexta às nove de pagar o aluguel", "pt").candidates
    assert (only.category, only.text) == (Category.REMINDER, "Pagar o aluguel")
    assert Act.TELL in hear("me cobra sexta às nove de pagar o aluguel", "pt").acts


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "we're at the vet and they want the chip number, where on earth did I write it"),
        ("pt", "tô no cartório e estão pedindo a certidão, onde diabo eu guardei"),
        ("fr", "je suis au guichet et on me demande mon numéro de dossier, où diable je l'ai rangé"),
        ("es", "estoy en la ventanilla y me piden el padrón, dónde demonios lo guardé"),
    ],
)
def test_an_oath_asks_and_the_errand_before_it_is_nothing(language: str, text: str) -> None:
    heard = hear(text, language)
    assert heard.question is not None
    assert heard.candidates == ()


@pytest.mark.parametrize(
    ("language", "text", "is_memory"),
    [
        ("en", "Delete the alarm code, we have another system.", True),
        ("pt", "Apaga a senha do alarme, já não serve.", True),
        ("de", "Lösch die PIN vom Wecker.", True),
        ("es", "Borra la clave de la alarma.", True),
        ("fr", "Supprime le code de l'alarme.", True),
        ("en", "Delete the reminder about the door code.", False),
        ("pt", "Apaga o lembrete do código.", False),
        ("en", "Delete the alarm at seven.", False),
    ],
)
def test_the_code_of_an_alarm_is_a_memory_and_no_alarm(language: str, text: str, is_memory: bool) -> None:
    heard = hear(text, language)
    assert (heard.forgetting is not None) is is_memory


def test_the_three_of_us_are_the_people_known_at_home() -> None:
    now = datetime(2026, 6, 8, 21, 0, tzinfo=ZoneInfo("Europe/Lisbon"))
    known = [KnownPerson(name="Marta", relation="mulher"), KnownPerson(name="Leo", relation="filho")]
    text = "No sábado fomos os três ao parque aquático de Leiria e rimo-nos imenso."
    heard = listen(text, language="pt", now=now, zone="Europe/Lisbon", known=known)
    assert [set(c.people) for c in heard.candidates] == [{"Marta", "Leo"}]
    alone = listen(text, language="pt", now=now, zone="Europe/Lisbon", known=known[:1])
    assert [c.people for c in alone.candidates] == [()]


@pytest.mark.parametrize(("text", "forgets"), [("Olvide la variante.", True), ("Olvidé la cita.", False)])
def test_a_formal_command_is_no_past(text: str, forgets: bool) -> None:
    assert (hear(text, "es").forgetting is not None) is forgets
