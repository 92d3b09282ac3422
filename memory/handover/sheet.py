"""What an agent reads first: at most twelve lines from the store, no model asked, always the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from memory import language as lang
from memory.decisions import log
from memory.decisions.schema import Keys
from memory.records import Card, Conversation, Decision, Turn, TurnState
from memory.storage import conversations, people, turns
from memory.storage import decisions as decision_rows
from memory.storage import handovers as rows
from memory.storage.handovers import Handover

MOST_LINES = 12
_MOST_CHARS = 160  # of a question or a note that was said
_TURNS = 500  # of a conversation that are looked at
_SENTENCE = re.compile(r"[^.!?\n]*\?")


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of the sheet."""

    kind: str  # decision, asked (by the assistant), open (said by the person), task, reminder
    label: str = ""  # of a decision, in the agent's language
    value: str = ""
    matter: str = ""  # "" is this conversation
    at: datetime | None = None
    turn: str = ""  # public id of the turn it comes from
    by: str = ""  # who decided: person, assistant or a name
    key: str = ""
    matter_name: str = ""  # as stored, for a change


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """What is settled and what is open."""

    person: str
    language: str
    speaker: str  # a guest who holds the phone
    rows: tuple[tuple[Line, ...], ...]  # at most twelve; where there is more to tell, several share one
    more: int  # open tasks and reminders beyond the last row


def draw(session: Session, handover: Handover, keys: Keys, *, language: str, now: datetime) -> Sheet:
    """The sheet of a conversation, in the agent's language.

    Of long-term memory it holds only what the conversation made or used.

    Args:
        now: decides which matters are still open; the words themselves do not depend on it.
    """
    owner = people.by_id(session, handover.person_id)
    conversation = conversations.by_id(session, handover.conversation_id)
    thread = turns.of_conversation(session, conversation.id, limit=_TURNS)
    decided = _decided(session, conversation, thread, now=now)
    public = turns.public_ids(session, owner.id, [each.turn_id for each in decided if each.turn_id])
    decisions = [
        _decision_line(
            each,
            keys,
            conversation,
            public,
            language=language,
            said_at=handover.requested_at,
            zone=owner.zone,
        )
        for each in _in_order(decided, keys)
    ]
    question = _open_question(session, conversation, thread)
    asked = () if question is None else ((question,),)
    todos = rows.todos(session, conversation.id, owner.id)
    packed = pack(decisions, MOST_LINES - len(asked) - bool(todos))
    room = MOST_LINES - len(packed) - len(asked)
    told = turns.public_ids(session, owner.id, [each.turn_id for each in todos if each.turn_id])
    open_todos = [
        (_todo_line(each, told, language=language, said_at=handover.requested_at),) for each in todos[:room]
    ]
    return Sheet(
        person=owner.name,
        language=owner.language,
        speaker=conversation.speaker,
        rows=(*packed, *asked, *open_todos),
        more=max(0, len(todos) - room),
    )


def pack(lines: Sequence[Line], most: int) -> tuple[tuple[Line, ...], ...]:
    """The lines in their order in at most `most` rows; short neighbours share one, of one matter first.

    Raises:
        ValueError: there is room for no row.
    """
    if most < 1:
        raise ValueError("no room for a row")
    packed: list[tuple[Line, ...]] = [(each,) for each in lines]
    while len(packed) > most:
        at = min(range(len(packed) - 1), key=lambda each: _price(*packed[each], *packed[each + 1]))
        packed[at : at + 2] = [(*packed[at], *packed[at + 1])]
    return tuple(packed)


def _price(*lines: Line) -> tuple[bool, int]:
    """What sharing a row costs: mixed matters first, then its length."""
    return len({each.matter for each in lines}) > 1, sum(len(each.label) + len(each.value) for each in lines)


def _decided(
    session: Session, conversation: Conversation, thread: Sequence[Turn], *, now: datetime
) -> list[Decision]:
    """What holds in the open matters of this conversation: begun here, decided on here, or named here."""
    here = {each.id for each in thread}
    touched = {each.matter for each in decision_rows.of_turns(session, sorted(here))}
    said = [lang.fold(each.said) for each in thread]
    for matter in decision_rows.matters(session, conversation.person_id):
        name = rf"(?<!\w){re.escape(lang.fold(matter.name))}(?!\w)"
        if matter.conversation_id == conversation.id or any(re.search(name, each) for each in said):
            touched.add(matter.name)
    return [
        each
        for each in decision_rows.current(session, conversation.person_id, now=now)
        if each.matter in touched
    ]


def _in_order(decided: Sequence[Decision], keys: Keys) -> list[Decision]:
    """By matter, and in each in the order of the keys' file."""
    order = {name: at for at, name in enumerate(keys.by_name)}
    matters = list(dict.fromkeys(each.matter for each in decided))
    return sorted(decided, key=lambda each: (matters.index(each.matter), order.get(each.key, len(order))))


def _decision_line(
    decision: Decision,
    keys: Keys,
    conversation: Conversation,
    public: dict[int, str],
    *,
    language: str,
    said_at: datetime,
    zone: str,
) -> Line:
    # Words of a date leave this year out: said as of the request, they are the same at every opening.
    try:
        label, value = log.told(keys, decision, language=language, now=said_at, zone=zone)
    except ValueError:  # the key had another type when this was decided: it stays readable
        label, value = decision.key, decision.value
    own = decision.matter == log.matter_name(conversation)
    return Line(
        kind="decision",
        label=label,
        value=value,
        matter="" if own else decision.matter,
        matter_name=decision.matter,
        at=decision.decided_at,
        turn=public.get(decision.turn_id or 0, ""),
        by=decision.decided_by,
        key=decision.key,
    )


def _open_question(session: Session, conversation: Conversation, thread: Sequence[Turn]) -> Line | None:
    """What the assistant asked last, or what the person said and nobody answered."""
    asking = rows.asking_turns(session, conversation.id)
    talk = [each for each in thread if each.id not in asking]
    if not talk:
        return None
    last = talk[-1]
    if last.answered_by is not None:
        return _question_in(last, "asked")
    if last.state in (TurnState.WITH_HUMAN, TurnState.FAILED, TurnState.INTERRUPTED):
        return Line(kind="open", value=_cut(last.said), at=last.created_at, turn=last.public_id)
    return _question_in(last, "asked")


def _question_in(turn: Turn, kind: str) -> Line | None:
    if not turn.answer.rstrip().endswith("?"):
        return None
    sentence = _SENTENCE.findall(turn.answer)[-1].strip()
    return Line(kind=kind, value=_cut(sentence), at=turn.answered_at or turn.created_at, turn=turn.public_id)


def _todo_line(card: Card, public: dict[int, str], *, language: str, said_at: datetime) -> Line:
    when = "" if card.when is None else lang.say_when(card.when, language=language, now=said_at)
    return Line(
        kind=card.category.value,
        value=_cut(card.title or card.text),
        matter=when,
        at=card.learned_at,
        turn=public.get(card.turn_id or 0, ""),
    )


def _cut(text: str) -> str:
    whole = " ".join(text.split())
    return whole if len(whole) <= _MOST_CHARS else whole[: _MOST_CHARS - 1].rstrip() + "…"
