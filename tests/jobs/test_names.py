from __future__ import annotations

import importlib
import inspect

import pytest

from memory.queue import QUEUE_OF, JobName
from memory.running.worker import QUEUES


@pytest.mark.parametrize("job", JobName)
def test_each_job_name_leads_to_a_function_that_takes_ids_by_name(job: JobName) -> None:
    """Queued jobs hold the dotted path: renaming a function would lose what waits."""
    module, _, name = job.value.rpartition(".")
    function = getattr(importlib.import_module(module), name)
    kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
    assert kinds <= {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("job", JobName)
def test_each_job_has_a_queue_that_a_worker_works_on(job: JobName) -> None:
    assert QUEUE_OF[job] in QUEUES
