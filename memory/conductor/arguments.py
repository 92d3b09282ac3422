"""What the tools of memory take: typed, so that a model's slip ends in a message it can act on."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from memory.records import When


class Arguments(BaseModel):
    """Arguments of a tool; what is not known is ignored, not an error."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)


class Moment(Arguments):
    """A moment in the person's wall-clock time."""

    start: datetime = Field(description="local time without offset, e.g. 2026-06-11T15:00")
    all_day: bool = False
    end: datetime | None = None
    rrule: str | None = Field(None, description="RFC 5545 recurrence rule without DTSTART")

    @field_validator("start", "end")
    @classmethod
    def _wall_clock(cls, value: datetime | None) -> datetime | None:
        return None if value is None else value.replace(tzinfo=None, second=0, microsecond=0)

    def when(self, zone: str) -> When:
        """The moment with its zone."""
        return When(start=self.start, zone=zone, all_day=self.all_day, end=self.end, rrule=self.rrule or None)


class CreateCard(Arguments):
    """Keep one distinct thing. One call for each; never merge two, never drop one."""

    category: Literal["fact", "person", "event", "memo", "task", "reminder"]
    text: str = Field(description="in the person's own language and words; codes exactly as given")
    title: str = ""
    subject: str = Field("", description="whom it is about: empty for the person, else a name or relation")
    relation: str = Field("", description="persons: what they are to the person, as it was said")
    attribute: str = Field("", description="stable key such as name, age, home, job, code:gate")
    value: str = ""
    people: list[str] = Field(default_factory=list, description="names of the people in it")
    when: Moment | None = Field(None, description="events, reminders, tasks with a due day")
    sensitive: bool = False
    consult: bool = Field(False, description="the person wants to look it up later")
    supersedes: str = Field("", description="id of the card that this corrects")


class UpdateCard(Arguments):
    """Change a card: another text, another moment, put off, done or cancelled.

    "done" on something that recurs is today's occurrence; "cancelled" ends the series.
    """

    card: str
    text: str | None = None
    title: str | None = None
    value: str | None = None
    people: list[str] | None = None
    when: Moment | None = None
    status: Literal["done", "cancelled"] | None = None
    snooze_minutes: int | None = Field(
        None, ge=1, le=527_040, description="ring again after this many minutes; a series stays as it is"
    )
    skip: bool = Field(False, description="leave out the next occurrence of something that recurs")
    skip_on: date | None = Field(None, description="with skip: that of this day instead of the next")


class Forget(Arguments):
    """Forget cards. Search first; ask which when several match."""

    cards: list[str]


class SearchAngle(Arguments):
    """One angle of a search."""

    kind: Literal["person", "theme", "meaning"] = "meaning"
    query: str
    names: list[str] = Field(default_factory=list)


class SearchMemory(Arguments):
    """Search from up to three angles at once: the person, the theme, the meaning."""

    angles: list[SearchAngle] = Field(min_length=1, max_length=3)
    talks: bool = Field(True, description="also search earlier conversations")
    agenda: bool = Field(False, description="also everything that is still to be done or to come")


class SetRule(Arguments):
    """Keep a standing wish about how to answer, in the person's own words."""

    text: str = Field(min_length=1, max_length=500)
