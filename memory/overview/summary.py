"""A dense summary of a conversation without a model: the person's own words that carry most. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from memory import language as lang
from memory.listening import own_words
from memory.records import Turn

MOST_CHARS = 600
_ENDS = tuple('.!?…:;”"»')
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")


def summarise(turns: Sequence[Turn], *, most_chars: int = MOST_CHARS) -> str:
    """The sentences of a conversation that carry most, in their order, in its own language.

    A sentence counts by its words that carry meaning, those that come back in the
    conversation more; what the person said counts more than what was answered. It is
    an index for later search, not a record: the transcript is that.
    """
    pieces: list[tuple[int, str, str, float]] = [
        (index, turn.language, _ended(sentence.strip()), weight)
        for index, turn in enumerate(turns)
        for text, weight in ((own_words(turn.said), 1.0), (turn.answer, 0.45))
        for sentence in _SENTENCE.findall(text[:4000])
        if sentence.strip()
    ]
    counts = Counter(
        term for _, language, sentence, _ in pieces for term in set(lang.terms(sentence, language))
    )
    scored = sorted(
        (
            (_score(sentence, language, counts) * weight, -place)
            for place, (_, language, sentence, weight) in enumerate(pieces)
        ),
        reverse=True,
    )
    chosen: list[int] = []
    seen: set[str] = set()
    left = most_chars
    for score, negative in scored:
        place = -negative
        sentence: str = pieces[place][2]
        key = lang.fold(sentence)
        if score <= 0 or key in seen or len(sentence) + 1 > left:
            continue
        seen.add(key)
        chosen.append(place)
        left -= len(sentence) + 1
    if not chosen and pieces:
        return pieces[0][2][:most_chars]
    return " ".join(pieces[place][2] for place in sorted(chosen))


def _ended(sentence: str) -> str:
    """With a full stop where nothing ends it: in a row of sentences one would run into the next."""
    return sentence if sentence[-1:] in _ENDS else f"{sentence}."


def _score(sentence: str, language: str, counts: Counter[str]) -> float:
    terms = set(lang.terms(sentence, language))
    if not terms:
        return 0.0
    return sum(1.0 + 0.5 * min(counts[term] - 1, 3) for term in terms) / math.sqrt(len(terms))
