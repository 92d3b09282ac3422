"""find_times: every moment that a text tells."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from datetime import date as Date
from datetime import datetime, timedelta

from memory.config import LANGUAGES
from memory.language.folding import fold_map
from memory.language.times import compose as composing
from memory.language.times.anchors import NO_ANCHOR, anchored, placed
from memory.language.times.compose import is_target
from memory.language.times.context import Context
from memory.language.times.days import DAY_KINDS
from memory.language.times.fallback import find_written
from memory.language.times.grammar import Grammar, Piece, grammar, scan
from memory.language.times.joining import join
from memory.language.times.mention import Tense, TimeMention
from memory.language.times.reading import read
from memory.language.times.repairs import repaired

MOST_CHARS = 20_000  # what lies beyond is pasted, and not read


def find_times(
    text: str,
    *,
    language: str,
    now: datetime,
    tense: Tense = "auto",
    on: Date | None = None,
) -> tuple[TimeMention, ...]:
    """Every moment, range and recurrence that `text` tells, in order of appearance.

    Args:
        text: what the person said, as said; beyond MOST_CHARS characters it is not read.
        language: one of config.LANGUAGES.
        now: aware, in the person's zone (the zone also decides the order of day and month in English).
        tense: "future" for plans (a bare weekday is the coming one, nothing lies in the past unless
            the words say so), "past" for what happened (a bare weekday is the last one); "auto" reads
            it from the words around.
        on: the day that an hour without a day belongs to, e.g. when it answers "at what time?".

    Raises:
        ValueError: `now` is naive, or the language is not one of ours.
    """
    if now.tzinfo is None:
        raise ValueError("now must be aware")
    known = grammar(language)
    text = text[:MOST_CHARS]
    folded, at = fold_map(text)
    pieces = _without_durations(scan(folded, language, text=text, at=at), folded, known)
    pieces = repaired(pieces, folded, known)
    contexts = _Contexts(text, folded, at, known, now, tense, on)
    mentions: list[TimeMention] = []
    ends = composing.sentence_ends(folded, pieces, "".join(text[place] for place in at[: len(folded)]))
    composed = join(composing.compose(folded, pieces, known, ends), folded, known, ends)
    moving = composing.moving_sentences(folded, known, ends)
    anchor = NO_ANCHOR
    named: composing.Told | None = None
    for told in composed:
        context = contexts.around(told.pieces[0].start, _parts_elsewhere(told, composed))
        if (
            tense == "auto"
            and not told.every
            and not told.end_days
            and _looks_back(folded, told.pieces[0], known)
        ):
            context = replace(context, past=True)
        if told.sentence in moving:
            context = replace(context, past=False)  # what is moved is still to come
        anchor = anchor if anchor.sentence == told.sentence else NO_ANCHOR
        mention = placed(read(told, replace(context, anchor=anchor)), told, anchor, context)
        if mention is not None:
            if mentions and named is not None and _only_names(told, named, mention, mentions[-1]):
                continue  # "on 24 December at four, Christmas Eve"
            if mentions and _only_names(named, told, mentions[-1], mention):
                mentions.pop()
            named = told
            mention = _other_half(mention, mentions, context)
            if told.sentence in moving and is_target(folded, told.pieces[0], known):
                mention = replace(mention, target=True)
            mentions.append(_in_text(mention, told.pieces, at, text))
            anchor = anchored(mention, told, folded, known) or anchor
    if not pieces:
        mentions.extend(find_written(text, language=language, now=now))
    return tuple(sorted(mentions, key=lambda mention: mention.spans))


# A clock time without a word like "at" is a duration ("three hours by train") unless a day or a part of
# the day stands beside it, or hardly anything else is said.
MOST_WORDS_BESIDE_A_BARE_HOUR = 2


def preload(languages: Sequence[str] = LANGUAGES) -> None:
    """Compile the grammars now (a quarter of a second each), so that no turn waits for it."""
    for language in languages:
        grammar(language)


def _other_half(mention: TimeMention, told: Sequence[TimeMention], context: Context) -> TimeMention:
    """An hour told twice for each day is one of the morning and one of the evening: "at eight and eight"."""
    again = any(
        each.time == mention.time and each.rrule == mention.rrule == "FREQ=DAILY" for each in told[-2:]
    )
    if not again or mention.alternative is None or mention.time is None:
        return mention
    other = mention.alternative
    while other - timedelta(days=1) > context.now:
        other -= timedelta(days=1)
    while other <= context.now:
        other += timedelta(days=1)
    return replace(mention, date=other.date(), time=other.time(), ambiguous=False, alternative=None)


def _only_names(
    before: composing.Told | None, told: composing.Told, feast: TimeMention, mention: TimeMention
) -> bool:
    """Whether a feast only names what the moment behind it is told of: "le réveillon, c'est demain"."""
    return (
        before is not None
        and before.sentence == told.sentence
        and [piece.kind for piece in before.pieces] == ["holiday"]
        and [piece.kind for piece in told.days] != ["holiday"]
        and feast.date == mention.date
    )


def _parts_elsewhere(told: composing.Told, composed: Sequence[composing.Told]) -> tuple[tuple[int, int], ...]:
    """Where other moments name a part of the day: it says nothing of this moment's hour."""
    return tuple(
        (piece.start, piece.end)
        for other in composed
        if other is not told and other.sentence == told.sentence
        for piece in other.pieces
        if "part" in piece.values
    )


def _without_durations(pieces: list[Piece], folded: str, known: Grammar) -> list[Piece]:
    kept: list[Piece] = []
    dated = any(piece.kind in (*DAY_KINDS, "every") for piece in pieces)
    for index, piece in enumerate(pieces):
        if piece.values.get("needs_day") and not dated:
            continue
        weak = int(piece.values.get("weak", -1))
        if piece.kind == "clock" and int(piece.values.get("hour", 24)) <= weak:
            before, after = pieces[index - 1 : index] if index else [], pieces[index + 1 : index + 2]
            gaps = [folded[each.end : piece.start] for each in before]
            gaps += [folded[piece.end : each.start] for each in after]
            rest = re.findall(r"\w+", folded[: piece.start] + " " + folded[piece.end :])
            beside = any(known.joiners.fullmatch(gap) for gap in gaps)
            if not beside and len(rest) > MOST_WORDS_BESIDE_A_BARE_HOUR:
                continue
        kept.append(piece)
    return kept


def _looks_back(folded: str, piece: Piece, known: Grammar) -> bool:
    """Whether "since" stands before a piece or at its start."""
    head = folded[max(0, piece.start - 12) : piece.start]
    first = re.match(r"\w+\s*", folded[piece.start : piece.end])
    return bool(known.since.search(head) or (first and known.since.search(first[0])))


class _Contexts:
    """What moments are read against, one for each sentence of a text."""

    def __init__(
        self,
        text: str,
        folded: str,
        at: Sequence[int],
        known: Grammar,
        now: datetime,
        tense: Tense,
        on: Date | None,
    ) -> None:
        self._text, self._at, self._known = text, at, known
        self._now, self._tense, self._on = now, tense, on
        self._ends = composing.clause_ends(folded)
        self._made: dict[tuple[int, tuple[tuple[int, int], ...]], Context] = {}

    def around(self, offset: int, elsewhere: tuple[tuple[int, int], ...] = ()) -> Context:
        """The context of the sentence around an offset of the folded text, but for some places in it."""
        index = min(bisect_right(self._ends, offset), len(self._ends) - 1)
        if (index, elsewhere) not in self._made:
            start = self._at[self._ends[index - 1] if index else 0]
            sentence = self._text[start : self._at[self._ends[index]]]
            for begins, ends in elsewhere:
                first, last = self._at[begins] - start, self._at[ends] - start
                if 0 <= first < last:
                    sentence = sentence[:first] + " " * (last - first) + sentence[last:]
            self._made[index, elsewhere] = self._context(sentence.lower().replace("’", "'"))
        return self._made[index, elsewhere]

    def _context(self, sentence: str) -> Context:
        known = self._known
        past = self._tense == "past"
        if self._tense == "auto":
            past = bool(known.told.search(sentence)) and not known.plan.search(sentence)
        return Context(
            now=self._now.replace(tzinfo=None),
            instant=self._now,
            grammar=known,
            past=past,
            on=self._on,
            evening=bool(known.evening.search(sentence)),
            morning=bool(known.morning.search(sentence)),
            before_eleven=bool(known.before_eleven.search(sentence)),
        )


def _in_text(mention: TimeMention, pieces: list[Piece], at: list[int], text: str) -> TimeMention:
    """The mention with spans in the original text; pieces that touch make one span."""
    spans: list[tuple[int, int]] = []
    for piece in sorted(pieces, key=lambda piece: piece.start):
        start, end = at[piece.start], at[piece.end]
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1  # a combining accent belongs to the letter before it
        if spans and start - spans[-1][1] <= 1:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return replace(mention, spans=tuple(spans))
