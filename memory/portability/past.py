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
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

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
    words: str
    answer: str
    uses: tuple[Use, ...]
    good: bool


def ask(
    session: Session,
    person: Person,
    say: Mapping[str, Any],
    about: Mapping[str, Sequence[Card]],
    lots: random.Random,
    *,
    now: datetime,
) -> None:
    """Store a year of questions about people, with their outcomes and the worth that follows from them.

    Args:
        say: a question about somebody (`ask`) and several about their work (`ask_work`), with `{name}`.
        about: what is known of each person: at least two memories of at least seven of them.
    """
    # Nothing is asked before it was told: the longest stories are about what was told first.
    names = sorted(about, key=lambda name: (about[name][1].learned_at, name))
    chosen = {name: about[name][1] for name in names[: _STEADY + 4]}  # one memory each has a story of its own
    steady, stale = names[:_STEADY], names[_STEADY : _STEADY + 4]
    card_rows.change(session, chosen[stale[3]].id, now=now, pinned=True)
    told = [*_in_passing(say["ask"], about, {each.id for each in chosen.values()}, lots, now=now)]
    for name in steady:
        told += [_alone(say, 190 - 7.1 * number, name, chosen[name]) for number in range(_OFTEN)]
    for name, (until, rounds) in zip(stale, ((120, 10), (15, 10), (6, 2), (5, 0)), strict=True):
        other = about[name][0]
        told += _went_stale(say, name, chosen[name], other, until=until, rounds=rounds, protected=not rounds)
    episodes = [_store(session, person, each, lots, now=now) for each in told]
    ledger = fold(sorted(episodes, key=lambda each: (each.at, each.id)), now=now)
    states = {each: state.to_dict() for each, state in ledger.cards.items()}
    rows.add_worth(session, person.id, states, now=now)
    rows.add_ledger(session, person.id, ledger.to_dict(), now=now)


def _in_passing(
    words: str,
    about: Mapping[str, Sequence[Card]],
    without: set[int],
    lots: random.Random,
    *,
    now: datetime,
) -> Iterator[_Asked]:
    for number in range(ASKED):
        days = 200 - number * 1.6 - lots.random() / 24
        told = {
            name: [
                card
                for card in known
                if card.id not in without and now - card.learned_at > timedelta(days=days)
            ]
            for name, known in about.items()
        }
        name = lots.choice(sorted(name for name, known in told.items() if known))
        used = lots.sample(told[name], min(3, len(told[name])))
        yield _Asked(
            days=days,
            name=name,
            words=words,
            answer=" ".join(card.text for card in used),
            uses=tuple(Use(card=card.id, score=0.5, used=True) for card in used),
            good=lots.random() < _WELL,
        )


def _alone(
    say: Mapping[str, Any],
    days: float,
    name: str,
    card: Card,
    *,
    good: bool = True,
    protected: bool = False,
) -> _Asked:
    use = Use(card=card.id, score=0.5, used=True, protected=protected)
    return _Asked(
        days=days, name=name, words=_about_work(say, days), answer=card.text, uses=(use,), good=good
    )


def _about_work(say: Mapping[str, Any], days: float) -> str:
    return str(say["ask_work"][int(days) % len(say["ask_work"])])


def _went_stale(
    say: Mapping[str, Any], name: str, card: Card, other: Card, *, until: float, rounds: int, protected: bool
) -> Iterator[_Asked]:
    """A memory that served until it did not, and the rounds of its trial: with it badly, without it well."""
    for number in range(12):
        yield _alone(say, until + 78 - 4 * number, name, card, protected=protected)
    for number in range(10):
        yield _alone(say, until + 30 - 2 * number, name, card, good=False, protected=protected)
    for number in range(2 * rounds):
        shown = number % 2 == 0
        lot = Use(card=card.id, score=0.5, shown=shown, used=shown, propensity=1 - _LOT)
        uses = (lot, Use(card=other.id, score=0.4, used=not shown))
        at = until + 11 - 0.5 * number
        yield _Asked(
            days=at,
            name=name,
            words=_about_work(say, at),
            answer=(card if shown else other).text,
            uses=uses,
            good=not shown,
        )


def _store(session: Session, person: Person, asked: _Asked, lots: random.Random, *, now: datetime) -> Episode:
    at = _awake(now - timedelta(days=asked.days - 0.3 * lots.random()), person.zone)
    turn = rows.PastTurn(said=asked.words.format(name=asked.name), answer=asked.answer, at=at)
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


def _awake(moment: datetime, zone: str) -> datetime:
    """A moment of the same day, between eight and ten at night; what came first comes first."""
    local = moment.astimezone(ZoneInfo(zone))
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    passed_s = (local - midnight).total_seconds()
    return (midnight + timedelta(hours=8, seconds=passed_s * 14 / 24)).astimezone(UTC)
