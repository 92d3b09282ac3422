"""Recall: cards and past talks, searched from several angles at once, fused and crossed.

The angles are looked at in one pass over the person's shelves: their texts are
embedded in one batch, which is faster than threads that wait for each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from memory import language as lang
from memory import worth
from memory.cards import chances
from memory.cards.filtering import candidates
from memory.cards.ranking import cards as card_ranking
from memory.cards.ranking import turns as turn_ranking
from memory.cards.ranking.fusion import Hit, best, fuse, in_order, reasons, relevance
from memory.cards.ranking.postings import Floats
from memory.cards.ranking.question import Question, meaning, read
from memory.cards.ranking.shelf import Shelf
from memory.cards.ranking.weights import FUSION
from memory.cards.shelves import CardCache, Shelves
from memory.embedding import Embedder, Vectors
from memory.records import Card, Found, LinkKind, Person, TranscriptHit
from memory.storage import links as link_rows
from memory.storage import retrievals as retrieval_rows
from memory.storage import search as rows

__all__ = ["Angle", "CardCache", "Recalled", "recall"]

MAX_ANGLES = 3
_WIDE = 4  # times k: how many of an angle are looked at, so that fusion has something to fuse
_SPARE = 8  # read beyond k: worth may reorder, and some may have gone meanwhile
_SUMMARIES = 2  # talks that only their summary brings
_SEEDS = 3  # found cards whose neighbours come along
_NEIGHBOURS = 2  # of each


@dataclass(frozen=True, kw_only=True)
class Angle:
    """One way to look: by the person named, by the theme, or by what is meant."""

    kind: str  # "person", "theme" or "meaning"
    query: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """What was found, best first, in cards and in the transcript. Both empty: nothing relevant is known."""

    found: tuple[Found, ...] = ()
    talks: tuple[TranscriptHit, ...] = ()
    withheld: tuple[Found, ...] = ()  # held back by a lot: to be logged, never to be told


@dataclass(frozen=True, kw_only=True)
class _Look:
    """An angle ready for ranking."""

    kind: str
    question: Question
    card_vector: Vectors
    turn_vector: Vectors


def recall(
    session: Session,
    *,
    person: Person,
    angles: Sequence[Angle],
    k: int = 8,
    guest: bool = False,
    now: datetime,
    embedder: Embedder,
    cache: CardCache,
    language: str,
    turn_id: int | None = None,
) -> Recalled:
    """Search the person's cards and past talks from up to three angles.

    Args:
        k: at most so many cards, and so many exchanges; neighbours along links come on top.
        guest: somebody else holds the phone: no sensitive card, and no talk of the owner.
        language: of the turn; the language of each query is looked at itself.
        turn_id: the turn that asks; it is not its own answer.

    Returns:
        Cards and exchanges, best first. Cards that are near but no answer are marked
        as not relevant; silenced ones come only when they alone can answer, marked as
        suspect; superseded, forgotten, done and withheld things never come.
    """
    asked = [angle for angle in angles[:MAX_ANGLES] if angle.query.strip() or angle.names]
    if not asked or k < 1:
        return Recalled()
    local = now.astimezone(ZoneInfo(person.zone))

    def in_part() -> Shelves:
        queries = [angle.query or " ".join(angle.names) for angle in asked]
        return candidates(
            session, person.id, queries, language=language, embedder=embedder, today=local.date()
        )

    with cache.open(session, person.id, vector_version=embedder.version, in_part=in_part) as shelves:
        looks = _looks(asked, shelves, embedder, language)
        hits = _card_hits(shelves.cards, looks, k, guest=guest, now=local)
        scores = _turn_scores(shelves, looks, k, guest=guest, without=turn_id)
    wants_when = any(look.question.wants_when for look in looks)
    lots = chances.Chances(
        person_id=person.id,
        turn_id=turn_id,
        context=chances.context_of(
            [look.kind for look in looks if look.question.words], wants_when=wants_when
        ),
        drawn={} if turn_id is None else retrieval_rows.lots_of_turn(session, turn_id),
    )
    found, withheld = _found(session, lots, hits, k=k, guest=guest, now=now)
    talks = rows.talks(session, person.id, scores) if scores else []
    return Recalled(found=tuple(found), talks=tuple(talks), withheld=tuple(withheld))


def _looks(angles: Sequence[Angle], shelves: Shelves, embedder: Embedder, language: str) -> list[_Look]:
    has_cards = bool(len(shelves.cards) or len(shelves.summaries))
    has_turns = bool(len(shelves.turns))
    questions = []
    texts: list[str] = []
    for angle in angles:
        text = " ".join((angle.query, *(name for name in angle.names if name not in angle.query)))
        spoken = lang.detect(text, hint=language)
        question = read(text, language=spoken, others=sorted(shelves.languages))
        speakers = {word for key in shelves.turns.asked_names(question.words) for word in key}
        questions.append(question)
        # Blank texts cost nothing: what no shelf will be asked for is not embedded.
        for_cards = [text, meaning(text, language=spoken)] if has_cards else ["", ""]
        texts += [*for_cards, meaning(text, language=spoken, names=speakers) if has_turns else ""]
    vectors = embedder.encode(texts)
    return [
        _Look(
            kind=angle.kind,
            question=question,
            card_vector=_unit(vectors[3 * at] + vectors[3 * at + 1]),
            turn_vector=vectors[3 * at + 2],
        )
        for at, (angle, question) in enumerate(zip(angles, questions, strict=True))
    ]


def _unit(vector: Vectors) -> Vectors:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


def _card_hits(shelf: Shelf, looks: Sequence[_Look], k: int, *, guest: bool, now: datetime) -> list[Hit]:
    """Cards of all angles, fused; and the next event of a person that is asked about."""
    if not len(shelf):
        return []
    ids = shelf.fields["id"]
    hidden = shelf.fields["sensitive"] if guest else np.zeros(len(shelf), bool)
    every: list[list[Hit]] = []
    for look in looks:
        features = card_ranking.features(shelf, look.question, look.card_vector)
        scores = np.where(hidden, -np.inf, card_ranking.score(features)).astype(np.float32)
        relevances = relevance(features)
        chosen = [at for at in best(scores, _WIDE * k) if np.isfinite(scores[at])]
        extra = _next_event(shelf, features["name"], hidden, now)
        hits = [
            Hit(
                id=int(ids[at]),
                score=float(scores[at]),
                relevance=float(relevances[at]),
                angles=(look.kind,),
                because=reasons(features, at) + (("next_event",) if at == extra else ()),
            )
            for at in dict.fromkeys([*chosen, *([] if extra is None else [extra])])
        ]
        every.append(hits)
    return fuse(every)


def _next_event(shelf: Shelf, about: Floats, hidden: np.ndarray, now: datetime) -> int | None:
    """Position of the soonest dated card about an asked person that is not over."""
    fields = shelf.fields
    stamp = fields["year"].astype(np.int64) * 10_000 + fields["month"].astype(np.int64) * 100 + fields["day"]
    today = now.year * 10_000 + now.month * 100 + now.day
    coming = np.flatnonzero((about >= 1.0) & (stamp >= today) & ~hidden)
    return int(coming[np.argmin(stamp[coming])]) if coming.size else None


def _turn_scores(
    shelves: Shelves, looks: Sequence[_Look], k: int, *, guest: bool, without: int | None
) -> dict[int, float]:
    """Ids and scores of the best exchanges, or nothing when none of them answers."""
    shelf = shelves.turns
    if not len(shelf):
        return {}
    ids = shelf.fields["id"]
    hidden = ids == (-1 if without is None else without)
    if guest:
        hidden = hidden | ~shelf.fields["guest"]
    total = np.full(len(shelf), -np.inf, np.float32)
    answers = False
    for look in looks:
        features = turn_ranking.features(shelf, look.question, look.turn_vector)
        total = np.maximum(total, turn_ranking.weigh(shelf, features))
        answers = answers or bool((turn_ranking.is_answer(features) & ~hidden).any())
    total[hidden] = -np.inf
    chosen = best(total, k) if answers else []
    told = [] if guest else _told_in_summaries(shelves, looks)
    places = _with_talks(shelf.fields["group"], total, chosen, told, k)
    return {int(ids[at]): float(total[at]) for at in places if np.isfinite(total[at])}


def _told_in_summaries(shelves: Shelves, looks: Sequence[_Look]) -> list[int]:
    """Ids of past conversations whose summary answers, best first; a few at most."""
    shelf = shelves.summaries
    if not len(shelf):
        return []
    fits = np.zeros(len(shelf), np.float32)
    for look in looks:
        fits = np.maximum(fits, relevance(card_ranking.features(shelf, look.question, look.card_vector)))
    return [int(shelf.fields["id"][at]) for at in best(fits, _SUMMARIES) if fits[at] >= FUSION.card_floor]


def _with_talks(
    group: NDArray[np.int64], total: Floats, chosen: list[int], talks: Sequence[int], k: int
) -> list[int]:
    """The chosen turns, and the best turn of each of these talks that has none among them; `k` in all."""
    held = {int(group[at]) for at in chosen}
    extra = []
    for talk in talks:
        among = np.flatnonzero((group == talk) & np.isfinite(total))
        if talk not in held and among.size:
            extra.append(int(among[np.argmax(total[among])]))
    extra = extra[:k]
    return chosen[: k - len(extra)] + extra


def _found(
    session: Session, lots: chances.Chances, hits: Sequence[Hit], *, k: int, guest: bool, now: datetime
) -> tuple[list[Found], list[Found]]:
    """The hits as records, and those that a lot holds back: weighed by worth and warmth, with neighbours."""
    wide = hits[: k + _SPARE]
    known = rows.cards(session, lots.person_id, [hit.id for hit in wide]) if wide else {}
    states = {
        card_id: worth.WorthState.from_dict(state)
        for card_id, (_, state) in known.items()
        if state is not None
    }
    weighed = [
        _warmed(chances.weighed(hit, states.get(hit.id), explores=lots.explores), known[hit.id][0], now)
        for hit in wide
        if hit.id in known and not (guest and known[hit.id][0].sensitive)
    ]
    ranked = _served(in_order(weighed), states)
    cards = {card_id: card for card_id, (card, _) in known.items()}
    held = lots.draw(ranked[:k], cards, states)
    # Whoever is held back leaves a place to the next one.
    served = [hit for hit in ranked if hit.id != held][:k]
    found = [_as_found(hit, cards[hit.id], states.get(hit.id), lots) for hit in served]
    withheld = [
        replace(_as_found(hit, cards[hit.id], states.get(hit.id), lots), withheld=True)
        for hit in ranked[:k]
        if hit.id == held
    ]
    near, near_withheld = _neighbours(session, lots, found, guest=guest, without=held)
    return found + near, withheld + near_withheld


def _warmed(hit: Hit, card: Card, now: datetime) -> Hit:
    days = max((now - card.mentioned_at).total_seconds() / 86_400, 0.0)
    return replace(hit, score=hit.score + FUSION.warmth * 0.5 ** (days / 10))


def _served(hits: Sequence[Hit], states: Mapping[int, worth.WorthState]) -> list[Hit]:
    """All hits but the silenced ones; of these only what is relevant and clearly best.

    One that the person said no longer holds gives way to whatever else may answer: it is not put to them
    again and again.
    """
    silenced = {card_id for card_id, state in states.items() if not worth.is_served(state, asked=False)}
    rivals = [hit.score for hit in hits if hit.id not in silenced and hit.relevance >= FUSION.card_floor]
    to_beat = FUSION.alone * max(rivals, default=0.0)
    return [
        hit
        for hit in hits
        if hit.id not in silenced
        or (
            hit.relevance >= FUSION.card_floor
            and hit.score > to_beat
            and not (rivals and states[hit.id].denied)
        )
    ]


def _as_found(hit: Hit, card: Card, state: worth.WorthState | None, lots: chances.Chances) -> Found:
    return Found(
        card=card,
        score=hit.score,
        angles=hit.angles,
        because=", ".join(hit.because),
        relevant=hit.relevance >= FUSION.card_floor,
        suspect=state is not None and worth.needs_asking(state),
        propensity=lots.propensity(card.id),
        protected=chances.is_protected(card),
        context=lots.context,
    )


def _neighbours(
    session: Session, lots: chances.Chances, found: Sequence[Found], *, guest: bool, without: int | None
) -> tuple[list[Found], list[Found]]:
    """Cards linked with the best relevant ones: an event brings its people, a person what is told of them."""
    seeds = {hit.card.id: hit for hit in found if hit.relevant}
    seeds = dict(list(seeds.items())[:_SEEDS])
    if not seeds:
        return [], []
    taken = {hit.card.id for hit in found} | ({without} if without is not None else set())
    brought: dict[int, Hit] = {}
    room = dict.fromkeys(seeds, _NEIGHBOURS)
    for link in link_rows.of_cards(session, lots.person_id, list(seeds)):
        if link.kind is LinkKind.THEME:
            continue  # a theme tells nothing itself
        for seed, other in ((link.a_id, link.b_id), (link.b_id, link.a_id)):
            if seed not in seeds or other in taken or not room[seed]:
                continue
            taken.add(other)
            room[seed] -= 1
            score = seeds[seed].score * FUSION.linked * link.weight
            brought[other] = Hit(
                id=other, score=score, relevance=0.0, angles=("link",), because=(f"link {link.kind.value}",)
            )
    return _linked_cards(session, lots, brought, guest=guest)


def _linked_cards(
    session: Session, lots: chances.Chances, brought: Mapping[int, Hit], *, guest: bool
) -> tuple[list[Found], list[Found]]:
    known = rows.cards(session, lots.person_id, brought) if brought else {}
    states = {
        card_id: worth.WorthState.from_dict(plain)
        for card_id, (_, plain) in known.items()
        if plain is not None
    }
    hits = [
        hit
        for hit in in_order(hit for hit in brought.values() if hit.id in known)
        if not (guest and known[hit.id][0].sensitive)
        and not (hit.id in states and not worth.is_served(states[hit.id], asked=False))
    ]
    held = lots.draw(hits, {card_id: card for card_id, (card, _) in known.items()}, states)
    found = [_as_found(hit, known[hit.id][0], states.get(hit.id), lots) for hit in hits]
    return (
        [each for each in found if each.card.id != held],
        [replace(each, withheld=True) for each in found if each.card.id == held],
    )
