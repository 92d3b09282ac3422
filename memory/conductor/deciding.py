"""The tools that record decisions. What a model may write down is decided by the store, not by it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import Field
from sqlalchemy.orm import Session

from memory.conductor.arguments import Arguments
from memory.decisions import log
from memory.decisions.values import Refused
from memory.records import Decision
from memory.storage import cards as card_rows
from memory.storage import decisions as rows

if TYPE_CHECKING:
    from memory.conductor.tools import ToolContext


class RecordDecision(Arguments):
    """Write down what was just decided: a confirmed date, a chosen variant, an address picked from several.

    Only decisions: not what was found, proposed or thought.
    """

    key: str = Field(description="one of the fixed keys")
    value: str = Field(description="as it was decided, in the person's words")
    matter: str = Field("", description="an order number or appointment, when one is named")


class WithdrawDecision(Arguments):
    """Take a decision back, so that none holds."""

    key: str
    matter: str = ""


class ListDecisions(Arguments):
    """Read back what holds, and how it came about."""

    key: str = Field("", description="only this key, with its history")


class CloseMatter(Arguments):
    """A matter is done: its decisions are settled no longer, and stay readable."""

    matter: str = ""


def record(session: Session, context: ToolContext, told: RecordDecision, now: datetime) -> dict[str, Any]:
    """Record a decision, or say why not; what held is then untouched."""
    if context.guest:
        return {"ok": False, "error": "a guest decides nothing for the owner"}
    observed = [hit.card.text for hit in context.found]
    result = log.record(
        session,
        context.keys,
        turn=context.turn,
        conversation=context.conversation,
        name=told.key,
        value=told.value,
        matter=told.matter,
        grounds=log.Grounds(said=context.turn.said, proposed=context.proposed, observed=observed),
        now=now,
    )
    if isinstance(result, Refused):
        return {"ok": False, "error": result.reason, "code": result.code, "limit": result.limit}
    context.decided.append(result.decision)
    _drop_cards(session, context, now=now)
    return {
        "ok": True,
        "unchanged": result.unchanged,
        "before": result.before,
        **_said(context, result.decision, now=now),
    }


def is_decided(context: ToolContext, text: str, *, now: datetime) -> bool:
    """Whether a statement is what this turn recorded as a decision."""
    return any(
        log.tells(context.keys, each, text, language=context.language, now=now, zone=context.zone)
        for each in context.decided
    )


def _drop_cards(session: Session, context: ToolContext, *, now: datetime) -> None:
    """What is a decision makes no card: one that the turn made of it a moment ago goes."""
    twice = [card for card in context.made if is_decided(context, card.text, now=now)]
    if twice:
        card_rows.remove(session, [card.id for card in twice])
        context.made = [card for card in context.made if card not in twice]


def withdraw(session: Session, context: ToolContext, told: WithdrawDecision, now: datetime) -> dict[str, Any]:
    """Take a decision back."""
    if context.guest:
        return {"ok": False, "error": "a guest decides nothing for the owner"}
    gone = log.withdraw(
        session,
        context.keys,
        turn=context.turn,
        conversation=context.conversation,
        name=told.key,
        matter=told.matter,
        now=now,
    )
    if gone is None:
        return {"ok": False, "error": "nothing was decided there"}
    return {"ok": True, **_said(context, gone, now=now)}


def listed(session: Session, context: ToolContext, told: ListDecisions, now: datetime) -> dict[str, Any]:
    """What holds in open matters, and the history of one key."""
    current = rows.current(session, context.person.id, now=now)
    entries = rows.history(session, context.person.id, key=told.key) if told.key else []
    return {
        "ok": True,
        "current": [_said(context, each, now=now) for each in current if told.key in ("", each.key)],
        "history": [_said(context, each, now=now) for each in entries],
    }


def close(session: Session, context: ToolContext, told: CloseMatter, now: datetime) -> dict[str, Any]:
    """Close a matter by word."""
    name = log.matter_name(context.conversation, told.matter)
    return {"ok": rows.close_matter(session, context.person.id, name, now=now)}


def _said(context: ToolContext, decision: Decision, *, now: datetime) -> dict[str, Any]:
    label, value = log.told(context.keys, decision, language=context.language, now=now, zone=context.zone)
    return {
        "key": decision.key,
        "value": decision.value,
        "label": label,
        "said": value,
        "matter": decision.matter,
        "at": decision.decided_at.isoformat(timespec="minutes"),
        "by": decision.decided_by,
        "active": decision.active,
    }
