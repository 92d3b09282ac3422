"""Is a sentence said in earnest, and the speaker's own word?

"In the play I'm Banquo", "the inspector goes: my wife's called Ruth" and "I'm the emperor of
this sofa" look like facts. A small network reads the whole sentence; its weights stand
beside those of `durable`, and `python -m memory.listening.train` makes both, this one's from
`data/earnest/<language>.tsv` and the clauses.
"""

from __future__ import annotations

from functools import cache

from memory.listening.durable import WEIGHTS, inputs
from memory.listening.network import Network, grams, read

CLASSES = ("e", "u")  # earnest, unreal or somebody else's
_DOUBTED = 0.7  # log odds: of what other hands told in earnest two in a hundred lie above
_DOUBTED_ALL = 2.0  # ... where a string of things is told, which is seldom a joke
_SEVERAL = 3
_WHOLE = 3.0  # how much more earnest than its message a sentence may sound and still be doubted with it


def preload() -> None:
    """Load the network now, so that the first message does not wait for it."""
    _network()


def is_doubted(sentence: str, message: str, language: str, *, told: int) -> bool:
    """Whether a sentence is a joke, a quotation, a part that is played or a mere supposition.

    Args:
        told: how many things it seems to tell.
        message: all of it; a sentence among quoted ones may sound earnest by itself.
    """
    own = _odds(sentence, language)
    whole = own if sentence == message else _odds(message, language)
    return max(own, min(whole, own + _WHOLE)) > (_DOUBTED if told < _SEVERAL else _DOUBTED_ALL)


def _odds(text: str, language: str) -> float:
    earnest, unreal = _network().logits(inputs([text], language), grams([text]), language)[0]
    return float(unreal - earnest)


@cache
def _network() -> Network:
    return read(WEIGHTS, "earnest", CLASSES)
