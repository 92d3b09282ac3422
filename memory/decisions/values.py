"""Values of decisions: checked on the way in, one form in the store, said in any language. Pure.

Canonical forms: date `2026-06-11`; time `09:00`; interval `2026-06-11 09:00-12:00`
(either part may be missing); money `45.00 EUR`; integer `40`; choice its id; language
its code; text and address as they were said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from babel import Locale

from memory import language as lang
from memory.config import LANGUAGES
from memory.decisions.schema import Key, KeyType
from memory.records import When

CURRENCIES = {
    "EUR": ("€", "eur", "euro", "euros"),
    "USD": ("$", "usd", "dollar", "dollars"),
    "GBP": ("£", "gbp", "pounds"),
    "CHF": ("chf", "franken"),
    "BRL": ("r$", "reais"),
}
DOZENS = r"(?:dozens?|dutzend|duzias?|douzaines?|docenas?)(?!\w)"
HALF = r"half|halbes|meia|demie?|media"
_TIMES = {2: ("two", "2", "zwei", "duas", "deux", "dos"), 3: ("three", "3", "drei", "tres", "trois")}
# The hours of a part of the day in which something is brought.
_PART_HOURS = {
    "morning": "08:00-12:00",
    "noon": "11:00-14:00",
    "afternoon": "12:00-18:00",
    "evening": "18:00-22:00",
}
_MOST_CHARS = 300
_DAY = (7, 19)  # hours in which things are fetched and brought
LANGUAGE_NAMES = {
    "en": ("english", "englisch", "ingles", "anglais"),
    "de": ("german", "deutsch", "alemao", "allemand", "aleman"),
    "pt": ("portuguese", "portugiesisch", "portugues", "portugais"),
    "fr": ("french", "franzosisch", "frances", "francais"),
    "es": ("spanish", "spanisch", "espanhol", "espagnol", "espanol"),
}


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A value that the key does not take. `reason` is for the model; `code` for a sentence to the person."""

    reason: str
    code: str  # empty, too_long, not_a_choice, not_a_number, below, above, no_date, no_time
    limit: str = ""


def canonical(key: Key, value: str, *, language: str, now: datetime, zone: str) -> str | Refused:
    """The value in its stored form, or why it is refused.

    Args:
        now: aware; relative dates are read from it, in `zone`.
    """
    text = " ".join(value.split())
    if not text:
        return Refused(reason="the value is empty", code="empty")
    if len(text) > _MOST_CHARS:
        return Refused(reason=f"at most {_MOST_CHARS} characters", code="too_long", limit=str(_MOST_CHARS))
    here = now.astimezone(ZoneInfo(zone))
    match key.type:
        case KeyType.TEXT | KeyType.ADDRESS:
            return text
        case KeyType.CHOICE:
            return _choice(key, text)
        case KeyType.INTEGER:
            return _integer(key, text, language)
        case KeyType.MONEY:
            return _money(text, language)
        case KeyType.LANGUAGE:
            return _language(text)
        case _:
            return _moment(key, text, language=language, now=here)


def say(key: Key, value: str, *, language: str, now: datetime, zone: str) -> str:
    """A stored value in words of a language."""
    match key.type:
        case KeyType.CHOICE:
            words = key.choice.get(language, ())
            return words[key.choices.index(value)] if value in key.choices and words else value
        case KeyType.DATE:
            return lang.say_date(date.fromisoformat(value), language=language, now=now)
        case KeyType.TIME:
            return lang.say_time(time.fromisoformat(value), language=language)
        case KeyType.INTERVAL:
            return _say_interval(value, language=language, now=now, zone=zone)
        case KeyType.MONEY:
            return _say_money(value, language)
        case KeyType.LANGUAGE:
            return Locale(value).get_display_name(language) or value
        case _:
            return value


def _choice(key: Key, text: str) -> str | Refused:
    folded = lang.fold(text)
    for index, choice in enumerate(key.choices):
        said = {choice, choice.replace("_", " "), *(words[index] for words in key.choice.values())}
        if any(re.search(rf"(?<!\w){re.escape(lang.fold(each))}(?!\w)", folded) for each in said):
            return choice
    return Refused(
        reason=f"one of {', '.join(key.choices)} was expected",
        code="not_a_choice",
        limit=", ".join(key.choices),
    )


def _integer(key: Key, text: str, language: str) -> str | Refused:
    number = int(text) if re.fullmatch(r"[+-]?\d+", text) else None
    if number is None:
        found = {each.value for each in lang.numbers.find(text, language)}
        found = dozens(lang.fold(text)) or found
        number = int(found.pop()) if len(found) == 1 else None
    if number is None:
        return Refused(reason="one whole number was expected", code="not_a_number")
    if key.least is not None and number < key.least:
        return Refused(reason=f"at least {key.least}", code="below", limit=str(key.least))
    if key.most is not None and number > key.most:
        return Refused(reason=f"at most {key.most}", code="above", limit=str(key.most))
    return str(number)


def _money(text: str, language: str) -> str | Refused:
    folded = lang.fold(text)
    currency = next(
        (code for code, names in reversed(CURRENCIES.items()) if any(name in folded for name in names)),
        "EUR",
    )
    match = re.search(r"\d[\d.,' ]*", text)
    if match:
        amount = _decimal(match.group().strip(" .,"))
    else:
        found = lang.numbers.find(text, language)
        amount = float(found[0].value) if found else None
    if amount is None:
        return Refused(reason="an amount was expected", code="not_a_number")
    return f"{amount:.2f} {currency}"


def dozens(folded: str) -> set[int]:
    """What a dozen, half of one, and two or three of them count."""
    told = set()
    for match in re.finditer(rf"(?:({HALF})\s+)?(?:an?\s+)?{DOZENS}", folded):
        before = folded[: match.start()].split()[-1:]
        times = next((count for count, words in _TIMES.items() if before and before[0] in words), 1)
        told.add(6 if match.group(1) else 12 * times)
    return told


def amounts(text: str, language: str) -> set[float]:
    """Every amount of money that a text names, in figures or in words."""
    names = "|".join(
        re.escape(name) for name in sorted((n for each in CURRENCIES.values() for n in each), key=len)
    )
    told = set()
    for match in re.finditer(rf"(?:({names})\s?)?(\d[\d.,']*)(?:\s?(?:{names})(?!\w))?", lang.fold(text)):
        with_sign = match.group(1) or not match.group().endswith(match.group(2))
        amount = _decimal(match.group(2).strip(".,")) if with_sign else None
        if amount is not None:
            told.add(amount)
    folded = lang.fold(text)
    if len(folded) == len(text):
        for number in lang.numbers.find(text, language):
            if number.in_words and re.match(rf"\s?(?:{names})(?!\w)", folded[number.span[1] :]):
                told.add(float(number.value))
    return told


def _decimal(text: str) -> float | None:
    bare = text.replace(" ", "").replace("'", "")
    if re.fullmatch(r"\d{1,3}([.,]\d{3})+", bare):
        bare = re.sub(r"[.,]", "", bare)
    elif match := re.fullmatch(r"([\d.,]*\d)[.,](\d{1,2})", bare):
        bare = re.sub(r"[.,]", "", match.group(1)) + "." + match.group(2)
    try:
        return float(bare)
    except ValueError:
        return None


def _language(text: str) -> str | Refused:
    folded = lang.fold(text)
    if folded in LANGUAGES:
        return folded
    for code, names in LANGUAGE_NAMES.items():
        if any(name in folded for name in names):
            return code
    return Refused(reason=f"one of {', '.join(LANGUAGES)} was expected", code="not_a_choice")


def _moment(key: Key, text: str, *, language: str, now: datetime) -> str | Refused:
    if (stored := _stored_moment(key, text)) is not None:
        return stored
    found = lang.find_times(text, language=language, now=now)
    days = [each.date for each in found if each.date is not None]
    hours = [each for each in found if each.time is not None]
    if key.type is KeyType.DATE:
        return days[0].isoformat() if days else Refused(reason="a day was expected", code="no_date")
    if key.type is KeyType.TIME:
        first = hours[0].time if hours else _bare_hour(text, language)
        early = _at_midnight(text, language, now)
        if first is not None and early is not None and abs(first.hour - early.hour) == 12:
            # "At ten" said at noon is no ten at night: a time without a day has no past.
            first = early if _DAY[0] <= early.hour < _DAY[1] else first
        return first.strftime("%H:%M") if first else Refused(reason="a time was expected", code="no_time")
    day = days[0].isoformat() if days else ""
    span = ""
    if hours and hours[0].time is not None:
        span = hours[0].time.strftime("%H:%M")
        end = hours[0].end.time() if hours[0].end is not None else None
        if end is None and len(hours) > 1 and hours[1].time is not None:
            end = hours[1].time
        if end is None and hours[0].approximate:
            span = _PART_HOURS.get(hours[0].part or "", span)
        if end is not None:
            span += f"-{end:%H:%M}"
    span = span or _bare_span(text, found, language)
    told = f"{day} {span}".strip()
    return told or Refused(reason="a day or a span of time was expected", code="no_date")


def _at_midnight(text: str, language: str, now: datetime) -> time | None:
    """The first hour of a text, read at the beginning of the day."""
    found = lang.find_times(
        text, language=language, now=now.replace(hour=0, minute=0, second=0, microsecond=0)
    )
    return next((each.time for each in found if each.time is not None), None)


def _stored_moment(key: Key, text: str) -> str | None:
    day, hour = r"\d{4}-\d\d-\d\d", r"\d\d:\d\d"
    patterns = {
        KeyType.DATE: day,
        KeyType.TIME: hour,
        KeyType.INTERVAL: rf"({day}( {hour}(-{hour})?)?|{hour}-{hour})",
    }
    return text if re.fullmatch(patterns[key.type], text) else None


def _bare_span(text: str, found: Sequence[lang.TimeMention], language: str) -> str:
    """The hours of "Friday 9 to 12": two bare numbers in order beside a day."""
    days = [span for each in found for span in each.spans]
    hours = [
        number.value
        for number in lang.numbers.find(text, language)
        if not number.ordinal and not any(a < number.span[1] and number.span[0] < b for a, b in days)
    ]
    if len(hours) != 2 or not 0 <= hours[0] < hours[1] < 24:
        return ""
    return f"{hours[0]:02}:00-{hours[1]:02}:00"


def _bare_hour(text: str, language: str) -> time | None:
    found = lang.numbers.find(text, language)
    if len(found) == 1 and 0 <= found[0].value < 24:
        return time(int(found[0].value))
    return None


def _say_money(value: str, language: str) -> str:
    """ "€45.50" in English, "45,50 €" elsewhere; whole amounts without their cents."""
    match = re.fullmatch(r"(\d+)\.(\d\d) ([A-Z]{3})", value)
    if match is None:
        return value
    whole, cents, currency = match.groups()
    sign = next((name for name in CURRENCIES.get(currency, ()) if not name.isalpha()), currency).upper()
    if language == "en":
        amount = whole if cents == "00" else f"{whole}.{cents}"
        return f"{amount} {sign}" if sign.isalpha() else f"{sign}{amount}"
    return f"{whole} {sign}" if cents == "00" else f"{whole},{cents} {sign}"


def _say_interval(value: str, *, language: str, now: datetime, zone: str) -> str:
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)?\s?(?:(\d\d:\d\d)(?:-(\d\d:\d\d))?)?", value)
    if match is None:
        return value
    day, first, last = match.groups()
    if day is None:
        return "-".join(
            lang.say_time(time.fromisoformat(each), language=language) for each in (first, last) if each
        )
    start = datetime.combine(date.fromisoformat(day), time.fromisoformat(first) if first else time())
    end = datetime.combine(start.date(), time.fromisoformat(last)) if last else None
    return lang.say_when(
        When(start=start, zone=zone, all_day=first is None, end=end), language=language, now=now
    )
