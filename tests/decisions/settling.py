"""What is settled, as the guard is given it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from memory.decisions.naming import Settled
from memory.records import Decision

HERE = "conversation x"  # the matter of the conversation


def holding(values: Mapping[str, str], *, now: datetime, rivals: frozenset[str] = frozenset()) -> Settled:
    """These values by key, decided by the person in this conversation, all of them with the same rivals."""
    return Settled(
        decisions=tuple(
            Decision(
                id=number,
                person_id=1,
                matter=HERE,
                key=key,
                value=value,
                decided_at=now,
                turn_id=1,
                decided_by="person",
                active=True,
            )
            for number, (key, value) in enumerate(values.items(), start=1)
        ),
        here=HERE,
        rivals={(HERE, key): rivals for key in values},
    )
