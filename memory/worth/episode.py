"""What the log holds: episodes (one turn that retrieved memories) and acts of the person."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Self


@dataclass(frozen=True, kw_only=True)
class Use:
    """One memory in one episode."""

    card: int
    weight: float = 1.0  # credit; 1 in the product, the paper's weightings in experiments
    score: float = 0.0  # retrieval score, in the ranking's own unit
    shown: bool = True  # False: a lot held it back
    used: bool | None = None  # whether the answer rests on it; None: not known
    propensity: float = 1.0  # chance with which the lot would show it; 1: no lot was drawn
    protected: bool = False  # pinned, sensitive or about safety when the turn ran

    def __post_init__(self) -> None:
        if not 0.0 < self.propensity <= 1.0:
            raise ValueError(f"propensity must lie in (0, 1]: {self.propensity}")
        if not self.shown and self.propensity == 1.0:
            raise ValueError("a memory is only held back by a lot, and then its propensity is below 1")
        if self.weight < 0:
            raise ValueError(f"weight must not be negative: {self.weight}")


@dataclass(frozen=True, kw_only=True)
class Episode:
    """One turn that retrieved memories, with how it ended."""

    id: int
    at: datetime  # aware; when the turn ran, not when it was judged
    context: str  # the kind of request as the retriever sees it
    uses: tuple[Use, ...]
    good: bool | None = None  # None: not judged (yet); changes nothing
    firm: bool = True  # the person said how it went; False: only a sign, as when a question was repeated

    def __post_init__(self) -> None:
        if len({use.card for use in self.uses}) != len(self.uses):
            raise ValueError(f"a memory stands twice in episode {self.id}")

    @property
    def credited(self) -> tuple[Use, ...]:
        """Whose outcome this is: the memories that the answer used; all shown ones where use is unknown."""
        shown = tuple(use for use in self.uses if use.shown)
        if any(use.used is not None for use in self.uses):
            return tuple(use for use in shown if use.used)
        return shown

    def without(self, card: int) -> Self:
        """The episode as the log holds it once a memory was erased."""
        return type(self)(
            id=self.id,
            at=self.at,
            context=self.context,
            uses=tuple(use for use in self.uses if use.card != card),
            good=self.good,
            firm=self.firm,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a JSON column."""
        return {
            "id": self.id,
            "at": self.at.isoformat(),
            "context": self.context,
            "good": self.good,
            "firm": self.firm,
            "uses": [asdict(use) for use in self.uses],
        }

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """The episode that `to_dict` wrote."""
        return cls(
            id=plain["id"],
            at=datetime.fromisoformat(plain["at"]),
            context=plain["context"],
            good=plain["good"],
            firm=plain.get("firm", True),
            uses=tuple(Use(**use) for use in plain["uses"]),
        )


class Move(StrEnum):
    """What a person may do about a memory's worth."""

    RESTORE = "restore"  # take it back from suppression, or end its trial in its favour
    CONFIRM = "confirm"  # "yes, still right"
    DENY = "deny"  # "no longer right": the person's word needs no trial
    PIN = "pin"  # never withhold it
    UNPIN = "unpin"


@dataclass(frozen=True, kw_only=True)
class Act:
    """One decision of the person about one memory."""

    id: int
    at: datetime  # aware
    card: int
    move: Move

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a JSON column."""
        return {"id": self.id, "at": self.at.isoformat(), "card": self.card, "move": self.move.value}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """The act that `to_dict` wrote."""
        return cls(
            id=plain["id"],
            at=datetime.fromisoformat(plain["at"]),
            card=plain["card"],
            move=Move(plain["move"]),
        )
