"""What a moment is read against: now, where, and whether it is a plan or a tale."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date as Date
from datetime import datetime
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

from memory.language.times.grammar import Grammar

MONTH_FIRST = frozenset({"US", "PR", "GU", "VI", "AS", "MP", "FM", "MH", "PW"})
DAY_FIRST_ENGLISH = frozenset(
    {
        "GB",
        "IE",
        "AU",
        "NZ",
        "IN",
        "ZA",
        "NG",
        "KE",
        "GH",
        "SG",
        "MT",
        "JM",
        "PK",
        "BD",
        "GI",
        "IM",
        "JE",
        "GG",
    }
)


@dataclass(frozen=True)
class Anchor:
    """The moment told before in the same sentence."""

    at: datetime | None  # naive; midnight when no hour was told
    timed: bool = False
    denied: bool = False  # a "not" stands before it: what follows takes its place
    sentence: int = -1
    supposed: bool = False  # only its day of the month was told


NO_ANCHOR = Anchor(None)


@dataclass(frozen=True)
class Context:
    """Everything outside the text that decides a reading."""

    now: datetime  # naive wall clock of the person
    instant: datetime  # the same moment, aware
    grammar: Grammar
    past: bool  # the sentence tells of the past
    on: Date | None = None  # the day an hour without a day belongs to
    evening: bool = False  # words around speak of an evening ("dinner")
    morning: bool = False
    before_eleven: bool = False  # words around speak of what an evening has no later than ten ("choir")
    anchor: Anchor = NO_ANCHOR

    @property
    def today(self) -> Date:
        return self.now.date()

    @property
    def month_first(self) -> bool:
        order = self.grammar.settings["order"]
        return order == "mdy" or (order == "region" and country(self.instant) in MONTH_FIRST)

    @property
    def order_is_sure(self) -> bool:
        """False in English where the zone does not tell which of the two orders people use."""
        if self.grammar.settings["order"] != "region":
            return True
        place = country(self.instant)
        return place in MONTH_FIRST or place in DAY_FIRST_ENGLISH


def country(instant: datetime) -> str:
    """ISO code of the first country of a moment's IANA zone; "" when it is not a place's zone."""
    zone = instant.tzinfo
    return _countries().get(zone.key, "") if isinstance(zone, ZoneInfo) and zone.key else ""


@cache
def _countries() -> dict[str, str]:
    table: dict[str, str] = {}
    text = (resources.files("tzdata.zoneinfo") / "zone.tab").read_text(encoding="utf-8")
    for line in text.splitlines():
        fields = line.split("\t")
        if not line.startswith("#") and len(fields) >= 3:
            table[fields[2]] = fields[0]
    table.update(
        {f"US/{name}": "US" for name in ("Eastern", "Central", "Mountain", "Pacific", "Alaska", "Hawaii")}
    )
    return table
