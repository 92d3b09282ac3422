"""The past of a demo account: questions that were answered from memory, how it went, and what came of it.

Most memories serve as one would expect. A few are asked for again and again and always serve; a few
others held for months and then went stale, so that each stage is there to be seen: in doubt, out of use
after a trial, proposed for forgetting, and pinned and therefore put to the person. All of it is a log
like any other: counted anew it gives the same.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from memory.records import Card, Person
from memory.storage import cards as card_rows
from memory.storage import demo as rows
from memory.worth import Episode, Use, fold

ASKED = 120  # questions about somebody, in passing
_WELL = 0.72  # of these went well
_STEADY, _OFTEN = 3, 26  # memories that always serve, and how often each was asked for
_LOT = 0.5  # the chance by which a memory on trial is left out
_CONTEXT = "person"


@dataclass(frozen=True, kw_only=True)
class _Asked:
    days: float  # ago
    name: str
    told: Card  # what was answered
    uses: tuple[Use, ...]
    good: bool


def ask(
    session: Session,
    person: Person,
    words: str,
    about: Mapping[str, Sequence[Card]],
    lots: random.Random,
    *,
    now: datetime,
) -> None:
    """Store a year of questions about people, with their outcomes and the worth that follows from them.

    Args:
        words: the question, with `{name}`.
        about: what is known of each person: at least two memories of at least seven of them.
    """
    names = sorted(about)
    chosen = {name: about[name][1] for name in names[: _STEADY + 4]}  # one memory each has a story of its own
    steady, stale = names[:_STEADY], names[_STEADY : _STEADY + 4]
    card_rows.change(session, chosen[stale[3]].id, now=now, pinned=True)
    told = [*_in_passing(about, {each.id for each in chosen.values()}, lots)]
    for name in steady:
        told += [_alone(190 - 7.1 * number, name, chosen[name]) for number in range(_OFTEN)]
    for name, (until, rounds) in zip(stale, ((120, 10), (15, 10), (6, 2), (5, 0)), strict=True):
        other = about[name][0]
        told += _went_stale(name, chosen[name], other, until=until, rounds=rounds, protected=not rounds)
    episodes = [_store(session, person, words, each, now=now) for each in told]
    ledger = fold(sorted(episodes, key=lambda each: (each.at, each.id)), now=now)
    states = {each: state.to_dict() for each, state in ledger.cards.items()}
    rows.add_worth(session, person.id, states, now=now)
    rows.add_ledger(session, person.id, ledger.to_dict(), now=now)


def _in_passing(
    about: Mapping[str, Sequence[Card]], without: set[int], lots: random.Random
) -> Iterator[_Asked]:
    for number in range(ASKED):
        name = lots.choice(sorted(about))
        known = [card for card in about[name] if card.id not in without]
        used = lots.sample(known, min(3, len(known)))
        yield _Asked(
            days=200 - number * 1.6 - lots.random() / 24,
            name=name,
            told=used[0],
            uses=tuple(Use(card=card.id, score=0.5, used=True) for card in used),
            good=lots.random() < _WELL,
        )


def _alone(days: float, name: str, card: Card, *, good: bool = True, protected: bool = False) -> _Asked:
    use = Use(card=card.id, score=0.5, used=True, protected=protected)
    return _Asked(days=days, name=name, told=card, uses=(use,), good=good)


def _went_stale(
    name: str, card: Card, other: Card, *, until: float, rounds: int, protected: bool
) -> Iterator[_Asked]:
    """A memory that served until it did not, and the rounds of its trial: with it badly, without it well."""
    for number in range(12):
        yield _alone(until + 78 - 4 * number, name, card, protected=protected)
    for number in range(10):
        yield _alone(until + 30 - 2 * number, name, card, good=False, protected=protected)
    for number in range(2 * rounds):
        shown = number % 2 == 0
        lot = Use(card=card.id, score=0.5, shown=shown, used=shown, propensity=1 - _LOT)
        uses = (lot, Use(card=other.id, score=0.4, used=not shown))
        at = until + 11 - 0.5 * number
        yield _Asked(days=at, name=name, told=card if shown else other, uses=uses, good=not shown)


def _store(session: Session, person: Person, words: str, asked: _Asked, *, now: datetime) -> Episode:
    at = now - timedelta(days=asked.days)
    turn = rows.PastTurn(said=words.format(name=asked.name), answer=asked.told.text, at=at)
    turn_id = rows.add_talk(session, person, [turn])[0]
    uses = [
        rows.PastUse(
            card_id=use.card,
            shown=use.shown,
            used=bool(use.used),
            propensity=use.propensity,
            protected=use.protected,
        )
        for use in asked.uses
    ]
    card_rows.mention(session, [use.card for use in asked.uses if use.shown], now=at)
    rows.add_outcome(session, person.id, turn_id, uses, good=asked.good, context=_CONTEXT, at=at)
    return Episode(id=turn_id, at=at, context=_CONTEXT, uses=asked.uses, good=asked.good)
