"""The way through the statuses: nobody is condemned early, by company, or for good."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.worth import Ledger, Move, Status, Use, WorthState, act, record, ripen
from memory.worth.evidence import bounds
from memory.worth.policy import POLICY, Policy
from memory.worth.status import SILENCED, damning_rows, is_damning
from tests.worth.factories import T0, at, deed, episode, play, well_served

NEGATIVE = {Status.SUSPECT, Status.REVIEW, *SILENCED}


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 4), st.integers(0, 60))
def test_up_to_four_failures_never_condemn(failures: int, history: int) -> None:
    ledger = play([1], [True] * history)
    ledger = play([1], [False] * failures, ledger, first=history + 1)
    assert ledger.cards.get(1, WorthState()).status not in NEGATIVE


@settings(max_examples=60, deadline=None)
@given(st.lists(st.booleans(), max_size=80), st.floats(0.0, 1.0))
def test_no_negative_status_without_its_evidence(goods: list[bool], shown_share: float) -> None:
    ledger = Ledger()
    for number, good in enumerate(goods, start=1):
        before = ledger.cards.get(1, WorthState())
        drawn = before.status is Status.SUSPECT
        shown = not drawn or (number * 0.618) % 1 < shown_share
        use = Use(card=1, shown=shown, propensity=0.5 if drawn else 1.0)
        ledger = ledger.updated(record(ledger, episode(number, [use], good)))
        after = ledger.cards[1]
        if after.status is Status.SUSPECT and before.status not in NEGATIVE:
            assert after.n >= POLICY.min_negative_uses
            assert bounds(after.s, after.n)[1] < POLICY.low
        if after.status is Status.SUPPRESSED and before.status is not Status.SUPPRESSED:
            assert before.status is Status.SUSPECT
            assert before.trial is not None
            assert before.trial.episodes + 1 >= 2 * POLICY.min_arm
        if after.status is Status.TRUSTED:
            assert after.n >= POLICY.min_uses


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 90), st.integers(0, 90), st.floats(0, 1))
def test_rows_and_one_memory_follow_the_same_rule(s: int, failures: int, base: float) -> None:
    n = s + failures
    state = WorthState(s=float(s), n=float(n), e=base * n)
    row = damning_rows(np.array([float(s)]), np.array([float(n)]), np.array([base * n]))
    assert bool(row[0]) == is_damning(state)


def test_new_memories_that_serve_become_trusted_only_on_evidence() -> None:
    mixed = play([8], [True, False] * 20)  # a context in which half goes well
    early = play([1], [True] * 9, mixed, first=41)
    assert early.cards[1].status is Status.UNPROVEN
    late = play([1], [True] * 40, mixed, first=41)
    assert late.cards[1].status is Status.TRUSTED
    assert late.cards[8].status is Status.NEUTRAL


def test_serving_as_the_context_does_is_neutral() -> None:
    assert well_served().cards[1].status is Status.NEUTRAL


def test_failing_where_everything_fails_is_no_case() -> None:
    ledger = play([1, 2, 3], [False, False, False, True] * 25)
    assert {state.status for state in ledger.cards.values()} == {Status.NEUTRAL}


def accused() -> Ledger:
    """A memory that served forty times and then failed until it was suspect; the next episode is 61."""
    ledger = play([1], [False] * 9, well_served(), first=41)
    assert ledger.cards[1].status is Status.SUSPECT
    return ledger


def tried(ledger: Ledger, *, with_it: bool, without: bool, pairs: int = 8, first: int = 61) -> Ledger:
    """The ledger after a trial in which showing and withholding take turns."""
    for number in range(first, first + 2 * pairs):
        shown = number % 2 == 0
        use = Use(card=1, shown=shown, propensity=0.5)
        good = with_it if shown else without
        ledger = ledger.updated(record(ledger, episode(number, [use], good)))
    return ledger


def test_a_suspect_that_harms_is_suppressed_by_its_trial() -> None:
    ledger = tried(accused(), with_it=False, without=True)
    assert ledger.cards[1].status is Status.SUPPRESSED


def test_a_suspect_that_helps_is_cleared_and_starts_afresh() -> None:
    ledger = tried(accused(), with_it=True, without=False)
    state = ledger.cards[1]
    assert state.status not in NEGATIVE
    assert state.changes == 1  # the audit is kept
    assert state.uses > state.n


def test_a_trial_that_finds_nothing_clears() -> None:
    ledger = tried(accused(), with_it=False, without=False, pairs=30)
    assert ledger.cards[1].status is Status.UNPROVEN


def test_episodes_without_a_lot_are_no_trial() -> None:
    ledger = play([1], [False] * 100, accused(), first=61)
    assert ledger.cards[1].status is Status.SUSPECT


def test_a_suspect_recovers_by_serving_where_no_lot_can_be_drawn() -> None:
    ledger = play([1], [True] * 12, accused(), first=61)
    assert ledger.cards[1].status not in NEGATIVE


def test_protected_memories_go_to_review() -> None:
    pinned = Use(card=1, protected=True)
    ledger = play([pinned], [True] * 40)
    ledger = play([pinned], [False] * 30, ledger, first=41)
    assert ledger.cards[1].status is Status.REVIEW
    assert ledger.cards[1].trial is None


def test_pinning_ends_a_trial_and_unpinning_opens_it() -> None:
    ledger = accused()
    ledger = ledger.updated(act(ledger, deed(61, 1, Move.PIN)))
    assert ledger.cards[1].status is Status.REVIEW
    ledger = ledger.updated(act(ledger, deed(62, 1, Move.UNPIN)))
    ledger = play([1], [False], ledger, first=63)
    assert ledger.cards[1].status is Status.SUSPECT


@pytest.mark.parametrize("move", [Move.RESTORE, Move.CONFIRM])
def test_the_person_can_take_a_suppressed_memory_back(move: Move) -> None:
    ledger = tried(accused(), with_it=False, without=True)
    ledger = ledger.updated(act(ledger, deed(90, 1, move)))
    assert ledger.cards[1].status is Status.UNPROVEN
    assert ledger.cards[1].n == 0


def test_the_persons_no_suppresses_without_a_trial_unless_protected() -> None:
    ledger = well_served()
    assert act(ledger, deed(41, 1, Move.DENY)).cards[1].status is Status.SUPPRESSED
    pinned = ledger.updated(act(ledger, deed(41, 1, Move.PIN)))
    assert act(pinned, deed(42, 1, Move.DENY)).cards[1].status is Status.REVIEW


def test_a_suppressed_memory_that_serves_when_asked_for_comes_back() -> None:
    ledger = tried(accused(), with_it=False, without=True)
    ledger = play([1], [True] * 12, ledger, first=90)
    assert ledger.cards[1].status is Status.UNPROVEN


def test_deprecated_only_after_thirty_days_on_the_strict_bound() -> None:
    since = T0
    damned = WorthState(s=0.0, n=12.0, e=9.0, status=Status.SUPPRESSED, since=since)
    before, after = since + timedelta(days=29), since + timedelta(days=31)
    assert ripen(damned, before).status is Status.SUPPRESSED
    ripe = ripen(damned, after)
    assert (ripe.status, ripe.since) == (Status.DEPRECATED, since + timedelta(days=30))
    assert ripen(replace(damned, n=9.0), after).status is Status.SUPPRESSED
    assert ripen(replace(damned, s=3.0), after).status is Status.SUPPRESSED
    assert ripen(replace(damned, protected=True), after).status is Status.SUPPRESSED


def test_companions_of_a_convict_are_released() -> None:
    history = play([1, 2], [True] * 40)
    ledger = play([1, 2], [False] * 9, history, first=41)
    assert {state.status for state in ledger.cards.values()} == {Status.SUSPECT}
    for number in range(61, 61 + 40):
        shown = number % 2 == 0
        uses = [Use(card=1, shown=shown, propensity=0.5), Use(card=2)]
        ledger = ledger.updated(record(ledger, episode(number, uses, good=not shown)))
        if ledger.cards[1].status is Status.SUPPRESSED:
            break
    assert ledger.cards[1].status is Status.SUPPRESSED
    assert ledger.cards[2].status is Status.UNPROVEN
    assert ledger.cards[2].c == 0.0


def test_a_sequential_policy_asks_for_more() -> None:
    strict = Policy(sequential=True)
    ledger = accused()
    for number in range(61, 61 + 12):
        shown = number % 2 == 0
        use = Use(card=1, shown=shown, propensity=0.5)
        ledger = ledger.updated(record(ledger, episode(number, [use], good=not shown), policy=strict))
    assert ledger.cards[1].status is Status.SUSPECT


def test_since_says_when_the_status_was_taken() -> None:
    assert accused().cards[1].since in {at(number) for number in range(41, 50)}
