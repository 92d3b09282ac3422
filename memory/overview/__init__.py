"""What the model is given each turn: asked from several sources at once, and cut to a budget."""

from memory.overview.blocks import Block, Entry, Overview
from memory.overview.gather import Gathered, gather
from memory.overview.pack import arrange, pack, tokens_of
from memory.overview.render import render, render_rules, render_settled
from memory.overview.sources import sources_for

__all__ = [
    "Block",
    "Entry",
    "Gathered",
    "Overview",
    "arrange",
    "gather",
    "pack",
    "render",
    "render_rules",
    "render_settled",
    "sources_for",
    "tokens_of",
]
