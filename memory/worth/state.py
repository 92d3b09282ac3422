"""What is known of one memory's worth: frozen, small, and storable as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, Self


class Status(StrEnum):
    """Where a memory stands. Only SUPPRESSED and DEPRECATED ones are not offered unasked."""

    UNPROVEN = "unproven"  # too few uses to say anything
    NEUTRAL = "neutral"  # serves as expected, or too little is certain
    TRUSTED = "trusted"  # surely better than its contexts let expect
    SUSPECT = "suspect"  # on trial; still retrieved
    REVIEW = "review"  # would be a suspect, but is protected: a person decides
    SUPPRESSED = "suppressed"  # convicted by a trial or by the person; reversible
    DEPRECATED = "deprecated"  # suppressed for long on strict evidence: proposed for forgetting


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A randomised comparison: how do episodes go with and without the suspect?"""

    shown: int = 0  # episodes with a lot drawn in which it was shown
    shown_good: int = 0
    withheld: int = 0  # episodes with a lot drawn in which it was held back
    withheld_good: int = 0
    u: float = 0.0  # score: sum of (shown - propensity) * (outcome - trial's mean so far)
    v: float = 0.0  # variance of u under the lots, if the suspect makes no difference

    @property
    def episodes(self) -> int:
        """How many episodes had a lot drawn."""
        return self.shown + self.withheld


class Companion(NamedTuple):  # made seven times a use, so as light as can be
    """What a memory shared with one other: uses in which both were credited. Ordered by uses, then id."""

    uses: int
    card: int
    good: int = 0
    expected: float = 0.0


@dataclass(frozen=True, kw_only=True)
class WorthState:
    """All counters of one memory. The audit counters only grow; the rest follows the regime."""

    # Audit: the paper's counters, over all time.
    h_plus: float = 0.0  # weight of the episodes that ended well
    h_minus: float = 0.0  # weight of those that ended badly
    uses: int = 0
    good: int = 0
    run: int = 0  # how many uses in a row ended alike; negative while they fail
    # Failures since it last served in which no other memory was used: two for each that the person named,
    # one for each of which there was only a sign; 0 after a "yes, still right".
    doubts: int = 0
    confirmed: int = 0  # how often the person said that it is still right
    denied: bool = False  # the person's last word was that it is not

    # The current regime and the detector (`estimator.Regime`).
    s: float = 0.0
    n: float = 0.0
    e: float = 0.0
    c: float = 0.0
    s1: float = 0.0
    n1: float = 0.0
    e1: float = 0.0
    changes: int = 0  # how often the detector has alarmed

    # Company, since the regime began.
    shared_uses: int = 0
    shared_good: int = 0
    shared_expected: float = 0.0
    companions: tuple[Companion, ...] = ()

    status: Status = Status.UNPROVEN
    since: datetime | None = None  # when the status was taken
    trial: Trial | None = None  # open while SUSPECT; while SUPPRESSED it counts the uses since
    protected: bool = False  # pinned, sensitive or about safety: never withheld

    def fresh_start(self) -> Self:
        """Forget the regime and its company, keep the audit: after an exoneration or a restoration."""
        return replace(
            self,
            s=0.0,
            n=0.0,
            e=0.0,
            c=0.0,
            s1=0.0,
            n1=0.0,
            e1=0.0,
            shared_uses=0,
            shared_good=0,
            shared_expected=0.0,
            companions=(),
            trial=None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a JSON column."""
        plain = asdict(self)
        plain["companions"] = [companion._asdict() for companion in self.companions]
        plain["since"] = self.since.isoformat() if self.since else None
        plain["status"] = self.status.value
        return plain

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """The state that `to_dict` wrote; keys of a newer version are left out."""
        known = {field.name for field in fields(cls)}
        values = {key: value for key, value in plain.items() if key in known}
        values["companions"] = tuple(Companion(**companion) for companion in values.get("companions", ()))
        values["status"] = Status(values.get("status", Status.UNPROVEN))
        values["since"] = datetime.fromisoformat(values["since"]) if values.get("since") else None
        values["trial"] = Trial(**values["trial"]) if values.get("trial") else None
        return cls(**values)
