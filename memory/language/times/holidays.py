"""Feasts: the day on which each falls in a year, where it differs by country too."""

from __future__ import annotations

import calendar
from datetime import date as Date
from datetime import timedelta

from dateutil.easter import easter

FIXED = {
    "new_year": (1, 1),
    "epiphany": (1, 6),
    "burns_night": (1, 25),
    "candlemas": (2, 2),
    "valentine": (2, 14),
    "st_david": (3, 1),
    "womens_day": (3, 8),
    "st_patrick": (3, 17),
    "st_joseph": (3, 19),
    "april_fools": (4, 1),
    "tiradentes": (4, 21),
    "st_george": (4, 23),
    "walpurgis": (4, 30),
    "labour_day": (5, 1),
    "san_isidro": (5, 15),
    "portugal_day": (6, 10),
    "st_anthony": (6, 13),
    "music_day": (6, 21),
    "st_john": (6, 24),
    "st_peter": (6, 29),
    "independence_us": (7, 4),
    "bastille_day": (7, 14),
    "st_james": (7, 25),
    "assumption": (8, 15),
    "independence_brazil": (9, 7),
    "german_unity": (10, 3),
    "republic_portugal": (10, 5),
    "hispanic_day": (10, 12),
    "halloween": (10, 31),
    "all_saints": (11, 1),
    "all_souls": (11, 2),
    "bonfire_night": (11, 5),
    "st_martin": (11, 11),
    "republic_brazil": (11, 15),
    "st_catherine": (11, 25),
    "st_andrew": (11, 30),
    "restoration_portugal": (12, 1),
    "st_nicholas": (12, 6),
    "immaculate": (12, 8),
    "christmas_eve": (12, 24),
    "christmas": (12, 25),
    "boxing_day": (12, 26),
    "innocents": (12, 28),
    "new_years_eve": (12, 31),
}
_EASTER = {
    "weiberfastnacht": -52,
    "carnival_sunday": -49,
    "carnival_monday": -48,
    "carnival": -47,
    "ash_wednesday": -46,
    "palm_sunday": -7,
    "holy_monday": -6,
    "holy_tuesday": -5,
    "holy_wednesday": -4,
    "maundy_thursday": -3,
    "good_friday": -2,
    "easter_saturday": -1,
    "easter": 0,
    "easter_monday": 1,
    "low_sunday": 7,
    "ascension": 39,
    "whit_saturday": 48,
    "pentecost": 49,
    "whit_monday": 50,
    "trinity": 56,
    "corpus_christi": 60,
}
_SUNDAY, _MONDAY, _THURSDAY = 6, 0, 3
# Month, which one (-1 is the last), weekday, and days beyond it.
_COUNTED = {
    "early_may_holiday": (5, 1, _MONDAY, 0),
    "late_may_holiday": (5, -1, _MONDAY, 0),
    "august_holiday": (8, -1, _MONDAY, 0),
    "labor_day": (9, 1, _MONDAY, 0),
    "harvest": (10, 1, _SUNDAY, 0),
    "columbus_day": (10, 2, _MONDAY, 0),
    "remembrance_sunday": (11, 2, _SUNDAY, 0),
    "thanksgiving": (11, 4, _THURSDAY, 0),
    "black_friday": (11, 4, _THURSDAY, 1),
}
_BEFORE_ADVENT = {"mourning_sunday": 14, "dead_sunday": 7, "repentance_day": 11}
_MOTHERS_DAY = {"PT": (5, 1, _SUNDAY, 0), "ES": (5, 1, _SUNDAY, 0)}
_FATHERS_DAY = {"BR": (8, 2, _SUNDAY, 0)}


def feast(name: str, year: int, country: str) -> Date:
    """The day of a feast in a year.

    Args:
        country: ISO code of the country that the person is in, "" when not known; it decides where one
            name means different days ("Mother's Day").

    Raises:
        KeyError: no feast has that name.
    """
    if name in FIXED:
        return Date(year, *FIXED[name])
    if name in _EASTER:
        return easter(year) + timedelta(days=_EASTER[name])
    if name in _COUNTED:
        return _counted(year, *_COUNTED[name])
    if name.startswith("advent_"):
        return _first_advent(year) + timedelta(weeks=int(name[-1]) - 1)
    if name in _BEFORE_ADVENT:
        return _first_advent(year) - timedelta(days=_BEFORE_ADVENT[name])
    return {
        "mothers_day": _mothers,
        "fathers_day": _fathers,
        "lovers_day": _lovers,
        "childrens_day": _children,
    }[name](year, country)


def _counted(year: int, month: int, nth: int, weekday: int, beyond: int) -> Date:
    days = [
        day
        for day in range(1, calendar.monthrange(year, month)[1] + 1)
        if Date(year, month, day).weekday() == weekday
    ]
    return Date(year, month, days[nth - 1 if nth > 0 else nth]) + timedelta(days=beyond)


def _first_advent(year: int) -> Date:
    """The fourth Sunday before Christmas."""
    christmas = Date(year, 12, 25)
    return christmas - timedelta(days=christmas.weekday() + 1, weeks=3)


def _mothers(year: int, country: str) -> Date:
    if country in ("GB", "IE"):
        return easter(year) - timedelta(weeks=3)
    if country == "MX":
        return Date(year, 5, 10)
    if country == "FR":
        last = _counted(year, 5, -1, _SUNDAY, 0)
        return last if last != feast("pentecost", year, "") else last + timedelta(weeks=1)
    return _counted(year, *_MOTHERS_DAY.get(country, (5, 2, _SUNDAY, 0)))


def _fathers(year: int, country: str) -> Date:
    if country in ("PT", "ES"):
        return Date(year, *FIXED["st_joseph"])
    return _counted(year, *_FATHERS_DAY.get(country, (6, 3, _SUNDAY, 0)))


def _lovers(year: int, country: str) -> Date:
    return Date(year, 6, 12) if country == "BR" else Date(year, *FIXED["valentine"])


def _children(year: int, country: str) -> Date:
    return Date(year, *FIXED["hispanic_day"]) if country == "BR" else Date(year, 6, 1)
