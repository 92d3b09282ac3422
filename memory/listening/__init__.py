"""What a sentence holds: candidates of each category with the spans they rest on. Pure.

    heard = listen(text, language="en", now=now, zone="Europe/London", known=people)

Per-language knowledge lives in data files under `data/`; a further language is
a new file and a test file, no code.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memory import language as lang
from memory.config import LANGUAGES
from memory.listening import durable, earnest
from memory.listening.heard import (
    Act,
    Candidate,
    Correction,
    Forgetting,
    Heard,
    KnownPerson,
    Question,
    Request,
)
from memory.listening.judging import has_code
from memory.listening.lexicon import lexicon
from memory.listening.listener import hear
from memory.listening.pasting import handed, is_order, own_words, speaks_to_machine
from memory.listening.tokens import Piece

__all__ = [
    "Act",
    "Candidate",
    "Correction",
    "Forgetting",
    "Heard",
    "KnownPerson",
    "Question",
    "Request",
    "handed",
    "is_order",
    "is_sensitive",
    "listen",
    "own_words",
    "preload",
    "speaks_to_machine",
]


def preload(languages: Sequence[str] = LANGUAGES) -> None:
    """Read all tables and weights now (about half a second a language), so that no message waits for them.

    A process that forks for each of its jobs must do this before: each child would do it anew.
    """
    durable.preload()
    earnest.preload()
    for language in languages:
        lexicon(language)
    lang.preload(languages)


def listen(
    text: str,
    *,
    language: str,
    now: datetime,
    zone: str,
    known: Sequence[KnownPerson] = (),
    speaker: str = "",
    pending: Mapping[str, Any] | None = None,
    previous: str = "",
) -> Heard:
    """Hear one message: everything in it that is worth keeping or asks for something.

    Nothing is stored and nothing outside is read but the sentence encoder's
    weights: the same arguments give the same answer.

    Args:
        text: what the person said, as said.
        language: one of config.LANGUAGES.
        now: aware, in the person's zone.
        zone: IANA name; moments are wall-clock time there.
        known: people the owner told about before; no card is made anew for them.
        speaker: a guest who holds the phone; "" is the owner.
        pending: the question the assistant waits on, such as {"ask": "time", "day": "2026-04-17"}.
        previous: the person's message before this one, for "remember that".

    Returns:
        A Heard. Spans of its candidates lie in `text`; `why` of each says what made it.
    """
    return hear(
        text,
        language=language,
        now=now,
        zone=zone,
        known=known,
        speaker=speaker,
        pending=pending,
        previous=previous,
    )


def is_sensitive(text: str, *, language: str) -> bool:
    """Whether a statement holds a code, an identifier or something of somebody's health."""
    lex = lexicon(language)
    piece = Piece(lex.tokens(text))
    return has_code(piece) or any(
        rule.sensitive and rule.pattern.search(piece.norm) for rule in lex.attributes
    )
