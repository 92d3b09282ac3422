"""The end of a conversation: marked archived once, summarised once, indexed for later."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory import language as lang
from memory.cards.indexing import indexed
from memory.embedding import Embedder
from memory.overview.summary import summarise
from memory.records import Conversation, Turn
from memory.storage import conversations as conversation_rows
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction

log = logging.getLogger(__name__)

Summarises = Callable[[Sequence[Turn]], str]
Tells = Callable[[Session, Conversation], None]


def close_silent(
    engine: Engine, *, now: datetime, idle_s: float, tells: Tells | None = None, limit: int = 500
) -> list[tuple[int, int]]:
    """Archive the conversations whose person has been silent for more than `idle_s`.

    Args:
        tells: called in the transaction that archives, to tell the person's pages.

    Returns:
        The conversations that were archived now, as (person id, conversation id).
    """
    moment = now - timedelta(seconds=idle_s)
    with reading(engine) as session:
        silent = conversation_rows.silent_since(session, moment, limit=limit)
    closed = []
    for conversation in silent:
        with transaction(engine) as session:
            # Looked at again by the statement itself: the person may have come back a moment ago.
            if not conversation_rows.close_if_silent(session, conversation.id, moment, now=now):
                continue
            if tells is not None:
                tells(session, conversation)
        closed.append((conversation.person_id, conversation.id))
    return closed


def pending_summaries(engine: Engine, *, now: datetime, limit: int = 200) -> list[int]:
    """Archived conversations that lack their summary and may be looked for now."""
    with reading(engine) as session:
        return [each.id for each in conversation_rows.unsummarised(session, now=now, limit=limit)]


def write_summary(
    engine: Engine,
    embedder: Embedder,
    conversation_id: int,
    *,
    now: datetime,
    summarises: Summarises | None = None,
) -> bool:
    """Summarise an archived conversation and index it; False when that is done already or too early.

    It is too early while a turn of it waits or runs: a summary must know the end.

    Killed at any step it leaves no summary or one: the row is written by one
    conditional update, and only while there is none.

    Args:
        summarises: a configured model; when it fails, the extractive summary is taken.
    """
    with reading(engine) as session:
        conversation = conversation_rows.find(session, conversation_id)
        if conversation is None or conversation.archived_at is None or conversation.private:
            return False
        if conversation.summary:
            return False  # before a model is asked for what there is already
        if conversation_rows.is_busy(session, conversation_id):
            return False
        turns = turn_rows.of_conversation(session, conversation_id)
    summary = ""
    if summarises is not None and turns:
        try:
            summary = summarises(turns).strip()
        # Broad on purpose: a failing model must not leave a conversation without its index.
        except Exception as error:
            log.warning(
                "model did not summarise",
                extra={"conversation_id": conversation_id, "error": type(error).__name__},
            )
    summary = summary or summarise(turns)
    language = turns[-1].language if turns else "en"
    vector = embedder.encode([summary])[0] if summary else None
    with transaction(engine) as session:
        conversation_rows.lock(session, conversation_id)
        now_there = turn_rows.of_conversation(session, conversation_id)
        if [turn.id for turn in now_there] != [turn.id for turn in turns]:
            return False  # one was taken out meanwhile: the summary must not bring it back
        return conversation_rows.write_summary(
            session,
            conversation_id,
            summary=summary,
            terms=" ".join(lang.terms(summary, language)),
            vector=vector,
            vector_version=embedder.version if summary else "",
            now=now,
        )


def index_turn(engine: Engine, embedder: Embedder, turn_id: int) -> bool:
    """Give a turn what recall needs to find it; False when it is gone."""
    with reading(engine) as session:
        turn = turn_rows.find(session, turn_id)
    if turn is None:
        return False
    kept = indexed(
        said=turn.said,
        answer=turn.answer,
        speaker=turn.speaker,
        language=turn.language,
        embedder=embedder,
    )
    with transaction(engine) as session:
        turn_rows.index(
            session, turn_id, terms=kept.terms, vector=kept.vector, vector_version=kept.vector_version
        )
    return True
