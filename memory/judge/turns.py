"""One turn judged: a vote decides, else the answer to "still right?", else what was said next.

What was said next is read by plain rules; where these cannot tell, a connected model may. Its opinion is
asked for once and stays, so that the job may run again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory import worth
from memory.errors import NotFound
from memory.judge.projection import AGAIN, ASIDE, act_of, episode_of, settle
from memory.judge.verdict import Verdict, read
from memory.listening import Heard, listen
from memory.llm.interface import ModelFailed
from memory.records import Card, Turn
from memory.storage import cards as card_rows
from memory.storage import ledgers, outcomes, tool_calls, votes
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction

log = logging.getLogger(__name__)

STILL_RIGHT = "still_right"  # the question that the assistant waits on
MODEL = "model"  # source of an outcome that a connected model heard where the rules heard nothing
_VALUES = {"wrong": -1, "again": -1, "good": 1}

Hears = Callable[[str, str, str, str], str]


def judge(engine: Engine, turn_id: int, *, now: datetime, hears: Hears | None = None) -> int:
    """Judge a turn and the one before it, of which it may be the verdict. May run as often as it likes.

    Args:
        hears: a connected model's ear for what the rules cannot tell: the question, the answer, the next
            words and their language; gives "wrong", "again", "good" or "unknown".

    Returns:
        How many outcomes are new, changed, or gone.
    """
    with reading(engine) as session:
        turn = turn_rows.find(session, turn_id)
        earlier = None if turn is None else turn_rows.before(session, turn)
    changed = 0
    for each in (earlier, turn):
        if each is not None:
            # Before the transaction: nobody waits on the database for a model.
            opinion = None if hears is None or each is turn else _opinion(engine, each, hears)
            with transaction(engine) as session:
                changed += _judge_one(session, each, opinion, now=now)
    if turn is not None:
        with transaction(engine) as session:
            turn_rows.mark(session, turn.id, "judged", now=now)
    return changed


def _opinion(engine: Engine, turn: Turn, hears: Hears) -> int | None:
    """What a connected model makes of the words after a turn; None where it is not asked or cannot tell."""
    with reading(engine) as session:
        following = outcomes.following(session, turn)
        if following is None or outcomes.episode(session, turn.id) is None:
            return None
        if outcomes.outcome(session, turn.id) is not None or _outcome(session, turn, following) is not None:
            return None
    try:
        heard = hears(turn.said, turn.answer, following.said, following.language)
    except ModelFailed as failure:
        # An opinion is a help, and no outcome depends on it: unknown stays unknown.
        log.warning("the judge's model failed (%s) for turn %s", failure.kind.value, turn.id)
        return None
    return _VALUES.get(heard)


def _judge_one(session: Session, turn: Turn, opinion: int | None, *, now: datetime) -> bool:
    # Before anything is read: two jobs over one person come one after the other.
    ledgers.read(session, turn.person_id)
    logged = outcomes.episode(session, turn.id)
    if logged is None:
        return False
    following = outcomes.following(session, turn)
    found = _outcome(session, turn, following)
    before = outcomes.outcome(session, turn.id)
    if found is None and before is not None and before[1] == MODEL and following is not None:
        found = before
    elif found is None and opinion is not None:
        found = opinion, MODEL
    acted = _answer_acts(session, turn, following)
    if found == before and not acted:
        return False
    if found != before:
        if found is None:
            outcomes.withdraw(session, turn.id)
        else:
            outcomes.put(session, turn.person_id, turn.id, found[0], found[1], at=now)
    # Who says it matters too: a vote in place of a sign of the same value is counted anew.
    simple = before is None and found is not None
    entry = outcomes.episode(session, turn.id) if simple else None
    settle(session, turn.person_id, None if entry is None else episode_of(entry), now=now)
    for act in acted if simple else ():
        settle(session, turn.person_id, act, now=now)
    return True


def _outcome(session: Session, turn: Turn, following: Turn | None) -> tuple[int, str] | None:
    vote = outcomes.voted(session, turn.person_id, turn.id)
    if vote is not None:
        return vote[0], ASIDE if vote[1] in votes.ASIDE else "vote"
    if following is None:
        return None
    heard = _heard(session, turn, following)
    if still_right(session, turn) is not None and (answered := _answered(turn, heard)) is not None:
        return (1 if answered else -1), STILL_RIGHT
    used = outcomes.used_in(session, turn.id)
    put_right = bool(outcomes.corrected_in(session, following.id, used))
    verdict = read(turn.said, heard, put_right=put_right)
    value = verdict.value_of_turn
    return None if value is None else (value, AGAIN if verdict is Verdict.AGAIN else "judged")


def still_right(session: Session, turn: Turn) -> Card | None:
    """The card about which a turn asked "still right?"; None when it did not, or the card is gone."""
    for name, result in tool_calls.of_turn(session, turn.id):
        if name == "ask_back" and result.get("ask") == STILL_RIGHT and result.get("card"):
            try:
                return card_rows.by_public_id(session, turn.person_id, str(result["card"]))
            except NotFound:
                return None
    return None


def _answer_acts(session: Session, turn: Turn, following: Turn | None) -> list[worth.Act]:
    """Log the person's yes or no about a card as an act; gives those that are new."""
    card = still_right(session, turn)
    if card is None or following is None:
        return []
    answered = _answered(turn, _heard(session, turn, following))
    if answered is None:
        return []
    move = worth.Move.CONFIRM if answered else worth.Move.DENY
    logged = outcomes.add_act(session, turn.person_id, card.id, move.value, at=following.created_at)
    return [] if logged is None else [act_of(logged)]


def _answered(turn: Turn, heard: Heard) -> bool | None:
    """The person's answer to "still right?"; to call it wrong is a no, whatever word it begins with."""
    return False if read(turn.said, heard) is Verdict.WRONG else heard.yes_no


def _heard(session: Session, turn: Turn, following: Turn) -> Heard:
    asked = still_right(session, turn)
    return listen(
        following.said,
        language=following.language,
        now=following.created_at.astimezone(ZoneInfo(following.zone)),
        zone=following.zone,
        speaker=following.speaker,
        pending={"ask": STILL_RIGHT} if asked is not None else None,
        previous=turn.said,
    )
