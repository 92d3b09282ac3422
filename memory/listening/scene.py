"""What is known while one message is listened to; shared by the parts of the listener."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from memory.language import TimeMention, find_times
from memory.listening.clauses import Splitter
from memory.listening.heard import KnownPerson
from memory.listening.lexicon import Lexicon
from memory.listening.people import People
from memory.listening.tokens import Piece, Token


@dataclass
class Scene:
    """One message with its language, its moment and the people known before."""

    text: str
    lex: Lexicon
    now: datetime  # aware, in the person's zone
    zone: str
    known: Sequence[KnownPerson] = ()
    pending: Mapping[str, Any] = field(default_factory=dict)
    previous: str = ""
    _told: dict[Any, list[TimeMention]] = field(default_factory=dict, repr=False)

    @cached_property
    def people(self) -> People:
        letters = [char for char in self.text if char.isalpha()]
        lower = bool(letters) and sum(char.isupper() for char in letters) <= len(letters) * 0.004
        return People(self.lex, self.known, lower)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """All words, numbers and signs of the message."""
        return self.lex.tokens(self.text)

    @cached_property
    def splitter(self) -> Splitter:
        return Splitter(self.lex)

    def times(self, piece: Piece, *, tense: str = "auto") -> list[TimeMention]:
        """Moments told in a piece, with spans in the message."""
        if not piece:
            return []
        start, end = piece.start, piece.end
        asked = (start, end, tense, piece.words)
        if asked in self._told:
            return self._told[asked]
        if self.text[end : end + 1] == "." and self.lex.has("ordinal_dot", self.lex.language):
            end += self.text[end - 1].isdigit()  # the dot behind "am 12" makes it a day
        part = self.text[start:end]
        found = find_times(part, language=self.lex.language, now=self.now, tense=tense)  # type: ignore[arg-type]
        inside = []
        for mention in found:
            spans = tuple((a + start, b + start) for a, b in mention.spans)
            words = [w for w in piece.words if any(a <= w.start < b for a, b in spans)]
            if words:
                inside.append(_moved(mention, spans))
        self._told[asked] = _joined(inside)
        return self._told[asked]

    def put_aside(self, piece: Piece, time: TimeMention) -> bool:
        """Whether "not this one" stands right behind a moment: "quarta que vem, não essa, a do dia 13"."""
        end = time.spans[-1][1]
        behind = next((i for i, word in enumerate(piece.words) if word.start >= end), len(piece))
        return behind < len(piece) and bool(self.lex.begins("not_that", piece.part(behind).norm))


def _joined(times: list[TimeMention]) -> list[TimeMention]:
    """A day and an hour told apart in one sentence are one moment ("on the 27th: eight o'clock")."""
    days = [t for t in times if t.date is not None and t.has_date and t.time is None and not t.rrule]
    hours = [t for t in times if t.date is not None and not t.has_date and t.time is not None and not t.rrule]
    if len(days) != 1 or len(hours) != 1 or len([t for t in times if t.date is not None]) != 2:
        return times
    day, hour = days[0], hours[0]
    whole = replace(
        day,
        spans=tuple(sorted((*day.spans, *hour.spans))),
        time=hour.time,
        all_day=False,
        granularity=hour.granularity,
        missing_time=False,
    )
    return [whole, *(t for t in times if t is not day and t is not hour)]


def _moved(mention: TimeMention, spans: tuple[tuple[int, int], ...]) -> TimeMention:
    return replace(mention, spans=spans)


def strip(scene: Scene, piece: Piece, *, closers: bool = True) -> Piece:
    """The piece without greetings and fillers at its beginning and its end."""
    lex = scene.lex
    changed = True
    while changed and piece:
        changed = False
        if lex.begins("because", piece.norm):
            break  # a reason, not a filler
        match = lex.begins("opener", piece.norm) or lex.begins("correction_lead", piece.norm)
        match = match or lex.begins("play_out", piece.norm)
        if match and match.end():
            piece, changed = piece.part(piece.range_of(match)[1]), True
            continue
        if closers:
            for match in _endings(lex, piece.norm):
                first = piece.range_of(match)[0]
                if first == 0 and len(piece) > 3:
                    continue
                piece, changed = piece.part(0, first), True
                break
    return piece


def _endings(lex: Lexicon, norm: str) -> list[Any]:
    pattern = lex.patterns.get("closer")
    if pattern is None:
        return []
    return [match for match in pattern.finditer(norm) if match.end() == len(norm)]


def sentence_case(text: str) -> str:
    """First letter as a capital, ends cleaned of signs that hung between clauses."""
    text = re.sub(r"\s+([,.;])", r"\1", text.strip()).strip(",;:–—").strip()
    text = re.sub(r",(?:\s*,)+", ",", text)
    if text.endswith(".") and not text.endswith(".."):
        text = text[:-1].strip(" ,;:–—")
    for opening, closing in (("«", "»"), ("»", "«"), ("“", "”"), ("„", "“"), ("(", ")")):
        if opening in text and closing not in text and not text.endswith(opening):
            text += f" {closing}" if f"{opening} " in text or f"{opening}\xa0" in text else closing
    for mark in ("'", '"'):  # an apostrophe stands inside a word, a mark at its edge
        closed = re.search(rf" {mark}[^{mark}]+{mark}(?!\w)", text)
        if text.count(f" {mark}") == 1 and not text.endswith(mark) and not closed:
            text += mark
    if text and text[0].islower() and not any(char.isdigit() for char in text.split()[0]):
        text = text[0].upper() + text[1:]
    return text
