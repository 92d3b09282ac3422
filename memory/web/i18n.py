"""The page's language, and how it writes moments."""

from __future__ import annotations

import re
import zoneinfo
from datetime import datetime, timedelta
from pathlib import Path

from flask import Flask, request
from flask_babel import (
    Babel,
    format_date,
    format_datetime,
    format_decimal,
    format_time,
    format_timedelta,
    get_locale,
    lazy_gettext,
    to_user_timezone,
)
from flask_babel import gettext as _

from memory.config import LANGUAGES
from memory.errors import AppError
from memory.records import Category, When
from memory.web.current import now, person_or_none
from memory.web.plain import neutral, plain

TRANSLATIONS = Path(__file__).parent / "translations"
LANGUAGE_NAMES = {
    "en": "English",
    "de": "Deutsch",
    "pt": "Português",
    "fr": "Français",
    "es": "Español",
}
# Dates need a country: these write day before month and 24 hours.
_LOCALES = {"en": "en_GB", "de": "de", "pt": "pt_PT", "fr": "fr", "es": "es"}

_YEAR = re.compile(r"(?:,| de)? \d{4}$")

CATEGORY_WORDS = {
    Category.FACT: lazy_gettext("Fact"),
    Category.PERSON: lazy_gettext("Person"),
    Category.EVENT: lazy_gettext("Event"),
    Category.MEMO: lazy_gettext("Memo"),
    Category.TASK: lazy_gettext("Task"),
    Category.REMINDER: lazy_gettext("Reminder"),
    Category.THEME: lazy_gettext("Theme"),
}


def init(app: Flask) -> None:
    """Choose language and zone for each request, and give templates their words."""
    app.config["BABEL_TRANSLATION_DIRECTORIES"] = str(TRANSLATIONS)
    Babel(app, locale_selector=_locale, timezone_selector=_zone)
    app.jinja_env.filters.update(
        plain=plain, neutral=neutral, moment=moment, ago=ago, day=day, clock=clock, when=when, share=share
    )
    app.jinja_env.globals.update(
        page_language=language,
        page_direction=lambda: get_locale().text_direction if get_locale() else "ltr",
        category_word=lambda category: CATEGORY_WORDS[Category(category)],
    )


def language() -> str:
    """The language of the page: the person's own, else the best the browser asks for."""
    found = person_or_none()
    if found is not None and found.language in LANGUAGES:
        return found.language
    return detected_language()


def detected_language() -> str:
    """The first of our languages that the browser asks for; English when it asks for none."""
    return request.accept_languages.best_match(LANGUAGES) or "en"


def said(error: AppError) -> str:
    """The error's message in the page's language."""
    text: str = _(error.source)
    return text % error.values if error.values else text


def moment(value: datetime) -> str:
    """Day and time in the reader's zone, such as "8 Jun 2026, 10:00"."""
    return str(format_datetime(value, "medium")).rsplit(":", 1)[0]


def day(value: datetime) -> str:
    """The day in the reader's zone, such as "Monday 8 June"; with the year when it is another."""
    full = str(format_date(value, "full"))
    this_year = to_user_timezone(value).year == to_user_timezone(now()).year
    # Every language writes the rest of a date in its own way: only the year is taken off.
    written = _YEAR.sub("", full) if this_year else full
    # With the comma or without it: browsers do not agree about English, and write the same line.
    return written.replace(",", "") if language() == "en" else written


def clock(value: datetime) -> str:
    """The time of day in the reader's zone, such as "10:00"."""
    return str(format_time(value, "short"))


def ago(value: datetime) -> str:
    """How long ago in words, such as "12 minutes ago"; "just now" under a minute."""
    passed = now() - value
    if passed < timedelta(minutes=1):
        return str(_("just now"))
    return str(format_timedelta(-passed, granularity="minute", add_direction=True, threshold=1))


def share(value: float) -> str:
    """A part of one as the page's language writes it, such as "0.52"."""
    return str(format_decimal(value, "0.00"))


def when(value: When) -> str:
    """A card's own moment as a person means it, in the wall-clock time it was said in."""
    if value.all_day:
        text = str(format_date(value.start, "full", rebase=False))
        if value.end is not None and value.end.date() > value.start.date():
            text += " – " + str(format_date(value.end, "full", rebase=False))
        return text
    text = str(format_datetime(value.start, "EEEE, d MMMM y, HH:mm", rebase=False))
    if value.end is not None:
        same_day = value.end.date() == value.start.date()
        pattern = "HH:mm" if same_day else "EEEE, d MMMM y, HH:mm"
        text += "–" + str(format_datetime(value.end, pattern, rebase=False))
    found = person_or_none()
    if found is not None and found.zone != value.zone:
        text += f" ({value.zone.rpartition('/')[2].replace('_', ' ')})"
    return text


def _locale() -> str:
    return _LOCALES[language()]


def _zone() -> str | None:
    found = person_or_none()
    try:
        return zoneinfo.ZoneInfo(found.zone).key if found else None  # flask-babel makes its own kind of it
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        return None
