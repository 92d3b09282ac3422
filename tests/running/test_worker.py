from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rq import Queue, SimpleWorker
from rq.job import Job
from rq.serializers import JSONSerializer

from memory.queue import BACKGROUND, PROMPT, JobName
from memory.running.logs import LineFormatter
from memory.running.worker import Discreet, listening, make_worker
from memory.wiring import Wiring
from tests.servers import ROOT, clean_env


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


_BEFORE_THE_FORK = """
import json, sys
import app
import memory.running.worker as running

class Fork:
    def work(self, **_options):
        from memory import embedding
        from memory.config import LANGUAGES
        from memory.language.times.grammar import grammar
        from memory.listening.lexicon import lexicon
        print(json.dumps({
            "jobs": sorted(name for name in sys.modules if name.startswith("jobs.")),
            "models": len(embedding._loaded),
            "lexicons": lexicon.cache_info().currsize,
            "grammars": grammar.cache_info().currsize,
            "languages": len(LANGUAGES),
        }))

running.make_worker = lambda redis, names: Fork()
sys.exit(app.main(["worker", sys.argv[1]]))
"""


@pytest.mark.parametrize(("queue", "jobs"), [(PROMPT, {"judge", "remind"}), (BACKGROUND, {"verify", "warm"})])
def test_what_its_jobs_need_is_loaded_once_and_not_by_each_fork(
    queue: str, jobs: set[str], tmp_path: Path
) -> None:
    """A job that loads the listener's tables itself takes seconds, and a busy house is never done."""
    ran = subprocess.run(
        [sys.executable, "-c", _BEFORE_THE_FORK, queue],
        env=clean_env({"ASTERISM_VAR": str(tmp_path), "REDIS_URL": "redis://127.0.0.1:1/0"}),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    loaded = json.loads(ran.stdout)
    assert {f"jobs.{name}" for name in jobs} <= set(loaded["jobs"])
    assert loaded["models"] == 1
    assert loaded["lexicons"] == loaded["grammars"] == loaded["languages"]
