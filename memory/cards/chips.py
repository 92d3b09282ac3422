"""Visible cards as the page shows them below an answer. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memory.records import Card


def chips(cards: Iterable[Card]) -> list[dict[str, Any]]:
    """One chip a card, as plain data for a frame."""
    return [
        {
            "id": card.public_id,
            "category": card.category.value,
            "label": card.title or card.text,
            "when": None if card.when is None else card.when.start.isoformat(timespec="minutes"),
        }
        for card in cards
    ]
