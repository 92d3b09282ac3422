"""Shortening a text by its own sentences: those nearest to what all of it says, in their order."""

from __future__ import annotations

import re

import numpy as np

from memory.listening import speaks_to_machine
from memory.llm.embedded.scene import Embeds

# A sentence ends at its sign, but not behind a title ("Dr. Held") or, in German, a day ("14. September").
_SENTENCE = re.compile(
    r"(?<=[.!?…])(?<!\b[A-Za-zÀ-ÿ]\.)(?<!\b(?:Dr|Mr|Ms|St|Sr|Nr|No|Av|ca)\.)(?<!\b(?:Mrs|Sra|Bzw|Tel|Str)\.)"
    r"(?<!\bProf\.)\s+(?=[^\sa-zà-ÿ])|\n+"
)
_DAY = re.compile(r"(?<!\w)\d{1,2}\.$")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_ALL = 4  # a text of so few sentences is said whole
_FIGURE = 0.1  # what a date or a number adds to a sentence: that is what one would have to look up


def shorten(text: str, *, embedder: Embeds, language: str, share: float = 0.34, most: int = 5) -> str:
    """The most telling sentences of `text`, word for word; "" when it has none.

    Orders to an assistant that stand in the text are nothing that it tells its reader.
    """
    sentences = [part for part in _sentences(text, language) if len(_WORDS.findall(part)) > 1]
    sentences = [part for part in sentences if not speaks_to_machine(part)]
    if len(sentences) <= _ALL:
        return " ".join(sentences)
    rows = embedder.encode(sentences)
    weights = rows @ rows.mean(axis=0)
    weights += np.array([_FIGURE * bool(re.search(r"\d", part)) for part in sentences])
    weights[0] += _FIGURE  # the first sentence of a text mostly says what it is about
    count = min(most, max(2, round(len(sentences) * share)))
    best = sorted(np.argsort(-weights, kind="stable")[:count].tolist())
    return " ".join(sentences[at] for at in best)


def _sentences(text: str, language: str) -> list[str]:
    found: list[str] = []
    for part in (part.strip() for part in _SENTENCE.split(text)):
        if found and language == "de" and _DAY.search(found[-1]):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return found
