"""What is queued when a turn has ended."""

from __future__ import annotations

from memory.queue import JobName, JobQueue
from memory.records import Turn


def queue_jobs(queue: JobQueue, turn: Turn, *, private: bool, found: bool) -> None:
    """By id, never with text. What cannot be queued is found by the sweep.

    Args:
        private: nothing is kept of the conversation, so nothing follows.
        found: the turn's searches found something.
    """
    if private:
        return
    queue.enqueue(JobName.VERIFY, unique=str(turn.id), turn_id=turn.id)
    # Its words may be the verdict on the answer before.
    queue.enqueue(JobName.JUDGE, unique=str(turn.id), turn_id=turn.id)
    if found:
        queue.enqueue(JobName.WARM, unique=str(turn.id), turn_id=turn.id)
