"""Numbers in a text, in figures and in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from memory.language.folding import fold, fold_map
from memory.language.tables import tables

MOST_WORDS_IN_A_NUMBER = 12
MOST_CHARS = 20_000  # what lies beyond is pasted, and not read


@dataclass(frozen=True, kw_only=True)
class Number:
    """One number and where it stands."""

    span: tuple[int, int]
    value: int
    ordinal: bool = False
    in_words: bool = False


def find(text: str, language: str) -> tuple[Number, ...]:
    """Whole numbers in `text`, cardinal and ordinal, in figures and in words, in order.

    Groups of thousands are read in the language's way ("1.500" in German, "1,500"
    in English). Fractions, times, dates and codes (a leading zero, letters stuck
    to the digits) are not numbers here. Beyond MOST_CHARS characters a text is not read.
    """
    folded, at = fold_map(text[:MOST_CHARS])
    found = [
        Number(span=(at[start], at[end]), value=value, ordinal=ordinal, in_words=in_words)
        for start, end, value, ordinal, in_words in _scan(folded, language)
    ]
    return tuple(found)


def value(words: str, language: str) -> int | None:
    """The value of `words` when they are one cardinal or ordinal number and nothing else.

    >>> value("twenty-two", "en"), value("zweiundzwanzig", "de"), value("quatre-vingt-dix", "fr")
    (22, 22, 90)
    """
    folded = fold(words).strip()
    figures = re.fullmatch(r"(\d+) ?(?:[^\W\d_]{1,4}|[.º°ª])?", folded)
    if figures:
        return int(figures[1])
    ordinal = _ordinals(language).get(re.sub(r"[ -]+", "-", folded))
    if ordinal is not None:
        return ordinal
    return _cardinal(folded, language)


def cardinal_pattern(language: str) -> str:
    """A pattern (no groups) for folded number words from 0 to 99."""
    return _pattern_below_hundred(language)


def minutes_pattern(language: str) -> str:
    """A pattern (no groups) for minutes said after an hour without a joint: 5 and 10 to 59.

    Smaller ones are left out: "at eight two pills" is no time.
    """
    five = "|".join(word for word, count in _lexicon(language)["ones"].items() if count == 5)
    return f"(?:[1-5]\\d|0\\d|{_pattern_below_hundred(language, with_ones=False)}|{five})"


def ordinal_pattern(language: str) -> str:
    """A pattern (no groups) for folded ordinal words."""
    known = sorted(_ordinals(language), key=len, reverse=True)
    return "(?:" + "|".join(re.escape(word).replace(r"\-", "[ -]") for word in known) + ")"


@cache
def single_words(language: str) -> frozenset[str]:
    """Every folded word that can end a number in words."""
    known = {word for kind in _lexicon(language).values() for word in kind} | set(_ordinals(language))
    return frozenset(part for word in known for part in word.split("-"))


@cache
def _lexicon(language: str) -> dict[str, dict[str, int]]:
    table: Mapping[str, Any] = tables(language)["numbers"]
    kinds = ("zero", "ones", "teens", "tens", "hundreds", "scales", "article")
    return {
        kind: {re.sub(r"[ -]+", "-", fold(word)): count for word, count in table.get(kind, {}).items()}
        for kind in kinds
    }


@cache
def _ordinals(language: str) -> dict[str, int]:
    table = tables(language)["numbers"]
    endings = re.findall(r"[a-z]", table.get("ordinal_endings", ""))
    found: dict[str, int] = {}
    for word, count in table["ordinals"].items():
        plain = re.sub(r"[ -]+", "-", fold(word))
        found[plain] = count
        for ending in endings:
            found[plain + ending] = count
    return found


@cache
def _pattern_below_hundred(language: str, *, with_ones: bool = True) -> str:
    words = _lexicon(language)
    table = tables(language)["numbers"]

    def either(*kinds: str) -> str:
        known = sorted((word for kind in kinds for word in words[kind]), key=len, reverse=True)
        return "(?:" + "|".join(re.escape(word).replace(r"\-", "[ -]") for word in known) + ")"

    if table.get("ones_first"):
        compound = f"(?:{either('ones')}{table['ones_first']})?{either('tens')}"
    else:
        small = either("ones", "teens") if table.get("tens_take_teens") else either("ones")
        compound = f"{either('tens')}(?:{table['tens_join']}{small})?"
    if not with_ones:
        return f"(?:{compound}|{either('teens')})"
    return f"(?:{compound}|{either('teens')}|{either('ones')}|{either('zero')})"


def _cardinal(folded: str, language: str) -> int | None:
    parts = _split(folded, language)
    return _sum(parts, language) if parts else None


def _split(folded: str, language: str) -> list[str]:
    """Number words of a phrase, or nothing when another word is in it."""
    words = _lexicon(language)
    known = {word for kind in words.values() for word in kind}
    join = set(map(fold, tables(language)["numbers"].get("join", [])))
    parts: list[str] = []
    left = re.sub(r"[ -]+", "-", folded)
    glued = bool(tables(language)["numbers"].get("ones_first"))
    while left:
        starts = (left[:length] for length in range(min(len(left), 18), 0, -1))
        match = next((word for word in starts if word in known or word in join), None)
        if match is None:
            return []
        rest = left[len(match) :]
        if rest and not rest.startswith("-") and not glued:
            return []
        parts.append(match)
        left = rest.removeprefix("-")
    return [] if all(part in join for part in parts) or parts[-1] in join or parts[0] in join else parts


def _sum(parts: list[str], language: str) -> int | None:
    """The value of number words in order, or None when they do not make one number."""
    words = _lexicon(language)
    table = tables(language)["numbers"]
    join = set(map(fold, table.get("join", [])))
    total, current, last = 0, 0, 10**12  # `last`: size of the latest word; the next must be smaller
    for part in parts:
        if part in join:
            continue
        if part in words["scales"]:
            scale = words["scales"][part]
            if total and total % (scale * 1000) and total < scale:
                return None
            total += max(current, 1) * scale
            current, last = 0, scale
        elif part in words["hundreds"]:
            size = words["hundreds"][part]
            if size == 100 and 1 <= current <= 9:
                current *= 100
            elif current:
                return None
            else:
                current = size
            last = 100
        else:
            amount = next(
                words[kind][part]
                for kind in ("ones", "teens", "tens", "zero", "article")
                if part in words[kind]
            )
            if not _fits(amount, current, last, table):
                return None
            current += amount
            last = 1
    return total + current


def _fits(amount: int, current: int, last: int, table: Mapping[str, Any]) -> bool:
    """Whether a word worth `amount` (below 100) can follow words worth `current`."""
    below = current % 100
    if below == 0:
        return current == 0 or (amount > 0 and last >= 100)
    if table.get("ones_first") and 1 <= below <= 9:
        return amount >= 20 and amount % 10 == 0  # "zweiundzwanzig"
    if below >= 20 and below % 10 == 0 and 1 <= amount <= 9:
        return True
    return below in table.get("tens_take_teens", []) and 10 <= amount <= 19


@cache
def _words_pattern(language: str) -> re.Pattern[str]:
    words = _lexicon(language)
    table = tables(language)["numbers"]
    kinds = ("zero", "ones", "teens", "tens", "hundreds", "scales")
    known = sorted({word for kind in kinds for word in words[kind]}, key=len, reverse=True)
    one = "(?:" + "|".join(re.escape(word).replace(r"\-", "[ -]") for word in known) + ")"
    join = "|".join(map(re.escape, map(fold, table.get("join", []))))
    between = f"(?:[ -]+(?:(?:{join})[ -]+)?)" if join else "[ -]+"
    if table.get("ones_first"):
        between = f"(?:[ -]+|{table['ones_first']})?"
    article = "|".join(map(re.escape, words["article"]))
    start = f"(?:(?:{article}) (?=(?:hundred|thousand|million)\\b))?" if article else ""
    return re.compile(rf"\b{start}{one}(?:{between}{one})*\b")


_FIGURES = re.compile(r"(?<![\w.,:/+-])(\d{1,3}(?:[ .,]\d{3})+|\d+)(?![\w:/]|[.,-]\d)")


def _scan(folded: str, language: str) -> list[tuple[int, int, int, bool, bool]]:
    found: list[tuple[int, int, int, bool, bool]] = []
    table = tables(language)["numbers"]
    for match in re.finditer(rf"(?<!\w)(?:{table['ordinal_digits']})(?!\w)", folded):
        amount = int(re.match(r"\d+", match.group())[0])  # type: ignore[index]  # the pattern starts with digits
        if language == "de" and match.end() == len(folded.rstrip()):
            continue  # a full stop
        found.append((match.start(), match.end(), amount, True, False))
    not_alone = set(map(fold, table.get("not_alone", [])))
    for match in re.finditer(rf"\b{ordinal_pattern(language)}\b", folded):
        if match.group() in not_alone:
            continue
        known = _ordinals(language)[re.sub(r"[ -]+", "-", match.group())]
        found.append((match.start(), match.end(), known, True, True))
    for match in _FIGURES.finditer(folded):
        figures = match.group()
        if figures.startswith("0") and len(figures) > 1:
            continue
        found.append((match.start(), match.end(), int(re.sub(r"\D", "", figures)), False, False))
    for match in _words_pattern(language).finditer(folded):
        found.extend(_numbers_in(match, language))
    return _without_overlap(found)


def _numbers_in(match: re.Match[str], language: str) -> list[tuple[int, int, int, bool, bool]]:
    """The longest numbers in a run of number words ("two three" is two numbers)."""
    not_alone = set(map(fold, tables(language)["numbers"].get("not_alone", [])))
    pieces = [(m.start(), m.end()) for m in re.finditer(r"[^ -]+", match.group())]
    found: list[tuple[int, int, int, bool, bool]] = []
    index = 0
    while index < len(pieces):
        for last in range(min(len(pieces), index + MOST_WORDS_IN_A_NUMBER), index, -1):
            start, end = pieces[index][0], pieces[last - 1][1]
            words = match.group()[start:end]
            amount = _cardinal(words, language)
            if amount is not None and words not in not_alone:
                found.append((match.start() + start, match.start() + end, amount, False, True))
                index = last
                break
        else:
            index += 1
    return found


def _without_overlap(found: list[tuple[int, int, int, bool, bool]]) -> list[tuple[int, int, int, bool, bool]]:
    kept: list[tuple[int, int, int, bool, bool]] = []
    for candidate in sorted(found, key=lambda item: (item[0], -(item[1] - item[0]))):
        if not kept or candidate[0] >= kept[-1][1]:
            kept.append(candidate)
    return kept
