"""Put off, skipped, ticked and ended by talking."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine

from memory.llm.scripted import Call, Say
from memory.records import Card, CardStatus, Category
from memory.storage import cards as rows
from memory.storage.engine import reading
from tests import factories
from tests.conductor.playing import Stage, stage
from tests.fakes import T0, FakeClock


def _daily(talk: Stage) -> Card:
    card_id = factories.card(
        talk.engine,
        talk.person,
        category=Category.REMINDER,
        text="Stretch",
        starts_local="2026-03-02T12:00",
        zone=talk.person.zone,
        rrule="FREQ=DAILY",
        due_at=T0 + timedelta(hours=2),
        visible=True,
    )
    with reading(talk.engine) as session:
        return rows.by_ids(session, talk.person.id, [card_id])[card_id]


@pytest.mark.parametrize(
    ("arguments", "due_in", "status"),
    [
        ({"snooze_minutes": 10}, timedelta(minutes=10), CardStatus.ACTIVE),
        ({"skip": True}, timedelta(hours=26), CardStatus.ACTIVE),
        ({"status": "done"}, timedelta(hours=26), CardStatus.ACTIVE),
        ({"status": "cancelled"}, timedelta(hours=2), CardStatus.CANCELLED),
    ],
)
def test_a_series_goes_on_unless_it_is_called_off(
    sqlite_engine: Engine,
    clock: FakeClock,
    tmp_path: Path,
    arguments: dict[str, object],
    due_in: timedelta,
    status: CardStatus,
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as talk:
        card = _daily(talk)
        talk.model._steps[:] = [[Call("update_card", {"card": card.public_id, **arguments})], [Say("Good.")]]
        talk.say("about the stretching")
        with reading(talk.engine) as session:
            after = rows.by_ids(session, talk.person.id, [card.id])[card.id]
    assert after.due_at == T0 + due_in
    assert after.status is status
    assert after.when is not None
    assert replace(after.when, exdates=()) == card.when
