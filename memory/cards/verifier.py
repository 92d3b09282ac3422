"""The second pass: counts the facts and persons of a sentence and adds those that are missing.

It sees the person's sentence and the list of what its turn kept, never the assistant's
text. It may create facts and persons only, in silence, each with the span of the
sentence that it rests on, which code checks. Its failure is never felt.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory import cards
from memory.cards.grounding import is_grounded
from memory.decisions.consent import says_nothing_else
from memory.decisions.log import tells
from memory.decisions.schema import Keys
from memory.embedding import Embedder
from memory.language import fold
from memory.listening import Candidate, Heard, KnownPerson, listen, own_words
from memory.records import Author, Card, Category, NewCard, Person, Turn
from memory.storage import cards as card_rows
from memory.storage import conversations as conversation_rows
from memory.storage import decisions as decision_rows
from memory.storage import figures as figure_rows
from memory.storage import people as people_rows
from memory.storage import tool_calls
from memory.storage import turns as turn_rows
from memory.storage.engine import reading, transaction
from memory.storage.figures import Figure

log = logging.getLogger(__name__)

_MAY_CREATE = frozenset({Category.FACT, Category.PERSON})
_ON_DECISIONS = frozenset({"record_decision", "withdraw_decision", "close_matter"})

Proposes = Callable[[str, Sequence[str], str], Sequence[Candidate]]
"""Asks a configured model: the sentence, what is kept already, the language; gives proposals."""


@dataclass(frozen=True, kw_only=True)
class Verified:
    """What one verification came to."""

    skipped: bool = False
    recovered: int = 0
    refused: int = 0
    cards: tuple[str, ...] = field(default_factory=tuple)  # public ids


def verify(
    engine: Engine,
    embedder: Embedder,
    turn_id: int,
    *,
    now: datetime,
    propose: Proposes | None = None,
    keys: Keys | None = None,
) -> Verified | None:
    """Verify one turn, once; None when it was verified already, is gone, or must not be.

    Args:
        propose: a configured model beside the embedded listener, under the same checks.
        keys: of decisions; what the turn recorded as one makes no card.
    """
    with reading(engine) as session:
        seen = _read(session, turn_id)
    if seen is None:
        return None
    turn, person, kept, previous = seen
    known = _known(engine, person)
    heard = hear(turn, known=known, previous=previous)
    proposals = [each for each in heard.candidates if each.category in _MAY_CREATE]
    proposals = [each for each in proposals if not _is_unclear(each, known)]
    if propose is not None and not heard.surely_nothing:
        try:
            proposals += propose(own_words(turn.said), [card.text for card in kept], turn.language)
        # Broad on purpose: the embedded listener's finds must not be lost with a model's failure.
        except Exception as error:
            log.warning("model did not verify", extra={"turn_id": turn_id, "error": type(error).__name__})
    with transaction(engine) as session:
        if not turn_rows.mark(session, turn_id, "verified", now=now):
            return None
        proposals = _undecided(session, turn, proposals, keys)
        outcome = _add(session, turn, person, proposals, embedder=embedder, now=now)
        skipped = heard.surely_nothing and not proposals
        first_pass = sum(card.category in _MAY_CREATE for card in kept)
        for figure, amount in (
            (Figure.VERIFIED, 1),
            (Figure.SKIPPED, int(skipped)),
            (Figure.MISSED, int(outcome.recovered > 0)),
            (Figure.RECOVERED, outcome.recovered),
            (Figure.REFUSED, outcome.refused),
            (Figure.FIRST_TIME, first_pass),
            (Figure.CARDS, outcome.recovered),
        ):
            if amount:
                figure_rows.add(session, figure, amount, now=now)
    return Verified(
        skipped=skipped, recovered=outcome.recovered, refused=outcome.refused, cards=outcome.cards
    )


def _is_unclear(candidate: Candidate, known: Sequence[KnownPerson]) -> bool:
    """Whether a statement names somebody by a first name that several known people share."""
    firsts = [fold(person.name).split()[0] for person in known if person.name.strip()]
    return any(firsts.count(fold(name)) > 1 for name in {candidate.subject, *candidate.people} - {""})


def _undecided(
    session: Session, turn: Turn, proposals: Sequence[Candidate], keys: Keys | None
) -> list[Candidate]:
    """The proposals without those that say what the turn recorded as a decision, or tried to."""
    if keys is None:
        return list(proposals)
    decided = decision_rows.of_turns(session, [turn.id])
    here = turn.created_at.astimezone(ZoneInfo(turn.zone))
    calls = tool_calls.of_turn(session, turn.id)
    tried = any(name in _ON_DECISIONS for name, _ in calls)
    return [
        each
        for each in proposals
        if not any(
            tells(keys, one, each.text, language=turn.language, now=here, zone=turn.zone) for one in decided
        )
        and not (tried and says_nothing_else(keys, each.text, matter="", language=turn.language, now=here))
    ]


def hear(turn: Turn, *, known: Sequence[KnownPerson], previous: str) -> Heard:
    """What the embedded listener hears in a turn, at the turn's own time and place."""
    return listen(
        turn.said,
        language=turn.language,
        now=turn.created_at.astimezone(ZoneInfo(turn.zone)),
        zone=turn.zone,
        known=known,
        speaker=turn.speaker,
        previous=previous,
    )


def is_quoted(candidate: Candidate, said: str, *, language: str, names: Sequence[str] = ()) -> bool:
    """Whether a proposal rests on the span it names: it lies in the sentence, and what it says lies in it."""
    start, end = candidate.span
    if not 0 <= start < end <= len(said):
        return False
    sources = [said[start:end]]
    held = [candidate.text, candidate.value, *candidate.people]
    return all(
        is_grounded(each, said=sources if index else [*sources, said], language=language, names=names)
        for index, each in enumerate(held)
        if each
    )


def _add(
    session: Session,
    turn: Turn,
    person: Person,
    proposals: Sequence[Candidate],
    *,
    embedder: Embedder,
    now: datetime,
) -> Verified:
    kept = card_rows.of_turn(session, turn.id)
    persons = card_rows.people(session, person.id, limit=200)
    known = [card.people[0] for card in persons if card.people]
    recovered: list[str] = []
    refused = 0
    for proposal in proposals:
        if proposal.category not in _MAY_CREATE or not is_quoted(
            proposal, turn.said, language=turn.language, names=known
        ):
            refused += 1
            continue
        new = to_new_card(proposal, turn)
        if cards.covered(new, kept) or _on_person(new, persons):
            continue
        result = cards.remember(session, person, new, embedder=embedder, now=now)
        if result.outcome is not cards.Outcome.MERGED:
            recovered.append(result.card.public_id)
        kept.append(result.card)
    return Verified(recovered=len(recovered), refused=refused, cards=tuple(recovered))


def _on_person(new: NewCard, persons: Sequence[Card]) -> bool:
    """Whether what is said of a known person stands word for word on their card (put right just now)."""
    names = {cards.subject_key(name) for name in (new.subject, *new.people) if name}
    own = [card for card in persons if names & {cards.subject_key(name) for name in card.people}]
    return cards.covered(new, own if new.category is Category.FACT else persons)


def to_new_card(candidate: Candidate, turn: Turn, *, author: Author = Author.VERIFIER) -> NewCard:
    """A heard thing as a card to keep; what a guest says is about the guest."""
    return NewCard(
        category=candidate.category,
        text=candidate.text,
        title=candidate.title,
        subject=candidate.subject or turn.speaker,
        relation=candidate.relation,
        attribute=candidate.attribute,
        value=candidate.value,
        people=candidate.people,
        language=turn.language,
        author=author,
        speaker=turn.speaker,
        sensitive=candidate.sensitive,
        consult=candidate.consult,
        when=candidate.when,
        turn_id=turn.id,
        conversation_id=turn.conversation_id,
        device_id=turn.device_id,
    )


def _read(session: Session, turn_id: int) -> tuple[Turn, Person, list[Card], str] | None:
    turn = turn_rows.find(session, turn_id)
    if turn is None or turn.superseded or not turn.said:  # a human agent's words are never kept
        return None
    if conversation_rows.by_id(session, turn.conversation_id).private:
        return None
    person = people_rows.by_id(session, turn.person_id)
    before = turn_rows.before(session, turn)
    return turn, person, card_rows.of_turn(session, turn.id), before.said if before else ""


def _known(engine: Engine, person: Person) -> list[KnownPerson]:
    with reading(engine) as session:
        return [
            KnownPerson(name=card.people[0], relation=card.relation)
            for card in card_rows.people(session, person.id, limit=200)
            if card.people
        ]
