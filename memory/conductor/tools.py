"""The tools a model may call: their arguments, typed, and what they do.

Each call is idempotent by (turn, call id): the result is stored in the transaction
of the effect, and a repeated call gives the first result. What a tool may do is
decided here, whatever the model wishes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, cached_property
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import ValidationError
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory import cards
from memory import language as lang
from memory.cards import reminders
from memory.cards.recall import Angle, CardCache, recall
from memory.conductor import agenda, deciding, handing, keeping
from memory.conductor.agenda import when_data
from memory.conductor.arguments import (
    Arguments,
    CreateCard,
    Forget,
    SearchMemory,
    SetRule,
    UpdateCard,
)
from memory.conductor.putting_off import put_off
from memory.decisions.schema import Keys
from memory.embedding import Embedder
from memory.errors import AppError, NotFound
from memory.frames import Frames
from memory.listening import Heard, own_words
from memory.llm.interface import ToolCall, ToolSpec
from memory.records import (
    Author,
    Card,
    CardStatus,
    Category,
    Conversation,
    Decision,
    Found,
    NewCard,
    Person,
    Turn,
)
from memory.storage import cards as card_rows
from memory.storage import figures as figure_rows
from memory.storage import retrievals as retrieval_rows
from memory.storage import rules as rule_rows
from memory.storage import tool_calls
from memory.storage import turns as turn_rows
from memory.storage.engine import transaction
from memory.storage.figures import Figure


@dataclass
class ToolContext:
    """What the tools of one turn work with, and what they have done so far."""

    engine: Engine
    embedder: Embedder
    cache: CardCache
    person: Person
    conversation: Conversation
    turn: Turn
    language: str
    zone: str
    clock: Callable[[], datetime]
    keys: Keys
    frames: Frames
    proposed: str = ""  # what the assistant had said last: a choice may rest on it
    said: tuple[str, ...] = ()  # the person's messages of this conversation, newest first
    known: tuple[tuple[str, str], ...] = ()  # names and relations of people told about
    made: list[Card] = field(default_factory=list)
    changed: list[Card] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    decided: list[Decision] = field(default_factory=list)
    short_ids: dict[str, Card] = field(default_factory=dict)
    searches: int = 0
    pending: dict[str, Any] = field(default_factory=dict)
    speaker_changed: bool = False

    def copy(self) -> ToolContext:
        """The same, for a call that may be rolled back."""
        copied = replace(
            self,
            made=list(self.made),
            changed=list(self.changed),
            found=list(self.found),
            decided=list(self.decided),
            short_ids=dict(self.short_ids),
        )
        if "heard" in self.__dict__:  # what was heard does not change with a call: listen once a turn
            copied.heard = self.heard
        return copied

    @cached_property
    def heard(self) -> Heard:
        """What the shipped listener hears in this turn; asked for once."""
        return keeping.hear(self.turn, known=self.known, previous=self.said[1] if len(self.said) > 1 else "")

    @property
    def guest(self) -> bool:
        """Whether a guest holds the phone."""
        return bool(self.conversation.speaker)


# What leaves something behind: refused where nothing is kept. To forget is not to keep.
_KEEPING = frozenset(
    {"create_card", "update_card", "set_rule", "record_decision", "withdraw_decision", "close_matter"}
)

Run = Callable[[Session, ToolContext, Any, datetime], dict[str, Any]]


def run_tool(context: ToolContext, call: ToolCall) -> dict[str, Any]:
    """Run one call and give its result, or an error that the model can read and act on.

    Nothing raised by bad arguments or a refused change leaves this function; an
    outage of the database does.
    """
    known = TOOLS.get(call.name)
    if known is None:
        return {
            "ok": False,
            "error": f"there is no tool named {call.name[:60]!r}; there are {', '.join(TOOLS)}",
        }
    if call.malformed:
        return {"ok": False, "error": "the arguments were not a JSON object"}
    try:
        arguments = known.arguments.model_validate(call.arguments)
    except ValidationError as error:
        return {"ok": False, "error": _plain(error)}
    now = context.clock()
    with transaction(context.engine) as session:
        before = tool_calls.result_of(session, context.turn.id, call.call_id)
        if before is not None:
            return before
        try:
            if context.conversation.private and call.name in _KEEPING:
                result = {"ok": False, "error": "this is a private conversation: nothing is kept"}
            else:
                with session.begin_nested():
                    result = known.run(session, context, arguments, now)
        except AppError as error:
            result = {"ok": False, "error": error.message}
        tool_calls.save(
            session, context.turn.id, call.call_id, name=call.name, result=_kept(call.name, result), now=now
        )
    return result


def _kept(name: str, result: dict[str, Any]) -> dict[str, Any]:
    """What is stored of a result: searches can be run again, and their text belongs to the cards."""
    return {"ok": True, "searched": True} if name == "search_memory" else result


def _plain(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(str(part) for part in each['loc'])}: {each['msg']}" for each in error.errors()
    )


def _create(session: Session, context: ToolContext, told: CreateCard, now: datetime) -> dict[str, Any]:
    if deciding.is_decided(context, told.text, now=now):
        return {"ok": True, "outcome": "decided", "visible": False, "superseded": [], "when": None}
    when = told.when.when(context.zone) if told.when is not None else None
    if not keeping.rests_on(
        told.text,
        said=context.said,
        language=context.language,
        known=context.known,
        when=when,
        people=told.people,
    ):
        figure_rows.add(session, Figure.REFUSED, now=now)
        return {"ok": False, "error": "this does not stand in the person's own words"}
    wished = Category(told.category)
    heard = keeping.same_thing(told.text, context.heard, wished=wished, when=when)
    category = keeping.true_category(wished, heard)
    when = when or (heard.when if heard is not None else None)
    if category is Category.REMINDER and (when is None or when.all_day):
        return {"ok": False, "error": "a reminder needs a day and an hour: ask for what is missing"}
    if category is Category.REMINDER and reminders.first_due(category, when, now=now) is None:
        return {"ok": False, "error": "this moment has passed: ask for another"}
    if (
        when is not None
        and category in _NEEDS_NAMED_MOMENT
        and not keeping.has_moment(
            context.said, language=context.language, now=now.astimezone(ZoneInfo(context.zone))
        )
    ):
        if category is Category.REMINDER:
            return {"ok": False, "error": "the person named no time: ask for it"}
        when = None
    old: list[Card] = []
    if told.supersedes:
        card = _own(session, context, told.supersedes)
        if _may_change(context, card):
            old.append(card)
    subject = told.subject or (context.conversation.speaker if category is Category.FACT else "")
    people = tuple(told.people)
    if context.guest and category is Category.EVENT and context.conversation.speaker not in people:
        people = (
            *people,
            context.conversation.speaker,
        )  # who holds the phone takes part
    new = NewCard(
        category=category,
        text=told.text,
        title=told.title,
        subject=subject,
        relation=told.relation,
        attribute=told.attribute,
        value=told.value,
        people=people,
        language=context.language,
        author=Author.GUEST if context.guest else Author.OWNER,
        speaker=context.conversation.speaker,
        sensitive=told.sensitive,
        consult=told.consult,
        when=when,
        turn_id=context.turn.id,
        conversation_id=context.conversation.id,
        device_id=context.turn.device_id,
    )
    kept = cards.remember(session, context.person, new, embedder=context.embedder, now=now, replaces=old)
    (context.changed if kept.outcome is cards.Outcome.MERGED else context.made).append(kept.card)
    figure_rows.add(session, _COUNTED[kept.outcome], now=now)
    return {
        "ok": True,
        "card": kept.card.public_id,
        "outcome": kept.outcome.value,
        "visible": kept.card.visible,
        "superseded": [each.text for each in kept.replaced],
        "when": when_data(kept.card.when),
    }


# What rings, and what holds without a moment: none is kept that the person did not name. An event may take
# its day from what is known ("on her birthday").
_NEEDS_NAMED_MOMENT = (Category.REMINDER, Category.FACT, Category.PERSON, Category.MEMO)
_COUNTED = {
    cards.Outcome.CREATED: Figure.CARDS,
    cards.Outcome.MERGED: Figure.DUPLICATES,
    cards.Outcome.SUPERSEDED: Figure.SUPERSEDED,
}


def _update(session: Session, context: ToolContext, told: UpdateCard, now: datetime) -> dict[str, Any]:
    card = _own(session, context, told.card)
    if not _may_change(context, card):
        return {"ok": False, "error": "a guest cannot change this"}
    if told.snooze_minutes is not None or told.skip:
        changed, result = put_off(
            session, card, minutes=told.snooze_minutes, day=told.skip_on, zone=context.zone, now=now
        )
        context.changed.append(changed)
        return result
    if told.status is not None:
        ended = (
            cards.tick(session, card, now=now)
            if told.status == "done"
            else cards.complete(session, card, CardStatus.CANCELLED, now=now)
        )
        return {"ok": ended, "card": card.public_id, "text": card.text, "status": told.status}
    changed = cards.edit(
        session,
        context.person,
        card,
        embedder=context.embedder,
        now=now,
        text=told.text,
        title=told.title,
        value=told.value,
        people=told.people,
        when=told.when.when(context.zone) if told.when is not None else None,
    )
    context.changed.append(changed)
    return {"ok": True, "card": changed.public_id, "text": changed.text, "when": when_data(changed.when)}


def _forget(session: Session, context: ToolContext, told: Forget, now: datetime) -> dict[str, Any]:
    chosen = [_own(session, context, each) for each in told.cards]
    allowed = [card for card in chosen if _may_change(context, card)]
    if len(allowed) < len(chosen):
        return {"ok": False, "error": "a guest cannot forget what is the owner's"}
    forgotten = cards.forget(session, allowed, now=now)
    # The request names what is to be forgotten: it must not give it back either.
    turn_rows.withhold(session, [context.turn.id], withheld=True)
    figure_rows.add(session, Figure.FORGOTTEN, forgotten, now=now)
    return {"ok": True, "forgotten": forgotten}


def _search(session: Session, context: ToolContext, told: SearchMemory, now: datetime) -> dict[str, Any]:
    context.searches += 1
    found = recall(
        session,
        person=context.person,
        angles=[Angle(kind=each.kind, query=each.query, names=tuple(each.names)) for each in told.angles],
        guest=context.guest,
        now=now,
        embedder=context.embedder,
        cache=context.cache,
        language=context.language,
        turn_id=context.turn.id,
    )
    if not context.conversation.private:
        logged = (*found.found, *found.withheld)
        retrieval_rows.log(session, context.person.id, context.turn.id, logged, now=now)
    hits = []
    for hit in found.found:
        short = next((name for name, card in context.short_ids.items() if card.id == hit.card.id), "")
        if not short:
            short = f"c{len(context.short_ids) + 1}"
            context.short_ids[short] = hit.card
            context.found.append(hit)
        hits.append(_hit(hit, short, context, now))
    if told.agenda:
        hits = _with_agenda(session, context, hits, now)
    here = ZoneInfo(context.zone)
    talks = [
        {
            "said": talk.turn.said[:600],
            "answer": talk.turn.answer[:600],
            "speaker": talk.turn.speaker,
            "at": talk.turn.created_at.astimezone(here).isoformat(timespec="minutes"),
            "ago": lang.ago(now - talk.turn.created_at, context.language),
            "score": round(talk.score, 4),
        }
        for talk in found.talks
        if told.talks and talk.turn.id != context.turn.id
    ]
    return {"ok": True, "cards": hits, "talks": talks}


def _with_agenda(
    session: Session, context: ToolContext, hits: list[dict[str, Any]], now: datetime
) -> list[dict[str, Any]]:
    """Hits, and after them what is still to be done or to come; a hit that is both says when it rings."""
    open_ = {
        entry["id"]: entry
        for entry in agenda.entries(
            session,
            context.person.id,
            guest=context.guest,
            zone=context.zone,
            language=context.language,
            now=now,
        )
    }
    return [{**open_.pop(hit["id"], {}), **hit} for hit in hits] + list(open_.values())


def _hit(hit: Found, short: str, context: ToolContext, now: datetime) -> dict[str, Any]:
    card = hit.card
    return {
        "id": card.public_id,
        "short": short,
        "category": card.category.value,
        "text": card.text,
        "title": card.title,
        "subject": card.subject,
        "speaker": card.speaker,
        "relation": card.relation,
        "attribute": card.attribute,
        "value": card.value,
        "people": list(card.people),
        "language": card.language,
        "when": when_data(card.when),
        "learned": card.learned_at.astimezone(ZoneInfo(context.zone)).isoformat(timespec="minutes"),
        "ago": lang.ago(now - card.learned_at, context.language),
        "score": round(hit.score, 4),
        "relevant": hit.relevant,
        "suspect": hit.suspect,
        "angles": list(hit.angles),
        "because": hit.because,
    }


def _rule(session: Session, context: ToolContext, told: SetRule, now: datetime) -> dict[str, Any]:
    if context.guest:
        return {"ok": False, "error": "only the owner sets rules"}
    if not _is_own_word(told.text, context.turn.said):
        return {"ok": False, "error": "a rule must be in the person's own words of this message"}
    known = rule_rows.of_person(session, context.person.id)
    for rule in known:
        if lang.fold(rule.text) == lang.fold(told.text):
            return {"ok": True, "rule": rule.public_id, "known": True}
    rule = rule_rows.add(session, context.person.id, told.text, now=now, turn_id=context.turn.id)
    return {"ok": True, "rule": rule.public_id}


def _is_own_word(text: str, said: str) -> bool:
    """Whether a text rests on the person's own words, pasted blocks apart."""
    words = set(lang.words(lang.fold(text)))
    own = set(lang.words(lang.fold(own_words(said))))
    return bool(words) and len(words & own) >= 0.6 * len(words)


def _own(session: Session, context: ToolContext, name: str) -> Card:
    """A card by its public or its short id; only active ones can be touched.

    Raises:
        NotFound: there is none.
    """
    short = context.short_ids.get(name)
    card = card_rows.by_public_id(session, context.person.id, short.public_id if short else name)
    if card.status is not CardStatus.ACTIVE:
        raise NotFound("card", name)
    return card


def _may_change(context: ToolContext, card: Card) -> bool:
    return not context.guest or card.author is Author.GUEST


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool's arguments and what it does."""

    arguments: type[Arguments]
    run: Run


TOOLS: Mapping[str, Tool] = {
    "create_card": Tool(arguments=CreateCard, run=_create),
    "update_card": Tool(arguments=UpdateCard, run=_update),
    "forget": Tool(arguments=Forget, run=_forget),
    "search_memory": Tool(arguments=SearchMemory, run=_search),
    "set_rule": Tool(arguments=SetRule, run=_rule),
    "set_speaker": Tool(arguments=handing.SetSpeaker, run=handing.set_speaker),
    "ask_back": Tool(arguments=handing.AskBack, run=handing.ask_back),
    "ask_for_human": Tool(arguments=handing.AskForHuman, run=handing.ask_for_human),
    "record_decision": Tool(arguments=deciding.RecordDecision, run=deciding.record),
    "withdraw_decision": Tool(arguments=deciding.WithdrawDecision, run=deciding.withdraw),
    "list_decisions": Tool(arguments=deciding.ListDecisions, run=deciding.listed),
    "close_matter": Tool(arguments=deciding.CloseMatter, run=deciding.close),
}


@cache
def specs() -> tuple[ToolSpec, ...]:
    """All tools as a model sees them."""
    return tuple(
        ToolSpec(
            name=name,
            description=(tool.arguments.__doc__ or "").strip(),
            parameters=tool.arguments.model_json_schema(),
        )
        for name, tool in TOOLS.items()
    )
