"""Every weight of the ranking, in one place, with what it brought.

All features are between 0 and 1 unless said otherwise, so that weights can be read
against each other. The weights of turns were fitted by a listwise loss on three of
LoCoMo's ten conversations and checked by leaving out one of the three at a time; what
each part brings on the other seven is printed by `make bench-recall` and stands in
docs/recall.md. The weights of cards were set by hand on the meanings of
`make bench-crosslingual`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class TurnWeights:
    """How much each sign counts when turns of talks are ranked; in brackets what R@10 loses without it."""

    words: float = 0.67  # BM25 share over the turn twice and the turn before it (.010)
    window: float = 1.2  # BM25 share over the three turns on either side (.035)
    meaning: float = 0.98  # cosine with the question without names and question words (.013)
    around: float = 0.57  # mean cosine of the turn and those beside it (.004)
    speaker: float = 0.54  # a named person said it (.029)
    asks: float = -0.08  # it is itself a question: answers are sought (.004)
    length: float = 0.09  # log of the number of terms: long turns say more (.010)
    month: float = 0.49  # it was said in the month asked for (.012)
    day: float = 0.49  # and on that day of it (.004)
    tells: float = 0.33  # the question wants a moment, and it tells one (.007)
    talk: float = 0.41  # mean of its conversation's best three turns (.004)
    reply: float = 0.25  # the turn before it is a question that matches (.005)


@dataclass(frozen=True, kw_only=True)
class CardWeights:
    """How much each sign counts when cards are ranked."""

    words: float = 0.6  # BM25 share over the card's words
    covers: float = 0.0  # plain share of the question's words: for the rule of relevance only
    meaning: float = 1.6  # cosine with the question
    topics: float = 0.4  # it speaks of the same in other words (same language +.004, across +.016)
    tongue: float = 0.08  # it is in the question's language; no sign of relevance (same +.013, across -.020)
    kin: float = 0.3  # it names the relation asked for, in whatever language
    name: float = 0.4  # it is about a named person
    date: float = 0.4  # it is dated as asked


@dataclass(frozen=True, kw_only=True)
class Fusion:
    """How the angles' results become one list, and what makes a result relevant."""

    shared: float = 0.25  # share of a card's other angles' scores that is added to its best one
    linked: float = 0.5  # a neighbour's score, as a share of the score of the card that brought it
    warmth: float = 0.04  # mentioned today; halves in ten days; can only break ties
    card_floor: float = 0.46  # below it a card is near, but no answer
    card_covers: float = 0.7  # unless it holds this share of the question's weight
    talk_floor: float = 0.13  # words and meaning of the best exchange; below it no talk is an answer
    alone: float = 1.25  # a silenced card is told when it beats all others by this factor


TURNS = TurnWeights()
CARDS = CardWeights()
FUSION = Fusion()
