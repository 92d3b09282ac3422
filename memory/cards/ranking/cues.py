"""What a question asks for and what a sentence offers: small signs beside the words themselves."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memory.language import fold, question_words, words

ASKS = "@asks"  # among a turn's terms: what was said is itself a question
TELLS = "@tells"  # among a turn's terms: what was said places something in time
_DATA = Path(__file__).parent / "cues.toml"
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_DAY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th|\.|º|er)?\b")


@dataclass(frozen=True, kw_only=True)
class _Cues:
    asking: frozenset[str]
    when: re.Pattern[str]
    tells: re.Pattern[str]
    months: re.Pattern[str]
    month_number: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class AskedDates:
    """The parts of dates a question names. A day counts only beside its month."""

    years: frozenset[int] = frozenset()
    months: frozenset[int] = frozenset()
    days: frozenset[int] = frozenset()


@cache
def _cues(language: str) -> _Cues:
    table = tomllib.loads(_DATA.read_text(encoding="utf-8"))[language]
    forms = {
        fold(form): number for number, month in enumerate(table["months"], 1) for form in month.split("|")
    }
    tells = [*words(fold(table["tells"])), *forms, r"(?:19|20)\d\d"]
    return _Cues(
        asking=frozenset(words(fold(table["asking"]))) | question_words(language),
        when=_any_of([re.escape(fold(phrase)) for phrase in table["when"]]),
        tells=_any_of(tells),
        months=_any_of([re.escape(form) for form in forms]),
        month_number=forms,
    )


def _any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(sorted(patterns, key=len, reverse=True))})\b")


def asking_words(language: str) -> frozenset[str]:
    """Folded words that only carry a question and say nothing of what is sought."""
    return _cues(language).asking


def asks_when(folded: str, language: str) -> bool:
    """Whether a folded question wants a moment for its answer."""
    return bool(_cues(language).when.search(folded))


def marks(text: str, language: str) -> tuple[str, ...]:
    """ASKS and TELLS as they fit what was said; kept among the terms, so that loading needs no text.

    >>> marks("We moved in last May.", "en"), marks("Where was that?", "en")
    (('@tells',), ('@asks',))
    """
    spoken = text.split(" [", 1)[0].rstrip(" \"'”’»)")
    found = (ASKS,) if spoken.endswith(("?", "؟")) else ()
    return (*found, TELLS) if _cues(language).tells.search(fold(text)) else found


def asked_dates(folded: str, language: str) -> AskedDates:
    """The years, months and days that a folded question names.

    A month that is also another word ("may", "mars") counts only beside a figure
    or behind a preposition.

    >>> asked_dates("what did i do in may 2023?", "en").months
    frozenset({5})
    >>> asked_dates("may i ask?", "en").months
    frozenset()
    """
    cues = _cues(language)
    months = {
        cues.month_number[match.group()]
        for match in cues.months.finditer(folded)
        if match.group() not in ("may", "march", "mars") or _beside_a_date(folded, match)
    }
    years = frozenset(int(year) for year in _YEAR.findall(folded))
    if not months:
        return AskedDates(years=years)
    days = frozenset(int(day) for day in _DAY.findall(folded) if 1 <= int(day) <= 31)
    return AskedDates(years=years, months=frozenset(months), days=days)


def _beside_a_date(folded: str, match: re.Match[str]) -> bool:
    before = folded[: match.start()].split()[-1:]
    after = folded[match.end() :].split()[:1]
    return any(part[:1].isdigit() for part in before + after) or before[:1] in (
        ["in"],
        ["of"],
        ["since"],
        ["last"],
        ["until"],
        ["en"],
        ["depuis"],
    )
