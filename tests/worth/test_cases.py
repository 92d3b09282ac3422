"""Cases from other assistants' trackers, on the log and its projection."""

from __future__ import annotations

from memory.worth import Status, Use, describe, fold, needs_asking
from memory.worth.companions import solo
from memory.worth.primitive import worth
from tests.worth.factories import episode, play


def test_mw_02_one_vote_however_often_it_is_clicked() -> None:
    def counters(vote: bool | None) -> list[tuple[float, float]]:
        ledger = fold([episode(1, [1, 2], vote)])
        return [(s.h_plus, s.h_minus) for s in ledger.cards.values()]

    assert counters(True) == [(1.0, 0.0)] * 2
    assert counters(False) == [(0.0, 1.0)] * 2
    assert counters(None) == []


def test_mw_03_never_seen_apart_then_apart() -> None:
    together = play([1, 2], [True, False] * 30)
    anchor, hitchhiker = together.cards[1], together.cards[2]
    assert worth(anchor.h_plus, anchor.h_minus) == worth(hitchhiker.h_plus, hitchhiker.h_minus)
    assert describe(hitchhiker).never_seen_apart

    apart = play([1], [True] * 15, together, first=61)
    apart = play([2], [False] * 15, apart, first=76)
    anchor, hitchhiker = apart.cards[1], apart.cards[2]
    assert solo(anchor).good / solo(anchor).uses > solo(hitchhiker).good / solo(hitchhiker).uses + 0.9
    assert not describe(anchor).never_seen_apart


def test_mw_03_joint_turns_alone_suppress_nobody() -> None:
    ledger = play([1, 2], [True] * 40 + [False] * 60)
    assert {state.status for state in ledger.cards.values()} == {Status.SUSPECT}


def test_mw_04_only_what_the_turn_used_counts() -> None:
    retrieved = [Use(card=1, used=True), Use(card=2, used=False), Use(card=3, used=False)]
    ledger = fold([episode(1, retrieved, True)])
    assert {card: state.uses for card, state in ledger.cards.items()} == {1: 1, 2: 0, 3: 0}


def test_mw_06_long_success_does_not_hide_a_recent_run_of_failures() -> None:
    ledger = play([1], [True] * 40)
    ledger = play([1], [False] * 12, ledger, first=41)
    shown = describe(ledger.cards[1])
    assert (shown.successes, shown.uses) == (40, 52)
    assert shown.run == -12
    assert shown.recent_successes == 0
    assert shown.recent_uses >= 9
    assert ledger.cards[1].status is Status.SUSPECT  # marked, not rewritten, still retrievable
    assert needs_asking(ledger.cards[1])
