"""What the sweep asks for once more is noted before it is tried: what always fails waits longer each time.

A job that never ran, because a queue lost it, is not noted and comes again with the next sweep.
"""

from __future__ import annotations

from memory.storage import undone
from memory.storage.engine import transaction
from memory.wiring import Wiring


def note_turn(parts: Wiring, turn_id: int) -> None:
    """Note that work on a turn is tried now."""
    with transaction(parts.engine) as session:
        undone.put_off_turns(session, [turn_id], now=parts.clock(), first_s=parts.settings.sweep_s / 2)


def note_conversation(parts: Wiring, conversation_id: int) -> None:
    """Note that a summary is tried now."""
    with transaction(parts.engine) as session:
        undone.put_off_conversations(
            session, [conversation_id], now=parts.clock(), first_s=parts.settings.sweep_s / 2
        )
