"""Somebody who talks to the built-in model, with the second look after each turn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Engine

from memory import cards
from memory.cards.verifier import verify
from memory.llm.embedded import EmbeddedModel
from memory.llm.interface import Model
from memory.llm.scripted import Say, ScriptedModel
from memory.records import Card, Category, NewCard, When
from memory.storage.engine import transaction
from tests import factories
from tests.conductor.playing import EMBEDDER, Stage, stage
from tests.fakes import FakeClock

ZONES = {
    "en": "Europe/London",
    "de": "Europe/Berlin",
    "pt": "Europe/Lisbon",
    "fr": "Europe/Paris",
    "es": "Europe/Madrid",
}
BUILT_IN = EmbeddedModel(EMBEDDER)


@dataclass
class Talk:
    """One conversation in one language."""

    play: Stage
    language: str
    told: list[str]  # what the assistant says instead of the built-in model, turn by turn

    def say(self, text: str) -> str:
        """The answer to a message, after which the second look has run."""
        turn = self.play.say(text, language=self.language)
        verify(self.play.engine, EMBEDDER, turn.id, now=self.play.clock(), keys=self.play.parts.keys)
        return turn.answer

    def someone_else(self, language: str) -> None:
        """Another person sits down, of whom nothing is known: many short talks on one stage."""
        self.language = language
        self.play.person = factories.person(self.play.engine, zone=ZONES[language], now=self.play.clock())

    def knows(
        self,
        text: str,
        *,
        category: Category = Category.FACT,
        on: str = "",
        people: tuple[str, ...] = (),
        relation: str = "",
    ) -> None:
        """Something that was told long ago."""
        when = (
            When(start=datetime.fromisoformat(on), zone=ZONES[self.language], all_day="T" not in on)
            if on
            else None
        )
        new = NewCard(
            category=category, text=text, language=self.language, when=when, people=people, relation=relation
        )
        with transaction(self.play.engine) as session:
            cards.remember(session, self.play.person, new, embedder=EMBEDDER, now=self.play.clock())

    def kept(self) -> list[Card]:
        """Active cards, oldest first."""
        return self.play.cards()

    def texts(self) -> list[str]:
        """The words of the active cards."""
        return [card.text for card in self.kept()]


@contextmanager
def talk(engine: Engine, clock: FakeClock, tmp: Path, language: str, *told: str) -> Iterator[Talk]:
    """A person who talks; the assistant's first answers are `told`, the others the built-in model's."""
    lines = list(told)

    def model() -> Model:
        return ScriptedModel([[Say(lines.pop(0))]]) if lines else BUILT_IN

    with stage(engine, clock, model=model, tmp=tmp, zone=ZONES[language]) as play:
        yield Talk(play, language, lines)
