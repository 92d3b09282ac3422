"""Jokes, quotations and parts that are played keep nothing; what is told in earnest is kept."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory.config import LANGUAGES
from memory.listening import durable, earnest, listen
from memory.listening.network import GRAMS, read
from memory.records import Category

TOLD = (Category.FACT, Category.PERSON, Category.EVENT)


def kept(language: str, text: str) -> list[str]:
    heard = listen(
        text,
        language=language,
        now=datetime(2026, 4, 14, 10, 0, tzinfo=ZoneInfo("Europe/Berlin")),
        zone="Europe/Berlin",
    )
    return [each.text for each in heard.candidates if each.category in TOLD]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "so the detective on the telly goes i've been sober nine years and my wife's called Maureen"),
        ("en", "haha I'm the duchess of the sofa and my carriage is a hoover"),
        ("en", "In the school play I'm a blind beggar called Amos and my dog has died."),
        ("de", "haha ich bin die kaiserin vom sofa und mein zepter ist die fernbedienung"),
        ("de", "Im Rollenspiel bin ich ein Zwerg namens Amos und besitze drei Ziegen."),
        ("pt", "na novela o delegado fala assim: sou viúvo e minha filha se chama Gertrudes"),
        ("pt", "kkkk eu sou a rainha do sofá e o meu cetro é o comando da televisão"),
        ("fr", "dans le film le flic dit comme ça : je suis veuf et ma fille s'appelle Gertrude"),
        ("es", "en la serie el comisario va y dice: soy viudo y mi hija se llama Gertrudis"),
    ],
)
def test_what_is_not_in_earnest_is_not_kept(language: str, text: str) -> None:
    assert kept(language, text) == []


@pytest.mark.parametrize(
    ("language", "text", "word"),
    [
        ("en", "lol I'm fifty-two and still sleep with the light on", "fifty-two"),
        ("en", "Quick one about me: I'm a plumber in Hull.", "plumber"),
        ("en", "The dentist says I grind my teeth, so I wear a splint at night.", "splint"),
        ("de", "Kurz zu mir: ich bin Klempner in Kiel.", "Klempner"),
        ("de", "haha ich bin zweiundfünfzig und hab immer noch Angst vor Spinnen", "Spinnen"),
        ("pt", "Só para saberes: sou canalizador em Faro.", "canalizador"),
        ("fr", "Petite présentation : je suis plombier à Brest.", "plombier"),
        ("es", "Para que lo sepas: soy fontanero en Vigo.", "fontanero"),
    ],
)
def test_what_is_in_earnest_is_kept(language: str, text: str, word: str) -> None:
    assert any(word in each for each in kept(language, text))


@pytest.mark.parametrize(("name", "classes"), [("kinds", durable.KINDS), ("earnest", earnest.CLASSES)])
def test_the_weights_fit_the_tables_they_were_trained_with(name: str, classes: tuple[str, ...]) -> None:
    network = read(durable.WEIGHTS, name, classes)
    width = durable.inputs(["Fine."], "en").shape[1]
    assert network.hidden.shape[0] == width, "train again: python -m memory.listening.train"
    assert {each.shape for each in network.sequences.values()} == {(GRAMS, len(classes))}
    assert set(network.straight) == set(LANGUAGES)
