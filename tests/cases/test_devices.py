"""One person on two devices: where a card opens, and where a reminder rings."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Engine

from memory.cards.firing import Firing, fire_due
from memory.storage import subscriptions
from memory.storage.engine import transaction
from tests import factories
from tests.cases.talking import ZONES, Talk, talk
from tests.fakes import FakeClock

MONDAY = datetime(2026, 6, 8, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))


def _device(play: Talk, label: str) -> int:
    device = factories.device(play.play.engine, play.play.person, label=label)
    with transaction(play.play.engine) as session:
        subscriptions.keep(
            session,
            play.play.person.id,
            device,
            endpoint=f"https://push.example/{label}",
            p256dh="p",
            auth="a",
            now=play.play.clock(),
        )
    return device


def _kinds(play: Talk, screen: str, turn: str) -> list[str]:
    frames = play.play.seen(screen)
    return [
        frame.kind
        for frame in frames
        if frame.turn == turn and frame.kind in ("accepted", "answered", "cards")
    ]


def test_what_is_asked_on_the_tablet_opens_and_rings_there_and_what_on_the_phone_there(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    clock.set(MONDAY)
    with talk(sqlite_engine, clock, tmp_path, "de") as play:
        stage = play.play
        devices = {label: _device(play, label) for label in ("phone", "tablet")}
        told: list[dict[str, Any]] = [
            {"screen": "tablet", "said": "Erinnere mich um elf an die Wäsche."},
            {"screen": "phone", "said": "Und um zwölf an die Suppe erinnern, bitte."},
        ]
        for each in told:
            here = each["screen"]
            turn = stage.say(
                each["said"], language="de", screen=here, device_id=devices[here], zone=ZONES["de"]
            )
            there = next(screen for screen in devices if screen != here)
            assert _kinds(play, here, turn.public_id) == ["accepted", "answered", "cards"]
            assert _kinds(play, there, turn.public_id) == ["accepted", "answered"]
        parts = Firing(engine=stage.engine, frames=stage.frames, queue=stage.queue, clock=clock)
        for hour, each in zip((11, 12), told, strict=True):
            assert fire_due(parts) == []
            clock.set(MONDAY.replace(hour=hour))
            assert [fired.device_id for fired in fire_due(parts)] == [devices[each["screen"]]]
        rung = [frame.body for frame in stage.seen("phone") if frame.kind == "reminder"]
        assert [(body["text"], body["when"]) for body in rung] == [
            ("Die Wäsche", "11:00"),
            ("Die Suppe", "12:00"),
        ]
