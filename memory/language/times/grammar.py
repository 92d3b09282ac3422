"""The grammar of dates and times: rules from a language's data file, matched on folded text.

`[times]` in `data/<language>.toml`:

    order          "dmy", "mdy" or "region" (English: month first in the United States)
    next_weekday   what "next Friday" means first: "coming" or "next_week"; the other is the second reading
    noon_is_morning, literal_24h   whether "twelve in the morning" is noon; whether "8:30" is a 24-hour time
    since          pattern of words that put the moment after them in the past, unless something recurs
    joiners        pattern of what may stand between the pieces of one moment ("at", "on the", ",")
    to             pattern of what stands between the ends of a range ("to", "-", "until")
    between        the word before a range and the one between its ends ("between" ten "and" eleven)
    span_lead      what makes a length of time a moment ("in" for "in twenty minutes")
    also           pattern of what may stand between two hours of one day ("and", "and again at")
    offers         pattern of words after a question that make an hour one of the day asked about ("if so")
    moves          pattern of words with which something is moved: "from Monday to Friday" is then no range
    onto           pattern of the word that leads to the day or hour that something is moved to
    from           pattern of the word that stands before the day or hour that something is moved away from
    repair         pattern of words with which a person takes back the moment before ("no", "I mean")
    denies         the word of `repair` that also says "not" (Spanish "no"): behind a comma it denies a day
    not_after      pattern of what makes a number something else when it follows ("euros", "people", "%")
    nth_of         the same of what only an ordinal counts ("birthday", "floor"): it may follow an hour
    evening, morning   patterns of words that decide a bare hour ("dinner", "wake up"); these two and the
                   next three are matched on lower-case text with its accents
    before_eleven  pattern of words of the evening for what doesn't begin as late as eleven ("choir")
    told, plan     patterns of words that put a sentence in the past, or make it a plan whatever else it holds
    [times.words]  word tables; each is a placeholder for rules:
                   weekday, plural (weekdays that recur), month: seven or twelve lists of words;
                   unit, part, shift, days, nth, ampm, quarter, amount, holiday: value = list of words
    [times.macros] named fragments of patterns, usable as {name}; `year_lead` is what stands before the last
                   two figures of a year in words ("twenty" twenty-eight)
    [times.rules]  kind = list of patterns; a pattern is a string, or a table with `p` and the values that
                   it stands for beside its placeholders, e.g. { p = "tonight", days = 0, part = "evening" }

Patterns are regular expressions on folded text (lower case, no accents) that match
whole words; a blank is any white space. `{weekday}` stands for any word of that table
and gives its value; `{hour:hour2}` gives it another name. Built-in placeholders:
{num} 0..99 in figures or words, {count} the same or an amount ("a", "a couple of"),
{ord} an ordinal, {day} 1..31 in any form, {hour} 0..24, {min} 0..59, {hourword} {minword}
in words only, {minutes} 5 or 10..59, {fig} one or two figures, {fig0} a month in two figures,
{dayfig} a day in figures or an ordinal, {digits2} minutes in two figures, {year} four figures, {yy}
two or four, {list} weekdays with commas and "and", {plurals} the same of weekdays that recur, {monthdays}
the same of days of the month (macro `monthday`: one of them, macro `last_day`: the last), {any} a weekday in
any form.

Values with a meaning of their own: `role = "end"` makes a match the end of a range; `weak = 12` makes
hours up to it durations unless a day stands beside them; `needs_day = true` makes hours something else
unless the text names a day; `direct = true` says that
minutes are told as those of a 24-hour clock ("6 Uhr 45"); `sure = true` that nothing behind the match can
make its number count things ("half past seven pills"); `following = true` means the one after the day that
is told; `workdays = true` counts working days; `beside = true` keeps a part of the day only
beside a day or an hour; `least` is how many weekdays a `{list}` must
have; `exact` is a pattern that must be found in the match as it was written (accents
that tell words apart). A table `bare` holds weekdays in a form that other words have too ("segunda").

Of overlapping matches the longest counts; of equally long ones the one with fewer placeholders, then
the earlier one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from memory.language import numbers
from memory.language.folding import fold
from memory.language.tables import tables

Values = Mapping[str, Any]

FIRST_YEAR_OF_LAST_CENTURY = 50  # "74" is 1974, "31" is 2031
THIS_CENTURY = 2000
LONGEST_MONTH = 31
LONGEST_SHORT_FORM = 4  # letters of a name of a month or weekday that may have a dot

_PLACEHOLDER = re.compile(r"\{([a-z_]+\d*)(?::([a-z_]+\d*))?\}")
_GROUP = re.compile(r"\(\?P<(\w+)>")
_BLANK = re.compile(r"\(\?<[!=][^)]*\)|\[[^\]]*\]|\\.| ")  # blanks of look-behinds and sets stay
_RANGES = {
    "dayfig": (1, 31),
    "hour": (0, 24),
    "min": (0, 59),
    "day": (1, 31),
    "hourword": (0, 24),
    "minword": (1, 59),
}


@dataclass(frozen=True)
class Piece:
    """One match of a rule: where, of which kind, and the values it stands for."""

    kind: str
    start: int
    end: int
    values: Values

    @property
    def length(self) -> int:
        return self.end - self.start


@dataclass(frozen=True)
class _Rule:
    kind: str
    pattern: re.Pattern[str]
    groups: Mapping[str, str]  # group name -> placeholder
    constants: Values
    exact: re.Pattern[str] | None  # must be found in the match as written


@dataclass(frozen=True)
class Grammar:
    """All that a language knows about times, compiled."""

    language: str
    rules: tuple[_Rule, ...]
    words: Mapping[str, Mapping[str, Any]]  # table -> folded word -> value
    number_words: frozenset[str]
    settings: Values
    year_lead: str  # pattern of the words before the last two figures of a year that is told in words
    joiners: re.Pattern[str]
    since: re.Pattern[str]
    to: re.Pattern[str]
    between: re.Pattern[str]  # what stands before, or begins, the first of two ends
    between_to: re.Pattern[str]  # what parts these two
    also: re.Pattern[str]  # what parts two hours of one day
    offers: re.Pattern[str]
    moves: re.Pattern[str]
    until: re.Pattern[str]  # a word like "until" at the end of a text
    target: re.Pattern[str]  # the word before what something is moved to, at the end of a text
    origin: re.Pattern[str]  # the word before the start of a range, at the end of a text or before a blank
    repair: re.Pattern[str]
    not_after: re.Pattern[str]
    nth_of: re.Pattern[str]
    evening: re.Pattern[str]
    morning: re.Pattern[str]
    before_eleven: re.Pattern[str]
    told: re.Pattern[str]
    plan: re.Pattern[str]


def scan(folded: str, language: str, *, text: str, at: Sequence[int]) -> list[Piece]:
    """The pieces of moments in a folded text, without overlaps, in order.

    Args:
        text, at: the text before folding, and the offset in it of each folded character.
    """
    known = grammar(language)
    found: list[tuple[int, tuple[int, int], Piece]] = []
    for order, rule in enumerate(known.rules):
        rank = (len(rule.groups), order)
        for match in rule.pattern.finditer(folded):
            sure = bool(rule.constants.get("sure"))
            if match.end() == match.start() or _is_something_else(match, folded, known, rule.kind, sure=sure):
                continue
            if rule.exact and not rule.exact.search(text[at[match.start()] : at[match.end()]].lower()):
                continue
            values = _values(match, rule, known)
            if values is not None:
                piece = Piece(rule.kind, match.start(), match.end(), values)
                found.append((-piece.length, rank, piece))
    taken: list[Piece] = []
    covered = bytearray(len(folded))
    for _, _, piece in sorted(found, key=lambda item: item[:2]):
        if not any(covered[piece.start : piece.end]):
            covered[piece.start : piece.end] = b"\1" * piece.length
            taken.append(piece)
    return sorted((piece for piece in taken if piece.kind != "ignore"), key=lambda piece: piece.start)


@cache
def grammar(language: str) -> Grammar:
    """The compiled grammar of a language; built once."""
    times = tables(language)["times"]
    words = {name: _word_table(table) for name, table in times["words"].items()}
    words["any"] = words["weekday"] | words["plural"] | words.get("bare", {}) | words.get("weekday_short", {})
    compiler = _Compiler(language, words, times.get("macros", {}))
    rules = [compiler.rule(kind, entry) for kind, entries in times["rules"].items() for entry in entries]

    def folded_pattern(name: str, template: str) -> re.Pattern[str]:
        text = compiler.expand(fold(re.sub(r"\s*\n\s*", "", times[name])), {})
        return re.compile(template % text)

    def pattern(name: str, template: str = r"(?<!\w)(?:%s)(?!\w)") -> re.Pattern[str]:
        text = compiler.expand(re.sub(r"\s*\n\s*", "", times[name]), {})
        return re.compile(template % text)

    return Grammar(
        language=language,
        rules=tuple(rules),
        words=words,
        number_words=numbers.single_words(language),
        settings={key: value for key, value in times.items() if not isinstance(value, dict)},
        since=folded_pattern("since", r"(?:^|(?<!\w))(?:%s)(?:\s+\w{1,3})?\s*$"),
        year_lead=str(times["macros"]["year_lead"]),
        joiners=folded_pattern("joiners", r"(?:[\s,;:()]|(?<!\w)(?:%s)(?!\w))*"),
        to=folded_pattern("to", r"\s*(?:-|(?:%s)(?!\w))\s*"),
        between=re.compile(rf"(?:^|\W){fold(times['between'][0])}(?!\w)"),
        between_to=re.compile(
            rf"\s*{fold(times['between'][1])}\s+(?:(?:el|la|las|o|a|as|le|the|der|dem)\s+)?"
        ),
        also=folded_pattern("also", r"[\s,;]*(?:(?:%s)(?!\w)[\s,]*)*"),
        offers=folded_pattern("offers", r"(?<!\w)(?:%s)(?!\w)"),
        moves=folded_pattern("moves", r"(?<!\w)(?:%s)(?!\w)"),
        until=re.compile(rf"(?<!\w)(?:{compiler.expand('|'.join(times['rules']['until']), {})})$"),
        target=folded_pattern("onto", r"(?<!\w)(?:%s)(?:\s+\w{1,3})?\s*$"),
        origin=folded_pattern(
            "from", r"(?:^|(?<!\w))(?:%s)\s*(?:(?:the|dem|den|der|las?|les?|el|o|a|l')\s*)?$"
        ),
        repair=folded_pattern(
            "repair", r"(?:[\s,.;:…–—-]+(?:%s)(?!\w))+[\s,.;:…–—-]+(?:(?:at|um|as|a las|a la|a) )?"
        ),
        not_after=folded_pattern("not_after", r"\s*(?:[%%€$£°]|-?(?:%s)(?!\w))"),
        nth_of=folded_pattern("nth_of", r"\s*-?(?:%s)(?!\w)"),
        evening=pattern("evening"),
        morning=pattern("morning"),
        before_eleven=pattern("before_eleven"),
        told=pattern("told"),
        plan=pattern("plan"),
    )


def _word_table(table: Any) -> dict[str, Any]:
    """Folded word -> value, from a list of lists (value = index, months from 1) or value = words."""
    if isinstance(table, list):
        first = 1 if len(table) == 12 else 0
        pairs: Iterable[tuple[Any, list[str]]] = ((index + first, forms) for index, forms in enumerate(table))
    else:
        pairs = ((int(key) if re.fullmatch(r"-?\d+", key) else key, forms) for key, forms in table.items())
    found = {fold(form): value for value, forms in pairs for form in forms}
    if isinstance(table, list):  # "Sept.", "Mo."
        found |= {f"{form}.": value for form, value in found.items() if len(form) <= LONGEST_SHORT_FORM}
    return found


class _Compiler:
    """Turns patterns of a data file into regular expressions."""

    def __init__(
        self, language: str, words: Mapping[str, Mapping[str, Any]], macros: Mapping[str, str]
    ) -> None:
        self._macros = macros
        alternatives = {name: _either(table) for name, table in words.items()}
        cardinal, ordinal = numbers.cardinal_pattern(language), numbers.ordinal_pattern(language)
        figures = tables(language)["numbers"]["ordinal_digits"].replace(r"\d{1,3}", r"\d{1,2}")
        ordinals = f"(?:{ordinal}|{figures})"
        day = f"(?:{ordinals}|[0-3]?\\d|{cardinal})"
        weekday = _either(words["any"])
        plural = _either(words["plural"])
        also = "(?:" + self._macros.get("and", "and") + ")"
        monthday = macros["monthday"].replace("{ord}", ordinals).replace("{day}", day)
        monthday = f"(?:{monthday.replace('{last_day}', macros['last_day'])})"
        self._builtin = {
            "fig": r"\d{1,2}",
            "fig0": r"(?:0\d|1[0-2])",
            "dayfig": f"(?:{ordinals}|[0-3]?\\d)",
            "plurals": f"{plural}(?:(?:, ?|,? {also} ?(?:\\w{{1,4}} )?){plural})*",
            "monthdays": f"{monthday}(?:(?:, ?|,? {also} ){monthday})+",
            "num": f"(?:\\d{{1,2}}|{cardinal})",
            "count": f"(?:{_either(words['amount'])}|\\d{{1,3}}|{cardinal})",
            "ord": ordinals,
            "day": day,
            "hour": f"(?:[0-2]?\\d|{cardinal})",
            "min": f"(?:[0-5]?\\d|{cardinal})",
            "hourword": cardinal,
            "minword": cardinal,
            "minutes": numbers.minutes_pattern(language),
            "digits2": r"[0-5]\d",
            "year": f"(?:(?:19|20)\\d\\d|(?:{macros['year_lead']}) ?{cardinal})",
            "yy": r"(?:(?:19|20)\d\d|\d\d)",
            "list": f"{weekday}(?:(?:, ?| |,? {also} ?(?:\\w{{1,4}} )?){weekday})*",
            **alternatives,
        }

    def rule(self, kind: str, entry: str | Mapping[str, Any]) -> _Rule:
        constants = (
            {} if isinstance(entry, str) else {key: entry[key] for key in entry if key not in ("p", "exact")}
        )
        raw = entry if isinstance(entry, str) else str(entry["p"])
        groups: dict[str, str] = {}
        text = self.expand(raw, groups)
        exact = None if isinstance(entry, str) or "exact" not in entry else re.compile(str(entry["exact"]))
        return _Rule(kind, re.compile(rf"(?<!\w)(?:{text})(?!\w)"), groups, constants, exact)

    def expand(self, text: str, groups: dict[str, str]) -> str:
        """The regular expression for a pattern; fills `groups` with name -> placeholder."""
        for _ in range(4):  # macros may hold macros
            text = _PLACEHOLDER.sub(
                lambda match: f"(?:{self._macros[match[1]]})" if match[1] in self._macros else match[0], text
            )

        for name in _GROUP.findall(text):  # groups that a pattern names itself
            groups.setdefault(name, name.rstrip("2_"))

        def placeholder(match: re.Match[str]) -> str:
            name = match[2] or match[1]
            while name in groups:  # used twice in one pattern: both mean the same value
                name += "_"
            groups[name] = match[1]
            return f"(?P<{name}>{self._builtin[match[1]]})"

        # Blanks first: what placeholders stand for has its own.
        return _PLACEHOLDER.sub(placeholder, _BLANK.sub(_widen, text))


def _widen(match: re.Match[str]) -> str:
    return r"(?:\s+)" if match[0] == " " else match[0]


def _either(words: Iterable[str]) -> str:
    known = sorted(words, key=len, reverse=True)
    return "(?:" + "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in known) + ")"


def _values(match: re.Match[str], rule: _Rule, known: Grammar) -> dict[str, Any] | None:
    """What the groups of a match stand for, or None when one is out of its range."""
    values = dict(rule.constants)
    for name, kind in rule.groups.items():
        text = match[name]
        if text is None:
            continue
        value = _value(text, kind, known)
        low, high = _RANGES.get(kind, _RANGES.get(name, (None, None)))
        if value is None or (low is not None and high is not None and not low <= value <= high):
            return None
        values[name.rstrip("_")] = value
        if kind == "hour" and text.startswith("0") and len(text) == 2:
            values["leading_zero"] = True
        if kind == "hour" and text.isdigit():
            values["figures"] = True
    if len(values.get("list", ())) < int(values.get("least", 0)):
        return None
    return values


def _value(text: str, kind: str, known: Grammar) -> Any:
    if kind in known.words:
        return known.words[kind].get(re.sub(r"\s+", " ", text))
    if kind in ("list", "plurals"):
        table = known.words["any"]
        one = re.compile(rf"(?<!\w){_either(table)}(?!\w)")
        return tuple(dict.fromkeys(table[re.sub(r"\s+", " ", m.group())] for m in one.finditer(text)))
    if kind == "monthdays":
        return _monthdays(text, known)
    if kind == "count" and (amount := known.words["amount"].get(re.sub(r"\s+", " ", text))) is not None:
        return amount
    if kind == "year" and not text.isdigit():  # "twenty twenty-eight"
        told = numbers.value(re.sub(rf"^(?:{known.year_lead})\s?", "", text), known.language)
        return THIS_CENTURY + told if told is not None else None
    if kind == "yy" and len(text) == 2:
        return int(text) + (2000 if int(text) < FIRST_YEAR_OF_LAST_CENTURY else 1900)
    return numbers.value(text, known.language)


def _monthdays(text: str, known: Grammar) -> tuple[int, ...] | None:
    """The days of the month in a list, the month's last as -1; None when one of them is no day."""
    last = tables(known.language)["times"]["macros"]["last_day"]
    figure = (
        f"{numbers.ordinal_pattern(known.language)}|\\d{{1,2}}|{numbers.cardinal_pattern(known.language)}"
    )
    days: list[int] = []
    for match in re.finditer(rf"(?<!\w)(?:(?P<last>{last})|(?P<day>{figure})[^\W\d]*)(?!\w)", text):
        day = -1 if match["last"] else numbers.value(match["day"], known.language)
        if day is None or day > LONGEST_MONTH or day == 0:
            return None
        days.append(int(day))
    return tuple(dict.fromkeys(days))


_BEFORE_FIGURES = re.compile(r"(?:\d[.,:/-]|[#€$£+./_@-])$")
_AFTER_FIGURES = re.compile(r"\s\d\d\s\d\d(?!\w)|[:/-]?\d|[.,]\d|[/_@]\w|\.[oa](?!\w)")


def _counts(before: str, known: Grammar) -> bool:
    """Whether a text ends with a number."""
    word = re.search(r"([^\W_]+)\s+$", before)
    return word is not None and (word[1].isdigit() or word[1] in known.number_words)


def _is_something_else(match: re.Match[str], folded: str, known: Grammar, kind: str, *, sure: bool) -> bool:
    """Whether the figures around a match make it a price, a code, a phone number or an amount."""
    start, end = match.span()
    if folded[start].isdigit() and _BEFORE_FIGURES.search(folded[max(0, start - 2) : start]):
        return True
    if folded[end - 1].isdigit() and _AFTER_FIGURES.match(folded, end):
        return True
    if "plurals" in match.re.groupindex and _counts(folded[:start], known):
        return True  # "three Fridays"
    last = re.search(r"[^\W_]+$", match.group())
    ends_in_number = last is not None and (last[0][0].isdigit() or last[0] in known.number_words)
    if not ends_in_number or sure:
        return False
    ordered = kind != "clock" and known.nth_of.match(folded, end) is not None
    return ordered or known.not_after.match(folded, end) is not None
