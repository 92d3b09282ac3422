"""The pieces of an overview."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

RECENT = "recent"  # past conversations, from the transcript
WARM = "warm"  # what was just talked about, and its neighbourhood
LATELY = "lately"  # mentioned in the last days
SAMPLE = "sample"  # some of the rest
RULES = "rules"  # personal rules
SETTLED = "settled"  # decisions of open matters
PEOPLE = "people"  # names and relations, so that "my sister" is understood; in no text

# In this order a card keeps its place when two sources bring it.
ORDER = (SETTLED, RULES, RECENT, WARM, LATELY, SAMPLE)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line or paragraph of an overview."""

    key: str  # what it is, for "nothing stands in two blocks"
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    tokens: int = 0
    rank: int = 0  # within its block; 0 is the most important


@dataclass(frozen=True, kw_only=True)
class Block:
    """What one source brought."""

    source: str
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Overview:
    """What goes to the model."""

    blocks: tuple[Block, ...]
    missing: Mapping[str, str] = field(default_factory=dict)

    def block(self, source: str) -> Block:
        """One source's block; empty when it brought nothing."""
        return next((each for each in self.blocks if each.source == source), Block(source=source))

    def data(self) -> dict[str, Any]:
        """The blocks as plain data, for the embedded model."""
        told: dict[str, Any] = {
            block.source: [dict(entry.data) for entry in block.entries] for block in self.blocks
        }
        told["missing"] = dict(self.missing)
        return told
