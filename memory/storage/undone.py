"""What the sweep looks for: work on a turn or a conversation that a queue or a worker left undone.

Each row counts how often it was looked for since something last came of it, and
from when it may be looked for again. What always fails is asked ever more
rarely and after everything else, so that it cannot keep the rest waiting; it is
never given up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, or_, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from memory.storage.tables import ConversationRow, TurnRow

Row = type[TurnRow] | type[ConversationRow]

LONGEST = timedelta(days=1)  # between two looks at what always fails
_DOUBLINGS = 20  # beyond them every first wait is longer than the longest


def due(row: Row, *, now: datetime) -> ColumnElement[bool]:
    """Which rows may be looked for at this moment."""
    return or_(row.next_look_at.is_(None), row.next_look_at <= now)


def order(row: Row) -> tuple[InstrumentedAttribute[int], InstrumentedAttribute[int]]:
    """What was looked for least comes first, then the oldest."""
    return row.looks, row.id


def put_off_turns(session: Session, turn_ids: Sequence[int], *, now: datetime, first_s: float) -> None:
    """Note that these turns were looked for now; the next look is due after a wait that doubles each time.

    Args:
        first_s: seconds until a second look at what was never looked for before.
    """
    _put_off(session, TurnRow, turn_ids, now=now, first_s=first_s)


def put_off_conversations(
    session: Session, conversation_ids: Sequence[int], *, now: datetime, first_s: float
) -> None:
    """Note that the summaries of these conversations were looked for now, as `put_off_turns` does."""
    _put_off(session, ConversationRow, conversation_ids, now=now, first_s=first_s)


def _put_off(session: Session, row: Row, ids: Sequence[int], *, now: datetime, first_s: float) -> None:
    by_looks: dict[int, list[int]] = defaultdict(list)
    for each, looks in session.execute(select(row.id, row.looks).where(row.id.in_(ids))):
        by_looks[looks].append(each)
    for looks, members in by_looks.items():
        wait = min(LONGEST, timedelta(seconds=first_s * 2 ** min(looks, _DOUBLINGS)))
        session.execute(
            update(row)
            .where(row.id.in_(members))
            .values(looks=looks + 1, next_look_at=now + wait)
            .execution_options(synchronize_session=False)
        )
