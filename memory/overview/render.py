"""Blocks as text for a model. What is recalled is quoted data that cannot close its own block. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memory.overview.blocks import LATELY, RECENT, SAMPLE, WARM, Block, Entry

_TITLES = {
    RECENT: (
        "recent_conversations",
        "Past conversations from the transcript, newest first. Questions about what was said, talked about "
        "or forgotten since are answered from here first, with these words and this age.",
    ),
    WARM: ("warm_memories", "Memories of what was just talked about and what surrounds it."),
    LATELY: ("lately_mentioned", "Memories mentioned in the last days."),
    SAMPLE: ("other_memories", "A few of the other memories."),
}


def render(blocks: Sequence[Block], missing: Mapping[str, str]) -> str:
    """The memory overview, each block as quoted data; sources that are missing are named."""
    parts: list[str] = []
    for block in blocks:
        if block.source not in _TITLES or not block.entries:
            continue
        tag, about = _TITLES[block.source]
        lines = "\n".join(f"- {quoted(entry.text)}" for entry in block.entries)
        parts.append(f"<{tag}>\n{about}\n{lines}\n</{tag}>")
    absent = sorted(name for name in missing if name in _TITLES)
    if absent:
        names = ", ".join(_TITLES[name][0] for name in absent)
        parts.append(
            f"<unavailable>{names}: could not be read just now. Say so if it matters; never say "
            "there is nothing.</unavailable>"
        )
    return "\n\n".join(parts)


def render_settled(entries: Sequence[Entry]) -> str:
    """Settled decisions as one short block: the same bytes for the same state."""
    if not entries:
        return ""
    lines = "\n".join(f"- {quoted(entry.text)}" for entry in sorted(entries, key=lambda each: each.key))
    return f"<settled>\n{lines}\n</settled>"


def render_rules(entries: Sequence[Entry]) -> str:
    """Personal rules, the person's own wishes about how to answer."""
    if not entries:
        return ""
    lines = "\n".join(f"- {quoted(entry.text)}" for entry in entries)
    return f"<personal_rules>\n{lines}\n</personal_rules>"


def quoted(text: str) -> str:
    """Text that can neither open nor close a block, on one line's indentation."""
    return re.sub(r"\s*\n\s*", "\n  ", text.replace("<", "‹").replace(">", "›")).strip()
