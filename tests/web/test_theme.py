"""The colours are readable in both themes (WCAG 2.2: 4.5 to 1 for text, 3 to 1 for controls)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CSS = Path(__file__).parents[2] / "static" / "css"
TEXT = [
    ("ink", "paper"),
    ("ink", "card"),
    ("ink", "sunk"),
    ("muted", "paper"),
    ("muted", "card"),
    ("muted", "sunk"),
    ("accent", "paper"),
    ("accent", "card"),
    ("accent", "accent-soft"),
    ("on-accent", "accent"),
    ("on-accent", "accent-strong"),
    ("ink", "accent-soft"),
    ("danger", "card"),
    ("danger", "paper"),
    ("danger", "danger-soft"),
    ("good", "card"),
    ("good", "good-soft"),
    *((kind, "card") for kind in ("fact", "person", "event", "memo", "task", "reminder", "theme")),
]
CONTROLS = [("edge", "paper"), ("edge", "card"), ("accent", "sunk")]


def theme(name: str) -> dict[str, str]:
    light, _, dark = (CSS / "theme.css").read_text().partition("@media (prefers-color-scheme: dark)")
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light))
    if name == "dark":
        colours |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", dark))
    return colours


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_text_can_be_read(name: str) -> None:
    colours = theme(name)
    poor = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in TEXT}
    assert {pair: ratio for pair, ratio in poor.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("name", ["light", "dark"])
def test_controls_can_be_seen(name: str) -> None:
    colours = theme(name)
    poor = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in CONTROLS}
    assert {pair: ratio for pair, ratio in poor.items() if ratio < 3} == {}
