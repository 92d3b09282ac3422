"""What Memory Worth does to one search: lots over suspects, a floor of exploration, the kind of request."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from memory import worth
from memory.cards.ranking.fusion import Hit
from memory.cards.ranking.weights import FUSION
from memory.records import Card

SAFETY = frozenset(
    {"allergy", "allergies", "diet", "code", "medication", "illness", "blood_type", "emergency"}
)


def is_protected(card: Card) -> bool:
    """Whether a card is never held back: pinned, sensitive, or about somebody's safety."""
    return card.pinned or card.sensitive or card.attribute.partition(":")[0] in SAFETY


def context_of(kinds: Collection[str], *, wants_when: bool) -> str:
    """The kind of request as the search sees it. Few and plain kinds: one label in ten wrong spoils lift."""
    if "person" in kinds:
        return "person"
    return "moment" if wants_when else "other"


@dataclass(kw_only=True)
class Chances:
    """The lots of one turn. At most one card is held back in it, however often it searches.

    Made without a turn (a page that searches) it holds nothing back and explores nothing.
    """

    person_id: int
    turn_id: int | None
    context: str
    # What earlier searches of the turn drew: card -> whether it was shown, and its chance.
    drawn: dict[int, tuple[bool, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Seeded by the turn, so that a turn that is run again draws the same.
        self._rng = Random(f"{self.person_id}/{self.turn_id}")
        self.explores = self.turn_id is not None and worth.explores(self._rng)

    def draw(
        self, hits: Sequence[Hit], cards: Mapping[int, Card], states: Mapping[int, worth.WorthState]
    ) -> int | None:
        """The id of the one among these hits that is not to be shown, None for nobody.

        A hit that may answer is only held back where another one may answer as well; one that is near, or
        comes along by a link, is offered unasked and may always be.
        """
        held = next((hit.id for hit in hits if not self.drawn.get(hit.id, (True, 1.0))[0]), None)
        if held is not None or self.drawn or self.turn_id is None or not states:
            return held
        offers = [
            worth.Offer(
                card=hit.id,
                asked=hit.relevance >= FUSION.card_floor,
                replaceable=_is_replaceable(hit, hits, states),
                protected=is_protected(cards[hit.id]),
            )
            for hit in hits
        ]
        lots = worth.draw(states, offers, self._rng)
        self.drawn = {card: (card != lots.withheld, chance) for card, chance in lots.propensity.items()}
        return lots.withheld

    def propensity(self, card_id: int) -> float:
        """The chance with which a card was to be shown; 1 when no lot was drawn over it."""
        return self.drawn.get(card_id, (True, 1.0))[1]


def _is_replaceable(hit: Hit, hits: Sequence[Hit], states: Mapping[int, worth.WorthState]) -> bool:
    """Whether another relevant hit, itself beyond doubt, is nearly as good, or asking has led nowhere."""
    others = [
        other.score
        for other in hits
        if other.id != hit.id
        and other.relevance >= FUSION.card_floor
        and not (other.id in states and worth.needs_asking(states[other.id]))
    ]
    if not others:
        return False
    asked_in_vain = hit.id in states and worth.was_asked_in_vain(states[hit.id])
    return asked_in_vain or hit.score <= FUSION.alone * max(others)


def weighed(hit: Hit, state: worth.WorthState | None, *, explores: bool) -> Hit:
    """The hit with its score moved by its worth, within narrow bounds."""
    return hit if state is None or explores else replace(hit, score=hit.score * (1.0 + worth.term(state)))
