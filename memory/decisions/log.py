"""Record, supersede, withdraw, read back: decisions of a person's matters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from memory.decisions.consent import Source, says_nothing_else, source_of, stands_in
from memory.decisions.schema import Key, Keys
from memory.decisions.values import Refused, canonical, say
from memory.records import Conversation, Decision, Turn
from memory.storage import decisions as rows

_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(?: \d\d:\d\d(?:-\d\d:\d\d)?)?")


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A decision that holds now, and what held before."""

    decision: Decision
    before: str = ""  # the former value, canonical; "" when there was none
    unchanged: bool = False


@dataclass(frozen=True, kw_only=True)
class Grounds:
    """What a value may rest on."""

    said: str
    proposed: str
    observed: Sequence[str] = ()


def matter_name(conversation: Conversation, named: str = "") -> str:
    """The matter a decision belongs to: the one that was named, else this conversation."""
    return " ".join(named.split())[:120] or f"conversation {conversation.public_id}"


def record(
    session: Session,
    keys: Keys,
    *,
    turn: Turn,
    conversation: Conversation,
    name: str,
    value: str,
    matter: str = "",
    grounds: Grounds,
    now: datetime,
) -> Recorded | Refused:
    """Write a decision down the moment it is made; a refused one leaves what held untouched.

    Refused are unknown and retired keys, values that the key does not take, and values
    that nobody decided: those that only stand in retrieved passages or tool output, and
    proposals that the person has not taken.

    Raises:
        Conflict: the same was decided elsewhere at this instant.
    """
    key = keys.get(name)
    if key is None:
        known = ", ".join(each.name for each in keys.open())
        return Refused(reason=f"there is no key {name[:60]!r}; there are {known}", code="unknown_key")
    if key.retired:
        return Refused(reason=f"{name} takes no new values", code="retired")
    checked = canonical(key, value, language=turn.language, now=now, zone=turn.zone)
    if isinstance(checked, Refused):
        return checked
    held = next(
        (
            each.value
            for each in rows.current(session, turn.person_id, now=now)
            if each.key == key.name and each.matter == matter_name(conversation, matter)
        ),
        "",
    )
    source = source_of(
        key,
        checked,
        said=grounds.said,
        proposed=grounds.proposed,
        observed=grounds.observed,
        language=turn.language,
        now=now,
        zone=turn.zone,
        held=held,
    )
    if source is Source.OBSERVATION:
        return Refused(
            reason="this was only found, not decided: put it to the person first", code="observation"
        )
    if source is Source.UNDECIDED:
        return Refused(reason="this was proposed and not chosen yet: ask again", code="undecided")
    return store(
        session,
        person_id=turn.person_id,
        conversation=conversation,
        key=key,
        value=checked,
        matter=matter,
        turn_id=turn.id,
        decided_by=turn.speaker or source.value,
        now=now,
        zone=turn.zone,
    )


def store(
    session: Session,
    *,
    person_id: int,
    conversation: Conversation,
    key: Key,
    value: str,
    matter: str = "",
    turn_id: int | None,
    decided_by: str,
    now: datetime,
    zone: str = "UTC",
) -> Recorded:
    """Append a checked value; also for a human agent, who needs no grounds.

    The matter then ends with the last day that is decided in it. One that had ended
    begins afresh: what was decided for a day long gone does not come back to life.

    Args:
        zone: of the person; the matter's last day ends there.
    """
    place = rows.take_matter(
        session, person_id, matter_name(conversation, matter), conversation_id=conversation.id, now=now
    )
    if place.ends_at is not None and place.ends_at <= now:
        for each in rows.history(session, person_id, matter=place.name):
            if each.active:
                rows.withdraw(session, place, key=each.key, now=now)
    held = {each.key: each for each in rows.current(session, person_id, now=now) if each.matter == place.name}
    before = held.get(key.name)
    decision = rows.record(
        session, place, key=key.name, value=value, turn_id=turn_id, decided_by=decided_by, now=now
    )
    rows.set_end(session, place.id, _ends_at(session, person_id, place.name, zone=zone))
    return Recorded(
        decision=decision,
        before=before.value if before is not None and before.value != value else "",
        unchanged=before is not None and before.value == value,
    )


def _ends_at(session: Session, person_id: int, matter: str, *, zone: str) -> datetime | None:
    """The end of the last day among what holds in a matter; None when no day is decided."""
    days = [
        date.fromisoformat(match.group(1))
        for each in rows.history(session, person_id, matter=matter)
        if each.active and (match := _DAY.fullmatch(each.value))
    ]
    if not days:
        return None
    return datetime.combine(max(days) + timedelta(days=1), time(), tzinfo=ZoneInfo(zone)).astimezone(UTC)


def withdraw(
    session: Session,
    keys: Keys,
    *,
    turn: Turn,
    conversation: Conversation,
    name: str,
    matter: str = "",
    now: datetime,
) -> Decision | None:
    """Take a decision back, so that none holds; None when none did."""
    if keys.get(name) is None:
        return None
    place = rows.take_matter(
        session, turn.person_id, matter_name(conversation, matter), conversation_id=conversation.id, now=now
    )
    return rows.withdraw(session, place, key=name, now=now)


def tells(keys: Keys, decision: Decision, text: str, *, language: str, now: datetime, zone: str) -> bool:
    """Whether a text says what was decided, or nothing but what gave way to it: that makes no card."""
    key = keys.get(decision.key)
    if key is None:
        return False
    return stands_in(key, decision.value, text, language=language, now=now, zone=zone) or says_nothing_else(
        keys, text, matter=decision.matter, language=language, now=now.astimezone(ZoneInfo(zone))
    )


def told(keys: Keys, decision: Decision, *, language: str, now: datetime, zone: str) -> tuple[str, str]:
    """A decision's label and value in words of a language; a retired or unknown key by its name."""
    key = keys.get(decision.key)
    if key is None:
        return decision.key, decision.value
    label = key.label.get(language, key.name)
    try:
        return label, say(key, decision.value, language=language, now=now, zone=zone)
    except ValueError:  # the file of keys gave the key another type since: the entry stays readable
        return label, decision.value
