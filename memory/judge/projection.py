"""The stored counters as a projection of the stored log: moved on, or counted anew where the order asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory import worth
from memory.storage import figures, ledgers, outcomes
from memory.storage.engine import reading, transaction
from memory.storage.figures import Figure
from memory.worth.policy import POLICY

# Sources of an outcome that says little of the memory itself.
AGAIN = "again"  # only a sign: the question was asked once more
ASIDE = "aside"  # a thumb down because something else was asked for, or more


@dataclass(frozen=True, kw_only=True)
class Recount:
    """What a recount of one person's log found."""

    cards: int  # with a state
    episodes: int  # with an outcome
    differing: tuple[int, ...]  # ids of the cards whose stored state was another


def episode_of(logged: outcomes.LoggedEpisode) -> worth.Episode:
    """A logged turn as memory/worth reads it."""
    return worth.Episode(
        id=logged.turn_id,
        at=logged.at,
        context=logged.context,
        good=None if logged.value is None else logged.value > 0,
        firm=logged.source not in (AGAIN, ASIDE),
        uses=tuple(
            worth.Use(
                card=use.card_id,
                weight=use.weight,
                score=use.score,
                shown=use.shown,
                used=use.used,
                propensity=use.propensity,
                protected=use.protected,
            )
            for use in logged.uses
        ),
    )


def act_of(logged: outcomes.LoggedAct) -> worth.Act:
    """A logged act as memory/worth reads it."""
    return worth.Act(id=logged.id, at=logged.at, card=logged.card_id, move=worth.Move(logged.move))


def log_of(session: Session, person_id: int) -> list[worth.Episode | worth.Act]:
    """A person's whole log."""
    return [
        *map(episode_of, outcomes.judged(session, person_id)),
        *map(act_of, outcomes.acts(session, person_id)),
    ]


def settle(
    session: Session, person_id: int, entry: worth.Episode | worth.Act | None, *, now: datetime
) -> bool:
    """Bring a person's counters up to the log, in which `entry` is new.

    An entry that follows all that was counted is counted on top, in a few milliseconds. Anything else (None:
    an outcome changed, went away, or an entry lies before others) counts the whole log anew, because the
    detector depends on the order.

    Returns:
        Whether the log was counted anew.
    """
    plain = ledgers.read(session, person_id)
    known = worth.Ledger.from_dict(plain, {})
    if entry is None or plain.get("stale") or not worth.follows(known, entry):
        _count_anew(session, person_id, now=now)
        return True
    cards = {entry.card} if isinstance(entry, worth.Act) else {use.card for use in entry.uses}
    known = worth.Ledger.from_dict(plain, _states(session, person_id, cards))
    if isinstance(entry, worth.Act):
        change = worth.act(known, entry)
    else:
        further = worth.needed(known, entry) - cards
        if further:
            known = worth.Ledger.from_dict(plain, {**known.cards, **_states(session, person_id, further)})
        change = worth.record(known, entry)
    _save(session, person_id, change, known.updated(change), now=now)
    return False


def enact(session: Session, person_id: int, card_id: int, move: worth.Move, *, now: datetime) -> None:
    """Log what the person does about one card's worth, and let the counters follow."""
    logged = outcomes.add_act(session, person_id, card_id, move.value, at=now)
    if logged is not None:
        settle(session, person_id, act_of(logged), now=now)


def recount(session: Session, person_id: int, *, now: datetime) -> Recount:
    """Count a person's log anew, compare with what is stored, and store it."""
    log = log_of(session, person_id)
    counted = worth.fold(log, now=now)
    # Time alone ripens: what the sweep has not come to yet is no difference.
    stored = worth.Ledger(
        cards={card: worth.ripen(state, now) for card, state in _states(session, person_id, None).items()}
    )
    differing = tuple(worth.differences(stored, counted))
    ledgers.read(session, person_id)
    _save(session, person_id, counted, counted, now=now, whole=True)
    return Recount(
        cards=len(counted.cards),
        episodes=sum(isinstance(entry, worth.Episode) for entry in log),
        differing=differing,
    )


def ripen(session: Session, person_id: int, *, now: datetime) -> int:
    """Propose for forgetting what was suppressed long enough on strict evidence; gives how many."""
    suppressed = outcomes.by_status(session, person_id, [worth.Status.SUPPRESSED.value])
    changed = {}
    for card, plain in suppressed:
        state = worth.WorthState.from_dict(plain)
        ripe = worth.ripen(state, now)
        if ripe is not state:
            changed[card.id] = _counted(ripe)
    outcomes.save_states(session, person_id, changed, now=now)
    return len(changed)


def tend(engine: Engine, *, now: datetime) -> int:
    """What no single turn brings about: count anew where something left a log, and let time do its part.

    Returns:
        How many people were seen to.
    """
    with reading(engine) as session:
        stale = ledgers.stale(session)
        waiting = outcomes.people_with_suppressed(session, since=now - POLICY.deprecate_after)
    for person_id in stale:
        with transaction(engine) as session:
            settle(session, person_id, None, now=now)
    for person_id in waiting:
        with transaction(engine) as session:
            ripen(session, person_id, now=now)
    return len({*stale, *waiting})


def history_of(session: Session, person_id: int, card_id: int) -> tuple[worth.Point, ...]:
    """How one card's uses went, oldest first, for a small plot."""
    logged = outcomes.judged(session, person_id, card_id=card_id)
    return worth.history(map(episode_of, logged), card_id)


def _count_anew(session: Session, person_id: int, *, now: datetime) -> None:
    counted = worth.fold(log_of(session, person_id), now=now)
    _save(session, person_id, counted, counted, now=now, whole=True)


def _states(session: Session, person_id: int, cards: Iterable[int] | None) -> dict[int, worth.WorthState]:
    found = outcomes.states(session, person_id, None if cards is None else list(cards))
    return {card: worth.WorthState.from_dict(plain) for card, plain in found.items()}


def _counted(state: worth.WorthState) -> outcomes.Counted:
    return outcomes.Counted(state.status.value, float(state.good), float(state.uses), state.to_dict())


def _turns_of_fate(before: Mapping[int, str], after: Mapping[int, str]) -> list[tuple[Figure, int]]:
    """What the operator counts of the change from one set of statuses to the next."""
    doubt, silenced = ("suspect", "review"), ("suppressed", "deprecated")
    moves = Counter[Figure]()
    for card, status in after.items():
        was = before.get(card, "unproven")
        if status in doubt and was not in (*doubt, *silenced):
            moves[Figure.ACCUSED] += 1
        elif status in silenced and was not in silenced:
            moves[Figure.CONVICTED] += 1
        elif was in doubt and status not in (*doubt, *silenced):
            moves[Figure.CLEARED] += 1
        elif was in silenced and status not in silenced:
            moves[Figure.REINSTATED] += 1
    return list(moves.items())


def _save(
    session: Session,
    person_id: int,
    change: worth.Ledger,
    ledger: worth.Ledger,
    *,
    now: datetime,
    whole: bool = False,
) -> None:
    counted = {card: _counted(state) for card, state in change.cards.items()}
    before = outcomes.statuses(session, person_id, list(counted))
    for figure, number in _turns_of_fate(before, {card: each.status for card, each in counted.items()}):
        figures.add(session, figure, number, now=now)
    outcomes.save_states(session, person_id, counted, now=now, all_of_them=whole)
    ledgers.save(session, person_id, ledger.to_dict(), now=now)
