"""Episodes, acts and whole logs for the tests of this room."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from memory.worth import Act, Episode, Ledger, Move, Use, record
from memory.worth.policy import POLICY, Policy

T0 = datetime(2026, 3, 1, 9, tzinfo=UTC)


def at(hours: float) -> datetime:
    """A moment that many hours after T0."""
    return T0 + timedelta(hours=hours)


def episode(number: int, cards: Iterable[int | Use], good: bool | None, context: str = "question") -> Episode:
    """Episode `number`, an hour after the one before it."""
    uses = tuple(card if isinstance(card, Use) else Use(card=card) for card in cards)
    return Episode(id=number, at=at(number), context=context, uses=uses, good=good)


def deed(number: int, card: int, move: Move) -> Act:
    """An act half an hour after episode `number`."""
    return Act(id=number, at=at(number + 0.5), card=card, move=move)


def play(
    cards: Iterable[int | Use],
    outcomes: Iterable[bool],
    ledger: Ledger | None = None,
    *,
    first: int = 1,
    policy: Policy = POLICY,
) -> Ledger:
    """The ledger after one episode with these cards for each outcome."""
    now = ledger or Ledger()
    shown = tuple(cards)
    for number, good in enumerate(outcomes, start=first):
        now = now.updated(record(now, episode(number, shown, good), policy=policy))
    return now


def well_served(card: int = 1, *, uses: int = 40) -> Ledger:
    """A memory that has always served well, and with it its context: the next episode is number uses + 1."""
    return play([card], [True] * uses)
