"""Shortening a text by its own sentences: those nearest to what all of it says, in their order."""

from __future__ import annotations

import re

import numpy as np

from memory.llm.embedded.scene import Embeds

_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=[^\sa-zà-ÿ])|\n+")
_SHORTEST_CHARS = 20


def shorten(text: str, *, embedder: Embeds, share: float = 0.34, most: int = 4) -> str:
    """The most telling sentences of `text`, word for word; "" when it has too few to choose from."""
    sentences = [part.strip() for part in _SENTENCE.split(text) if len(part.strip()) >= _SHORTEST_CHARS]
    if len(sentences) < 3:
        return ""
    rows = embedder.encode(sentences)
    centre = rows.mean(axis=0)
    # The first sentence of a text mostly says what it is about.
    weights = rows @ centre + np.where(np.arange(len(sentences)) == 0, 0.1, 0.0)
    count = min(most, max(1, round(len(sentences) * share)))
    best = sorted(np.argsort(-weights, kind="stable")[:count].tolist())
    return " ".join(sentences[at] for at in best)
