"""The answer of the listener: what one message holds, before anything is stored."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memory.records import Category, When


class Act(StrEnum):
    """What the person does with a message as a whole. The first that fits, in this order."""

    FORGET = "forget"  # take something out of memory
    CANCEL = "cancel"  # call off, tick off or move something that is to be done
    ANSWER = "answer"  # fills the question the assistant had asked (a time, a yes, a choice)
    QUESTION = "question"  # asks for something remembered
    LAST_TALK = "last_talk"  # "what did we talk about last time?" and its cousins
    WHAT_DO_YOU_KNOW = "what_do_you_know"  # "what do you know about me / about Claire?"
    REQUEST = "request"  # asks for work: a recipe, a text, a summary, general knowledge
    TELL = "tell"  # tells something worth keeping
    GREETING = "greeting"
    THANKS = "thanks"
    SMALL_TALK = "small_talk"


@dataclass(frozen=True, kw_only=True)
class KnownPerson:
    """A person the owner already told about; lets the listener find names in lower case."""

    name: str
    relation: str = ""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One thing worth keeping, and the words it rests on."""

    category: Category
    text: str  # what to keep: the person's language and words, relative dates made absolute
    span: tuple[int, int]  # start and end in the message
    subject: str = ""  # "" is the speaker; else a name or a relation ("sister")
    relation: str = ""  # what a named person is to the speaker, as it was said
    attribute: str = ""  # language-free key: "name", "age", "home", "job", "diet", "likes:coriander" ...
    value: str = ""
    people: tuple[str, ...] = ()
    title: str = ""
    when: When | None = None
    missing_time: bool = False  # a reminder whose hour must be asked for; `when` holds the date
    consult: bool = False  # the person wants to look it up later
    sensitive: bool = False  # codes, numbers, identifiers, health
    negated: bool = False  # "no longer", "not": supersedes what it denies
    why: str = ""  # the rule or table row that fired, for people who ask


@dataclass(frozen=True, kw_only=True)
class Correction:
    """The person puts something right: `wrong` out, `right` in."""

    right: str = ""
    wrong: str = ""
    subject: str = ""
    attribute: str = ""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question to memory, taken apart for search."""

    topic: str  # the words that carry meaning, without question words
    names: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    attribute: str = ""  # what is asked for: "name", "age", "when", "where", "phone" ... or ""
    about_speaker: bool = False


@dataclass(frozen=True, kw_only=True)
class Forgetting:
    """What is to be forgotten, in the person's words."""

    topic: str
    everything: bool = False


@dataclass(frozen=True, kw_only=True)
class Request:
    """Work asked for, or something done to an existing item."""

    verb: str  # "cancel", "move", "done", "snooze", "skip", "other_one", or "" for open work
    topic: str = ""
    when: When | None = None


@dataclass(frozen=True, kw_only=True)
class Heard:
    """Everything one message holds."""

    text: str
    language: str
    acts: tuple[Act, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    question: Question | None = None
    forgetting: Forgetting | None = None
    correction: Correction | None = None
    request: Request | None = None
    when: When | None = None  # a bare time that answers a question
    has_time: bool = False  # whether `when` names an hour
    yes_no: bool | None = None
    speaker_change: str | None = None  # a guest's name; "" when the owner is back
    speaker_relation: str = ""
    rule: str = ""  # a standing instruction for the assistant ("always answer briefly")
    wants_human: bool = False
    asks_if_kept: bool = False  # "did you save that?": the answer may say so
    surely_nothing: bool = False  # greeting, thanks or bare question: the verifier is skipped
