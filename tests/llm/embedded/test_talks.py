"""Earlier talks are told from the transcript, in their words, with their age, or honestly not at all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.llm.embedded.memories import Talk, card

RECENT: list[dict[str, Any]] = [
    {
        "summary": "Weekend, gear",
        "ago": "42 min ago",
        "at": "2026-06-08T09:18",
        "turns": 4,
        "last": [{"said": "Can you make me a packing list?", "answer": "Tent, lamp, stove, map."}],
    },
    {
        "summary": "The oak table for the kitchen",
        "ago": "1 day ago",
        "at": "2026-06-07T18:00",
        "turns": 4,
        "last": [],
    },
]

CANNOT = {
    "en": "cannot look up",
    "de": "nicht nachschlagen",
    "pt": "não consigo consultar",
    "fr": "ne peux pas consulter",
    "es": "no puedo consultar",
}
ASKED = [
    ("en", "What did we talk about last time?"),
    ("en", "where were we?"),
    ("en", "I forgot what it was about last time"),
    ("en", "do you remember what we discussed last time?"),
    ("de", "Worüber haben wir letztes Mal gesprochen?"),
    ("de", "Wo waren wir stehengeblieben?"),
    ("de", "weißt du noch worum es letztes mal ging"),
    ("pt", "De que falámos da última vez?"),
    ("pt", "onde é que ficámos?"),
    ("pt", "em que ponto é que tínhamos parado?"),
    ("de", "Wo hatten wir neulich aufgehört?"),
    ("es", "¿Dónde lo habíamos dejado?"),
    ("fr", "On s'était arrêtés où ?"),
    ("fr", "De quoi on a parlé la dernière fois ?"),
    ("fr", "On en était où ?"),
    ("es", "¿De qué hablamos la última vez?"),
    ("es", "¿dónde lo dejamos?"),
]


@pytest.mark.parametrize(("language", "question"), ASKED)
def test_the_last_talk_is_told_in_its_own_words(language: str, question: str) -> None:
    talk = Talk(language=language, blocks={"recent": RECENT, "missing": {}})
    talk.memory.add([card("fact", "Weekend in the hills, date open")])
    answer = talk.say(question)
    assert "packing list" in answer
    assert "Tent, lamp, stove, map." in answer
    assert "42 min ago" in answer
    assert "hills" not in answer


@pytest.mark.parametrize(("language", "question"), ASKED)
def test_when_the_transcript_cannot_be_read_it_says_so(language: str, question: str) -> None:
    talk = Talk(language=language, blocks={"recent": [], "missing": {"recent": "late"}})
    answer = talk.say(question)
    cannot = (
        "cannot look up",
        "nicht nachschlagen",
        "não consigo consultar",
        "ne peux pas consulter",
        "no puedo consultar",
    )
    assert any(words in answer for words in cannot)


def test_a_named_day_and_topic_choose_the_talk() -> None:
    talk = Talk(blocks={"recent": RECENT, "missing": {}})
    assert "oak table" in talk.say("What did we say yesterday about the table?")


def test_an_older_talk_is_found_by_search() -> None:
    talk = Talk(blocks={"recent": RECENT, "missing": {}})
    talk.memory.talks = [
        {
            "said": "Let's paint the kitchen green",
            "answer": "It suits it.",
            "ago": "3 months ago",
            "at": "2026-03-10T10:00",
        }
    ]
    answer = talk.say("What did we say in March about the kitchen?")
    assert "paint the kitchen green" in answer
    assert "3 months ago" in answer
    assert talk.calls[0].arguments["talks"] is True


def test_nothing_was_said_before() -> None:
    assert "first time" in Talk(blocks={"recent": [], "missing": {}}).say("what did we talk about last time?")
