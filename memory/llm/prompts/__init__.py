"""Prompts, one file each."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def prompt(name: str) -> str:
    """The text of one prompt, named without its ending."""
    return (resources.files(__name__) / f"{name}.md").read_text(encoding="utf-8")
