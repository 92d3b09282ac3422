"""The sheet that is handed over, on both databases: what holds, who decided, what is open."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine

from memory import handover
from memory.decisions import log
from memory.handover.asking import ask_by_button
from memory.handover.sheet import MOST_LINES, Sheet
from memory.llm.embedded import EmbeddedModel
from memory.llm.interface import Model
from memory.llm.scripted import Say, ScriptedModel
from memory.records import Person, Role, TurnState
from memory.storage import conversations
from memory.storage import handovers as rows
from memory.storage.engine import reading, transaction
from tests import factories
from tests.conductor.playing import EMBEDDER, Stage, stage
from tests.fakes import FakeClock

BUILT_IN = EmbeddedModel(EMBEDDER)


def decide(play: Stage, key: str, value: str, *, by: str = "person", matter: str = "") -> None:
    """What holds from now on, decided in the newest turn."""
    name = play.parts.keys.get(key)
    assert name is not None
    with transaction(play.engine) as session:
        talk = conversations.open_of(session, play.person.id)
        assert talk is not None
        log.store(
            session,
            person_id=play.person.id,
            conversation=talk,
            key=name,
            value=value,
            matter=matter,
            turn_id=None,
            decided_by=by,
            now=play.clock(),
        )


def claimed(play: Stage, agent: Person) -> str:
    """A request that the agent has taken; its public id."""
    ask_by_button(play.engine, play.frames, play.person, now=play.clock(), idle_s=1800)
    with reading(play.engine) as session:
        (waiting,) = rows.waiting(session)
    handover.claim(play.engine, play.frames, waiting.public_id, agent, now=play.clock())
    return waiting.public_id


def drawn(play: Stage, public_id: str, *, language: str) -> Sheet:
    with reading(play.engine) as session:
        found = rows.by_public_id(session, public_id)
        return handover.draw(session, found, play.parts.keys, language=language, now=play.clock())


def decisions_of(sheet: Sheet) -> dict[str, tuple[str, str]]:
    """Value and who decided it, by key."""
    return {
        f"{line.matter} {line.key}".strip(): (line.value, line.by)
        for row in sheet.rows
        for line in row
        if line.kind == "decision"
    }


@pytest.mark.parametrize(
    ("language", "last", "asked", "window", "before"),
    [
        (
            "de",
            "Sollen wir auch montieren?",
            "Sollen wir auch montieren?",
            "Donnerstag, 5. März, 9:00 Uhr bis 12:00 Uhr",
            "30",
        ),
        (
            "en",
            "Fine. Shall we also fit it?",
            "Shall we also fit it?",
            "Thursday 5 March, 9:00–12:00",
            "30",
        ),
    ],
)
def test_after_sixty_lines_the_sheet_holds_what_is_settled_and_the_open_question(
    engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    language: str,
    last: str,
    asked: str,
    window: str,
    before: str,
) -> None:
    steps = [*([Say("I see.")] for _ in range(29)), [Say(last)]]
    with stage(engine, clock, steps=steps, tmp=tmp_path) as play:
        for number in range(30):
            play.say(f"Line {number}.", language=language)
            clock.tick(seconds=20)
            if number == 0:
                decide(play, "quantity", before)
                decide(play, "delivery_window", "2026-03-05 09:00-12:00")
            if number == 10:
                decide(play, "quantity", "40")
                for key, value in (
                    ("delivery_address", "Dock Road 9"),
                    ("variant", "beech"),
                    ("payment_method", "invoice"),
                    ("contact_channel", "email"),
                    ("order_number", "QX-90"),
                ):
                    decide(play, key, value)
        called = len(play.model.requests)
        public_id = claimed(play, factories.person(engine, name="Hanna", role=Role.AGENT))
        sheets = []
        for _ in range(2):
            sheets.append(drawn(play, public_id, language=language))
            clock.tick(hours=5)
        assert len(play.model.requests) == called  # no model is asked
    assert sheets[0] == sheets[1]
    lines = [line for row in sheets[0].rows for line in row]
    assert len(sheets[0].rows) <= MOST_LINES
    assert decisions_of(sheets[0])["quantity"] == ("40", "person")
    assert decisions_of(sheets[0])["delivery_window"] == (window, "person")
    assert len(decisions_of(sheets[0])) == 7
    assert before not in [line.value for line in lines]
    assert [line.value for line in lines if line.kind == "asked"] == [asked]


@pytest.mark.parametrize(
    ("language", "said", "address"),
    [
        ("es", "Y que sean dos.", "Calle Sol 3"),
        ("de", "Und es sollen zwei Stück sein.", "Sonnenweg 3"),
        ("en", "And make it two.", "Mill Lane 3"),
        ("pt", "E que sejam dois.", "Rua do Sol 3"),
    ],
)
def test_what_a_human_decided_holds_after_the_return_and_stands_on_the_next_sheet(
    engine: Engine, clock: FakeClock, tmp_path: Path, language: str, said: str, address: str
) -> None:
    told = ["…"]

    def model() -> Model:
        return ScriptedModel([[Say(told.pop())]]) if told else BUILT_IN

    with stage(engine, clock, model=model, tmp=tmp_path) as play:
        play.say("…", language=language)
        decide(play, "variant", "haya")
        hanna = factories.person(engine, name="Hanna", role=Role.AGENT)
        emil = factories.person(engine, name="Emil", role=Role.AGENT)
        first = claimed(play, hanna)
        refused = handover.decide(
            engine,
            play.parts.keys,
            first,
            hanna,
            name="delivery_address",
            value=address,
            now=clock(),
        )
        assert refused is None
        handover.return_to_assistant(engine, play.frames, first, hanna, now=clock())
        clock.tick(minutes=1)
        assert play.say(said, language=language).state is TurnState.ANSWERED
        sheet = drawn(play, claimed(play, emil), language=language)
    assert decisions_of(sheet) == {
        "variant": ("haya", "person"),
        "delivery_address": (address, "Hanna"),
        "quantity": ("2", "person"),
    }


def test_with_every_key_and_two_orders_it_stays_at_twelve_lines_and_mixes_nothing(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    values = {
        "delivery_window": "2026-03-05 09:00-12:00",
        "delivery_address": "Dock Road 9",
        "variant": "beech",
        "quantity": "40",
        "pickup_time": "09:00",
        "appointment": "2026-03-12",
        "contact_channel": "email",
        "contact_detail": "anna@example.org",
        "budget": "500.00 EUR",
        "payment_method": "invoice",
        "order_number": "QX-90",
        "language": "de",
    }
    with stage(engine, clock, steps=[[Say("And the colour?")]], tmp=tmp_path) as play:
        play.say("Orders 4711 and 4712, please.")
        assert {key.name for key in play.parts.keys.open()} == set(values)
        for key, value in values.items():
            decide(play, key, value)
        for matter, quantity in (("4711", "12"), ("4712", "30")):
            decide(play, "quantity", quantity, matter=matter)
        decide(play, "quantity", "5", matter="4713")  # of another talk, not spoken of here
        clock.tick(seconds=30)
        sheet = drawn(
            play, claimed(play, factories.person(engine, name="Hanna", role=Role.AGENT)), language="en"
        )
    assert len(sheet.rows) <= MOST_LINES
    held = decisions_of(sheet)
    assert (held["quantity"][0], held["4711 quantity"][0], held["4712 quantity"][0]) == ("40", "12", "30")
    assert (held["budget"][0], held["language"][0]) == ("€500", "German")
    assert [line.value for row in sheet.rows for line in row if line.kind == "asked"] == ["And the colour?"]


def test_a_request_made_on_another_day_still_reads_the_same(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, steps=[[Say("Fine.")]], tmp=tmp_path) as play:
        play.say("Hello.")
        decide(play, "delivery_window", "2026-03-05 09:00-12:00")
        public_id = claimed(play, factories.person(engine, name="Hanna", role=Role.AGENT))
        first = drawn(play, public_id, language="en")
        clock.set(clock() + timedelta(days=1))
        assert drawn(play, public_id, language="en") == first
