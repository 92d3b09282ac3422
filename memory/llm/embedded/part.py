"""What the answer is made of: parts, each with its tool calls and its words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.llm.embedded.scene import Scene


@dataclass(frozen=True)
class Wanted:
    """A tool call that a part asks for."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


def searching(angles: Sequence[dict[str, Any]], *, talks: bool = False, agenda: bool = False) -> Wanted:
    """A search of memory from up to three angles; of earlier talks and the agenda only where wanted."""
    wanted = {"angles": list(angles), "talks": talks}
    return Wanted("search_memory", {**wanted, "agenda": True} if agenda else wanted)


def nothing(scene: Scene) -> Sequence[Wanted]:
    """No calls."""
    return ()


@dataclass(frozen=True)
class Part:
    """One kind of thing a message can hold, and what to do about it.

    `first` calls depend on the message alone, `second` calls on what the first
    ones brought; `text` is what to say at the end, "" for nothing. A part that
    `takes_all` leaves no room for the ones after it.
    """

    name: str
    wanted: Callable[[Scene], bool]
    text: Callable[[Scene], str]
    first: Callable[[Scene], Sequence[Wanted]] = nothing
    second: Callable[[Scene], Sequence[Wanted]] = nothing
    takes_all: bool = False
