"""The data files: complete, alike in shape, and silent about keeping."""

from __future__ import annotations

import string

import pytest

from memory.conductor.announcements import announces
from memory.config import LANGUAGES
from memory.llm.embedded.gloss import gloss
from memory.llm.embedded.phrases import phrases
from memory.llm.embedded.topics import topics

FILLED = {
    "what": "x",
    "when": "y",
    "who": "Ana",
    "list": "a, b",
    "date": "d",
    "time": "t",
    "age": "z",
    "said": "s",
    "answer": "w",
}


def slots(text: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in string.Formatter().parse(text) if name)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_everything_with_the_same_slots(language: str) -> None:
    english, other = phrases("en"), phrases(language)
    assert other.language == language
    assert set(other.says) == set(english.says)
    for key, variants in other.says.items():
        allowed = frozenset[str]().union(*(slots(variant) for variant in english.says[key]))
        assert variants, key
        for variant in variants:
            assert slots(variant) <= allowed, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_knows_the_same_cues(language: str) -> None:
    english, other = phrases("en"), phrases(language)
    assert set(other.cues) == set(english.cues)
    assert set(other.asks) == set(english.asks)
    assert set(other.evidence) == set(english.evidence)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_phrase_announces_a_keeping(language: str) -> None:
    for key, variants in phrases(language).says.items():
        for variant in variants:
            values = {name: FILLED.get(name, "v") for name in slots(variant)}
            assert not announces(variant.format(**values)), key


def test_the_same_seed_gives_the_same_variant() -> None:
    known = phrases("de")
    assert known.say("chat.greeting", seed="hallo") == known.say("chat.greeting", seed="hallo")
    assert len({known.say("chat.greeting", seed=str(n)) for n in range(40)}) > 1


def test_an_unknown_language_gets_english() -> None:
    assert phrases("xx").language == "en"


@pytest.mark.parametrize(
    ("text", "source", "target", "words"),
    [
        ("Der Ersatzschlüssel liegt in der blauen Dose im Keller", "de", "es", {"azul", "sótano", "llave"}),
        ("A chave suplente está debaixo do tapete", "pt", "de", {"Schlüssel", "unter"}),
        ("Le code du portail est 0042", "fr", "en", {"code", "gate"}),
        ("El paraguas rojo está en el armario", "es", "fr", {"rouge", "placard"}),
        ("The blue folder is in the drawer", "en", "pt", {"azul", "pasta", "gaveta"}),
    ],
)
def test_known_words_are_given_in_the_asked_language(
    text: str, source: str, target: str, words: set[str]
) -> None:
    assert words <= set(gloss(text, source=source, target=target))


@pytest.mark.parametrize(
    ("question", "card", "language"),
    [
        ("what do I dial to get in from the street", "The keypad code is 77", "en"),
        ("wo sind die dinger für die augen", "Die Brille liegt im Auto", "de"),
        ("onde se fecha a água", "A torneira de segurança fica na cave", "pt"),
        (
            "qui peut nourrir les minous, enfin les chats",
            "Le lapin mange à midi, l'animal est gourmand",
            "fr",
        ),
        ("qué le doy de cenar", "No puede comer gluten", "es"),
    ],
)
def test_other_words_for_one_thing_meet_in_a_topic(question: str, card: str, language: str) -> None:
    assert topics(question, language) & topics(card, language)


@pytest.mark.parametrize(
    ("language", "said", "ended"),
    [
        ("fr", "le tabac c'est termine", True),
        ("fr", "c'est la fin de la semaine", False),
        ("es", "al final no cambio de trabajo", True),
        ("pt", "afinal ja nao vou para o Porto", True),
        ("en", "we're not moving after all", True),
        ("en", "my nan is over eighty", False),
    ],
)
def test_a_plan_dropped_and_a_habit_finished_are_no_longer_so(language: str, said: str, ended: bool) -> None:
    assert bool(phrases(language).cue("no_longer", said)) is ended
