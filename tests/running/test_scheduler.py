from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from redis import Redis
from rq.cron import CronScheduler

from memory.queue import JobName
from memory.running import scheduler as room
from memory.running.scheduler import Scheduler, run
from tests.fakes import T0, FakeClock, FakeQueue


@pytest.fixture
def scheduler(valkey: Redis, queue: FakeQueue, clock: FakeClock) -> Scheduler:
    return Scheduler(valkey, queue, clock, {JobName.SWEEP: 300.0})


def test_the_first_look_queues_and_the_next_waits_for_the_interval(
    scheduler: Scheduler, queue: FakeQueue, clock: FakeClock
) -> None:
    scheduler.enqueue_jobs()
    clock.tick(seconds=299)
    scheduler.enqueue_jobs()
    assert len(queue.of(JobName.SWEEP)) == 1
    queue.take_all()
    clock.tick(seconds=1)
    scheduler.enqueue_jobs()
    assert len(queue.of(JobName.SWEEP)) == 2


def test_what_was_missed_is_queued_once(scheduler: Scheduler, queue: FakeQueue, clock: FakeClock) -> None:
    scheduler.enqueue_jobs()
    queue.take_all()
    clock.tick(days=2)
    scheduler.enqueue_jobs()
    scheduler.enqueue_jobs()
    assert len(queue.of(JobName.SWEEP)) == 2


def test_a_clock_that_was_set_back_does_not_silence_it(
    scheduler: Scheduler, queue: FakeQueue, clock: FakeClock
) -> None:
    scheduler.enqueue_jobs()
    queue.take_all()
    clock.set(T0 - timedelta(days=30))
    scheduler.enqueue_jobs()
    assert len(queue.of(JobName.SWEEP)) == 2


def test_behind_slow_work_one_waits_and_no_more(
    scheduler: Scheduler, queue: FakeQueue, clock: FakeClock
) -> None:
    for _ in range(5):
        scheduler.enqueue_jobs()
        clock.tick(seconds=300)
    assert len(queue.of(JobName.SWEEP)) == 1


def test_a_queue_that_is_down_is_tried_again(scheduler: Scheduler, queue: FakeQueue) -> None:
    queue.down = True
    assert scheduler.enqueue_jobs() == []
    queue.down = False
    assert len(scheduler.enqueue_jobs()) == 1


def test_rqs_own_tools_see_it(scheduler: Scheduler, valkey: Redis) -> None:
    scheduler.register_birth()
    scheduler.heartbeat()
    (found,) = CronScheduler.all(valkey)
    assert [job.func_name for job in found.get_jobs()] == ["jobs.archive.sweep"]


def test_dispatchers_run_beside_it_and_are_told_to_end(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran, told = threading.Event(), threading.Event()

    def dispatch(stop: threading.Event) -> None:
        ran.set()
        if stop.wait(20):
            told.set()

    monkeypatch.setattr(Scheduler, "start", lambda _self: ran.wait(20))
    run(scheduler, [dispatch])
    assert told.is_set()


def test_a_moved_clock_is_noticed_soon(scheduler: Scheduler) -> None:
    assert scheduler.calculate_sleep_interval() <= 1.0
    assert room.Scheduler.calculate_sleep_interval is not CronScheduler.calculate_sleep_interval
