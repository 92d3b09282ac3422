"""Put blocks in order, once each, and cut them to a budget. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from memory.overview.blocks import ORDER, Block, Entry

# Shares of the budget that a block may not be pushed below while others still have entries.
_WEIGHT = {"settled": 0, "rules": 1, "recent": 2, "warm": 3, "lately": 4, "sample": 5}


def tokens_of(text: str) -> int:
    """About how many tokens a text is: four characters each, rounded up. No tokenizer fits all models."""
    return (len(text) + 3) // 4


def arrange(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Blocks in their fixed order, each entry in the first block that has it only."""
    seen: set[str] = set()
    known = {block.source: block for block in blocks}
    arranged: list[Block] = []
    for source in (*ORDER, *(name for name in sorted(known) if name not in ORDER)):
        if source not in known:
            continue
        kept: list[Entry] = []
        for entry in known[source].entries:
            if entry.key not in seen:
                seen.add(entry.key)
                kept.append(entry)
        arranged.append(replace(known[source], entries=tuple(kept)))
    return tuple(arranged)


def pack(blocks: Iterable[Block], budget_tokens: int) -> tuple[Block, ...]:
    """Keep as much as fits, the most important first.

    Importance is the block's place (settled decisions, rules, recent talks, warm,
    lately, sample), then the entry's rank; a block's first entries go before
    another's last ones, so that no block crowds out all others.
    """
    arranged = arrange(blocks)
    order = sorted(
        (
            (_WEIGHT.get(block.source, 9) + 2 * entry.rank, _WEIGHT.get(block.source, 9), index, number)
            for number, block in enumerate(arranged)
            for index, entry in enumerate(block.entries)
        )
    )
    left = budget_tokens
    chosen: set[tuple[int, int]] = set()
    for _, _, index, number in order:
        entry = arranged[number].entries[index]
        size = entry.tokens or tokens_of(entry.text)
        if size <= left:
            left -= size
            chosen.add((number, index))
    return tuple(
        replace(
            block,
            entries=tuple(each for index, each in enumerate(block.entries) if (number, index) in chosen),
        )
        for number, block in enumerate(arranged)
    )
