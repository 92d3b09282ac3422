"""Visible cards as the page shows them below an answer. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memory.records import Card, When


def chips(cards: Iterable[Card]) -> list[dict[str, Any]]:
    """One chip a card, as plain data for a frame."""
    return [
        {
            "id": card.public_id,
            "category": card.category.value,
            "label": card.title or card.text,
            "when": None if card.when is None else moment(card.when),
        }
        for card in cards
    ]


def moment(when: When) -> str:
    """The wall-clock time as precisely as it was said: `2027-07`, `2027-07-01` or `2027-07-01T17:00`."""
    if when.is_month:
        return f"{when.start:%Y-%m}"
    return when.start.date().isoformat() if when.all_day else when.start.isoformat(timespec="minutes")
