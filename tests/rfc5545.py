"""A strict reader of calendar files: what RFC 5545 demands and forgiving parsers let pass.

It shares no code with the library that writes the file. `faults` gives sentences, none
for a file that holds to the standard.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

_LINE = re.compile(
    r'(?P<name>[A-Za-z0-9-]+)(?P<params>(?:;[A-Za-z0-9-]+=(?:"[^"\x00-\x08\x0a-\x1f]*"|[^";:,\x00-\x08\x0a-\x1f]*)'
    r'(?:,(?:"[^"]*"|[^";:,]*))*)*):(?P<value>.*)',
    re.DOTALL,
)
_PARAM = re.compile(r';(?P<name>[A-Za-z0-9-]+)=(?P<value>"[^"]*"|[^;:]*)')
_ONCE = ("UID", "DTSTAMP", "DTSTART", "DTEND", "DUE", "SUMMARY", "SEQUENCE", "CREATED", "RRULE", "STATUS")
_DAY, _LOCAL, _UTC = r"\d{8}", r"\d{8}T\d{6}", r"\d{8}T\d{6}Z"
_STATUS = {
    "VEVENT": {"TENTATIVE", "CONFIRMED", "CANCELLED"},
    "VTODO": {"NEEDS-ACTION", "COMPLETED", "IN-PROCESS", "CANCELLED"},
}


@dataclass
class Property:
    """One content line."""

    name: str
    params: dict[str, str]
    value: str

    @property
    def kind(self) -> str:
        """The form of its moment: a day, a local time with or without a zone, UTC, or none of these."""
        if self.params.get("VALUE") == "DATE":
            return "day" if re.fullmatch(_DAY, self.value) else "?"
        if re.fullmatch(_UTC, self.value):
            return "utc" if "TZID" not in self.params else "?"
        if re.fullmatch(_LOCAL, self.value):
            return f"zone {self.params['TZID']}" if "TZID" in self.params else "floating"
        return "?"


@dataclass
class Component:
    """What stands between BEGIN and END."""

    name: str
    properties: list[Property] = field(default_factory=list)
    parts: list[Component] = field(default_factory=list)

    def of(self, name: str) -> list[Property]:
        """The properties of a name."""
        return [each for each in self.properties if each.name == name]


def faults(data: bytes) -> list[str]:
    """Where a calendar file leaves the standard."""
    found = list(_lines(data))
    root, nesting = _parse(data)
    found += nesting
    if [each.name for each in root.parts] != ["VCALENDAR"]:
        return [*found, "not exactly one VCALENDAR"]
    calendar = root.parts[0]
    found += [
        f"VCALENDAR has {len(calendar.of(n))} {n}" for n in ("VERSION", "PRODID") if len(calendar.of(n)) != 1
    ]
    if [each.value for each in calendar.of("VERSION")] != ["2.0"]:
        found.append("VERSION is not 2.0")
    zones = {
        zone.of("TZID")[0].value: zone
        for zone in calendar.parts
        if zone.name == "VTIMEZONE" and zone.of("TZID")
    }
    entries = [each for each in calendar.parts if each.name in _STATUS]
    for zone in zones.values():
        found += _zone_faults(zone)
    for entry in entries:
        found += _entry_faults(entry, set(zones))
    names = Counter(
        (e.of("UID")[0].value, *(r.value for r in e.of("RECURRENCE-ID"))) for e in entries if e.of("UID")
    )
    found += [f"UID {name[0]} twice" for name, times in names.items() if times > 1]
    return found


def _lines(data: bytes) -> Iterator[str]:
    """Section 3.1: CRLF ends a line, none is longer than 75 octets, each is whole UTF-8."""
    if not data.endswith(b"\r\n"):
        yield "the file does not end with CRLF"
    if re.search(rb"(?<!\r)\n|\r(?!\n)", data):
        yield "a line ends without CRLF"
    for line in data.split(b"\r\n"):
        if len(line) > 75:
            yield f"a line of {len(line)} octets"
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            yield "a fold inside a character"
            continue
        if re.search(r"[\x00-\x08\x0a-\x1f\x7f]", text):
            yield "a control character"
    if b"\r\n\r\n" in data:
        yield "an empty line"


def _parse(data: bytes) -> tuple[Component, list[str]]:
    root, found = Component(""), []
    open_ = [root]
    text = re.sub(rb"\r\n[ \t]", b"", data).decode("utf-8", errors="replace")
    for line in filter(None, text.split("\r\n")):
        match = _LINE.fullmatch(line)
        if match is None:
            found.append(f"no content line: {line[:40]!r}")
            continue
        name, value = match["name"].upper(), match["value"]
        if name == "BEGIN":
            open_.append(Component(value))
            open_[-2].parts.append(open_[-1])
        elif name == "END":
            if open_[-1].name != value or len(open_) == 1:
                found.append(f"END:{value} closes {open_[-1].name!r}")
            else:
                open_.pop()
        else:
            params = {
                each["name"].upper(): each["value"].strip('"') for each in _PARAM.finditer(match["params"])
            }
            open_[-1].properties.append(Property(name, params, value))
    if len(open_) > 1:
        found.append(f"{open_[-1].name} is not ended")
    return root, found


def _zone_faults(zone: Component) -> Iterator[str]:
    """Section 3.6.5."""
    kinds = [each for each in zone.parts if each.name in ("STANDARD", "DAYLIGHT")]
    if not kinds:
        yield "a VTIMEZONE without rules"
    for kind in kinds:
        for name, form in (
            ("DTSTART", _LOCAL),
            ("TZOFFSETFROM", r"[+-]\d{4}(?:\d\d)?"),
            ("TZOFFSETTO", r"[+-]\d{4}(?:\d\d)?"),
        ):
            told = kind.of(name)
            if len(told) != 1 or not re.fullmatch(form, told[0].value):
                yield f"{kind.name} of a VTIMEZONE: {name}"


def _entry_faults(entry: Component, zones: set[str]) -> Iterator[str]:
    """Sections 3.6.1 and 3.6.2, and the properties in them."""
    where = entry.name
    for name in ("UID", "DTSTAMP"):
        if len(entry.of(name)) != 1:
            yield f"{where} has {len(entry.of(name))} {name}"
    for name in _ONCE:
        if len(entry.of(name)) > 1:
            yield f"{where} has {name} twice"
    for name in ("DTSTAMP", "CREATED", "LAST-MODIFIED"):
        if any(each.kind != "utc" for each in entry.of(name)):
            yield f"{name} is not in UTC"
    moments = [each for name in ("DTSTART", "DTEND", "DUE", "RECURRENCE-ID") for each in entry.of(name)]
    for each in moments:
        if each.kind == "?":
            yield f"{each.name} {each.value} is no moment"
        if "TZID" in each.params and each.params["TZID"] not in zones:
            yield f"no VTIMEZONE for {each.params['TZID']}"
    for status in entry.of("STATUS"):
        if status.value not in _STATUS[where]:
            yield f"{where} with STATUS {status.value}"
    for text in (*entry.of("SUMMARY"), *entry.of("DESCRIPTION"), *entry.of("LOCATION")):
        if re.search(r"(?<!\\)(?:\\\\)*(?:[;,]|\\[^\\;,nN])", text.value):
            yield f"{text.name} is not escaped"
    yield from _span_faults(entry)
    yield from _rule_faults(entry, zones)


def _span_faults(entry: Component) -> Iterator[str]:
    start = entry.of("DTSTART")
    for end in (*entry.of("DTEND"), *entry.of("DUE")):
        if not start:
            continue
        if (start[0].kind == "day") != (end.kind == "day"):
            yield f"{end.name} is of another kind than DTSTART"
        elif start[0].kind == end.kind and end.value <= start[0].value:
            yield f"{end.name} is not after DTSTART"
    if entry.name == "VEVENT" and not start:
        yield "a VEVENT without DTSTART"
    if entry.of("DURATION") and (entry.of("DTEND") or entry.of("DUE")):
        yield "an end and a DURATION"


def _rule_faults(entry: Component, zones: set[str]) -> Iterator[str]:
    """Sections 3.3.10 and 3.8.5: UNTIL and EXDATE take their form from DTSTART."""
    start = entry.of("DTSTART")
    kind = start[0].kind if start else "?"
    for rule in entry.of("RRULE"):
        parts = [part.partition("=") for part in rule.value.split(";")]
        names = Counter(name for name, _, _ in parts)
        told = {name: value for name, _, value in parts}
        if any(times > 1 for times in names.values()) or "FREQ" not in told or not start:
            yield f"RRULE {rule.value}"
        if "UNTIL" in told and "COUNT" in told:
            yield "UNTIL and COUNT"
        form = _DAY if kind == "day" else _LOCAL if kind == "floating" else _UTC
        if "UNTIL" in told and not re.fullmatch(form, told["UNTIL"]):
            yield f"UNTIL {told['UNTIL']} with a start that is {kind}"
        if kind == "day" and any(name in told for name in ("BYHOUR", "BYMINUTE", "BYSECOND")):
            yield "hours in a rule of whole days"
    for excluded in entry.of("EXDATE"):
        for value in excluded.value.split(","):
            each = Property("EXDATE", excluded.params, value)
            if each.kind != kind:
                yield f"EXDATE {value} ({each.kind}) with a start that is {kind}"
            if not entry.of("RRULE"):
                yield "EXDATE without RRULE"
        if "TZID" in excluded.params and excluded.params["TZID"] not in zones:
            yield f"no VTIMEZONE for {excluded.params['TZID']}"
