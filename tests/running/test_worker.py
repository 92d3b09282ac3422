from __future__ import annotations

from collections.abc import Callable

import pytest
from rq import Queue, SimpleWorker
from rq.job import Job
from rq.serializers import JSONSerializer

from memory.queue import BACKGROUND, PROMPT, JobName
from memory.running.logs import LineFormatter
from memory.running.worker import Discreet, listening, make_worker
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


def test_what_an_error_says_is_neither_kept_nor_logged(
    wiring: Wiring, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be a person's words: a value that could not be read, for instance."""

    class Here(Discreet, SimpleWorker):
        """Does the jobs in this process."""

    def broken(**_ids: int) -> None:
        raise ValueError("cannot read " + "".join(("Zin", "nober")))

    monkeypatch.setattr("jobs.archive.sweep", broken)
    wiring.queue.enqueue(JobName.SWEEP, unique="broken")
    queues = [Queue(BACKGROUND, connection=wiring.redis, serializer=JSONSerializer)]
    Here(queues, connection=wiring.redis, serializer=JSONSerializer).work(burst=True)
    kept = [wiring.redis.dump(key) for key in wiring.redis.scan_iter("*")]
    assert kept
    assert not [each for each in kept if b"Zinnober" in bytes(each or b"")]
    failed = queues[0].failed_job_registry.get_job_ids()
    assert len(failed) == 1
    said = Job.fetch(failed[0], connection=wiring.redis, serializer=JSONSerializer).latest_result()
    assert said is not None
    assert "builtins.ValueError" in str(said.exc_string)
    assert "Zinnober" not in str(said.exc_string)  # RQ keeps it packed
    assert "Zinnober" not in "".join(LineFormatter().format(record) for record in caplog.records)
