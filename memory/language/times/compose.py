"""Which pieces that touch make one moment."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from memory.language.times.days import CLOCK_UNITS, DAY_KINDS, counts_weeks
from memory.language.times.grammar import Grammar, Piece, Values

# A dot between figures or after a short figure is no end; a question asked twice is.
_SENTENCE_END = re.compile(r"(?<!\d)[.!?…]+(?=\s|$)|[!?]|\.(?=\s+[^\W\d])(?<=\d\d\.)|[;\n]")
_FOLLOWS = re.compile(r"\s+([^\W\d_])")
_CLAUSE_END = re.compile(_SENTENCE_END.pattern + r"|:(?=\s)")
# Days that a weekday may stand beside.
_BESIDE_WEEKDAY = frozenset({"date", "numeric", "monthday", "day", "holiday", "month"})
WHOLE_DAYS = ("day", "week", "fortnight", "month")
LONGEST_BETWEEN = len(" between the ")  # how far before a piece the word may stand
MARKERS = frozenset({"starting", "until"})


@dataclass
class Told:
    """The pieces of one moment, by their part in it."""

    sentence: int
    pieces: list[Piece] = field(default_factory=list)
    days: list[Piece] = field(default_factory=list)
    clock: Piece | None = None
    part: Piece | None = None
    every: list[Piece] = field(default_factory=list)
    excepted: list[Piece] = field(default_factory=list)
    start_days: list[Piece] = field(default_factory=list)
    end_days: list[Piece] = field(default_factory=list)
    end_clock: Piece | None = None
    end_part: Piece | None = None
    duration: Piece | None = None
    before: Piece | None = None  # a distance to another moment; its kind says before or after
    same_time: Piece | None = None
    follows: bool = False  # an hour that has its day from the moment beside it

    @property
    def has_day(self) -> bool:
        return bool(self.days or self.start_days)

    @property
    def has_hour(self) -> bool:
        return self.clock is not None or self.part is not None

    @property
    def hour_only(self) -> bool:
        return self.has_hour and not (self.has_day or self.every or self.end_days or self.before)

    def has_like(self, piece: Piece) -> bool:
        """Whether a day, or an hour, is told already."""
        return self.has_day if piece.kind in DAY_KINDS else self.clock is not None and piece.kind == "clock"

    def can_end_with(self, start: Piece, piece: Piece) -> bool:
        """Whether `piece`, told after `start` and a word like "to", can be the end of this moment."""
        if piece.kind in ("clock", "part"):
            alike = start.kind == piece.kind or (start.kind in ("clock", "part") and self.clock is not None)
            alike = alike or (self.has_day and self.clock is not None and piece.kind == "clock")
            return self.has_hour and self.end_clock is None and alike
        if piece.kind not in DAY_KINDS or is_instant(piece) or self.end_days:
            return False
        return bool(self.days or self.start_days) and not (
            start.kind in DAY_KINDS and _go_together(start, piece) and piece.kind != "weekday"
        )

    def add(self, piece: Piece, role: str) -> bool:
        """Take a piece in, if its place is free; says whether it was."""
        if not self._place(piece, role):
            return False
        self.pieces.append(piece)
        return True

    def _place(self, piece: Piece, role: str) -> bool:
        kind = piece.kind
        if self.before is not None and not (
            kind in (*DAY_KINDS, "clock", "part") and self.before.values.get("unit") in WHOLE_DAYS
        ):
            return False
        if kind in ("before", "after") and self.pieces and not self._can_be_before(piece):
            return False
        if kind == "every":
            return self._place_every(piece)
        if kind in DAY_KINDS:
            return self._place_day(piece, role)
        if kind in ("clock", "part"):
            return self._place_hour(piece, role)
        if kind == "except":
            self.excepted.append(piece)
            return True
        name = "before" if kind == "after" else kind
        if name in ("duration", "before", "same_time"):
            if getattr(self, name) is not None:
                return False
            setattr(self, name, piece)
            return True
        return False

    def _can_be_before(self, piece: Piece) -> bool:
        """Whether a distance may follow: "at six the day before"."""
        return self.hour_only and piece.values.get("unit") in WHOLE_DAYS

    def _place_every(self, piece: Piece) -> bool:
        if self.every and ("unit" in piece.values) == ("unit" in self.every[0].values):
            return False
        self.every.append(piece)
        return True

    def _place_day(self, piece: Piece, role: str) -> bool:
        days = {"end": self.end_days, "start": self.start_days}.get(role, self.days)
        if days and not (len(days) == 1 and _go_together(days[0], piece)):
            return False
        if is_instant(piece) and self.has_hour:
            return False
        days.append(piece)
        return True

    def _place_hour(self, piece: Piece, role: str) -> bool:
        if any(is_instant(day) for day in self.days):
            return False
        name = ("end_" if role == "end" else "") + piece.kind
        if getattr(self, name) is not None:
            return False
        setattr(self, name, piece)
        return True


def is_instant(piece: Piece) -> bool:
    """Whether a piece gives day and hour at once ("in ten minutes")."""
    return piece.kind == "distance" and piece.values.get("unit", "minute") in CLOCK_UNITS


def _go_together(one: Piece, other: Piece) -> bool:
    kinds = {one.kind, other.kind}
    if kinds == {"period", "monthday"}:
        period = one if one.kind == "period" else other
        return period.values.get("unit") == "month" and "where" not in period.values
    if "weekday" not in kinds or len(kinds) == 1:
        return False
    rest = one if other.kind == "weekday" else other
    weeks = counts_weeks(rest)
    return rest.kind in _BESIDE_WEEKDAY or (rest.kind in ("period", "distance") and weeks)


def sentence_ends(folded: str, pieces: Sequence[Piece], written: str) -> list[int]:
    """Offsets at which a sentence ends; the dots of ordinals end none ("am 20. August", "am 19. auf")."""
    inside = [False] * (len(folded) + 1)
    for piece in pieces:
        goes_on = (
            re.match(r"\s+[^\W\d_]", written[piece.end :]) and written[piece.end :].lstrip()[0].islower()
        )
        inside[piece.start + 1 : piece.end + bool(goes_on)] = [True] * (piece.length - 1 + bool(goes_on))
    return [match.end() for match in _SENTENCE_END.finditer(folded) if not inside[match.end()]]


def compose(folded: str, pieces: list[Piece], grammar: Grammar, ends: Sequence[int]) -> list[Told]:
    """The moments that the pieces of a text make where they touch, in order; see `joining` for the rest.

    Args:
        ends: of the sentences, see `sentence_ends`.
    """
    moves = moving_sentences(folded, grammar, ends)
    left = [bisect_right(ends, p.start) in moves and _is_origin(folded, p, grammar) for p in pieces]
    pieces = [
        part for p, moved in zip(pieces, left, strict=True) for part in _parted(p, folded, moved, grammar)
    ]
    told: list[Told] = []
    role = ""
    for index, piece in enumerate(pieces):
        gap = folded[pieces[index - 1].end : piece.start] if index else ""
        sentence = bisect_right(ends, piece.start)
        near = bool(told) and bool(index) and _touches(gap, grammar)
        if piece.kind in MARKERS:
            following = pieces[index + 1] if index + 1 < len(pieces) else None
            if following is not None and _touches(folded[piece.end : following.start], grammar):
                role = "end" if piece.kind == "until" else "start"
                if not near:
                    told.append(Told(sentence))
            continue
        role = str(piece.values.get("role", role))
        after = pieces[index - 1].end if index else 0
        if role in ("", "start") and piece.kind in DAY_KINDS and _is_until(folded, piece, after, grammar):
            role = "end"  # the word is part of the piece: "até 30 de junho"
        if told and not role and _is_range(folded, pieces[index - 1], piece, told[-1], grammar):
            if sentence in moves and _is_origin(folded, pieces[index - 1], grammar):
                near = False  # "move it from Monday to Thursday": two days
            else:
                role, near = "end", True
        if near and sentence in moves and told[-1].has_like(piece) and is_target(folded, piece, grammar):
            near = False  # "passa o jantar de amanhã para sábado"
        current = told[-1] if told and (near or (role and not told[-1].pieces)) else Told(sentence)
        if not current.add(piece, role):
            current = Told(sentence)
            current.add(piece, role)
        if not told or told[-1] is not current:
            told.append(current)
        if piece.kind not in ("part",):
            role = "" if not _continues(pieces, index, folded, grammar, current) else role
    return [each for each in told if each.pieces]


def moving_sentences(folded: str, grammar: Grammar, ends: Sequence[int]) -> set[int]:
    """The sentences in which something is moved from one moment to another."""
    return {bisect_right(ends, match.start()) for match in grammar.moves.finditer(folded)}


def is_target(folded: str, piece: Piece, grammar: Grammar) -> bool:
    """Whether a word like "to" leads to a piece: what something is moved to."""
    head = folded[max(0, piece.start - LONGEST_BETWEEN) : piece.start]
    first = folded[piece.start : piece.end].split()[0]
    return bool(grammar.target.search(head) or grammar.target.fullmatch(first))


def _is_until(folded: str, piece: Piece, after: int, grammar: Grammar) -> bool:
    """Whether a word like "until" behind an offset begins a piece, or runs into it ("jusqu'au")."""
    first = re.match(r"\w+", folded[piece.start : piece.end])
    head = folded[max(after, piece.start - LONGEST_BETWEEN) : piece.start + (first.end() if first else 0)]
    return grammar.until.search(head) is not None


def _is_origin(folded: str, piece: Piece, grammar: Grammar) -> bool:
    """Whether a word like "from" stands before a piece or at its start."""
    head = folded[max(0, piece.start - LONGEST_BETWEEN) : piece.start]
    first = re.match(r"\w+[\s']", folded[piece.start : piece.end])
    return bool(grammar.origin.search(head) or (first and grammar.origin.search(first[0])))


def _parted(piece: Piece, folded: str, moved: bool, grammar: Grammar) -> list[Piece]:
    """A range parted in two moments when something is moved from its start to its end; else the piece."""
    name = {"clock": "hour2", "date": "day2"}.get(piece.kind, "")
    moved = moved and name in piece.values and _is_origin(folded, piece, grammar)
    word = grammar.to.search(folded, piece.start + 1, piece.end) if moved else None
    if word is None:
        return [piece]
    first = {key: value for key, value in piece.values.items() if not key.endswith("2")}
    if piece.kind == "date":
        second = {**first, "day": piece.values["day2"]}
    else:
        second = second_hour(piece.values)
        first = {"ampm": second["ampm"], **first} if "ampm" in second else first
    return [
        Piece(piece.kind, piece.start, word.start(), first),
        Piece(piece.kind, word.end(), piece.end, second),
    ]


def second_hour(values: Values) -> dict[str, object]:
    """The end of a range of hours that one piece tells, as the values of a clock."""
    names = {
        "hour2": "hour",
        "min2": "min",
        "digits22": "digits2",
        "quarter2": "quarter",
        "add2": "add",
        "ampm2": "ampm",
    }
    return {names[key]: value for key, value in values.items() if key in names}


def clause_ends(folded: str) -> list[int]:
    """Offsets at which a sentence or a part before a colon ends, the text's end last."""
    return [*(match.end() for match in _CLAUSE_END.finditer(folded)), len(folded)]


def _is_range(folded: str, start: Piece, piece: Piece, told: Told, grammar: Grammar) -> bool:
    """Whether a word like "to" stands between two pieces, or begins the second ("del lunes al viernes")."""
    word = grammar.to.match(folded, start.end)
    if word is None and _stands_between(folded, start, grammar):
        word = grammar.between_to.match(folded, start.end)
    if word is None or word.end() < piece.start or not told.can_end_with(start, piece):
        return False
    return word.end() == piece.start or piece.kind != "part"


def _stands_between(folded: str, start: Piece, grammar: Grammar) -> bool:
    return bool(grammar.between.search(folded, max(0, start.start - LONGEST_BETWEEN), start.end))


def _touches(gap: str, grammar: Grammar) -> bool:
    return grammar.joiners.fullmatch(gap) is not None


def _continues(pieces: list[Piece], index: int, folded: str, grammar: Grammar, told: Told) -> bool:
    """Whether the next piece still belongs to the end or start that was announced ("until Friday at six")."""
    if index + 1 >= len(pieces):
        return False
    following = pieces[index + 1]
    if not _touches(folded[pieces[index].end : following.start], grammar):
        return False
    one, other = pieces[index].kind, following.kind
    if one in DAY_KINDS and other in ("clock", "part"):
        if told.end_days and told.clock is not None and other == "clock":
            return told.end_clock is None  # "from tomorrow at eight until Friday at noon"
        return not (told.has_day or told.every or told.has_hour)  # only an end is told: "by Friday at six"
    if one == "clock" and other in DAY_KINDS and told.has_day and told.end_clock is pieces[index]:
        return True  # "from ten on Saturday to six on Sunday"
    return (one == "clock" and other == "part") or (one in DAY_KINDS and other in DAY_KINDS)
