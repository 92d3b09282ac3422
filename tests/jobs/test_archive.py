"""The sweep and the archive: each summary once, whatever is killed, queued twice or not at all."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, select

from jobs import archive as job
from jobs import verify
from jobs import wiring as jobs_wiring
from jobs.wiring import using
from memory import cards, handover, judge
from memory.llm.scripted import Call, Say, Step
from memory.overview import archive
from memory.queue import JobName
from memory.storage import conversations as conversation_rows
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction
from memory.storage.tables import ConversationRow, FrameRow, RetrievalRow, TurnRow
from memory.wiring import Wiring, build
from tests import factories
from tests.conductor.playing import EMBEDDER, Stage, stage
from tests.fakes import T0, FakeClock

IDLE_S = 1800


class Killed(BaseException):
    """What a kill -9 leaves of a job: nothing after this line runs."""


@contextlib.contextmanager
def working(play: Stage) -> Iterator[None]:
    """Let jobs run on the parts of a stage."""
    made = build(play.parts.settings, clock=play.clock)
    parts = replace(made, engine=play.engine, queue=play.queue, frames=play.frames, embedder=EMBEDDER)
    with using(parts):
        yield


def conversations(engine: Engine) -> list[Any]:
    row = ConversationRow
    with reading(engine) as session:
        return list(
            session.execute(
                select(row.id, row.archived_at, row.summary, row.summarised_at).order_by(row.id)
            ).all()
        )


def talk(play: Stage, turns: int = 4) -> None:
    for number in range(turns):
        play.say(f"The heron number {number} nests behind the boathouse.")


@pytest.mark.parametrize(("silence_s", "closed"), [(IDLE_S, 0), (IDLE_S + 1, 1)])
def test_the_boundary_is_strictly_more_than_the_silence(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, silence_s: int, closed: int
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play, working(play):
        talk(play, 1)
        clock.tick(seconds=silence_s)
        assert job.sweep() == closed
        assert job.sweep() == 0


def test_killed_at_any_step_there_is_one_summary_in_the_end(
    engine: Engine, clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every transaction of the sweep is cut once just before its commit and once just after it."""
    with stage(engine, clock, tmp=tmp_path) as play, working(play):
        talk(play, 12)
        clock.tick(seconds=IDLE_S + 1)
        real = transaction
        pending: list[int] = []
        written: list[int] = []
        store = conversation_rows.write_summary

        def storing(session: Any, conversation_id: int, **told: Any) -> bool:
            stored = store(session, conversation_id, **told)
            if stored:
                pending.append(conversation_id)
            return stored

        monkeypatch.setattr(conversation_rows, "write_summary", storing)
        for cut in range(2 * 12):
            clock.tick(minutes=5)  # as sweeps come
            steps = iter(range(1000))

            @contextlib.contextmanager
            def cutting(told: Engine, cut: int = cut, steps: Iterator[int] = steps) -> Iterator[Any]:
                step = next(steps)
                pending.clear()
                with real(told) as session:
                    yield session
                    if 2 * step == cut:
                        raise Killed
                written.extend(pending)
                if 2 * step + 1 == cut:
                    raise Killed

            monkeypatch.setattr(archive, "transaction", cutting)
            monkeypatch.setattr(job, "transaction", cutting)
            with contextlib.suppress(Killed):
                job.sweep()
        monkeypatch.undo()
        clock.tick(minutes=5)
        with working(play):
            job.sweep()
        (row,) = conversations(engine)
        with reading(engine) as session:
            turns = session.query(TurnRow).filter_by(conversation_id=row.id).count()
    assert row.archived_at is not None
    assert "heron" in row.summary
    assert written == [row.id]
    assert turns == 12


def test_run_again_the_archive_changes_nothing(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play, working(play):
        talk(play)
        clock.tick(seconds=IDLE_S + 1)
        job.sweep()
        (before,) = conversations(sqlite_engine)
        clock.tick(minutes=5)
        assert job.run(conversation_id=before.id) == 0
        assert job.sweep() == 0
        (after,) = conversations(sqlite_engine)
    assert (after.summary, after.summarised_at) == (before.summary, before.summarised_at)


def test_two_workers_at_once_write_one_summary(engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with stage(engine, clock, tmp=tmp_path) as play:
        talk(play, 2)
        play.conductor.start_afresh(play.person)
        (row,) = conversations(engine)
        start = threading.Barrier(4)
        wrote: list[bool] = []

        def work() -> None:
            start.wait(10)
            wrote.append(archive.write_summary(engine, EMBEDDER, row.id, now=clock()))

        workers = [threading.Thread(target=work) for _ in range(4)]
        for each in workers:
            each.start()
        for each in workers:
            each.join(30)
    assert sorted(wrote) == [False, False, False, True]


def test_a_message_that_comes_while_the_sweep_looks_is_not_cut_off(
    engine: Engine, clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stage(engine, clock, tmp=tmp_path) as play, working(play):
        first = play.say("one")
        clock.tick(seconds=IDLE_S)  # to the second: it goes on
        look = conversation_rows.silent_since

        def looking(session: Any, moment: Any, *, limit: int) -> Any:
            found = look(session, moment + timedelta(seconds=1), limit=limit)
            second.append(play.say("two"))  # between looking and closing
            return found

        second: list[Any] = []
        monkeypatch.setattr(conversation_rows, "silent_since", looking)
        assert job.sweep() == 0
        assert second[0].conversation_id == first.conversation_id


def test_what_could_not_be_queued_is_found_by_the_sweep(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    look = Call("search_memory", {"angles": [{"query": "bike key"}]})
    steps: list[Step] = [[look], [Say("On the blue ring.")]]
    with stage(sqlite_engine, clock, steps=steps, tmp=tmp_path) as play, working(play):
        card = factories.card(sqlite_engine, play.person, text="The bike key is on the blue ring")
        play.queue.down = True
        turn = play.say("where is my bike key?")
        assert turn.answer == "On the blue ring."  # the queue is nobody's business
        with transaction(sqlite_engine) as session:
            if not session.query(RetrievalRow).count():  # cards of factories have no vector to be found by
                session.add(
                    RetrievalRow(
                        person_id=play.person.id, turn_id=turn.id, card_id=card, angle="meaning",
                        score=1.0, created_at=clock(),
                    )
                )  # fmt: skip
        play.queue.down = False
        job.sweep()
        assert play.queue.jobs == []  # queued jobs are given a moment
        clock.tick(minutes=10)
        job.sweep()
        assert play.queue.of(JobName.VERIFY) == [{"turn_id": turn.id, "again": True}]
        with transaction(sqlite_engine) as session:
            turn_rows.mark(session, turn.id, "verified", now=clock())
        job.sweep()
        assert play.queue.of(JobName.WARM) == [{"turn_id": turn.id, "again": True}]


def test_a_turn_that_no_process_looks_after_is_marked_and_its_conversation_archived(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play, working(play):
        turn = play.say("one")
        with transaction(sqlite_engine) as session:
            session.query(TurnRow).update(
                {"state": "running", "claimed_by": "elsewhere:1:x", "lease_until": clock()}
            )
        clock.tick(minutes=40)
        assert job.sweep() == 1
        (row,) = conversations(sqlite_engine)
        with reading(sqlite_engine) as session:
            state = session.scalar(select(TurnRow.state).where(TurnRow.id == turn.id))
    assert state == "interrupted"
    assert row.summary


def test_a_guest_is_gone_from_the_page_when_the_sweep_archives(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play, working(play):
        play.conductor.set_speaker(play.person, name="Tobias")
        play.say("hi")
        clock.tick(minutes=31)
        job.sweep()
        told = [(frame.kind, frame.body.get("name")) for frame in play.seen()][-2:]
    assert told == [("archived", None), ("speaker", "")]


def test_one_conversation_that_cannot_be_summarised_holds_nothing_up(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play, working(play):
        talk(play, 1)
        play.conductor.start_afresh(play.person)
        gone = play.say("this exchange is taken out")
        play.conductor.delete(play.person, gone.public_id)
        clock.tick(minutes=31)

        def broken(*_: Any, **__: Any) -> bool:
            raise RuntimeError("a fault")

        monkeypatch.setattr(archive, "write_summary", broken)
        job.sweep()
        with reading(sqlite_engine) as session:
            assert session.get(TurnRow, gone.id) is None


def fail_all(play: Stage, seen: int = 0) -> list[int]:
    """What workers do with the queued jobs from `seen` on when each breaks; gives the turns they were for."""
    tried = play.queue.of(JobName.VERIFY)[seen:]
    for told in tried:
        with pytest.raises(RuntimeError):
            verify.run(**told)
    play.queue.take_all()
    return [told["turn_id"] for told in tried]


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every second look breaks, with its worker."""

    def broken(*_: Any) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr(verify, "index_turn", broken)


@pytest.mark.usefixtures("breaking")
def test_turns_that_always_fail_do_not_keep_the_others_waiting(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play, working(play):
        thread = factories.conversation(sqlite_engine, play.person, archived_at=T0, summarised_at=T0)
        for _ in range(200):
            factories.turn(sqlite_engine, play.person, thread)
        clock.tick(minutes=10)
        job.sweep()
        assert len(fail_all(play)) == 200
        late = factories.turn(sqlite_engine, play.person, thread, created_at=clock())
        clock.tick(minutes=5)
        job.sweep()
        asked = fail_all(play, 200)
        assert asked[0] == late
        assert len(asked) == 200  # there was room for those too


@pytest.mark.usefixtures("breaking")
def test_what_always_fails_is_asked_ever_more_rarely_and_never_given_up(
    engine: Engine, clock: FakeClock, tmp_path: Path
) -> None:
    with stage(engine, clock, tmp=tmp_path) as play, working(play):
        thread = factories.conversation(engine, play.person, archived_at=T0, summarised_at=T0)
        turn = factories.turn(engine, play.person, thread)
        asked: list[int] = []
        for _ in range(2 * 96):  # two days
            clock.tick(minutes=15)
            job._queue_what_was_not(jobs_wiring.wiring(), now=clock())
            asked.append(len(fail_all(play, sum(asked))))
        first, second = sum(asked[:96]), sum(asked[96:])
        assert 5 <= first <= 10
        assert 1 <= second <= 2
        with transaction(engine) as session:  # it succeeds at last, and its next part is looked for at once
            assert turn_rows.mark(session, turn, "verified", now=clock())
        with reading(engine) as session:
            assert session.scalar(select(TurnRow.next_look_at)) is None


@pytest.mark.parametrize("is_down", [True, False])
def test_what_a_queue_did_not_take_or_lost_counts_as_no_attempt(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, is_down: bool
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play, working(play):
        thread = factories.conversation(sqlite_engine, play.person, archived_at=T0, summarised_at=T0)
        turn = factories.turn(sqlite_engine, play.person, thread)
        play.queue.down = is_down
        clock.tick(hours=9)
        for _ in range(4):
            job.sweep()
        play.queue.down = False
        play.queue.jobs.clear()
        play.queue.take_all()  # a restarted server of the queue has forgotten it
        job.sweep()
        assert play.queue.of(JobName.VERIFY) == [{"turn_id": turn, "again": True}]


def test_conversations_that_cannot_be_summarised_do_not_keep_the_others_waiting(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play, working(play):
        ill = {factories.conversation(sqlite_engine, play.person, archived_at=T0) for _ in range(200)}
        sound = factories.conversation(sqlite_engine, play.person, archived_at=T0 + timedelta(minutes=1))
        tried: list[int] = []

        def written(_: Any, __: Any, conversation_id: int, **___: Any) -> bool:
            tried.append(conversation_id)
            if conversation_id in ill:
                raise RuntimeError("a fault")
            return True

        monkeypatch.setattr(archive, "write_summary", written)
        job.sweep()
        assert sound not in tried
        clock.tick(minutes=5)
        job.sweep()
        assert tried[200] == sound


@pytest.mark.parametrize(
    "broken",
    ["mark_interrupted", "close_silent", "expire", "pending_summaries", "unverified", "purge", "tend"],
)
def test_a_step_that_fails_leaves_no_other_step_undone(
    sqlite_engine: Engine, clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def fault(*_: Any, **__: Any) -> Any:
        raise RuntimeError(broken)

    rooms: tuple[Any, ...] = (archive, job, turn_rows, cards, judge, handover)
    with stage(sqlite_engine, clock, tmp=tmp_path) as play, working(play):
        turn = play.say("The heron nests behind the boathouse.")
        play.queue.jobs.clear()
        play.queue.take_all()
        owner = factories.person(sqlite_engine)
        thread = factories.conversation(sqlite_engine, owner, archived_at=T0)
        factories.turn(sqlite_engine, owner, thread, said="The otter sleeps.")
        gone = factories.turn(sqlite_engine, owner, thread, deleted_at=T0)
        clock.tick(minutes=31)
        with monkeypatch.context() as patch:
            patch.setattr(next(room for room in rooms if hasattr(room, broken)), broken, fault)
            with pytest.raises(RuntimeError, match=broken):
                job.sweep()
        first, second = conversations(sqlite_engine)
        with reading(sqlite_engine) as session:
            removed = session.get(TurnRow, gone) is None
        done = {
            "close_silent": first.archived_at is not None,
            "pending_summaries": bool(second.summary),
            "unverified": {"turn_id": turn.id, "again": True} in play.queue.of(JobName.VERIFY),
            "purge": removed,
        }
    assert [name for name, seen in done.items() if not seen] == [name for name in done if name == broken]


def test_old_frames_go_and_their_turns_stay(sqlite_engine: Engine, clock: FakeClock, tmp_path: Path) -> None:
    with stage(sqlite_engine, clock, tmp=tmp_path) as play, working(play):
        talk(play, 1)
        clock.tick(days=2)
        talk(play, 1)
        clock.tick(days=2)
        job.sweep()
        with reading(sqlite_engine) as session:
            assert session.query(FrameRow).filter(FrameRow.created_at < T0 + timedelta(days=1)).count() == 0
            assert session.query(FrameRow).count() > 0
            assert session.query(TurnRow).count() == 2


def test_a_real_worker_archives_what_was_queued(
    wiring: Wiring, worker: Callable[[], int], clock: FakeClock
) -> None:
    owner = factories.person(wiring.engine)
    thread = factories.conversation(wiring.engine, owner, archived_at=T0)
    factories.turn(wiring.engine, owner, thread, said="The heron nests behind the boathouse.")
    for _ in range(2):
        wiring.queue.enqueue(JobName.ARCHIVE, unique=str(thread), conversation_id=thread)
    wiring.queue.enqueue(JobName.SWEEP)
    assert worker() == 2
    (row,) = conversations(wiring.engine)
    assert "heron" in row.summary
