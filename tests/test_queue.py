from __future__ import annotations

from collections.abc import Callable

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from rq import Queue
from rq.serializers import JSONSerializer

from memory.queue import BACKGROUND, PROMPT, QUEUE_OF, JobName, JobQueue
from memory.wiring import Wiring


def _waiting(valkey: Redis, name: str) -> list[str]:
    return Queue(name, connection=valkey, serializer=JSONSerializer).get_job_ids()


@pytest.mark.parametrize("job", JobName)
def test_each_job_goes_to_its_queue_with_ids_only(job: JobName, valkey: Redis) -> None:
    assert JobQueue(valkey).enqueue(job, turn_id=7)
    (job_id,) = _waiting(valkey, QUEUE_OF[job])
    queued = Queue(QUEUE_OF[job], connection=valkey, serializer=JSONSerializer).fetch_job(job_id)
    assert queued is not None
    assert (queued.func_name, queued.kwargs, list(queued.args)) == (job.value, {"turn_id": 7}, [])


def test_while_one_waits_no_other_of_its_key_is_queued(valkey: Redis) -> None:
    queue = JobQueue(valkey)
    for turn_id in (7, 7, 8, 7):
        assert queue.enqueue(JobName.VERIFY, unique=str(turn_id), turn_id=turn_id)
    assert _waiting(valkey, BACKGROUND) == ["jobs-verify-run-7", "jobs-verify-run-8"]
    assert queue.enqueue(JobName.WARM, unique="7", turn_id=7)  # another job may have the same key
    assert len(_waiting(valkey, BACKGROUND)) == 3


def test_what_has_been_done_can_be_queued_again(wiring: Wiring, worker: Callable[[], int]) -> None:
    for _ in range(2):
        assert wiring.queue.enqueue(JobName.SWEEP, unique="once")
        assert worker() == 1


def test_without_a_key_each_is_queued(valkey: Redis) -> None:
    queue = JobQueue(valkey)
    assert queue.enqueue(JobName.REMIND, card_id=1)
    assert queue.enqueue(JobName.REMIND, card_id=1)
    assert len(_waiting(valkey, PROMPT)) == 2


def test_a_queue_that_is_down_says_so_and_raises_nothing() -> None:
    nowhere: Redis = Redis(unix_socket_path="/nowhere/socket", retry=Retry(NoBackoff(), 0))
    assert not JobQueue(nowhere).enqueue(JobName.VERIFY, unique="7", turn_id=7)
    assert not JobQueue(nowhere).enqueue(JobName.VERIFY, turn_id=7)
