"""The nouns that cross rooms. Frozen, without behaviour that needs a database.

Ids: `id` never leaves storage and the jobs; outside, a record is known by its
random `public_id`, so that no gap in numbers tells of what was kept in silence.
All times are aware and in UTC; wall-clock times are naive and stand beside
their IANA zone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    """What an account may do. An operator is a person too."""

    PERSON = "person"
    AGENT = "agent"
    OPERATOR = "operator"


class Category(StrEnum):
    """The seven kinds of memory."""

    FACT = "fact"
    PERSON = "person"
    EVENT = "event"
    MEMO = "memo"
    TASK = "task"
    REMINDER = "reminder"
    THEME = "theme"


class Nature(StrEnum):
    """How a category is remembered: what is known, lived, to do, or a theme over others."""

    KNOWN = "known"
    LIVED = "lived"
    TO_DO = "to_do"
    THEME = "theme"


NATURE: dict[Category, Nature] = {
    Category.FACT: Nature.KNOWN,
    Category.PERSON: Nature.KNOWN,
    Category.EVENT: Nature.LIVED,
    Category.MEMO: Nature.LIVED,
    Category.TASK: Nature.TO_DO,
    Category.REMINDER: Nature.TO_DO,
    Category.THEME: Nature.THEME,
}


class CardStatus(StrEnum):
    """Where a card is in its life. Only ACTIVE ones are served."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"  # a newer card holds the value
    DONE = "done"  # a task or reminder that is over
    CANCELLED = "cancelled"  # a task, reminder or event that was called off
    FORGOTTEN = "forgotten"  # waits for its undo to run out; then the row goes


class Author(StrEnum):
    """Who put a card there."""

    OWNER = "owner"
    GUEST = "guest"
    AGENT = "agent"
    VERIFIER = "verifier"
    IMPORT = "import"
    TIDY = "tidy"


class TurnState(StrEnum):
    """One turn's way. ANSWERED, STOPPED, INTERRUPTED, FAILED and WITH_HUMAN are ends."""

    WAITING = "waiting"  # written, not yet claimed
    RUNNING = "running"  # claimed by a process that holds the lease
    ANSWERED = "answered"
    STOPPED = "stopped"  # the person stopped it; the partial answer is kept
    INTERRUPTED = "interrupted"  # the process died
    FAILED = "failed"  # the model or a part failed; the answer says so
    WITH_HUMAN = "with_human"  # went to the human agent; the assistant was not asked


ENDED = frozenset(
    {
        TurnState.ANSWERED,
        TurnState.STOPPED,
        TurnState.INTERRUPTED,
        TurnState.FAILED,
        TurnState.WITH_HUMAN,
    }
)


@dataclass(frozen=True, kw_only=True)
class Person:
    """An account: who signs in, in which language and zone."""

    id: int
    public_id: str
    email: str
    name: str
    role: Role
    language: str  # one of config.LANGUAGES
    zone: str  # IANA
    created_at: datetime
    session_epoch: int  # raised by "sign out everywhere"
    version: int  # raised by every change to the person's cards: caches compare it


@dataclass(frozen=True, kw_only=True)
class Device:
    """One browser of a person, known by a random id it keeps."""

    id: int
    public_id: str
    person_id: int
    label: str
    last_seen_at: datetime


@dataclass(frozen=True, kw_only=True)
class When:
    """A moment as a person means it: wall-clock time in their zone, perhaps recurring."""

    start: datetime  # naive wall clock; midnight when `all_day`
    zone: str  # IANA
    all_day: bool = False
    end: datetime | None = None  # naive wall clock
    rrule: str | None = None  # RFC 5545 recurrence rule, without DTSTART
    exdates: tuple[datetime, ...] = ()  # naive starts of occurrences that are left out, ascending

    @property
    def is_month(self) -> bool:
        """Whether a whole month is meant ("in July"), and not its first day."""
        if not self.all_day or self.end is None or self.start.day != 1:
            return False
        last = self.end - timedelta(microseconds=1) if self.end.day == 1 else self.end
        same = (last.year, last.month) == (self.start.year, self.start.month)
        return same and (last + timedelta(days=1)).month != last.month


@dataclass(frozen=True, kw_only=True)
class Card:
    """One remembered statement, and where it came from."""

    id: int
    public_id: str
    person_id: int
    category: Category
    text: str  # the person's own language and words
    title: str = ""
    subject: str = ""  # whom it is about: "" is the owner, else a name or a relation
    relation: str = ""  # persons: what they are to the owner ("wife"), as it was said
    attribute: str = ""  # stable key for supersede ("name", "age", "code:gate"); "" is none
    value: str = ""
    people: tuple[str, ...] = ()
    language: str = "en"
    author: Author = Author.OWNER
    speaker: str = ""  # the guest's name when a guest said it
    visible: bool = False
    sensitive: bool = False
    pinned: bool = False
    status: CardStatus = CardStatus.ACTIVE
    supersedes_id: int | None = None
    turn_id: int | None = None
    conversation_id: int | None = None
    device_id: int | None = None
    when: When | None = None
    learned_at: datetime
    mentioned_at: datetime
    valid_until: datetime | None = None
    due_at: datetime | None = None  # UTC instant of the next firing, reminders only
    version: int = 1


@dataclass(frozen=True, kw_only=True)
class NewCard:
    """What a caller of `cards.remember` knows about a card that does not exist yet."""

    category: Category
    text: str
    title: str = ""
    subject: str = ""
    relation: str = ""
    attribute: str = ""
    value: str = ""
    people: tuple[str, ...] = ()
    language: str = "en"
    author: Author = Author.OWNER
    speaker: str = ""
    sensitive: bool = False
    consult: bool = False  # the person wants to look it up later: makes a past event visible
    when: When | None = None
    turn_id: int | None = None
    conversation_id: int | None = None
    device_id: int | None = None


class LinkKind(StrEnum):
    """Why two cards belong together."""

    MENTIONS = "mentions"  # the people field or a name
    SAME_TURN = "same_turn"
    SIMILAR = "similar"
    THEME = "theme"
    SUPERSEDES = "supersedes"


@dataclass(frozen=True, kw_only=True)
class Link:
    """A thread between two cards. Stored once, `a_id < b_id`, read from both ends."""

    a_id: int
    b_id: int
    kind: LinkKind
    weight: float  # 0..1
    reason: str


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """One thread with its declared speaker. At most one is open for each person."""

    id: int
    public_id: str
    person_id: int
    opened_at: datetime
    last_exchange_at: datetime
    archived_at: datetime | None
    speaker: str  # "" is the owner; else the guest who holds the phone
    speaker_relation: str
    private: bool
    handled_by: int | None  # the agent's person id while a human holds it
    summary: str
    pending: dict[str, Any]  # the question the assistant waits on, e.g. a reminder without an hour
    turns: int


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One exchange: what was said, what was answered, and how it went."""

    id: int
    public_id: str
    conversation_id: int
    person_id: int
    client_id: str
    device_id: int | None
    screen: str  # the page that asked
    zone: str
    speaker: str  # "" is the owner
    said: str
    answer: str
    state: TurnState
    created_at: datetime
    answered_at: datetime | None
    language: str
    superseded: bool  # edited or regenerated: out of every excerpt
    replaces_id: int | None = None
    answered_by: int | None = None  # a human agent's person id
    cut_off: bool = False  # a human took over in the middle of the answer
    feedback: int = 0  # 1 helpful, -1 not helpful, 0 none
    kept: tuple[str, ...] = ()  # public ids of visible cards this turn made
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class TurnContext:
    """What depends on the connection; comes with each turn, never built into the conductor."""

    screen: str  # random id of the page that asked: cards open only there
    device_id: int | None
    zone: str
    language: str


@dataclass(frozen=True, kw_only=True)
class Found:
    """One result of recall, with why it was found."""

    card: Card
    score: float
    angles: tuple[str, ...]  # which searches brought it: "person", "theme", "meaning", "link"
    because: str = ""
    relevant: bool = True  # False: near, but no answer by the rule of relevance
    suspect: bool = False  # its worth is in doubt: say it with its date and ask
    propensity: float = 1.0  # the chance with which it was shown, when lots were drawn
    withheld: bool = False
    protected: bool = False  # pinned, sensitive or about safety: never withheld
    context: str = ""  # kind of request, as the retriever sees it


@dataclass(frozen=True, kw_only=True)
class TranscriptHit:
    """One exchange of an earlier talk that matches a question."""

    turn: Turn
    conversation: Conversation
    score: float


@dataclass(frozen=True, kw_only=True)
class Decision:
    """One entry of the decision log."""

    id: int
    person_id: int
    matter: str
    key: str
    value: str
    decided_at: datetime
    turn_id: int | None
    decided_by: str  # "assistant", "person" or the agent's name
    active: bool
    supersedes_id: int | None = None
    withdrawn_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A personal rule in the person's own words, such as "answer briefly"."""

    id: int
    public_id: str
    person_id: int
    text: str
    created_at: datetime
    turn_id: int | None = None
