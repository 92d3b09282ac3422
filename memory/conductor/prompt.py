"""Puts together what a model is given for one call."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

from memory.decisions.schema import Keys
from memory.llm.interface import Message, ModelRequest, ToolSpec
from memory.overview import Overview, render, render_rules, render_settled, tokens_of
from memory.overview.blocks import RULES, SETTLED
from memory.records import Conversation, Person, Turn, TurnState

HISTORY_TOKENS = 6000


@cache
def instructions() -> str:
    """The standing instructions, one file."""
    return (resources.files("memory.llm.prompts") / "conductor.md").read_text(encoding="utf-8")


def build_request(
    *,
    person: Person,
    conversation: Conversation,
    turn: Turn,
    history: Sequence[tuple[Turn, Sequence[str]]],
    overview: Overview,
    exchange: Sequence[Message],
    tools: Sequence[ToolSpec],
    known_people: Sequence[tuple[str, str]],
    language: str,
    zone: str,
    now: datetime,
    keys: Keys | None = None,
    note: str = "",
) -> ModelRequest:
    """Everything for one model call.

    Args:
        history: earlier turns of the conversation, oldest first, each with what its
            tools did if its answer never came.
        note: what was wrong with the answer before, when this one is asked for again.
        exchange: this turn's own calls and results so far.
    """
    here = now.astimezone(ZoneInfo(zone))
    speaker = conversation.speaker
    who = f"{speaker} ({conversation.speaker_relation or 'a guest'})" if speaker else person.name
    told = [
        instructions(),
        f"It is {here:%A, %Y-%m-%d %H:%M} in {zone}. You are talking with {who}.",
    ]
    if speaker:
        told.append(
            f"{speaker} holds {person.name}'s phone. What {speaker} says is about {speaker}, never about "
            f"{person.name}; tell {speaker} nothing sensitive of {person.name}'s."
        )
    if keys is not None:
        names = "; ".join(f"{key.name} ({key.type.value})" for key in keys.open())
        told.append(f"Decision keys for record_decision: {names}.")
    told.append(render_rules(overview.block(RULES).entries))
    told.append(note)
    return ModelRequest(
        instructions="\n\n".join(part for part in told if part),
        overview=render(overview.blocks, overview.missing),
        settled=render_settled(overview.block(SETTLED).entries),
        messages=(*messages_of(history), Message(role="user", text=turn.said, speaker=speaker), *exchange),
        tools=tuple(tools),
        language=language,
        zone=zone,
        now=here,
        name=person.name,
        speaker=speaker,
        known_people=tuple(known_people),
        pending=dict(conversation.pending),
        blocks={**overview.data(), "keys": _keys_data(keys, language)},
    )


def _keys_data(keys: Keys | None, language: str) -> list[dict[str, object]]:
    """The open keys as data, worded in a language, for the embedded model."""
    return [
        {
            "name": key.name,
            "type": key.type.value,
            "label": key.label.get(language, key.name),
            "question": key.question.get(language, ""),
            "words": list(key.words.get(language, ())),
            "loose": list(key.loose.get(language, ())),
            "choice_names": [
                [*key.choice.get(language, ())[at : at + 1], choice, choice.replace("_", " ")]
                for at, choice in enumerate(key.choices)
            ],
        }
        for key in (keys.open() if keys is not None else ())
    ]


def messages_of(history: Sequence[tuple[Turn, Sequence[str]]]) -> list[Message]:
    """Earlier turns as messages, the oldest cut away first when they are too long."""
    kept: list[Message] = []
    left = HISTORY_TOKENS
    for turn, done in reversed(history):
        answer = _answer(turn, done)
        left -= tokens_of(turn.said) + tokens_of(answer)
        if left < 0 and kept:
            break
        if answer:
            kept.append(Message(role="assistant", text=answer))
        if turn.said:
            kept.append(Message(role="user", text=turn.said, speaker=turn.speaker))
    return list(reversed(kept))


def _answer(turn: Turn, done: Sequence[str]) -> str:
    """What was answered; for a turn that broke off, truthfully what had happened by then."""
    if turn.answered_by is not None:
        return f"[A human colleague wrote:] {turn.answer}"
    if turn.state is not TurnState.INTERRUPTED:
        return turn.answer
    happened = f"Done before that: {'; '.join(done)}." if done else "Nothing had been done by then."
    return f"{turn.answer} [This answer was interrupted. {happened}]".strip()
