"""A person in a piece of a message."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mention:
    """A person in a piece: words `first` to before `last`."""

    first: int
    last: int
    name: str = ""  # as written, capitals restored; "" when only the relation was said
    relation: str = ""  # as said, without possessive
    key: str = ""  # the relation's stable key
    owner: str = "self"  # whose relation: "self", "other" ("his sister"), "" for a bare name
    known: bool = False  # the owner had told of this name before
    named: bool = False  # the sentence itself says the name ("is called Claire")
    plural: bool = False
    apart: tuple[int, int] = (
        0,
        0,
    )  # the name's place, when words are between
