"""One turn judged: a vote decides, else the answer to "still right?", else what was said next."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory import worth
from memory.errors import NotFound
from memory.judge.projection import act_of, episode_of, settle
from memory.judge.verdict import read
from memory.listening import Heard, listen
from memory.records import Card, Turn
from memory.storage import cards as card_rows
from memory.storage import ledgers, outcomes, tool_calls
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction

STILL_RIGHT = "still_right"  # the question that the assistant waits on


def judge(engine: Engine, turn_id: int, *, now: datetime) -> int:
    """Judge a turn and the one before it, of which it may be the verdict. May run as often as it likes.

    Returns:
        How many outcomes are new, changed, or gone.
    """
    with reading(engine) as session:
        turn = turn_rows.find(session, turn_id)
        earlier = None if turn is None else turn_rows.before(session, turn)
    changed = 0
    for each in (earlier, turn):
        if each is not None:
            with transaction(engine) as session:
                changed += _judge_one(session, each, now=now)
    if turn is not None:
        with transaction(engine) as session:
            turn_rows.mark(session, turn.id, "judged", now=now)
    return changed


def _judge_one(session: Session, turn: Turn, *, now: datetime) -> bool:
    # Before anything is read: two jobs over one person come one after the other.
    ledgers.read(session, turn.person_id)
    logged = outcomes.episode(session, turn.id)
    if logged is None:
        return False
    following = outcomes.following(session, turn)
    found = _outcome(session, turn, following)
    before = outcomes.outcome(session, turn.id)
    acted = _answer_acts(session, turn, following)
    if found == before and not acted:
        return False
    if found != before:
        if found is None:
            outcomes.withdraw(session, turn.id)
        else:
            outcomes.put(session, turn.person_id, turn.id, found[0], found[1], at=now)
    value = None if found is None else found[0]
    if value != logged.value or acted:
        simple = before is None and found is not None
        entry = outcomes.episode(session, turn.id) if simple else None
        settle(session, turn.person_id, None if entry is None else episode_of(entry), now=now)
        for act in acted if simple else ():
            settle(session, turn.person_id, act, now=now)
    return True


def _outcome(session: Session, turn: Turn, following: Turn | None) -> tuple[int, str] | None:
    vote = outcomes.voted(session, turn.person_id, turn.id)
    if vote is not None:
        return vote, "vote"
    if following is None:
        return None
    heard = _heard(session, turn, following)
    if still_right(session, turn) is not None and heard.yes_no is not None:
        return (1 if heard.yes_no else -1), STILL_RIGHT
    used = outcomes.used_in(session, turn.id)
    put_right = bool(outcomes.corrected_in(session, following.id, used))
    value = read(turn.said, heard, put_right=put_right).value_of_turn
    return None if value is None else (value, "judged")


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
    answered = _heard(session, turn, following).yes_no
    if answered is None:
        return []
    move = worth.Move.CONFIRM if answered else worth.Move.DENY
    logged = outcomes.add_act(session, turn.person_id, card.id, move.value, at=following.created_at)
    return [] if logged is None else [act_of(logged)]


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
