"""What a clause says about a settled value: the same, another one, or nothing. Pure.

Values are compared in whatever form they are said: words or figures, ranges, parts of
the day, relative dates, choices by any of their names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

from memory import language as lang
from memory.decisions.schema import Key, KeyType
from memory.decisions.values import DOZENS, HALF, LANGUAGE_NAMES, amounts, dozens
from memory.language import TimeMention

MOMENTS = (KeyType.DATE, KeyType.TIME, KeyType.INTERVAL)
_DIGITS_OF_A_CODE = 3  # from here on a run of figures is a code, a number to call or a postal code
_PARTS = {"morning": (0, 12), "noon": (11, 14), "afternoon": (12, 19), "evening": (17, 24), "night": (20, 24)}
_TO = re.compile(r"\s*(?:-|–|to|until|till|bis|und|and|a|as|e as|ate as|y las|a las|et)\s*")
_HOURS = re.compile(r"\s*(?:uhr|h|horas?|heures?|hours|o'clock)(?!\w)")
_DOZEN = re.compile(rf"\s*(?:{HALF}|an?)?\s*{DOZENS}")
_NUMBER_OF = re.compile(
    r"(?:[#€$£]|\b(?:no|nr|n|num)\.?|\b(?:order|auftrag|bestellung|encomenda|pedido|commande|number|numero|nummer))$"
)
_NUMBERS = re.compile(r"\b\d{1,4}[a-z]?\b")
CALL = re.compile(r"\+?\d[\d ()/-]{5,}\d|[\w.+-]+@[\w.-]+")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NAME = (
    r"(?P<name>[^\W\d_][\w'’.-]*(?: (?:de|da|do|das|dos|del|la|las|los|le|les|du|des|der|den|am|an)\b"
    r"| [^\W\da-z_][\w'’.-]*)*)"
)
_ROAD = re.compile(
    r"\s+(?:rue|avenue|boulevard|place|chemin|quai|impasse|allee|cours|square|route|passage)\b"
)
_STREETS = (  # with the house number before the name, and after it
    re.compile(rf"\b(?P<number>\d{{1,4}}[a-z]?),? {_NAME}"),
    re.compile(rf"\b{_NAME},? (?P<number>\d{{1,4}}[a-z]?)\b"),
)


class Stated(StrEnum):
    """What a clause says about a value."""

    NOTHING = "nothing"
    SAME = "same"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class Clause:
    """A clause as it is looked at."""

    text: str
    bare: bool  # hardly more than a value stands in it: a lone number is one, too
    language: str
    now: datetime  # aware, in the person's zone
    units: re.Pattern[str]  # after a number: it counts something else

    @cached_property
    def mentions(self) -> tuple[TimeMention, ...]:
        """The moments it names; recurring ones are habits and opening hours."""
        # What holds lies ahead, also where it was settled in the past: "quedó el jueves".
        found = lang.find_times(self.text, language=self.language, now=self.now, tense="future")
        return tuple(
            each
            for each in found
            if each.rrule is None
            and not (each.past and each.has_date)
            and not _ROAD.match(lang.fold(self.text[each.span[1] :]))  # "au 19 quai du Port"
        )


def stated(key: Key, value: str, clause: Clause, *, rivals: Collection[str] = ()) -> Stated:
    """What a clause says about the settled value of a key.

    Args:
        value: canonical.
        rivals: other values the key had or was offered: naming one alone states another value.
    """
    if key.type in MOMENTS:
        return _moment(key, value, clause)
    if key.type is KeyType.INTEGER:
        return _one_of(_counts(clause), {int(value)})
    if key.type is KeyType.MONEY:
        return _one_of(amounts(clause.text, clause.language), {float(value.split()[0])})
    if key.type is KeyType.CHOICE:
        return _one_of(_choices(key, clause.text), {value})
    if key.type is KeyType.LANGUAGE:
        return _one_of(_languages(clause.text), {value})
    return _words(key, value, clause, rivals)


def kinds(clause: Clause, choices: Sequence[Key]) -> dict[str, bool]:
    """Which kinds of value stand in a clause, whatever they mean.

    Args:
        choices: keys whose choices are looked for, each by its name.
    """
    mentions = clause.mentions
    text = clause.text
    return {
        "amount": bool(amounts(text, clause.language)),
        "code": bool(_codes(text)),
        "contact": CALL.search(text) is not None,
        "count": bool(_counts(clause)),
        "day": any(each.has_date for each in mentions),
        "hour": any(each.time is not None for each in mentions),
        "hours": any(each.time is not None and each.end is not None for each in mentions),
        "street": bool(street_spans(text)),
        "tongue": bool(_languages(text)),
    } | {f"choice {key.name}": bool(_choices(key, text)) for key in choices}


def _one_of(told: Collection[object], settled: Collection[object]) -> Stated:
    if not told:
        return Stated.NOTHING
    return Stated.SAME if set(told) & set(settled) else Stated.OTHER


# Moments


def _moment(key: Key, value: str, clause: Clause) -> Stated:
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)?\s?(?:(\d\d:\d\d)(?:-(\d\d:\d\d))?)?", value)
    if match is None:
        return Stated.NOTHING
    day, first, last = match.groups()
    mentions = clause.mentions
    verdicts = []
    if day is not None:
        verdicts.append(_day(date.fromisoformat(day), clause, mentions))
    if first is not None:
        start = time.fromisoformat(first)
        end = time.fromisoformat(last) if last else None
        verdicts.append(_hours(start, end, clause, mentions))
    if Stated.OTHER in verdicts:
        return Stated.OTHER
    return Stated.SAME if Stated.SAME in verdicts else Stated.NOTHING


def _day(settled: date, clause: Clause, mentions: Sequence[TimeMention]) -> Stated:
    dated = [each for each in mentions if each.has_date and each.date is not None]
    if not dated:
        return Stated.NOTHING
    return Stated.SAME if any(_is_on(each, settled, clause.text) for each in dated) else Stated.OTHER


def _is_on(mention: TimeMention, settled: date, text: str) -> bool:
    told = mention.date
    if told is None:
        return False
    if mention.granularity in ("week", "month", "year"):
        days = {"week": 7, "month": 31, "year": 366}[mention.granularity]
        return told <= settled < told + timedelta(days=days)
    if mention.all_day and mention.end is not None and told <= settled <= mention.end.date():
        return True
    other = mention.alternative.date() if mention.alternative is not None else None
    said = text[mention.span[0] : mention.span[1]]
    if re.search(r"\b\d{4}\b", said) is None and (told.month, told.day) == (settled.month, settled.day):
        return True
    return settled in (told, other)


def _hours(settled: time, end: time | None, clause: Clause, mentions: Sequence[TimeMention]) -> Stated:
    timed = [each for each in mentions if each.time is not None]
    if end is not None and (settled, end) in _bare_ranges(clause, settled):
        return Stated.SAME
    if timed:
        fits = _fits_range if end is not None else _fits_hour
        if len(timed) == 2 and end is not None and all(each.end is None for each in timed):
            both = [each.time for each in timed if each.time is not None]
            return Stated.SAME if _same(both[0], settled) and _same(both[1], end) else Stated.OTHER
        return Stated.SAME if any(fits(each, settled, end) for each in timed) else Stated.OTHER
    if ranges := _bare_ranges(clause, settled):
        return _one_of(ranges, {(settled, end)})
    if not clause.bare:
        return Stated.NOTHING
    spans = [each.span for each in mentions]
    told = [
        number.value
        for number in lang.numbers.find(clause.text, clause.language)
        if 0 <= number.value <= 24 and not _inside(number.span, spans)
    ]
    hours = {_clock(each) for each in told}
    return _one_of(hours, {_clock(settled.hour)} if settled.minute == 0 else {-1})


def _bare_ranges(clause: Clause, settled: time) -> set[tuple[time, time | None]]:
    """Spans of hours without a word for hours: "Thursday, 9 to 12", read in the settled half of the day."""
    text = re.sub(r"(?<=\w)[-–](?=\w)", " - ", clause.text)
    numbers = [each for each in lang.numbers.find(text, clause.language) if not each.ordinal]
    folded = lang.fold(text)
    told: set[tuple[time, time | None]] = set()
    if len(folded) != len(text):
        return told
    for first, last in pairwise(numbers):
        between = folded[first.span[1] : last.span[0]]
        if not _TO.fullmatch(between) or not 0 <= first.value < last.value <= 24:
            continue
        if clause.units.match(folded[last.span[1] :]) and not _HOURS.match(folded[last.span[1] :]):
            continue
        start, end = int(first.value), int(last.value)
        if end <= 12 and settled.hour >= 12 and start + 12 == settled.hour:
            start, end = start + 12, end + 12
        told.add((time(start), time(end % 24)))
    return told


def _fits_hour(mention: TimeMention, settled: time, _end: time | None) -> bool:
    if mention.time is None:
        return False
    if mention.approximate:
        return _in_part(mention, settled)
    if mention.end is not None:
        return mention.time <= settled <= mention.end.time()
    return _same(mention.time, settled, exact=bool(mention.part))


def _fits_range(mention: TimeMention, settled: time, end: time | None) -> bool:
    if mention.time is None or end is None:
        return False
    if mention.approximate:
        return _in_part(mention, settled)
    exact = bool(mention.part)
    if mention.end is not None:
        return _same(mention.time, settled, exact=exact) and _same(mention.end.time(), end, exact=exact)
    return _same(mention.time, settled, exact=exact) or _same(mention.time, end, exact=exact)


def _in_part(mention: TimeMention, settled: time) -> bool:
    least, most = _PARTS.get(mention.part, (0, 24))
    return least <= settled.hour < most


def _same(told: time, settled: time, *, exact: bool = False) -> bool:
    """Whether two hours are one; "two" may be two in the afternoon."""
    if told == settled:
        return True
    return not exact and told.minute == settled.minute and _clock(told.hour) == _clock(settled.hour)


def _clock(hour: int) -> int:
    return hour % 12


# Counts, amounts, choices


def _counts(clause: Clause) -> set[int]:
    """Numbers that count things: not those of moments, ordinals, or of days, euros, boxes."""
    found = lang.find_times(clause.text, language=clause.language, now=clause.now)
    spans = [each.span for each in found]
    # A bare "ten" may be an hour or a count; a date, a span of hours or a number to call counts nothing.
    never = [each.span for each in found if each.has_date or each.end is not None]
    never += [match.span() for match in CALL.finditer(clause.text)]
    told = dozens(lang.fold(clause.text))
    for number in lang.numbers.find(clause.text, clause.language):
        after = lang.fold(clause.text[number.span[1] :])
        before = lang.fold(clause.text[: number.span[0]]).rstrip()
        ends = re.match(r"\.?\s+[A-ZÄÖÜ]", clause.text[number.span[1] :].removeprefix("."))
        is_ordinal = number.ordinal and not (ends and clause.language == "de")  # "Es sind 50. Passt das?"
        if _inside(number.span, never):
            continue
        if is_ordinal or (_inside(number.span, spans) and not clause.bare):
            continue
        if _DOZEN.match(after) or clause.units.match(after) or _NUMBER_OF.search(before):
            continue
        if number.in_words and number.value == 1 and not clause.bare:
            continue  # "one of them", "uma mesa"
        told.add(number.value)
    return told


def _choices(key: Key, text: str) -> set[str]:
    folded = lang.fold(text)
    told = set()
    for index, choice in enumerate(key.choices):
        names = {choice, choice.replace("_", " "), *(words[index] for words in key.choice.values())}
        if any(re.search(rf"(?<![\w-]){re.escape(lang.fold(name))}(?![\w-])", folded) for name in names):
            told.add(choice)
    return told


def _languages(text: str) -> set[str]:
    words = set(lang.words(lang.fold(text)))
    return {code for code, names in LANGUAGE_NAMES.items() if words & set(names)}


# Words


def _words(key: Key, value: str, clause: Clause, rivals: Collection[str]) -> Stated:
    folded = lang.fold(clause.text)
    words = set(lang.words(folded))
    own = set(lang.terms(value, clause.language))
    told = set(lang.terms(clause.text, clause.language))
    if _MAIL.fullmatch(value) and (mails := set(_MAIL.findall(clause.text.casefold()))):
        return _one_of(mails, {value.casefold()})
    codes = _codes(value)
    if codes:
        found = _codes(clause.text)
        if found:
            return Stated.SAME if found & codes else Stated.OTHER
    if key.type is KeyType.ADDRESS and (streets := _streets(_without_moments(clause), clause.language)):
        wanted = [_essence(each) for each in _streets(value, clause.language)] or [
            set(lang.words(lang.fold(value)))
        ]
        spoken = {
            term for word in key.words.get(clause.language, ()) for term in lang.terms(word, clause.language)
        }
        names = [
            essence
            for essence in map(_essence, streets)
            if any(not each[:1].isdigit() for each in essence)
            # "Mandamos-lhe 50" is no street.
            and not set(lang.terms(" ".join(essence), clause.language)) & spoken
        ]
        if any(essence <= each or each <= essence for essence in names for each in wanted):
            return Stated.SAME
        if names:
            return Stated.OTHER
    if key.type is KeyType.ADDRESS and (house := _NUMBERS.findall(value)):
        found_numbers = set(_NUMBERS.findall(folded))
        if own & told and found_numbers and not found_numbers & set(house):
            return Stated.OTHER
    if own & told or set(lang.words(lang.fold(value))) <= words:
        return Stated.SAME
    for rival in rivals:
        named = set(lang.terms(rival, clause.language)) - own
        if named and named <= told:
            return Stated.OTHER
    return Stated.NOTHING


def _codes(text: str) -> set[str]:
    """Numbers and codes, without blanks and marks between their figures."""
    found = re.findall(r"\+?\b[A-Za-z]{0,4}-?\d[\d ()/.-]*\d\b", text)
    bare = {re.sub(r"\W", "", each).casefold() for each in found}
    return {each for each in bare if sum(letter.isdigit() for letter in each) >= _DIGITS_OF_A_CODE}


def _streets(text: str, language: str) -> list[set[str]]:
    """The words of each street with a house number."""
    streets = []
    for match in (match for pattern in _STREETS for match in pattern.finditer(text)):
        names = [word for word in match["name"].split() if lang.fold(word) not in lang.stop_words(language)]
        if any(word[:1].isupper() for word in names):
            words = [word for word in lang.words(lang.fold(match["name"])) if len(word) > 2]
            streets.append({*words, lang.fold(match["number"])})
    return streets


def street_spans(text: str) -> list[tuple[int, int]]:
    """Where streets with a house number stand."""
    return [match.span() for pattern in _STREETS for match in pattern.finditer(text)]


def _without_moments(clause: Clause) -> str:
    """The clause's text with blanks in place of dates and times: "am 5.3." is no house number."""
    text = clause.text
    for start, end in (span for mention in clause.mentions for span in mention.spans):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _essence(street: set[str]) -> set[str]:
    """Without the small words of a name."""
    return {word for word in street if len(word) > 3 or word[:1].isdigit()}


def _inside(span: tuple[int, int], spans: Sequence[tuple[int, int]]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in spans)
