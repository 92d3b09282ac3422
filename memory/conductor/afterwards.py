"""What is queued when a turn has ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.conductor.tools import ToolContext
from memory.queue import JobName, JobQueue


def queue_jobs(queue: JobQueue, done: ToolContext, trace: Mapping[str, Any], *, failed: bool) -> None:
    """By id, never with text. What cannot be queued is found by the sweep.

    Args:
        trace: of the turn; it names the tools that were called.
        failed: the turn; two in a row ask for a human.
    """
    if failed or "ask_for_human" in trace.get("tools", ()):
        queue.enqueue(JobName.ANNOUNCE, unique="desk")
    if done.conversation.private:  # nothing is kept of it, so nothing follows
        return
    turn_id = done.turn.id
    queue.enqueue(JobName.VERIFY, unique=str(turn_id), turn_id=turn_id)
    # Its words may be the verdict on the answer before.
    queue.enqueue(JobName.JUDGE, unique=str(turn_id), turn_id=turn_id)
    if done.found:
        queue.enqueue(JobName.WARM, unique=str(turn_id), turn_id=turn_id)
