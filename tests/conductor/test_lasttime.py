"""Past talks through the conductor with the built-in model: from the transcript, or honestly not at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from memory import cards
from memory.conductor import assembly
from memory.llm.embedded import EmbeddedModel
from memory.llm.embedded.phrases import phrases
from memory.overview.archive import index_turn
from memory.overview.blocks import RECENT
from memory.overview.sources import sources_for
from memory.records import Category, NewCard
from memory.storage.engine import transaction
from tests import factories
from tests.conductor.playing import EMBEDDER, Stage, stage
from tests.fakes import FakeClock

NOW = datetime(2026, 6, 8, 8, 12, tzinfo=UTC)


def archived(play: Stage, *exchanges: tuple[str, str], ago: timedelta, summary: str = "") -> None:
    """A past talk of the person of a stage."""
    moment = NOW - ago
    thread = factories.conversation(
        play.engine, play.person, opened_at=moment, archived_at=moment, summary=summary, summarised_at=moment
    )
    for said, answer in exchanges:
        turn = factories.turn(play.engine, play.person, thread, said=said, answer=answer, created_at=moment)
        index_turn(play.engine, EMBEDDER, turn)


def remembered(play: Stage, text: str) -> None:
    """A fact of the person of a stage."""
    fact = NewCard(category=Category.FACT, text=text, language="de")
    with transaction(play.engine) as session:
        cards.remember(session, play.person, fact, embedder=EMBEDDER, now=NOW - timedelta(days=1))


@pytest.fixture
def play(sqlite_engine: Engine, tmp_path: Path) -> Any:
    model = EmbeddedModel(EMBEDDER)
    with stage(sqlite_engine, FakeClock(NOW), model=lambda: model, tmp=tmp_path) as made:
        yield made


def packing(play: Stage) -> None:
    archived(
        play,
        ("Ich fahre am Wochenende weg.", "Schön!"),
        ("Kannst du mir eine Packliste machen?", "Gern: Zelt, Lampe, Kocher, Karte."),
        ago=timedelta(minutes=42),
        summary="Wochenende, Ausrüstung",
    )
    remembered(play, "Wochenende im Harz, Termin offen")


def test_last_time_is_told_word_for_word_with_its_age(play: Stage) -> None:
    packing(play)
    turn = play.say("Worüber haben wir letztes Mal gesprochen, und was stand alles drauf?", language="de")
    for words in ("Packliste", "Zelt", "Lampe", "Kocher", "Karte", "vor 42 Min."):
        assert words in turn.answer
    assert "Harz" not in turn.answer


def test_a_transcript_that_fails_is_not_a_talk_that_was_not(
    play: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    packing(play)
    whole = sources_for

    def fails(session: Any) -> Any:
        raise RuntimeError("a delay in the database")

    monkeypatch.setattr(assembly, "sources_for", lambda *a, **k: {**whole(*a, **k), RECENT: fails})
    answer = play.say("Worüber haben wir letztes Mal gesprochen?", language="de").answer
    assert "nicht nachschlagen" in answer
    assert "erste Mal" not in answer


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Weißt du noch, was wir gestern beim Tisch gesagt haben?"),
        ("pt", "Ainda te lembras do que dissemos ontem sobre a mesa?"),
    ],
)
def test_yesterdays_talk_is_found_in_any_language(play: Stage, language: str, question: str) -> None:
    archived(
        play,
        ("Für die Küche nehmen wir den Tisch aus Eiche.", "Eine gute Wahl."),
        ago=timedelta(days=1),
        summary="Küche",
    )
    assert "Eiche" in play.say(question, language=language).answer


TABLE = {
    "en": (
        "I'll take the oak table for the kitchen.",
        "oak",
        (
            "What had we settled on for the kitchen table?",
            "Which table did I pick yesterday?",
            "Remind me what we said about the table.",
            "What was it about the table again?",
        ),
    ),
    "de": (
        "Für die Küche nehme ich den Tisch aus Eiche.",
        "Eiche",
        (
            "Wofür hatten wir uns gestern beim Tisch entschieden?",
            "Was war nochmal mit dem Tisch?",
            "Erinnerst du dich an unser Gespräch über den Tisch?",
            "Wo waren wir beim Tisch stehen geblieben?",
        ),
    ),
    "pt": (
        "Para a cozinha fico com a mesa de carvalho.",
        "carvalho",
        (
            "O que é que tínhamos combinado sobre a mesa ontem?",
            "Lembras-te da nossa conversa sobre a mesa?",
            "Que mesa é que escolhi ontem?",
            "O que te disse ontem?",
        ),
    ),
    "fr": (
        "Pour la cuisine, je prends la table en chêne.",
        "chêne",
        ("Tu te souviens de ce qu'on a décidé pour la table ?",),
    ),
    "es": (
        "Para la cocina me quedo con la mesa de roble.",
        "roble",
        ("¿Qué habíamos dicho ayer de la mesa?",),
    ),
}


@pytest.mark.parametrize("language", TABLE)
def test_a_question_that_no_card_answers_looks_into_the_talks(
    play: Stage, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    said, word, questions = TABLE[language]
    archived(play, (said, "…"), ago=timedelta(days=1))
    for question in questions:
        assert word in play.say(question, language=language).answer, question
    whole = sources_for

    def fails(session: Any) -> Any:
        raise RuntimeError("a delay in the database")

    broken = {RECENT: fails}
    monkeypatch.setattr(assembly, "sources_for", lambda *a, **k: {**whole(*a, **k), **broken})
    answer = play.say(questions[0], language=language).answer
    assert word in answer or answer in phrases(language).says["talk.missing"]


def test_a_card_that_answers_comes_before_a_talk_that_was_not(play: Stage) -> None:
    remembered(play, "Der Ersatzschlüssel liegt bei Frau Novak")
    assert "Novak" in play.say("Was war nochmal mit dem Ersatzschlüssel?", language="de").answer


def test_an_older_talk_is_found_by_its_month(play: Stage) -> None:
    archived(play, ("Let's paint the kitchen sage green.", "It suits the oak."), ago=timedelta(days=90))
    packing(play)
    answer = play.say("What did we say in March about the kitchen?").answer
    assert "sage green" in answer
    assert "Packliste" not in answer


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "I forgot what we talked about."),
        ("de", "Ich weiß nicht mehr, worüber wir geredet haben."),
        ("pt", "Já não sei do que falámos da última vez."),
        ("fr", "Je ne sais plus de quoi on a parlé."),
        ("es", "Ya no me acuerdo de lo que hablamos."),
    ],
)
def test_a_lost_thread_is_picked_up_without_a_question(play: Stage, language: str, words: str) -> None:
    packing(play)
    assert "Packliste" in play.say(words, language=language).answer


def test_nothing_of_the_running_conversation_stands_as_a_past_talk(play: Stage) -> None:
    packing(play)
    first = play.say("Ich male gern Reiher.", language="de")
    trace = play.say("Worüber haben wir letztes Mal gesprochen?", language="de")
    assert "Reiher" not in trace.answer
    assert first.conversation_id == trace.conversation_id
