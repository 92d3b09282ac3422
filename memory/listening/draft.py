"""What has been heard of a message so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memory.listening.heard import Act, Candidate
from memory.listening.subjects import Subject
from memory.listening.tokens import Piece


@dataclass
class Draft:
    """What has been heard so far; becomes a Heard."""

    acts: set[Act] = field(default_factory=set)
    candidates: list[Candidate] = field(default_factory=list)
    fields: dict[str, Any] = field(default_factory=dict)
    subject: Subject = field(default_factory=Subject)
    last: Piece | None = None  # the sentence before
    correcting: bool = False
    unsure: bool = False  # something was said that is not surely nothing
