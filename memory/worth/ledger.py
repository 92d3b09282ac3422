"""The counters as a projection of the log: fold one episode, fold them all, compare.

Order is the order of the turns, not of the votes. An outcome that comes for the newest turn is folded at
once (`record`); one that comes late, changes or goes away again is not patched in but recounted (`fold`),
because the detector depends on the order. So the counters always equal a recount of the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Self

import numpy as np

from memory.worth import companions, status, trial
from memory.worth.episode import Act, Episode, Move, Use
from memory.worth.estimator import Regime, absorb, context_base
from memory.worth.policy import POLICY, Policy
from memory.worth.primitive import tally
from memory.worth.state import Status, Trial, WorthState

BLANK = WorthState()

Place = tuple[datetime, int, int]  # time, 0 for an episode and 1 for an act, id


@dataclass(frozen=True, kw_only=True)
class ContextTally:
    """How the episodes of one kind of request went."""

    good: int = 0
    episodes: int = 0

    @property
    def base(self) -> float:
        """The chance that the next one goes well."""
        return context_base(self.good, self.episodes)


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """One person's worth: a state for each memory, a tally for each context, and how far it was folded."""

    cards: Mapping[int, WorthState] = field(default_factory=dict)
    contexts: Mapping[str, ContextTally] = field(default_factory=dict)
    through: Place | None = None  # of the last entry that was folded

    def updated(self, change: Ledger) -> Ledger:
        """This ledger with the entries of `change` in place of its own."""
        return Ledger(
            cards={**self.cards, **change.cards},
            contexts={**self.contexts, **change.contexts},
            through=change.through or self.through,
        )

    def to_dict(self) -> dict[str, Any]:
        """All but the cards, which are stored one by one, as plain values for a JSON column."""
        at, kind, number = self.through or (None, 0, 0)
        return {
            "contexts": {name: asdict(tally) for name, tally in self.contexts.items()},
            "through": [at.isoformat(), kind, number] if at else None,
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], cards: Mapping[int, WorthState]) -> Self:
        """The ledger that `to_dict` wrote, with the states that were loaded; empty for an empty `plain`."""
        through = plain.get("through")
        return cls(
            cards=cards,
            contexts={name: ContextTally(**tally) for name, tally in plain.get("contexts", {}).items()},
            through=(datetime.fromisoformat(through[0]), through[1], through[2]) if through else None,
        )


def place(entry: Episode | Act) -> Place:
    """Where an entry stands in the order of the log."""
    return entry.at, int(isinstance(entry, Act)), entry.id


def follows(ledger: Ledger, entry: Episode | Act) -> bool:
    """Whether the entry may be folded on top; if not, recount."""
    return ledger.through is None or place(entry) > ledger.through


def needed(ledger: Ledger, episode: Episode) -> set[int]:
    """The memories whose states `record` may change: the episode's, and the companions of its suspects."""
    cards = {use.card for use in episode.uses}
    for card in tuple(cards):
        state = ledger.cards.get(card)
        if state is not None and state.status is Status.SUSPECT:
            cards.update(companion.card for companion in state.companions)
    return cards


def record(ledger: Ledger, episode: Episode, *, policy: Policy = POLICY) -> Ledger:
    """Fold one judged episode; pure, and a few microseconds a memory.

    Args:
        ledger: must hold the states of `needed(ledger, episode)` that exist; a memory without one is new.
        episode: the next in order; one without an outcome changes nothing.

    Returns:
        Only what changed, to be merged with `Ledger.updated` and to be stored.

    Raises:
        ValueError: the episode comes before one that was folded already.
    """
    if not follows(ledger, episode):
        raise ValueError(f"episode {episode.id} is out of order; recount the log")
    if episode.good is None:
        return Ledger()
    context = ledger.contexts.get(episode.context, ContextTally())
    states = {use.card: _opening(ledger, use, episode.at, policy) for use in episode.uses}
    states.update(_credit(states, episode, context.base, policy))
    states.update(_count_lots(states, episode))
    before = {card: state.status for card, state in states.items()}
    states = {card: status.judge(state, episode.at, policy) for card, state in states.items()}
    for card, state in tuple(states.items()):
        if state.status is Status.SUPPRESSED and before[card] is Status.SUSPECT:
            states.update(_amnesty({**ledger.cards, **states}, card, episode))
    tallied = ContextTally(good=context.good + episode.good, episodes=context.episodes + 1)
    return Ledger(cards=states, contexts={episode.context: tallied}, through=place(episode))


def act(ledger: Ledger, deed: Act, *, policy: Policy = POLICY) -> Ledger:
    """Fold one act of the person; returns only what changed.

    Raises:
        ValueError: it comes before an entry that was folded already.
    """
    if not follows(ledger, deed):
        raise ValueError(f"act {deed.id} is out of order; recount the log")
    state = status.ripen(ledger.cards.get(deed.card, BLANK), deed.at, policy)
    return Ledger(cards={deed.card: _moved(state, deed, policy)}, through=place(deed))


def fold(
    log: Iterable[Episode | Act],
    *,
    start: Ledger | None = None,
    now: datetime | None = None,
    policy: Policy = POLICY,
) -> Ledger:
    """The ledger of a whole log, in whatever order its entries come. Unjudged episodes count nothing.

    Args:
        log: episodes and acts of one person.
        start: a ledger that was kept at some moment, when the log holds only what came after it.
        now: with it, what time alone has made ripe by then is deprecated, as the tidy job would.

    Raises:
        ValueError: an entry lies before `start`.
    """
    so_far = start or Ledger()
    cards, contexts, through = dict(so_far.cards), dict(so_far.contexts), so_far.through
    for entry in sorted(log, key=place):
        so_far = Ledger(cards=cards, contexts=contexts, through=through)
        if isinstance(entry, Act):
            change = act(so_far, entry, policy=policy)
        else:
            change = record(so_far, entry, policy=policy)
        # In place, because a copy for each entry would make the recount quadratic.
        cards.update(change.cards)
        contexts.update(change.contexts)
        through = change.through or through
    if now is not None:
        cards = {card: status.ripen(state, now, policy) for card, state in cards.items()}
    return Ledger(cards=cards, contexts=contexts, through=through)


def differences(stored: Ledger, counted: Ledger) -> list[int]:
    """The memories whose stored state is not what a recount gives, in order; empty when all is well.

    A stored state that never counted anything equals a missing one.
    """
    return sorted(
        card
        for card in stored.cards.keys() | counted.cards.keys()
        if stored.cards.get(card, BLANK) != counted.cards.get(card, BLANK)
    )


def _opening(ledger: Ledger, use: Use, at: datetime, policy: Policy) -> WorthState:
    """The state as it stands when the episode begins: what time alone has changed, changed."""
    state = status.ripen(ledger.cards.get(use.card, BLANK), at, policy)
    return state if state.protected or not use.protected else replace(state, protected=True)


def _credit(
    states: Mapping[int, WorthState], episode: Episode, base: float, policy: Policy
) -> dict[int, WorthState]:
    """The credited memories with all their counters moved by the outcome."""
    credited = episode.credited
    if not credited:
        return {}
    good = bool(episode.good)
    rows = [states[use.card] for use in credited]
    columns = Regime(
        *(np.array([getattr(row, name) for row in rows], dtype=float) for name in Regime._fields)
    )
    regime, alarmed = absorb(columns, float(good), base, policy)
    values = np.stack(regime, axis=1).tolist()
    together = [use.card for use in credited]
    moved: dict[int, WorthState] = {}
    for row, use, counters, changed in zip(rows, credited, values, alarmed.tolist(), strict=True):
        h_plus, h_minus = tally(row.h_plus, row.h_minus, use.weight, float(good))
        others = [card for card in together if card != use.card]
        state = replace(
            row,
            h_plus=h_plus,
            h_minus=h_minus,
            uses=row.uses + 1,
            good=row.good + good,
            run=(max(row.run, 0) + 1) if good else (min(row.run, 0) - 1),
            doubts=0 if good else row.doubts + (0 if others else 2 if episode.firm else 1),
            changes=row.changes + changed,
            **dict(zip(Regime._fields, counters, strict=True)),
            # What was shared in an old regime says nothing about a new one.
            **_company(BLANK if changed else row, others, good, base, policy),
        )
        moved[use.card] = _served_while_silenced(state, good)
    return moved


def _company(row: WorthState, others: list[int], good: bool, base: float, policy: Policy) -> dict[str, Any]:
    """The fields of company after one more use; part of one `replace`, which is the costly step."""
    return {
        "shared_uses": row.shared_uses + 1,
        "shared_good": row.shared_good + good,
        "shared_expected": row.shared_expected + base,
        "companions": companions.mingled(
            row.companions, others, use=row.shared_uses, good=good, base=base, policy=policy
        ),
    }


def _served_while_silenced(state: WorthState, good: bool) -> WorthState:
    """A suppressed memory that answered a direct question: its uses since are counted, it may come back."""
    if state.status not in status.SILENCED:
        return state
    since = state.trial or Trial()
    counted = replace(since, shown=since.shown + 1, shown_good=since.shown_good + good)
    return replace(state, trial=counted)


def _count_lots(states: Mapping[int, WorthState], episode: Episode) -> dict[int, WorthState]:
    """The suspects over which a lot was drawn, with their trials moved, used or not (intention to treat)."""
    moved: dict[int, WorthState] = {}
    for use in episode.uses:
        state = states[use.card]
        if use.propensity < 1.0 and state.status is Status.SUSPECT and state.trial is not None:
            counted = trial.count(
                state.trial, shown=use.shown, propensity=use.propensity, good=bool(episode.good)
            )
            moved[use.card] = replace(state, trial=counted)
    return moved


def _amnesty(states: Mapping[int, WorthState], convict: int, episode: Episode) -> dict[int, WorthState]:
    """The companions of a convicted memory, no longer held to what it did.

    Their detectors start again; those that stand accused themselves were accused on shared evidence, so
    they start wholly afresh.
    """
    company = {companion.card for companion in states[convict].companions}
    company.update(use.card for use in episode.uses)
    released: dict[int, WorthState] = {}
    for card in company - {convict}:
        state = states.get(card)
        if state is None or state.status in status.SILENCED:
            continue
        if state.status in (Status.SUSPECT, Status.REVIEW):
            released[card] = status.clear(state, episode.at)
        else:
            released[card] = replace(state, c=0.0, s1=0.0, n1=0.0, e1=0.0)
    return released


def _moved(state: WorthState, deed: Act, policy: Policy) -> WorthState:
    accused = state.status in (Status.SUSPECT, Status.REVIEW) or state.status in status.SILENCED
    match deed.move:
        case Move.RESTORE | Move.CONFIRM:
            confirmed = state.confirmed + (deed.move is Move.CONFIRM)
            settled = replace(state, doubts=0, confirmed=confirmed, denied=False)
            return status.clear(settled, deed.at) if accused else settled
        case Move.DENY:
            told = replace(state, denied=True)
            return told if state.status in status.SILENCED else status.denied(told, deed.at)
        case Move.PIN:
            pinned = replace(state, protected=True)
            if state.status in status.SILENCED:
                return status.clear(pinned, deed.at)
            return status.judge(pinned, deed.at, policy) if accused else pinned
        case Move.UNPIN:
            return replace(state, protected=False)
