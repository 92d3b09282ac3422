"""A failed memory is put to the person: what raises the question, what settles it. No status comes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.worth import (
    POLICY,
    Ledger,
    Move,
    Status,
    WorthState,
    act,
    fold,
    needs_asking,
    record,
    term,
    was_asked_in_vain,
)
from tests.worth.factories import deed, episode, well_served


def after(
    ledger: Ledger, *goods: bool, cards: tuple[int, ...] = (1,), first: int = 41, firm: bool = True
) -> Ledger:
    for number, good in enumerate(goods, start=first):
        ledger = ledger.updated(record(ledger, replace(episode(number, cards, good), firm=firm)))
    return ledger


def test_one_named_failure_of_its_own_asks_and_condemns_nothing() -> None:
    failed = after(well_served(), False).cards[1]
    assert needs_asking(failed)
    assert failed.status in (Status.TRUSTED, Status.NEUTRAL)
    assert failed.trial is None


def test_a_mere_sign_asks_only_when_it_comes_twice() -> None:
    once = after(well_served(), False, firm=False)
    assert not needs_asking(once.cards[1])
    assert needs_asking(after(once, False, first=42, firm=False).cards[1])


def test_what_was_not_alone_is_not_asked_about() -> None:
    shared = after(well_served(), False, False, False, cards=(1, 2))
    assert not needs_asking(shared.cards[1])
    assert not needs_asking(shared.cards[2])


def test_to_serve_again_ends_the_doubt() -> None:
    assert not needs_asking(after(well_served(), False, True).cards[1])


@pytest.mark.parametrize(("yeses", "failures"), [(0, 1), (1, 2), (2, 4), (3, 8), (5, 8)])
def test_each_yes_doubles_the_failures_until_it_is_asked_again(yeses: int, failures: int) -> None:
    ledger = well_served()
    for number in range(yeses):
        ledger = ledger.updated(act(ledger, deed(41 + number, 1, Move.CONFIRM)))
    almost = after(ledger, *[False] * (failures - 1), first=60)
    assert not needs_asking(almost.cards[1])
    assert needs_asking(after(almost, False, first=90).cards[1])


def test_a_yes_ends_the_doubt_of_one_that_was_never_accused_and_keeps_its_evidence() -> None:
    failed = after(well_served(), False)
    settled = failed.updated(act(failed, deed(41, 1, Move.CONFIRM))).cards[1]
    assert not needs_asking(settled)
    assert (settled.s, settled.n, settled.uses) == (40.0, 41.0, 41)


def test_a_no_is_remembered_until_a_yes() -> None:
    served = well_served()
    denied = served.updated(act(served, deed(41, 1, Move.DENY)))
    assert (denied.cards[1].denied, denied.cards[1].status) == (True, Status.SUPPRESSED)
    again = denied.updated(act(denied, deed(42, 1, Move.RESTORE)))
    assert (again.cards[1].denied, again.cards[1].status) == (False, Status.UNPROVEN)


def test_only_a_suspect_counts_as_asked_in_vain() -> None:
    many = WorthState(doubts=POLICY.in_vain)
    assert not was_asked_in_vain(many)
    assert was_asked_in_vain(replace(many, status=Status.SUSPECT))
    assert not was_asked_in_vain(replace(many, status=Status.SUSPECT, doubts=POLICY.in_vain - 1))


def test_each_doubt_lowers_the_term_a_little_and_never_beyond_its_bound() -> None:
    terms = [term(WorthState(doubts=doubts)) for doubts in range(40)]
    assert terms[0] == 0.0
    assert terms == sorted(terms, reverse=True)
    assert terms[1] > -POLICY.span / 4
    assert terms[-1] == -POLICY.span


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.sampled_from([(1,), (2,), (1, 2)])), max_size=25))
def test_a_question_is_never_a_status_and_a_recount_equals(
    told: list[tuple[bool, bool, tuple[int, ...]]],
) -> None:
    log = [
        replace(episode(at, cards, good), firm=firm) for at, (good, firm, cards) in enumerate(told, start=1)
    ]
    ledger = Ledger()
    for entry in log:
        ledger = ledger.updated(record(ledger, entry))
    assert fold(reversed(log)).cards == ledger.cards
    for state in ledger.cards.values():
        assert state.doubts >= 0
        if state.uses - state.good < POLICY.min_negative_uses:
            assert state.status in (Status.UNPROVEN, Status.NEUTRAL, Status.TRUSTED)


def test_a_log_from_before_reads_as_it_was_meant() -> None:
    plain = episode(1, [1], False).to_dict()
    del plain["firm"]
    assert type(episode(1, [1], False)).from_dict(plain).firm is True
    assert WorthState.from_dict({"uses": 3}).doubts == 0
