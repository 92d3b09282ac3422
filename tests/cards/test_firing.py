"""Each firing once: two dispatchers, clocks set back, servers that were off, queues that lost everything."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import Any

import pytest
from redis import Redis
from sqlalchemy import Engine

from memory import cards
from memory.cards import firing
from memory.cards.firing import Dispatcher, Firing, fire_due, resend
from memory.frames import Frames
from memory.queue import JobName
from memory.records import CardStatus, Category, Person
from memory.storage import cards as rows
from memory.storage import deliveries, people, subscriptions
from memory.storage.engine import make_engine, reading, transaction
from tests import factories
from tests.fakes import T0, FakeClock, FakeQueue

HOUR = timedelta(hours=1)


@pytest.fixture
def owner(engine: Engine) -> Person:
    return factories.person(engine, zone="Europe/Lisbon")


@pytest.fixture
def parts(engine: Engine, queue: FakeQueue, clock: FakeClock) -> Firing:
    return Firing(engine=engine, frames=Frames(engine, None), queue=queue, clock=clock)


def reminder(engine: Engine, owner: Person, *, due_at: datetime = T0 + HOUR, **more: Any) -> int:
    told = {
        "text": "Phone Ida",
        "starts_local": due_at.replace(tzinfo=None).isoformat(timespec="minutes"),
        "zone": "Europe/Lisbon",  # the same as UTC in March
        "visible": True,
    }
    return factories.card(engine, owner, category=Category.REMINDER, due_at=due_at, **{**told, **more})


def frames_of(parts: Firing, owner: Person) -> list[dict[str, Any]]:
    return [frame.body for frame in parts.frames.since(owner.id, 0) if frame.kind == "reminder"]


def due_of(engine: Engine, owner: Person, card_id: int) -> datetime | None:
    with reading(engine) as session:
        return rows.by_ids(session, owner.id, [card_id])[card_id].due_at


def test_nothing_fires_before_its_moment(parts: Firing, owner: Person, clock: FakeClock) -> None:
    reminder(parts.engine, owner)
    clock.tick(minutes=59, seconds=59)
    assert fire_due(parts) == []


def test_it_fires_once_and_says_what_and_when(parts: Firing, owner: Person, clock: FakeClock) -> None:
    reminder(parts.engine, owner)
    clock.tick(hours=1)
    assert len(fire_due(parts)) == 1
    clock.tick(hours=5)
    assert fire_due(parts) == []
    (told,) = frames_of(parts, owner)
    assert (told["text"], told["when"], told["late"]) == ("Phone Ida", "10:00", False)


def test_a_clock_set_back_a_minute_brings_no_second_one(
    parts: Firing, owner: Person, clock: FakeClock
) -> None:
    reminder(parts.engine, owner, rrule="FREQ=DAILY")
    clock.tick(hours=1, seconds=30)
    assert len(fire_due(parts)) == 1
    clock.tick(minutes=-1)
    assert fire_due(parts) == []
    clock.tick(minutes=5)
    assert fire_due(parts) == []


def test_a_moment_that_has_fired_never_fires_again_even_if_set_once_more(
    parts: Firing, owner: Person, clock: FakeClock
) -> None:
    card_id = reminder(parts.engine, owner)
    clock.tick(hours=1, seconds=10)
    fire_due(parts)
    clock.tick(seconds=-30)  # set back, and the person moves it to the same minute again
    with transaction(parts.engine) as session:
        rows.change(session, card_id, now=clock(), due_at=T0 + HOUR)
    clock.tick(minutes=1)
    assert fire_due(parts) == []
    assert len(frames_of(parts, owner)) == 1


@pytest.mark.parametrize("status", [CardStatus.DONE, CardStatus.CANCELLED, CardStatus.FORGOTTEN])
def test_what_is_over_stays_silent(
    parts: Firing, owner: Person, clock: FakeClock, status: CardStatus
) -> None:
    reminder(parts.engine, owner, status=status)
    clock.tick(hours=2)
    assert fire_due(parts) == []


def test_forgotten_and_brought_back_in_time_it_rings(parts: Firing, owner: Person, clock: FakeClock) -> None:
    card_id = reminder(parts.engine, owner)
    with transaction(parts.engine) as session:
        card = rows.by_ids(session, owner.id, [card_id])[card_id]
        cards.forget(session, [card], now=clock())
    clock.tick(hours=1, seconds=5)
    assert fire_due(parts) == []
    with transaction(parts.engine) as session:
        cards.undo_forget(session, [card], now=clock())
    assert len(fire_due(parts)) == 1


def test_after_a_day_off_what_was_missed_comes_late_and_once(
    parts: Firing, owner: Person, clock: FakeClock
) -> None:
    once = reminder(parts.engine, owner, text="Once")
    daily = reminder(parts.engine, owner, text="Daily", rrule="FREQ=DAILY")
    clock.tick(days=3)
    assert len(fire_due(parts)) == 2
    assert [(each["text"], each["late"]) for each in frames_of(parts, owner)] == [
        ("Once", True),
        ("Daily", True),
    ]
    assert due_of(parts.engine, owner, once) is None
    assert due_of(parts.engine, owner, daily) == T0 + timedelta(days=3) + HOUR


def test_who_travels_west_is_not_reminded_twice_that_day(
    parts: Firing, owner: Person, clock: FakeClock
) -> None:
    card_id = reminder(parts.engine, owner, rrule="FREQ=DAILY", text="Stretch")
    clock.tick(hours=1)
    fire_due(parts)
    with transaction(parts.engine) as session:
        people.set_zone(session, owner.id, "America/Toronto")  # there it is five in the morning
    for _ in range(22):
        clock.tick(hours=1)
        fire_due(parts)
    assert len(frames_of(parts, owner)) == 1
    assert due_of(parts.engine, owner, card_id) == datetime.fromisoformat("2026-03-03T15:00Z")


def test_who_travels_east_past_the_hour_gets_it_late_and_once(
    parts: Firing, owner: Person, clock: FakeClock
) -> None:
    card_id = reminder(parts.engine, owner, rrule="FREQ=DAILY", text="Stretch")
    with transaction(parts.engine) as session:
        people.set_zone(session, owner.id, "Asia/Tokyo")  # 18:00 there: ten o'clock has passed
    assert len(fire_due(parts)) == 1
    assert [each["late"] for each in frames_of(parts, owner)] == [True]
    assert due_of(parts.engine, owner, card_id) == datetime.fromisoformat("2026-03-03T01:00Z")


def test_a_single_one_is_an_instant_and_does_not_travel(
    parts: Firing, owner: Person, clock: FakeClock
) -> None:
    card_id = reminder(parts.engine, owner)
    with transaction(parts.engine) as session:
        people.set_zone(session, owner.id, "Asia/Tokyo")
    fire_due(parts)
    assert due_of(parts.engine, owner, card_id) == T0 + HOUR


def test_a_rule_that_cannot_be_read_fires_and_silences_nobody(
    parts: Firing, owner: Person, clock: FakeClock
) -> None:
    reminder(parts.engine, owner, rrule="FREQ=SOMETIMES")
    reminder(parts.engine, owner, text="Another")
    with transaction(parts.engine) as session:
        people.set_zone(session, owner.id, "Asia/Tokyo")
    clock.tick(hours=1)
    assert len(fire_due(parts)) == 2


def test_a_sensitive_one_is_not_read_out_to_a_guest(parts: Firing, owner: Person, clock: FakeClock) -> None:
    reminder(parts.engine, owner, sensitive=True, text="Pills for the heart")
    factories.conversation(parts.engine, owner, speaker="Marta")
    clock.tick(hours=1)
    fire_due(parts)
    assert [each["text"] for each in frames_of(parts, owner)] == [""]


def test_a_firing_does_not_keep_the_conversation_open(parts: Firing, owner: Person, clock: FakeClock) -> None:
    from tests.databases import rows as all_rows

    factories.conversation(parts.engine, owner)
    reminder(parts.engine, owner)
    before = all_rows(parts.engine, "conversations")
    clock.tick(hours=1)
    fire_due(parts)
    assert all_rows(parts.engine, "conversations") == before


def _subscribe(
    engine: Engine, owner: Person, device_id: int, endpoint: str = "https://push.example/1"
) -> None:
    with transaction(engine) as session:
        subscriptions.keep(session, owner.id, device_id, endpoint=endpoint, p256dh="p", auth="a", now=T0)


def test_it_is_told_on_the_device_it_was_set_on(
    parts: Firing, owner: Person, clock: FakeClock, queue: FakeQueue
) -> None:
    phone, tablet = (factories.device(parts.engine, owner, label=each) for each in ("phone", "tablet"))
    for number, each in enumerate((phone, tablet)):
        _subscribe(parts.engine, owner, each, f"https://push.example/{number}")
    reminder(parts.engine, owner, device_id=phone)
    clock.tick(hours=1)
    (fired,) = fire_due(parts)
    assert fired.device_id == phone
    assert queue.of(JobName.REMIND) == [{"delivery_id": fired.id}]


def test_a_device_that_cannot_be_reached_hands_over_to_one_that_can(
    parts: Firing, owner: Person, clock: FakeClock
) -> None:
    desk, phone = (factories.device(parts.engine, owner, label=each) for each in ("desk", "phone"))
    _subscribe(parts.engine, owner, phone)
    reminder(parts.engine, owner, device_id=desk)
    clock.tick(hours=1)
    (fired,) = fire_due(parts)
    assert fired.device_id == phone


def test_what_the_queue_lost_is_queued_again(
    parts: Firing, owner: Person, clock: FakeClock, queue: FakeQueue
) -> None:
    device = factories.device(parts.engine, owner)
    _subscribe(parts.engine, owner, device)
    reminder(parts.engine, owner, device_id=device)
    queue.down = True
    clock.tick(hours=1)
    (fired,) = fire_due(parts)
    queue.down = False
    assert resend(parts) == 0  # a worker may still be at it
    clock.tick(seconds=21)
    assert resend(parts) == 1
    with transaction(parts.engine) as session:
        deliveries.mark_sent(session, fired.id, now=clock())
    assert resend(parts) == 0


def test_a_claim_from_the_future_is_not_waited_for(
    parts: Firing, owner: Person, clock: FakeClock, queue: FakeQueue
) -> None:
    device = factories.device(parts.engine, owner)
    _subscribe(parts.engine, owner, device)
    reminder(parts.engine, owner, device_id=device)
    clock.tick(hours=1)
    fire_due(parts)
    clock.tick(days=-1)
    assert resend(parts) == 1


def test_two_dispatchers_share_the_work_and_nothing_rings_twice(
    database_url: str, parts: Firing, clock: FakeClock
) -> None:
    people_ = [factories.person(parts.engine, zone="Europe/Lisbon") for _ in range(6)]
    for number in range(120):
        reminder(parts.engine, people_[number % 6], text=f"Number {number}")
    clock.tick(hours=1)
    other = make_engine(database_url)
    second = Firing(engine=other, frames=Frames(other, None), queue=FakeQueue(), clock=clock)
    fired: list[list[Any]] = [[], []]
    start = threading.Barrier(2)

    def run(number: int, these: Firing) -> None:
        start.wait(10)
        fired[number] = fire_due(these)

    threads = [threading.Thread(target=run, args=(n, each)) for n, each in enumerate((parts, second))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    fired[0] += fire_due(parts)  # what one held while the other looked
    other.dispose()
    told = [body["card"] for each in people_ for body in frames_of(parts, each)]
    assert len(told) == len(set(told)) == 120
    assert len(fired[0]) + len(fired[1]) == 120


def test_forgetting_takes_its_words_out_of_the_frames(parts: Firing, owner: Person, clock: FakeClock) -> None:
    card_id = reminder(parts.engine, owner)
    reminder(parts.engine, owner, text="Another")
    clock.tick(hours=1)
    fire_due(parts)
    with transaction(parts.engine) as session:
        cards.forget(session, [rows.by_ids(session, owner.id, [card_id])[card_id]], now=clock())
        clock.tick(minutes=1)
        assert cards.purge(session, now=clock(), undo_s=20) == 1
    assert [each["text"] for each in frames_of(parts, owner)] == ["Another"]


def test_a_dispatcher_wakes_when_something_is_added(
    sqlite_engine: Engine, valkey: Redis, monkeypatch: pytest.MonkeyPatch, clock: FakeClock
) -> None:
    """It sleeps for a second at most; a wake-up through Valkey makes it look at once."""
    monkeypatch.setattr(firing, "_LOOK_S", 30.0)
    owner = factories.person(sqlite_engine, zone="Europe/Lisbon")
    frames = Frames(sqlite_engine, valkey)
    parts = Firing(engine=sqlite_engine, frames=frames, queue=FakeQueue(), clock=clock, redis=valkey)
    fired, stop = threading.Event(), threading.Event()
    add = frames.add

    def note(*arguments: Any, **told: Any) -> int:
        fired.set()
        return add(*arguments, **told)

    monkeypatch.setattr(frames, "add", note)
    dispatcher = Dispatcher(parts)
    thread = threading.Thread(target=dispatcher, args=(stop,), daemon=True)
    thread.start()
    while valkey.pubsub_numpat() == 0:
        thread.join(0.01)
    reminder(sqlite_engine, owner, due_at=T0)
    frames.wake(owner.id)
    assert fired.wait(10)
    stop.set()
    frames.wake(owner.id)
    thread.join(10)
    assert not thread.is_alive()
