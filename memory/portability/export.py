"""Everything a person owns, as JSON for machines and as Markdown for reading. docs/data.md has its form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Engine

from memory.portability.schema import FORMAT, VERSION
from memory.records import Category, Person
from memory.storage import portable
from memory.storage.engine import reading


def as_data(engine: Engine, person: Person, *, now: datetime) -> dict[str, Any]:
    """All of a person's data as plain JSON values, read in one snapshot."""
    with reading(engine) as session:
        told = portable.dump(session, person.id)
    return {
        "format": FORMAT,
        "version": VERSION,
        "exported_at": now.isoformat(timespec="seconds"),
        "person": {"name": person.name, "language": person.language, "zone": person.zone},
        **told,
    }


def as_markdown(data: dict[str, Any], *, words: Mapping[str, str] | None = None) -> str:
    """An export as text for reading: memories by kind, decisions, rules, talks.

    Args:
        words: what the kinds, "decisions" and "rules" are called in the reader's language.
    """
    words = words or {}
    zone = ZoneInfo(data["person"]["zone"])
    lines = [f"# {data['person']['name']}", "", f"{data['exported_at']}", ""]
    by_kind: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for card in data["cards"]:
        if card["status"] in ("active", "done"):
            by_kind[card["category"]].append(card)
    for category in Category:
        cards = by_kind.get(category.value, [])
        if not cards:
            continue
        lines += [f"## {words.get(category.value, category.value)}", ""]
        for card in cards:
            head = f"**{_escaped(card['title'])}** " if card["title"] else ""
            when = f" ({card['starts_local'].replace('T', ' ')})" if card["starts_local"] else ""
            people = f" [{', '.join(_escaped(name) for name in card['people'])}]" if card["people"] else ""
            lines.append(f"- {head}{_escaped(card['text'])}{when}{people}")
        lines.append("")
    matters = {matter["id"]: matter["name"] for matter in data["matters"]}
    if data["decisions"]:
        lines += [f"## {words.get('decisions', 'decisions')}", ""]
        for each in data["decisions"]:
            state = "" if each["active"] else " ~"
            matter = _escaped(matters.get(each["matter_id"], ""))
            lines.append(f"- {matter}: {each['key']} = {_escaped(each['value'])}{state}")
        lines.append("")
    if data["rules"]:
        lines += [
            f"## {words.get('rules', 'rules')}",
            "",
            *(f"- {_escaped(rule['text'])}" for rule in data["rules"]),
            "",
        ]
    turns: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for turn in data["turns"]:
        if not turn["superseded"] and turn["deleted_at"] is None:
            turns[turn["conversation_id"]].append(turn)
    for conversation in data["conversations"]:
        if not turns.get(conversation["id"]):
            continue
        opened = datetime.fromisoformat(conversation["opened_at"]).astimezone(zone)
        lines += [f"## {opened:%Y-%m-%d %H:%M}", ""]
        for turn in turns[conversation["id"]]:
            if turn["said"]:
                lines += [
                    f"**{_escaped(turn['speaker'] or data['person']['name'])}:** {_escaped(turn['said'])}",
                    "",
                ]
            if turn["answer"]:
                lines += [f"**Asterism:** {_escaped(turn['answer'])}", ""]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    for mark in ("\\", "`", "*", "_", "[", "]", "<", ">", "#"):
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())
