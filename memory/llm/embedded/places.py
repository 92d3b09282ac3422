"""Which time zone a place keeps: the zones' own city names, and what other languages call them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

from memory.language import fold

_FILE = Path(__file__).parent / "data" / "places.toml"


@dataclass(frozen=True)
class Place:
    """A place by its name, and its zone."""

    name: str
    zone: ZoneInfo


@cache
def _zones() -> dict[str, str]:
    """Folded name of a place -> IANA zone."""
    known: dict[str, str] = {}
    for zone in sorted(available_timezones()):
        if "/" in zone and not zone.startswith(("Etc/", "posix/", "right/", "SystemV/")):
            known.setdefault(fold(zone.rsplit("/", 1)[1].replace("_", " ")), zone)
    with _FILE.open("rb") as file:
        for zone, names in tomllib.load(file)["places"].items():
            known.update({fold(name): zone for name in names})
    return known


def zone_of(text: str, language: str) -> Place | None:
    """The first place named in `text` that keeps a known time, longest name first; None when there is none.

    >>> zone_of("lima right now", "en").zone.key
    'America/Lima'
    """
    zones = _zones()
    words = [word.strip(".,!?;:") for word in text.split()]
    for length in (3, 2, 1):
        for start in range(len(words) - length + 1):
            given = " ".join(words[start : start + length])
            zone = zones.get(fold(given))
            if zone is not None:
                name = given if given != given.lower() else given.title()
                return Place(name, ZoneInfo(zone))
    return None
