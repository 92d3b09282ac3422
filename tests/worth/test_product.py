"""Memory Worth in the product: what recall, the model and the judge do with it, over the real conductor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine

from memory import cards, judge
from memory.llm.embedded.model import EmbeddedModel
from memory.overview.blocks import WARM
from memory.overview.sources import sources_for
from memory.queue import JobName
from memory.records import Card, Category, NewCard, Turn
from memory.storage import outcomes
from memory.storage.engine import reading, transaction
from memory.worth import Move, Status, WorthState
from tests.conductor.playing import EMBEDDER, Stage, stage
from tests.fakes import FakeClock

ASK = "Which bus goes to the clinic?"


@pytest.fixture
def played(sqlite_engine: Engine, clock: FakeClock, tmp_path: Path) -> Iterator[Stage]:
    model = EmbeddedModel(EMBEDDER)
    with stage(sqlite_engine, clock, model=lambda: model, tmp=tmp_path) as made:
        yield made


def keep(played: Stage, text: str, **more: object) -> Card:
    told = {"language": "en", **more}
    new = NewCard(category=Category.FACT, text=text, **told)  # type: ignore[arg-type]
    with transaction(played.engine) as session:
        return cards.remember(session, played.person, new, embedder=EMBEDDER, now=played.clock()).card


def put(played: Stage, card: Card, status: Status) -> None:
    """Set where a card stands."""
    state = replace(WorthState(), status=status, n=20.0, s=2.0, uses=20, good=2).to_dict()
    with transaction(played.engine) as session:
        counted = outcomes.Counted(status.value, 2.0, 20.0, state)
        outcomes.save_states(session, played.person.id, {card.id: counted}, now=played.clock())


def logged(played: Stage, turn: Turn) -> dict[int, outcomes.LoggedUse]:
    with reading(played.engine) as session:
        episode = outcomes.episode(session, turn.id)
    return {use.card_id: use for use in episode.uses} if episode else {}


def status_of(played: Stage, card: Card) -> Status:
    with reading(played.engine) as session:
        return Status(outcomes.statuses(session, played.person.id, [card.id])[card.id])


def test_what_the_answer_used_is_known_and_its_ids_are_never_shown(played: Stage) -> None:
    bus = keep(played, "Bus 12 goes to the clinic.")
    other = keep(played, "The clinic opens at eight.")
    turn = played.say(ASK)
    assert "Bus 12" in turn.answer
    assert "[c" not in turn.answer
    assert all("[c" not in str(frame.body) for frame in played.seen())
    uses = logged(played, turn)
    assert uses[bus.id].used is True
    assert other.id not in uses or uses[other.id].used is False
    assert {"turn_id": turn.id} in played.queue.of(JobName.JUDGE)


@pytest.mark.parametrize(("answer", "status"), [("No.", Status.SUPPRESSED), ("Yes.", Status.UNPROVEN)])
def test_a_suspect_that_alone_can_answer_is_said_with_its_date_and_asked_about(
    played: Stage, answer: str, status: Status
) -> None:
    bus = keep(played, "Bus 12 goes to the clinic.")
    put(played, bus, Status.SUSPECT)
    played.clock.tick(days=20)
    asked = played.say(ASK)
    assert "Bus 12" in asked.answer
    assert "still right?" in asked.answer
    use = logged(played, asked)[bus.id]
    assert (use.shown, use.propensity) == (True, 1.0)
    played.clock.tick(minutes=1)
    said = played.say(answer)
    for _ in range(2):  # a job may run twice
        judge.judge(played.engine, said.id, now=played.clock())
    with reading(played.engine) as session:
        assert outcomes.outcome(session, asked.id) == (1 if answer == "Yes." else -1, "still_right")
        acts = outcomes.acts(session, played.person.id)
    assert [act.move for act in acts] == [Move.CONFIRM if answer == "Yes." else Move.DENY]
    # The status was put there by hand, so the recount that follows knows the person's word alone.
    assert status_of(played, bus) is status


def test_a_lot_holds_a_suspect_back_only_where_another_answers(played: Stage) -> None:
    stale = keep(played, "Bus 12 goes to the clinic.")
    fresh = keep(played, "Bus 47 goes to the clinic.")
    put(played, stale, Status.SUSPECT)
    shown = []
    for _ in range(14):
        turn = played.say(ASK)
        use = logged(played, turn)[stale.id]
        assert use.propensity == pytest.approx(0.5)
        shown.append(use.shown)
        if not use.shown:
            assert "12" not in turn.answer
            assert use.used is None
        assert logged(played, turn)[fresh.id].shown
        played.clock.tick(minutes=2)
    assert 2 <= sum(shown) <= 12


def test_codes_and_pinned_memories_are_never_held_back(played: Stage) -> None:
    code = keep(played, "The gate code is 0042.", sensitive=True)
    keep(played, "The gate code was 0043.")
    put(played, code, Status.SUSPECT)
    for _ in range(6):
        use = logged(played, played.say("What is the gate code?"))[code.id]
        assert (use.shown, use.propensity, use.protected) == (True, 1.0, True)
        played.clock.tick(minutes=2)


@pytest.mark.parametrize("status", [Status.SUPPRESSED, Status.DEPRECATED, Status.SUSPECT])
def test_what_is_in_doubt_is_not_in_the_overview(played: Stage, status: Status) -> None:
    bus = keep(played, "Bus 12 goes to the clinic.")
    keep(played, "The clinic opens at eight.")
    put(played, bus, status)
    asked = sources_for(played.person, language="en", zone="Europe/Berlin", now=played.clock())
    with reading(played.engine) as session:
        texts = [entry.text for entry in asked[WARM](session)]
    assert any("opens at eight" in text for text in texts)
    assert not any("Bus 12" in text for text in texts)


def test_suppressed_for_a_month_on_strict_evidence_is_proposed_and_not_deleted(played: Stage) -> None:
    bus = keep(played, "Bus 12 goes to the clinic.")
    put(played, bus, Status.SUPPRESSED)
    with transaction(played.engine) as session:
        plain = outcomes.states(session, played.person.id)[bus.id] | {"since": played.clock().isoformat()}
        counted = outcomes.Counted("suppressed", 2.0, 20.0, plain)
        outcomes.save_states(session, played.person.id, {bus.id: counted}, now=played.clock())
    judge.tend(played.engine, now=played.clock() + timedelta(days=29))
    assert status_of(played, bus) is Status.SUPPRESSED
    judge.tend(played.engine, now=played.clock() + timedelta(days=31))
    assert status_of(played, bus) is Status.DEPRECATED
    assert [card.id for card in played.cards()] == [bus.id]


DOUBTED = [
    ("de", "Bus 12 fährt zur Klinik.", "Welcher Bus fährt zur Klinik?", "Nein.", "12"),
    ("de", "Das Schwimmbad öffnet um acht.", "Wann öffnet das Schwimmbad?", "Nee, nicht mehr.", "acht"),
    ("pt", "O autocarro 12 vai para a clínica.", "Que autocarro vai para a clínica?", "Não.", "12"),
    ("pt", "A consulta custa 40 euros.", "Quanto custa a consulta?", "Já não.", "40"),
    ("fr", "Le bus 12 va à la clinique.", "Quel bus va à la clinique ?", "Non.", "12"),
    ("es", "El autobús 12 va a la clínica.", "¿Qué autobús va a la clínica?", "No, ya no.", "12"),
]


@pytest.mark.parametrize(("language", "fact", "ask", "no", "value"), DOUBTED)
def test_in_every_language_it_is_put_to_the_person_and_a_short_no_is_understood(
    played: Stage, language: str, fact: str, ask: str, no: str, value: str
) -> None:
    """The browser is set to English all the while."""
    card = keep(played, fact, language=language)
    put(played, card, Status.SUSPECT)
    played.clock.tick(days=20)
    asked = played.say(ask)
    assert asked.language == language
    assert value in asked.answer
    assert asked.answer.rstrip().endswith("?")
    played.clock.tick(minutes=1)
    said = played.say(no)
    judge.judge(played.engine, said.id, now=played.clock())
    assert said.language == language
    assert value not in said.answer
    assert status_of(played, card) is Status.SUPPRESSED
    played.clock.tick(days=1)
    again = played.say(ask)  # still found when asked for, with its date and the doubt
    assert value not in again.answer or again.answer.rstrip().endswith("?")
