"""Kinds of everyday cases in other words and languages: what is kept, what gives way, what is answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import Engine

from memory.language import fold
from memory.records import Category
from tests.cases.talking import Talk, talk
from tests.fakes import FakeClock


@dataclass
class Case:
    """Messages of one person, what stands in memory behind them, and what the last answer holds."""

    kind: str
    language: str
    said: tuple[str, ...]
    kept: tuple[str, ...] = ()  # "category: words + words": exactly these cards, besides what was known
    answer: tuple[str, ...] = ()
    never: tuple[str, ...] = ()  # in no card
    known: tuple[tuple[str, str, str], ...] = field(default=())  # category, text, name


CASES = [
    Case(
        "others words",
        "en",
        ("My colleague Dennis always says 'I'm a vegetarian and I hate Mondays'.",),
        ("person: Dennis", "fact: Dennis + vegetarian"),
        never=("I hate Mondays",),
    ),
    Case(
        "others words",
        "pt",
        ("A minha vizinha Otília diz sempre: «Sou alérgica a gatos e detesto segundas.»",),
        ("person: Otília", "fact: Otília + gatos"),
    ),
    Case(
        "aside in a game",
        "de",
        (
            "Lass uns spielen: Ich bin Ritter Kunibert, geboren in Camelot, und hab vierzig Pferde. "
            "Kurz im Ernst: mein Zahnarzt hat mich auf Donnerstag 15 Uhr verlegt. So, zurück auf die Burg!",
        ),
        ("event: Zahnarzt",),
        never=("Camelot", "Pferde"),
    ),
    Case(
        "aside in a game",
        "pt",
        (
            "Vamos brincar: sou o Capitão Barba Azul, nasci em Tortuga. A sério agora: o dentista passou-me "
            "para quinta às três da tarde. Pronto, de volta ao convés!",
        ),
        ("event: dentista",),
        never=("Tortuga",),
    ),
    Case(
        "event and fact",
        "de",
        ("Meine Schwiegermutter kommt am Samstag, sie liebt Pfingstrosen.",),
        ("event: Schwiegermutter", "fact: Schwiegermutter + Pfingstrosen"),
    ),
    Case(
        "event and fact",
        "en",
        ("My mother-in-law descends on us Saturday, she adores peonies.",),
        ("event: mother-in-law", "fact: mother-in-law + peonies"),
    ),
    Case(
        "remember that",
        "de",
        ("Ich kann Koriander nicht ausstehen.", "Kannst du dir das merken?"),
        ("fact: Koriander",),
        ("Koriander",),
    ),
    Case("remember that", "en", ("I can't abide aniseed.", "Can you remember that?"), ("fact: aniseed",)),
    Case(
        "remind me what",
        "de",
        ("Erinner mich mal, wie hieß die Klempnerin noch gleich?",),
        (),
        ("Vasseur",),
        known=(("person", "Frau Vasseur, Klempnerin", "Frau Vasseur"),),
    ),
    Case(
        "a date to remember",
        "en",
        ("Remember that I have parents' evening at school on 24 September.", "When was the school thing?"),
        ("event: parents' evening",),
        ("24 September",),
    ),
    Case(
        "the hour is asked for",
        "pt",
        ("Lembra-me de ligar para a seguradora no dia 17 de maio.", "Às quatro e meia da tarde."),
        ("reminder: seguradora",),
        ("16:30",),
    ),
    Case(
        "taken back",
        "de",
        (
            "Erinner mich um acht an die Mülltonnen ... ach nein, lass mal.",
            "Lies mir das Kapitel „Alles absagen“ vor.",
        ),
    ),
    Case("gone off", "en", ("I love coriander.", "I've gone right off coriander."), ("fact: off coriander",)),
    Case("gone off", "pt", ("Adoro coentros.", "Agora já não suporto coentros."), ("fact: não + coentros",)),
    Case(
        "a not",
        "pt",
        ("A chave grande abre o portão do quintal.", "Corrijo: a chave grande não abre o portão do quintal."),
        ("fact: não abre",),
    ),
    Case(
        "one digit",
        "de",
        (
            "Das Vorhängeschloss vom Schuppen ist 4471.",
            "Das Fahrradschloss ist 4417.",
            "Wie war das Fahrradschloss?",
        ),
        ("fact: 4471", "fact: 4417"),
        ("4417",),
    ),
    Case(
        "two of one name",
        "pt",
        ("A Ana faz anos a 3 de outubro.",),
        (),
        known=(
            ("person", "Ana Brandão, cunhada, mora em Aveiro", "Ana Brandão"),
            ("person", "Ana Vaz, dentista", "Ana Vaz"),
        ),
    ),
    Case(
        "two of one name",
        "en",
        ("Anna's birthday is the 3rd of October.", "The sister-in-law, I mean."),
        ("fact: Anna Brandt + October",),
        known=(
            ("person", "Anna Brandt, sister-in-law", "Anna Brandt"),
            ("person", "Anna Voss, dentist", "Anna Voss"),
        ),
    ),
    Case(
        "a code as it was given",
        "en",
        (
            "The plumber's number is 0044 900 000 506 and the school's is +44 (0)20 7946 0018.",
            "What's the school's?",
        ),
        ("fact: 0044 900 000 506", "fact: +44 (0)20 7946 0018"),
        ("+44 (0)20 7946 0018",),
    ),
    Case(
        "a whole name",
        "de",
        ("José Muñoz kommt am Freitag.", "Wer ist Jose Munoz?"),
        ("event: kommt",),
        ("Freund",),
        known=(("person", "José Muñoz, Freund", "José Muñoz"),),
    ),
]


def _check(case: Case, play: Talk) -> None:
    for category, text, name in case.known:
        play.knows(text, category=Category(category), people=(name,), relation=text.split(", ")[1])
    before = set(play.texts())
    answer = ""
    for said in case.said:
        answer = play.say(said)
    made = [card for card in play.kept() if card.text not in before]
    shown = [(card.category.value, card.text) for card in made]
    for wanted in case.kept:
        category, _, words = wanted.partition(": ")
        assert any(
            card.category.value == category
            and all(fold(word) in fold(f"{card.text} {' '.join(card.people)}") for word in words.split(" + "))
            for card in made
        ), (case.kind, wanted, shown)
    assert len(made) == len(case.kept), (case.kind, shown)
    assert not [word for word in case.never for card in made if fold(word) in fold(card.text)], shown
    for words in case.answer:
        assert fold(words) in fold(answer), (case.kind, answer)


@pytest.mark.parametrize("language", ["en", "de", "pt"])
def test_kinds_of_everyday_cases(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, language: str
) -> None:
    with talk(sqlite_engine, clock, tmp_path, language) as play:
        for case in CASES:
            if case.language == language:
                play.someone_else(language)
                _check(case, play)
                clock.tick(hours=2)
