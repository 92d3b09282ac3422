"""The log of decisions: append-only, one current value, matters that end."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from memory.decisions import log
from memory.decisions.schema import load
from memory.storage import conversations as conversation_rows
from memory.storage import decisions as rows
from memory.storage import turns
from memory.storage.engine import reading, transaction
from tests import factories
from tests.fakes import T0, FakeClock

KEYS = load()
steps = st.lists(
    st.tuples(st.sampled_from(["A", "B"]), st.sampled_from(["quantity", "budget"]), st.integers(0, 3)),
    max_size=12,
)


class Desk:
    """One person and a conversation."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.person = factories.person(engine)
        self.conversation = factories.conversation(engine, self.person)

    def store(self, key: str, value: str, clock: FakeClock, *, matter: str = "") -> log.Recorded:
        found = KEYS.get(key)
        assert found is not None
        with transaction(self.engine) as session:
            return log.store(
                session,
                person_id=self.person.id,
                conversation=conversation_rows.by_id(session, self.conversation),
                key=found,
                value=value,
                matter=matter,
                turn_id=None,
                decided_by="person",
                now=clock(),
                zone="Europe/Berlin",
            )

    def held(self, clock: FakeClock) -> dict[str, str]:
        with reading(self.engine) as session:
            return {each.key: each.value for each in rows.current(session, self.person.id, now=clock())}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_one_value_holds_and_every_change_is_kept(
    sqlite_engine: Engine, told: list[tuple[str, str, int]]
) -> None:
    clock, desk = FakeClock(T0), Desk(sqlite_engine)
    last: dict[tuple[str, str], str] = {}
    changes = 0
    for matter, key, value in told:  # 0 takes the decision back
        clock.tick(minutes=1)
        if value:
            changes += last.get((matter, key)) != str(value)
            desk.store(key, str(value), clock, matter=matter)
            last[matter, key] = str(value)
        else:
            with transaction(sqlite_engine) as session:
                place = rows.take_matter(
                    session, desk.person.id, matter, conversation_id=desk.conversation, now=clock()
                )
                rows.withdraw(session, place, key=key, now=clock())
            last.pop((matter, key), None)
    with reading(sqlite_engine) as session:
        entries = rows.history(session, desk.person.id)
    active = [(each.matter, each.key, each.value) for each in entries if each.active]
    assert sorted(active) == sorted((matter, key, value) for (matter, key), value in last.items())
    assert len(entries) == changes
    before = {each.id for each in entries}
    assert all(each.supersedes_id is None or each.supersedes_id in before for each in entries)
    assert all(each.supersedes_id is None or each.supersedes_id < each.id for each in entries)


def test_a_matter_ends_with_its_last_day_and_begins_afresh(engine: Engine, clock: FakeClock) -> None:
    desk = Desk(engine)
    tomorrow = (clock() + timedelta(days=1)).date().isoformat()
    desk.store("delivery_window", f"{tomorrow} 09:00-12:00", clock)
    desk.store("quantity", "40", clock)
    clock.tick(days=1)
    assert set(desk.held(clock)) == {"delivery_window", "quantity"}
    clock.tick(days=1)
    assert desk.held(clock) == {}
    with reading(engine) as session:
        assert len(rows.history(session, desk.person.id)) == 2
    desk.store("quantity", "5", clock)
    assert desk.held(clock) == {"quantity": "5"}


def test_moving_the_day_moves_the_end(engine: Engine, clock: FakeClock) -> None:
    desk = Desk(engine)
    for days in (1, 9):
        day = (clock() + timedelta(days=days)).date().isoformat()
        desk.store("appointment", day, clock)
    clock.tick(days=5)
    assert set(desk.held(clock)) == {"appointment"}


def test_a_decision_outlives_its_turn(engine: Engine, clock: FakeClock) -> None:
    desk = Desk(engine)
    turn = factories.turn(engine, desk.person, desk.conversation, said="Four, please.", answer="Four.")
    found = KEYS.get("quantity")
    assert found is not None
    with transaction(engine) as session:
        log.store(
            session,
            person_id=desk.person.id,
            conversation=conversation_rows.by_id(session, desk.conversation),
            key=found,
            value="4",
            turn_id=turn,
            decided_by="person",
            now=clock(),
        )
    with transaction(engine) as session:
        turns.mark_deleted(session, turn, at=clock() - timedelta(days=1))
        assert turns.purge_deleted(session, clock()) == 1
    assert desk.held(clock) == {"quantity": "4"}
    with reading(engine) as session:
        assert [each.turn_id for each in rows.history(session, desk.person.id)] == [None]
