"""What a sentence holds: candidates of each category with the spans they rest on. Pure.

    heard = listen(text, language="en", now=now, zone="Europe/London", known=people)

Per-language knowledge lives in data files under `data/`; a further language is
a new file and a test file, no code.
"""

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

__all__ = [
    "Act",
    "Candidate",
    "Correction",
    "Forgetting",
    "Heard",
    "KnownPerson",
    "Question",
    "Request",
]
