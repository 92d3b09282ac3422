"""The counters are a projection of the log, whatever is voted, changed, taken back or erased."""

from __future__ import annotations

import json
from datetime import timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.worth import (
    Act,
    Episode,
    Ledger,
    Move,
    Offer,
    Status,
    Use,
    WorthState,
    act,
    differences,
    draw,
    fold,
    follows,
    needed,
    record,
    ripen,
)
from tests.worth.factories import at, deed, episode, play

CARDS = range(5)


class Log:
    """What storage does: keeps the log, folds what follows, and recounts what does not."""

    def __init__(self) -> None:
        self.episodes: dict[int, Episode] = {}
        self.acts: list[Act] = []
        self.ledger = Ledger()
        self.recounts = 0

    @property
    def entries(self) -> list[Episode | Act]:
        return [*self.episodes.values(), *self.acts]

    def turn(self, number: int, rng: Random) -> None:
        """A turn retrieves some memories and draws its lots."""
        cards = rng.sample(list(CARDS), rng.randint(1, 4))
        lots = draw(self.ledger.cards, [Offer(card=c, asked=False, replaceable=True) for c in cards], rng)
        uses = [
            Use(
                card=card,
                shown=card != lots.withheld,
                propensity=lots.shown_chance(card),
                used=rng.choice([True, None, False]),
                protected=card == 4,
            )
            for card in cards
        ]
        self.episodes[number] = episode(number, uses, None, context=rng.choice("ab"))

    def vote(self, number: int, good: bool | None) -> None:
        old = self.episodes[number]
        new = Episode(id=old.id, at=old.at, context=old.context, uses=old.uses, good=good)
        self.episodes[number] = new
        if old.good is None and good is not None and follows(self.ledger, new):
            held = needed(self.ledger, new)
            loaded = Ledger(
                cards={card: state for card, state in self.ledger.cards.items() if card in held},
                contexts={k: v for k, v in self.ledger.contexts.items() if k == new.context},
                through=self.ledger.through,
            )
            self.ledger = self.ledger.updated(record(loaded, new))
        elif old.good != good:
            self.recount()

    def decide(self, entry: Act) -> None:
        self.acts.append(entry)
        if follows(self.ledger, entry):
            self.ledger = self.ledger.updated(act(self.ledger, entry))
        else:
            self.recount()

    def erase(self, card: int) -> None:
        self.episodes = {number: old.without(card) for number, old in self.episodes.items()}
        self.acts = [entry for entry in self.acts if entry.card != card]
        self.recount()

    def tidy(self, days: int) -> None:
        if self.ledger.through is not None:
            now = self.ledger.through[0] + timedelta(days=days)
            cards = {card: ripen(state, now) for card, state in self.ledger.cards.items()}
            self.ledger = Ledger(cards=cards, contexts=self.ledger.contexts, through=self.ledger.through)

    def recount(self) -> None:
        self.recounts += 1
        self.ledger = fold(self.entries)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.05, 0.95))
def test_counters_equal_a_recount_under_any_history(seed: int, luck: float) -> None:
    rng, log = Random(seed), Log()
    for number in range(1, 80):
        log.turn(number, rng)
        if rng.random() < 0.8:
            log.vote(number, rng.random() < luck)
        if rng.random() < 0.08:
            log.vote(rng.randint(1, number), rng.choice([True, False, None]))
        if rng.random() < 0.04:
            log.decide(deed(number, rng.choice(list(CARDS)), rng.choice(list(Move))))
        if rng.random() < 0.02:
            log.erase(rng.choice(list(CARDS)))
    now = at(80) + timedelta(days=60)
    shuffled = log.entries
    rng.shuffle(shuffled)
    log.tidy(100)
    assert differences(log.ledger, fold(shuffled, now=now)) == []
    assert log.ledger.contexts == fold(shuffled).contexts


def test_a_tidy_job_between_episodes_changes_no_recount() -> None:
    history: list[Episode | Act] = [episode(number, [1, 2], True) for number in range(1, 30)]
    history += [episode(number, [1, 2], False) for number in range(30, 50)]
    history.append(deed(50, 1, Move.DENY))
    ledger = fold(history)
    month_later = at(50) + timedelta(days=40)
    assert ripen(ledger.cards[1], month_later).status is Status.DEPRECATED
    tidied = Ledger(
        cards={card: ripen(state, month_later) for card, state in ledger.cards.items()},
        contexts=ledger.contexts,
        through=ledger.through,
    )
    later = Episode(
        id=99, at=month_later + timedelta(days=1), context="question", uses=(Use(card=1),), good=False
    )
    counted = fold([*history, later])
    assert differences(tidied.updated(record(tidied, later)), counted) == []
    assert counted.cards[1].since == at(50.5) + timedelta(days=30)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.booleans(), min_size=2, max_size=60), st.data())
def test_a_recount_may_go_on_from_a_kept_ledger(goods: list[bool], data: st.DataObject) -> None:
    log = [episode(number, [1, 2 + number % 3], good) for number, good in enumerate(goods, start=1)]
    kept = data.draw(st.integers(0, len(log)))
    assert fold(log[kept:], start=fold(log[:kept])) == fold(log)
    if kept > 0:
        with pytest.raises(ValueError, match="out of order"):
            fold(log, start=fold(log[:kept]))


def test_differences_name_the_memory() -> None:
    ledger = play([1, 2], [True, False])
    broken = ledger.updated(Ledger(cards={2: WorthState(uses=7)}))
    assert differences(broken, ledger) == [2]
    assert differences(Ledger(cards={9: WorthState()}), Ledger()) == []


def test_an_episode_without_outcome_changes_nothing() -> None:
    assert record(Ledger(), episode(1, [1, 2], None)) == Ledger()


def test_the_same_episode_is_not_counted_twice() -> None:
    ledger = play([1], [True])
    with pytest.raises(ValueError, match="out of order"):
        record(ledger, episode(1, [1], True))
    with pytest.raises(ValueError, match="out of order"):
        act(ledger, deed(0, 1, Move.PIN))


def test_an_act_at_the_very_moment_of_a_turn_comes_after_it() -> None:
    turn = episode(7, [1], True)
    pin = Act(id=7, at=turn.at, card=1, move=Move.PIN)
    assert fold([pin, turn]).cards[1].protected
    assert fold([pin, turn]).cards[1].uses == 1


def test_only_used_memories_are_credited_where_use_is_known() -> None:
    uses = [Use(card=1, used=True), Use(card=2, used=False), Use(card=3)]
    ledger = play(uses, [True])
    assert [ledger.cards[card].uses for card in (1, 2, 3)] == [1, 0, 0]
    assert [play([1, 2], [True]).cards[card].uses for card in (1, 2)] == [1, 1]


def test_what_was_held_back_is_not_credited() -> None:
    ledger = play([Use(card=1, shown=False, propensity=0.5), 2], [True])
    assert (ledger.cards[1].uses, ledger.cards[2].uses) == (0, 1)


def test_base_is_read_before_the_outcome_counts() -> None:
    ledger = play([1], [True, True])
    assert ledger.cards[1].e == pytest.approx(1 / 2 + 2 / 3)
    assert ledger.contexts["question"].base == pytest.approx(3 / 4)


def test_weights_of_the_paper_reach_the_audit_counters() -> None:
    ledger = play([Use(card=1, weight=0.25)], [True, False, True])
    assert (ledger.cards[1].h_plus, ledger.cards[1].h_minus) == (0.5, 0.25)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_everything_survives_json(seed: int) -> None:
    rng, log = Random(seed), Log()
    for number in range(1, 60):
        log.turn(number, rng)
        log.vote(number, rng.random() < 0.25)
    log.decide(deed(60, 1, Move.DENY))
    for state in log.ledger.cards.values():
        assert WorthState.from_dict(json.loads(json.dumps(state.to_dict()))) == state
    plain = json.loads(json.dumps(log.ledger.to_dict()))
    assert Ledger.from_dict(plain, log.ledger.cards) == log.ledger
    assert Ledger.from_dict({}, {}) == Ledger()
    for entry in log.episodes.values():
        assert Episode.from_dict(json.loads(json.dumps(entry.to_dict()))) == entry
    assert Act.from_dict(json.loads(json.dumps(log.acts[0].to_dict()))) == log.acts[0]


def test_a_state_of_an_older_or_newer_version_is_read() -> None:
    assert WorthState.from_dict({"uses": 3, "invented": 1}) == WorthState(uses=3)


@pytest.mark.parametrize(
    "broken",
    [{"propensity": 0.0}, {"propensity": 1.5}, {"shown": False}, {"weight": -1.0}],
)
def test_impossible_uses_are_refused(broken: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"propensity|weight"):
        Use(card=1, **broken)  # type: ignore[arg-type]  # on purpose


def test_a_memory_stands_once_in_an_episode() -> None:
    with pytest.raises(ValueError, match="twice"):
        episode(1, [1, 1], True)
