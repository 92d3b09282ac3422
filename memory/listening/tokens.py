"""Words, numbers and signs of a message with their places in it, and pieces made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from memory.language.folding import fold


class Kind(StrEnum):
    """What a token is."""

    WORD = "word"
    NUMBER = "number"  # holds a digit: an amount, a time of day, a code, a phone number
    PUNCT = "punct"
    SIGN = "sign"  # emoji and the like


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number or sign. `text == message[start:end]`."""

    text: str
    folded: str
    start: int
    end: int
    kind: Kind
    norm: str = ""  # as patterns see it; "" is `folded` without accents

    @property
    def is_capital(self) -> bool:
        """Whether it is written with a capital first letter, as names are."""
        return self.text[:1].isupper()


# A phone number: groups of digits that belong together. Two groups only when the first begins like one.
# What hangs on its last digit makes a code of it: "0604#", "0047-118-B".
_PHONE = r"(?:\+|0)\d[\d()/]*(?:[ \u00a0\u202f.\-/]?\(?\d[\d()]*)+|\d{2,4}(?:[ \u00a0\u202f\-]\d{2,4}){2,}"
_CHUNK = r"(?=[^\s]*\d)[^\s,;«»\"“”„()]+(?:,\d+)?"
_WORD = r"[^\W\d_]+(?:[.'’\-][^\W\d_]+)*[’']?"
_TOKEN = re.compile(
    rf"(?P<phone>(?:{_PHONE})(?![#*\w]|-[^\W\d_]))|(?P<chunk>{_CHUNK})|(?P<word>{_WORD})|(?P<newline>\n+)|(?P<other>\S)"
)
_TRAILING = re.compile(r"[.,;:!?…)\]'’]+$")
_HOUR = re.compile(r"\d{1,2}(?:[:.h]\d{2}|h|:\d{2}h)(?:am|pm)?|\d{1,2}(?:am|pm)", re.IGNORECASE)


def tokenize(
    text: str,
    *,
    suffixes: Sequence[str] = (),
    prefixes: Sequence[str] = (),
    keep: Collection[str] = (),
    distinct: Collection[str] = (),
) -> tuple[Token, ...]:
    """Tokens of `text` in order.

    Args:
        text: the message.
        suffixes: folded word ends that are words of their own: English 's, Portuguese -se.
        prefixes: folded word beginnings that are words of their own: French j', qu'.
        keep: words that are looked up with their accent, which makes another word of them: French à.
        distinct: those of them that patterns see with their accent too: Portuguese é.
    """
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if match.lastgroup == "word":
            tokens.extend(_split_word(text, start, end, suffixes, prefixes))
        elif match.lastgroup in ("phone", "chunk"):
            tail = _TRAILING.search(text[start:end])
            core_end = start + tail.start() if tail else end
            tokens.append(_token(text, start, core_end, Kind.NUMBER))
            tokens.extend(_token(text, at, at + 1, Kind.PUNCT) for at in range(core_end, end))
        elif match.lastgroup == "newline":
            tokens.append(_token(text, start, end, Kind.PUNCT))
        else:
            sign = ord(match.group()) > 0x2190
            tokens.append(_token(text, start, end, Kind.SIGN if sign else Kind.PUNCT))
    if keep:
        tokens = [_kept(token, keep, distinct) for token in tokens]
    return tuple(tokens)


_OPENS = frozenset('.!?:…\n„"“»«(–—-')  # signs behind which a sentence or a quotation begins


def capitals(
    tokens: Sequence[Token], *, formal: Collection[str], verbs: Callable[[str], bool]
) -> tuple[Token, ...]:
    """Tokens of a language whose nouns have capitals, with what a capital inside a sentence tells.

    A noun that is written like a verb ("Essen", "Koch") gets a `folded` that no verb has, and "Sie"
    is no "she"; patterns see both as before.
    """
    told: list[Token] = []
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else None
        inside = before is not None and before.text[-1] not in _OPENS and before.kind is not Kind.SIGN
        if token.kind is not Kind.WORD or not token.is_capital or not inside:
            told.append(token)
        elif token.text in formal:
            told.append(replace(token, folded=token.text, norm=token.norm or token.folded))
        elif verbs(token.folded) and not (token.text.isupper() and len(token.text) > 1):
            told.append(replace(token, folded=token.folded + "\u00b7", norm=token.norm or token.folded))
        else:
            told.append(token)
    return tuple(told)


def _kept(token: Token, keep: Collection[str], distinct: Collection[str]) -> Token:
    lower = token.text.lower()
    if lower not in keep:
        return token
    norm = lower if lower in distinct else fold(lower)
    return Token(token.text, lower, token.start, token.end, token.kind, norm)


def _token(text: str, start: int, end: int, kind: Kind) -> Token:
    return Token(text[start:end], fold(text[start:end]), start, end, kind)


def _split_word(
    text: str, start: int, end: int, suffixes: Sequence[str], prefixes: Sequence[str]
) -> list[Token]:
    """One word as one token, or cut where a language writes two words as one."""
    folded = fold(text[start:end])
    if len(folded) == end - start:  # else places don't correspond; such a word has no apostrophe anyway
        for prefix in prefixes:
            if folded.startswith(prefix) and len(folded) > len(prefix):
                cut = start + len(prefix)
                return [
                    _token(text, start, cut, Kind.WORD),
                    *_split_word(text, cut, end, suffixes, prefixes),
                ]
        for suffix in suffixes:
            if folded.endswith(suffix) and len(folded) > len(suffix):
                cut = end - len(suffix)
                return [
                    *_split_word(text, start, cut, suffixes, prefixes),
                    _token(text, cut, end, Kind.WORD),
                ]
    if end - start > 1 and text[end - 1] in "'’":
        return [_token(text, start, end - 1, Kind.WORD), _token(text, end - 1, end, Kind.PUNCT)]
    return [_token(text, start, end, Kind.WORD)]


def is_hour(token: Token) -> bool:
    """Whether a number is written as a time of day (8:30, 19.15, 22h)."""
    return bool(_HOUR.fullmatch(token.text))


class Piece:
    """A run of tokens that is looked at as one: a sentence, a clause, a phrase.

    Patterns are matched on `norm`: its folded words and numbers with one space
    between, without punctuation, so that commas never decide.
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens: tuple[Token, ...] = tuple(tokens)

    def __bool__(self) -> bool:
        return bool(self.words)

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def words(self) -> tuple[Token, ...]:
        """Words and numbers, without punctuation and signs."""
        return tuple(token for token in self.tokens if token.kind in (Kind.WORD, Kind.NUMBER))

    @cached_property
    def folded(self) -> tuple[str, ...]:
        return tuple(token.folded for token in self.words)

    @cached_property
    def norm(self) -> str:
        return " ".join(word.norm or word.folded for word in self.words)

    @cached_property
    def _offsets(self) -> list[int]:
        at, offsets = 0, []
        for word in self.words:
            offsets.append(at)
            at += len(word.norm or word.folded) + 1
        return offsets

    @property
    def start(self) -> int:
        return self.tokens[0].start

    @property
    def end(self) -> int:
        return self.tokens[-1].end

    def range_of(self, match: re.Match[str], group: int | str = 0) -> tuple[int, int]:
        """Which words a match on `norm` covers: first, and one past the last."""
        start, end = match.span(group)
        first = sum(1 for at in self._offsets if at < start)
        if first and start < self._offsets[first - 1] + len(self.folded[first - 1]):
            first -= 1
        last = sum(1 for at in self._offsets if at < end)
        return first, max(first, last)

    def part(self, first: int, last: int | None = None) -> Piece:
        """The piece from word `first` to before word `last`, with the punctuation between."""
        words = self.words[first:last]
        if not words:
            return Piece(())
        return Piece([token for token in self.tokens if words[0].start <= token.start < words[-1].end])

    def without(self, first: int, last: int) -> Piece:
        """The piece without its words `first` to before `last` and the punctuation between them."""
        gone = self.words[first:last]
        if not gone:
            return self
        return Piece([token for token in self.tokens if not gone[0].start <= token.start < gone[-1].end])

    def outside(self, spans: Sequence[tuple[int, int]]) -> Piece:
        """The piece without the words that lie in any of `spans` (places in the message)."""
        return Piece(
            [t for t in self.tokens if not any(start <= t.start and t.end <= end for start, end in spans)]
        )

    def said(self, text: str) -> str:
        """The words as they stand in the message `text`, with cut-out parts left out."""
        parts: list[str] = []
        previous: Token | None = None
        for token in self.tokens:
            if previous is not None:
                between = text[previous.end : token.start]
                parts.append(between if not between.strip() else " ")
            parts.append(token.text)
            previous = token
        return re.sub(r"\s+", " ", "".join(parts)).strip()
