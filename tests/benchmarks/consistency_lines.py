"""Values of every shipped key for the consistency benchmark, and the many forms in which they are said."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Collection
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from memory import language as lang
from memory.decisions.schema import load

_HERE = Path(__file__).parent / "data"
OLD = tomllib.loads((_HERE / "consistency.toml").read_text(encoding="utf-8"))
NEW = tomllib.loads((_HERE / "consistency_keys.toml").read_text(encoding="utf-8"))
OUTSIDE = tomllib.loads((_HERE / "consistency_outside.toml").read_text(encoding="utf-8"))
LATER = tomllib.loads((_HERE / "consistency_later.toml").read_text(encoding="utf-8"))
OUTSIDE_NAME = {"outside": "fresh", "unseen": "held"}
KEYS = load()
OLD_NAME = {"delivery_window": "window", "quantity": "count", "payment_method": "pay"}
SLOT = {
    "delivery_window": "when",
    "appointment": "day",
    "delivery_address": "addr",
    "variant": "variant",
    "quantity": "n",
    "pickup_time": "time",
    "contact_channel": "choice",
    "contact_detail": "detail",
    "budget": "money",
    "payment_method": "choice",
    "order_number": "order",
    "language": "tongue",
}
PARTS = ("first", "after", "fresh", "held", "outside", "unseen", "later")
_TOMORROW = {"en": "tomorrow", "de": "morgen", "pt": "amanhã", "fr": "demain", "es": "mañana"}
_AFTER = {
    "en": "the day after tomorrow", "de": "übermorgen", "pt": "depois de amanhã", "fr": "après-demain",
    "es": "pasado mañana",
}  # fmt: skip
_IN_DAYS = {
    "en": "in {} days", "de": "in {} Tagen", "pt": "daqui a {} dias", "fr": "dans {} jours",
    "es": "dentro de {} días",
}  # fmt: skip
_ON = {"en": "on {}", "de": "am {}", "pt": "no dia {}", "fr": "le {}", "es": "el {}"}
_NUMERIC = {"en": "%B %-d", "de": "%-d.%-m.", "pt": "%d/%m", "fr": "%d/%m", "es": "%d/%m"}
_DOZEN = {
    "en": "a dozen",
    "de": "ein Dutzend",
    "pt": "uma dúzia de",
    "fr": "une douzaine de",
    "es": "una docena de",
}
_HALF = {
    "en": "at half past {}", "de": "um halb {}", "pt": "às {} e meia", "fr": "à {} heures et demie",
    "es": "a las {} y media",
}  # fmt: skip
_CLOCK = {
    "en": "at {h}:{m:02}", "de": "um {h}:{m:02} Uhr", "pt": "às {h}h{m:02}", "fr": "à {h} h {m:02}",
    "es": "a las {h}:{m:02}",
}  # fmt: skip
_PLACES = {
    "en": ("Mill Lane {}", "Dock Road {}", "Hill Street {}"),
    "de": ("Mühlweg {}", "Hafenstraße {}", "Bergstraße {}"),
    "pt": ("Rua do Moinho {}", "Avenida da Liberdade {}", "Travessa do Porto {}"),
    "fr": ("{} rue du Moulin", "{} quai du Port", "{} avenue de la Côte"),
    "es": ("Calle Sol {}", "Calle del Molino {}", "Avenida del Puerto {}"),
}
_VARIANTS = {
    "en": ("oak", "beech", "walnut", "dark green"),
    "de": ("Eiche", "Buche", "Nussbaum", "Dunkelgrün"),
    "pt": ("carvalho", "faia", "nogueira", "verde escuro"),
    "fr": ("chêne", "hêtre", "noyer", "vert foncé"),
    "es": ("roble", "haya", "nogal", "verde oscuro"),
}
_TONGUES = {
    "en": ("English", "German", "Portuguese", "French", "Spanish"),
    "de": ("Englisch", "Deutsch", "Portugiesisch", "Französisch", "Spanisch"),
    "pt": ("inglês", "alemão", "português", "francês", "espanhol"),
    "fr": ("anglais", "allemand", "portugais", "français", "espagnol"),
    "es": ("inglés", "alemán", "portugués", "francés", "español"),
}
_CODES = ("en", "de", "pt", "fr", "es")
_BUDGETS = (20, 45, 60, 80, 120, 150, 300, 1200)
_COUNTS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 20, 30, 40, 50)


def sentences(language: str, key: str, part: str, group: str) -> list[str]:
    """The sentences of a key; none when it has none in that part."""
    if part in OUTSIDE_NAME:
        told: list[str] = OUTSIDE[language][key][OUTSIDE_NAME[part]][group]
        return told
    if part == "later":
        later: list[str] = LATER[language][key][group]
        return later
    is_old = part in ("first", "after")
    table = OLD[language].get(OLD_NAME.get(key, ""), {}) if is_old else NEW[language][key]
    found: list[str] = table.get(part, {}).get(group, [])
    return found


def draw(key: str, language: str, now: datetime, lots: random.Random, *, taken: Collection[str] = ()) -> str:
    """A canonical value whose day, hours or number none of the taken ones has."""
    days = {found for each in taken for found in re.findall(r"\d{4}-\d\d-\d\d", each)}
    while True:
        value = _DRAWS[key](language, now, lots)
        day = re.match(r"\d{4}-\d\d-\d\d", value)
        if value not in taken and not (day and day.group() in days):
            return value


def _window(_language: str, now: datetime, lots: random.Random) -> str:
    first = lots.choice((8, 9, 10, 13, 14, 15))
    return f"{_appointment('', now, lots)} {first:02}:00-{first + lots.choice((2, 3)):02}:00"


def _appointment(_language: str, now: datetime, lots: random.Random) -> str:
    return (now + timedelta(days=lots.randint(1, 6))).date().isoformat()


def _detail(lots: random.Random) -> str:
    if lots.random() < 0.5:
        return f"0{lots.randint(151, 179)} {lots.randint(1000000, 9999999)}"
    return f"{lots.choice(('anna', 'ben', 'lea'))}{lots.randint(1, 99)}@example.org"


_DRAWS: dict[str, Callable[[str, datetime, random.Random], str]] = {
    "delivery_window": _window,
    "appointment": _appointment,
    "delivery_address": lambda spoken, _n, r: r.choice(_PLACES[spoken]).format(r.randint(1, 39)),
    "variant": lambda spoken, _n, r: r.choice(_VARIANTS[spoken]),
    "quantity": lambda _l, _n, r: str(r.choice(_COUNTS)),
    "pickup_time": lambda _l, _n, r: f"{r.randint(8, 18):02}:{r.choice((0, 0, 15, 30, 30, 45)):02}",
    "contact_channel": lambda _l, _n, r: r.choice(KEYS.by_name["contact_channel"].choices),
    "contact_detail": lambda _l, _n, r: _detail(r),
    "budget": lambda _l, _n, r: f"{r.choice(_BUDGETS)}.{r.choice(('00', '00', '50'))} EUR",
    "payment_method": lambda _l, _n, r: r.choice(KEYS.by_name["payment_method"].choices),
    "order_number": lambda _l, _n, r: r.choice([f"{r.randint(1000, 99999)}", f"A-{r.randint(100, 999)}"]),
    "language": lambda _l, _n, r: r.choice(_CODES),
}  # fmt: skip


def fill(template: str, key: str, value: str, language: str, now: datetime, lots: random.Random) -> str:
    """A sentence with a value in one of its forms."""
    slots = {
        slot: lots.choice(_forms(slot, key, value, language, now, template)) for slot in _slots(template)
    }
    text = template.format(**slots)
    return text[:1].upper() + text[1:]


def plain(template: str, key: str, value: str, language: str, now: datetime) -> str:
    """A sentence with a value in its first, full form: as the person decides it."""
    slots = {slot: _forms(slot, key, value, language, now, template)[0] for slot in _slots(template)}
    return template.format(**slots)


def _slots(template: str) -> list[str]:
    return re.findall(r"\{(\w+)\}", template)


def _forms(slot: str, key: str, value: str, language: str, now: datetime, template: str) -> list[str]:
    days, hours = re.findall(r"\d{4}-\d\d-\d\d", value), re.findall(r"\d\d:\d\d", value)
    match slot:
        case "day" | "when":
            found = date.fromisoformat(days[0])
            return (
                _days(found, language, now, alone="on {day}" not in template)
                if slot == "day"
                else _whens(found, language, now)
            )
        case "from" | "to":
            hour = int(hours[slot == "to"][:2])
            return [str(hour)] + (
                [_word(hour, language)] if max(int(each[:2]) for each in hours) <= 12 else []
            )
        case "time":
            return _times(int(value[:2]), int(value[3:]), language)
        case "n":
            dozen = value == "12" and re.search(r"\{n\} [^\W\d_]", template)
            return [value, value, _word(int(value), language), *([_DOZEN[language]] if dozen else [])]
        case "choice":
            of = KEYS.by_name[key]
            return [of.choice[language][of.choices.index(value)]]
        case "money":
            return _amounts(value, language)
        case "tongue":
            return [_TONGUES[language][_CODES.index(value)]]
        case "detail":
            return [value] if "@" in value else [value, value.replace(" ", ""), f"{value[:8]} {value[8:]}"]
        case "addr":
            return [
                value,
                *([f"{value.rsplit(' ', 1)[1]} {value.rsplit(' ', 1)[0]}"] if language == "en" else []),
            ]
        case _:
            return [value]


def _days(day: date, language: str, now: datetime, *, alone: bool) -> list[str]:
    told = [
        lang.say_date(day, language=language, now=now),
        str(lang.tables(language)["say"]["weekdays"][day.weekday()]),
        day.strftime(_NUMERIC[language]),
    ]
    if language != "de" and day == (now + timedelta(days=1)).date() and alone:
        told.append(_TOMORROW[language])
    return told


def _whens(day: date, language: str, now: datetime) -> list[str]:
    name = str(lang.tables(language)["say"]["weekdays"][day.weekday()])
    away = (day - now.date()).days
    weekday = {
        "en": f"on {name}", "de": f"am {name}", "fr": name, "es": f"el {name}",
        "pt": f"{'no' if day.weekday() >= 5 else 'na'} {name}",
    }[language]  # fmt: skip
    told = [weekday, _ON[language].format(day.strftime(_NUMERIC[language]))]
    if away >= 2:
        told.append(_IN_DAYS[language].format(_word(away, language)))
    return told + {1: [_TOMORROW[language]], 2: [_AFTER[language]]}.get(away, [])


def _times(hour: int, minute: int, language: str) -> list[str]:
    told = [_CLOCK[language].format(h=hour, m=minute)]
    if minute == 30 and hour < 12:
        named = hour + 1 if language == "de" else hour
        told.append(_HALF[language].format(_word(named, language)))
    if language == "en" and hour > 12:
        told.append(f"at {hour - 12}:{minute:02} pm" if minute else f"at {hour - 12} pm")
    return told


def _amounts(value: str, language: str) -> list[str]:
    amount = value.split()[0]
    point = "." if language == "en" else ","
    cents = amount.replace(".", point)
    told = [f"{cents} euros" if language != "de" else f"{cents} Euro", f"{cents} €"]
    if language == "en":
        told.append(f"€{cents}")
    if amount.endswith(".00"):
        whole = amount[:-3]
        told += [f"{whole} €", f"{whole} {'Euro' if language == 'de' else 'euros'}"]
        if int(whole) < 100:
            told.append(f"{_word(int(whole), language)} {'Euro' if language == 'de' else 'euros'}")
    return told


def _word(value: int, language: str) -> str:
    table: dict[str, Any] = lang.tables(language)["numbers"]
    told = {count: word for kind in ("ones", "teens", "tens") for word, count in table[kind].items()}
    return str(told.get(value, value))
