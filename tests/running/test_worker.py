from __future__ import annotations

from collections.abc import Callable

import pytest
from rq.serializers import JSONSerializer

from memory.queue import BACKGROUND, PROMPT, JobName
from memory.running.worker import listening, make_worker
from memory.wiring import Wiring


def test_a_worker_does_what_was_queued_by_name(wiring: Wiring, worker: Callable[[], int]) -> None:
    assert wiring.queue.enqueue(JobName.SWEEP)
    assert worker() == 1


def test_a_job_that_fails_is_not_overlooked(wiring: Wiring, worker: Callable[[], int]) -> None:
    wiring.queue.enqueue(JobName.SWEEP, no_such_argument=1)
    with pytest.raises(pytest.fail.Exception, match="no_such_argument"):
        worker()


def test_the_product_worker_reads_what_the_product_queues(wiring: Wiring) -> None:
    made = make_worker(wiring.redis, (PROMPT, BACKGROUND))
    assert made.queue_names() == [PROMPT, BACKGROUND]
    assert made.serializer is JSONSerializer
    assert {queue.serializer for queue in made.queues} == {JSONSerializer}


def test_live_workers_are_counted_for_each_queue(wiring: Wiring) -> None:
    assert listening(wiring.redis) == {PROMPT: 0, BACKGROUND: 0}
    made = make_worker(wiring.redis, (BACKGROUND,))
    made.register_birth()  # type: ignore[no-untyped-call]
    assert listening(wiring.redis) == {PROMPT: 0, BACKGROUND: 1}
    made.register_death()  # type: ignore[no-untyped-call]
