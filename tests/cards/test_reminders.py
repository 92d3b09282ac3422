"""When a reminder is due, and what is done with it. Zones come from zoneinfo, not from our code."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from memory import cards
from memory.cards import reminders
from memory.embedding import Embedder
from memory.errors import Conflict, InvalidInput
from memory.records import Card, CardStatus, Category, When
from memory.storage import cards as rows
from memory.storage import people
from memory.storage.engine import reading, transaction
from tests import factories
from tests.fakes import T0

wall = datetime.fromisoformat  # what a clock on the wall shows
DAILY = When(start=wall("2026-06-01T07:15"), zone="Europe/Lisbon", rrule="FREQ=DAILY")
ZONES = ["Europe/Lisbon", "America/Toronto", "Asia/Tokyo", "Pacific/Auckland", "Asia/Kathmandu"]


def at(text: str, zone: str = "UTC") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


def test_going_west_the_waiting_occurrence_keeps_its_hour_and_comes_later() -> None:
    due = at("2026-06-11T07:15", "Europe/Lisbon")
    assert reminders.in_zone(DAILY, due, "America/Toronto") == at("2026-06-11T11:15")


def test_going_east_past_its_hour_it_is_late_but_not_lost() -> None:
    due = at("2026-06-11T07:15", "Europe/Lisbon")
    assert reminders.in_zone(DAILY, due, "Asia/Tokyo") == at("2026-06-10T22:15")


def test_what_was_snoozed_is_an_instant_and_does_not_travel() -> None:
    snoozed = at("2026-06-11T07:25", "Europe/Lisbon")
    assert reminders.in_zone(DAILY, snoozed, "America/Toronto") == snoozed


def test_every_two_hours_counts_time_and_does_not_travel() -> None:
    often = When(start=wall("2026-06-01T08:00"), zone="Europe/Lisbon", rrule="FREQ=HOURLY;INTERVAL=2")
    due = at("2026-06-11T10:00", "Europe/Lisbon")
    assert reminders.in_zone(often, due, "America/Toronto") == due


def test_an_occurrence_that_a_gap_moved_keeps_the_hour_it_is_written_with() -> None:
    night = When(start=wall("2026-03-20T02:30"), zone="Europe/Berlin", rrule="FREQ=DAILY")
    due = at("2026-03-29T01:30")  # 02:30 does not exist that night in Berlin: 03:30 is shown
    assert reminders.in_zone(night, due, "America/New_York") == at("2026-03-29T06:30")


@settings(max_examples=60, deadline=None)
@given(
    journey=st.lists(st.tuples(st.sampled_from(ZONES), st.integers(1, 60)), min_size=1, max_size=8),
    days=st.integers(0, 364),
)
def test_each_occurrence_fires_exactly_once_on_any_journey(journey: list[tuple[str, int]], days: int) -> None:
    """Whoever travels as they like meets each written occurrence once: none twice, none left out."""
    start = wall("2026-01-01T07:15") + timedelta(days=days)
    when = When(start=start, zone="Europe/Lisbon", rrule="FREQ=DAILY")
    now = at(start.isoformat(), "Europe/Lisbon") - timedelta(hours=1)
    due = reminders.first_due(Category.REMINDER, when, now=now)
    fired = []
    for zone, hours in [*journey, ("Europe/Lisbon", 72)]:
        assert due is not None
        due = reminders.in_zone(when, due, zone)
        when = When(start=when.start, zone=zone, rrule=when.rrule)
        for _ in range(hours):
            now += timedelta(hours=1)
            if due is not None and due <= now:
                fired.append(due.astimezone(ZoneInfo(zone)).date())
                due = reminders.following(when, after=max(due, now))
    assert len(set(fired)) == len(fired)
    assert fired == sorted(fired)


@pytest.mark.parametrize(
    ("zone", "first"), [("Europe/Berlin", "2026-03-27T07:15"), ("America/New_York", "2026-10-30T07:15")]
)
def test_over_a_change_of_the_clock_the_hour_stays(zone: str, first: str) -> None:
    when = When(start=datetime.fromisoformat(first), zone=zone, rrule="FREQ=DAILY")
    due = at(first, zone)
    for _ in range(5):
        following = reminders.following(when, after=due)
        assert following is not None
        assert following.astimezone(ZoneInfo(zone)).strftime("%H:%M") == "07:15"
        assert following.astimezone(ZoneInfo(zone)).date() == due.astimezone(
            ZoneInfo(zone)
        ).date() + timedelta(days=1)
        due = following


@pytest.fixture
def store(sqlite_engine: Engine) -> Engine:
    return sqlite_engine


def _card(engine: Engine, **more: object) -> Card:
    owner = factories.person(engine, zone="Europe/Lisbon")
    told: dict[str, object] = {
        "category": Category.REMINDER,
        "text": "Stretch",
        "starts_local": "2026-03-02T10:00",
        "zone": "Europe/Lisbon",
        "due_at": T0 + timedelta(hours=1),
        "visible": True,
    }
    card_id = factories.card(engine, owner, **{**told, **more})  # type: ignore[arg-type]
    with reading(engine) as session:
        return rows.by_ids(session, owner.id, [card_id])[card_id]


def _again(engine: Engine, card: Card) -> Card:
    with reading(engine) as session:
        return rows.by_ids(session, card.person_id, [card.id])[card.id]


def test_snooze_moves_the_next_ring_and_not_the_series(store: Engine) -> None:
    card = _card(store, rrule="FREQ=DAILY")
    with transaction(store) as session:
        reminders.snooze(session, card, until=T0 + timedelta(minutes=70), now=T0)
    snoozed = _again(store, card)
    assert snoozed.due_at == T0 + timedelta(minutes=70)
    assert snoozed.when == card.when
    assert reminders.following(snoozed.when, after=T0 + timedelta(minutes=70)) == T0 + timedelta(hours=25)


@pytest.mark.parametrize("until", [T0, T0 - timedelta(hours=1), T0 + timedelta(days=400)])
def test_snooze_to_the_past_or_too_far_is_refused(store: Engine, until: datetime) -> None:
    card = _card(store)
    with transaction(store) as session, pytest.raises(InvalidInput):
        reminders.snooze(session, card, until=until, now=T0)


def test_a_task_is_put_off_to_the_day(store: Engine) -> None:
    card = _card(store, category=Category.TASK, starts_local="2026-03-02T00:00", all_day=True, due_at=None)
    with transaction(store) as session:
        reminders.snooze(session, card, until=T0 + timedelta(days=2), now=T0)
    put_off = _again(store, card).when
    assert put_off is not None
    assert (put_off.start, put_off.all_day) == (wall("2026-03-04T00:00"), True)


def test_skip_leaves_one_occurrence_out(store: Engine) -> None:
    card = _card(store, rrule="FREQ=DAILY")
    with transaction(store) as session:
        reminders.skip(session, card, now=T0)
    assert _again(store, card).due_at == T0 + timedelta(hours=25)


def test_what_does_not_repeat_cannot_be_skipped(store: Engine) -> None:
    card = _card(store)
    with transaction(store) as session, pytest.raises(Conflict):
        reminders.skip(session, card, now=T0)


def test_ticking_a_series_ends_today_only(store: Engine) -> None:
    card = _card(store, rrule="FREQ=DAILY")
    with transaction(store) as session:
        assert reminders.tick(session, card, now=T0)
    ticked = _again(store, card)
    assert (ticked.status, ticked.due_at) == (CardStatus.ACTIVE, T0 + timedelta(hours=25))
    with transaction(store) as session:
        reminders.tick(session, ticked, now=T0)
    assert _again(store, card).due_at == T0 + timedelta(hours=25)


def test_ticking_a_recurring_task_goes_to_its_next_day(store: Engine) -> None:
    card = _card(
        store,
        category=Category.TASK,
        starts_local="2026-03-02T00:00",
        all_day=True,
        rrule="FREQ=WEEKLY",
        due_at=None,
    )
    with transaction(store) as session:
        reminders.tick(session, card, now=T0)
    moved = _again(store, card)
    assert moved.when is not None
    assert (moved.status, moved.when.start) == (CardStatus.ACTIVE, wall("2026-03-09T00:00"))


def test_done_and_taken_back_it_rings_again(store: Engine) -> None:
    card = _card(store, due_at=None, status=CardStatus.DONE)
    with transaction(store) as session:
        assert reminders.reopen(session, card, now=T0)
    assert _again(store, card).due_at == datetime(2026, 3, 2, 10, tzinfo=UTC)
    with transaction(store) as session:
        assert not reminders.reopen(session, _again(store, card), now=T0)


def _rings(card: Card, *, after: datetime, count: int) -> list[str]:
    """The wall-clock times of the next rings, the waiting one first."""
    assert card.when is not None
    due = card.due_at
    found: list[str] = []
    while due is not None and len(found) < count:
        found.append(f"{due.astimezone(ZoneInfo(card.when.zone)):%m-%d %H:%M}")
        due = reminders.following(card.when, after=max(due, after))
    return found


def test_a_day_further_on_can_be_left_out_before_it_comes(store: Engine) -> None:
    card = _card(store, rrule="FREQ=DAILY")
    with transaction(store) as session:
        reminders.skip(session, card, now=T0, day=wall("2026-03-04").date())
    assert _rings(_again(store, card), after=T0, count=3) == ["03-02 10:00", "03-03 10:00", "03-05 10:00"]


def test_two_days_left_out_in_any_order(store: Engine) -> None:
    card = _card(store, rrule="FREQ=DAILY")
    with transaction(store) as session:
        later = reminders.skip(session, card, now=T0, day=wall("2026-03-03").date())
        reminders.skip(session, later, now=T0)
    assert _rings(_again(store, card), after=T0, count=2) == ["03-04 10:00", "03-05 10:00"]


def test_a_day_on_which_it_does_not_fall_cannot_be_left_out(store: Engine) -> None:
    card = _card(store, rrule="FREQ=WEEKLY;BYDAY=MO")
    with transaction(store) as session, pytest.raises(Conflict):
        reminders.skip(session, card, now=T0, day=wall("2026-03-03").date())


def test_a_put_off_ring_that_is_left_out_goes_back_to_the_series(store: Engine) -> None:
    card = _card(store, rrule="FREQ=DAILY", due_at=T0 + timedelta(minutes=70))
    with transaction(store) as session:
        reminders.skip(session, card, now=T0)
    assert _rings(_again(store, card), after=T0, count=1) == ["03-03 10:00"]


def test_what_was_left_out_stays_so_after_a_journey_and_a_change_of_words(store: Engine) -> None:
    card = _card(store, rrule="FREQ=DAILY")
    with transaction(store) as session:
        reminders.skip(session, card, now=T0, day=wall("2026-03-03").date())
    left_out = _again(store, card)
    assert left_out.when is not None
    assert reminders.following(
        replace(left_out.when, zone="America/Toronto"), after=at("2026-03-02T16:00")
    ) == at("2026-03-04T10:00", "America/Toronto")
    same = replace(left_out.when, exdates=())  # what a form or a model sends back
    with transaction(store) as session:
        owner = people.by_id(session, card.person_id)
        edited = cards.edit(
            session, owner, left_out, embedder=Embedder(), now=T0, text="Stretch well", when=same
        )
    assert edited.when == left_out.when
    assert edited.due_at == left_out.due_at


def test_an_event_of_every_week_left_out_once_keeps_its_first_day(store: Engine) -> None:
    card = _card(store, category=Category.EVENT, rrule="FREQ=WEEKLY;COUNT=3", due_at=None)
    with transaction(store) as session:
        reminders.skip(session, card, now=T0)
    when = _again(store, card).when
    assert when is not None
    assert (when.start, when.exdates) == (wall("2026-03-02T10:00"), (wall("2026-03-02T10:00"),))
    assert reminders.following(when, after=T0) == at("2026-03-09T10:00", "Europe/Lisbon")


def test_one_occurrence_that_is_brought_forward_does_not_ring_at_its_own_hour_too(store: Engine) -> None:
    card = _card(store, rrule="FREQ=DAILY")
    with transaction(store) as session:
        reminders.snooze(session, card, until=T0 + timedelta(minutes=30), now=T0)
    assert _rings(_again(store, card), after=T0, count=2) == ["03-02 09:30", "03-03 10:00"]
