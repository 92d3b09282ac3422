"""What a search found leaves a trace: its best results and their neighbours stay warm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Engine

from memory.records import LinkKind
from memory.storage import cards as card_rows
from memory.storage import links as link_rows
from memory.storage import retrievals as retrieval_rows
from memory.storage import turns as turn_rows
from memory.storage.engine import transaction

BEST = 3
NEIGHBOURS = 2  # of each: nine cards at most, so that the tidy job's order is not falsified


def plan(found: Sequence[int], neighbours: Mapping[int, Sequence[int]]) -> tuple[int, ...]:
    """The cards to warm: the best three, and at most two direct neighbours each. Pure.

    Args:
        found: card ids, best first.
        neighbours: by card id, its neighbours' ids, closest first.
    """
    best = tuple(dict.fromkeys(found))[:BEST]
    around = [each for card in best for each in list(neighbours.get(card, ()))[:NEIGHBOURS]]
    return tuple(dict.fromkeys((*best, *around)))


def warm(engine: Engine, turn_id: int, *, now: datetime) -> int:
    """Renew the last-mention date around what a turn found, once a turn; returns how many cards."""
    with transaction(engine) as session:
        turn = turn_rows.find(session, turn_id)
        if turn is None or not turn_rows.mark(session, turn_id, "warmed", now=now):
            return 0
        found = retrieval_rows.of_turn(session, turn_id)[:BEST]
        if not found:
            return 0
        neighbours: dict[int, list[int]] = {card: [] for card in found}
        for link in link_rows.of_cards(session, turn.person_id, found):
            if link.kind is LinkKind.THEME:
                continue  # a theme tells nothing itself, and is not mentioned
            for here, there in ((link.a_id, link.b_id), (link.b_id, link.a_id)):
                if here in neighbours and there not in neighbours[here]:
                    neighbours[here].append(there)
        warmed = plan(found, neighbours)
        card_rows.mention(session, warmed, now=now)
    return len(warmed)
