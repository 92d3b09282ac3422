"""Plays everyday dialogues through the real conductor and judges what was kept, shown and said."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

from dateutil.rrule import rrulestr

from memory import cards
from memory import language as lang
from memory.cards.recall import CardCache
from memory.cards.verifier import verify
from memory.conductor.conductor import Conductor
from memory.conductor.parts import Parts
from memory.config import Settings
from memory.decisions.schema import load as load_keys
from memory.embedding import Embedder
from memory.frames import Frames
from memory.llm.interface import Model
from memory.llm.verifying import proposer
from memory.overview.archive import index_turn
from memory.records import Card, Category, NewCard, Person, Role, Turn, TurnContext, When
from memory.storage import cards as card_rows
from memory.storage import people as people_rows
from memory.storage.engine import make_engine, reading, transaction
from memory.storage.migrate import upgrade
from tests.fakes import FakeClock, FakeQueue


@dataclass
class Judged:
    """How one turn came out."""

    expected: int = 0
    met: int = 0
    made: int = 0
    wrong: int = 0
    category_right: int = 0
    visible_right: int = 0
    alike: int = 0  # expected entries for which a card with the words was found
    count_right: bool = True
    superseded: int = 0
    superseded_right: int = 0
    reply_right: bool = True
    has_reply: bool = False
    forbidden: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    took_ms: float = 0.0

    @property
    def right(self) -> bool:
        """Whether everything about the turn is as it should be."""
        return (
            self.met == self.expected
            and self.count_right
            and self.superseded == self.superseded_right
            and self.reply_right
            and not self.forbidden
            and self.visible_right == self.alike
        )


def folded(text: str) -> str:
    """Text as the judge compares it."""
    return lang.fold(text)


def has(text: str, wanted: str) -> bool:
    """Whether one of the alternatives "a|b" stands in a text."""
    return any(folded(each) in folded(text) for each in wanted.split("|"))


def words_of(card: Card) -> str:
    """All the words of a card: text, people, relation, title, subject and moment."""
    when = card.when.start.isoformat() if card.when else ""
    return " ".join(
        (card.text, " ".join(card.people), card.relation, card.title, card.subject, card.value, when)
    )


@dataclass
class Player:
    """Plays dialogues, each for a fresh person, on one store."""

    var: Path
    model: Callable[[], Model] | None = None
    embedder: Embedder = field(default_factory=Embedder)
    verifies: bool = True
    proposes: bool = False  # whether the model is asked by the verifier too, as a connected one is

    def __post_init__(self) -> None:
        self.clock = FakeClock()
        settings = Settings.from_env(
            {"ASTERISM_VAR": str(self.var), "ASTERISM_RETRY_PAUSE": "0"}, root=self.var
        )
        self.engine = make_engine(settings.database_url)
        upgrade(self.engine)
        self.frames = Frames(self.engine, None)
        from memory.llm.models import ModelChooser

        self.parts = Parts(
            settings=settings,
            clock=self.clock,
            engine=self.engine,
            frames=self.frames,
            queue=FakeQueue(),
            embedder=self.embedder,
            cache=CardCache(64),
            keys=load_keys(),
            model=self.model or ModelChooser(settings, self.embedder),
        )
        self.conductor = Conductor(self.parts)

    def close(self) -> None:
        """End all threads."""
        self.conductor.close(wait=True)
        self.engine.dispose()

    def play(self, dialogue: Mapping[str, Any]) -> list[Judged]:
        """Play one dialogue and judge each of its turns."""
        self.clock.set(datetime.fromisoformat(dialogue["now"]))
        with transaction(self.engine) as session:
            person = people_rows.add(
                session,
                email=f"{dialogue['id']}@example.org",
                name="Person",
                password_hash="-",
                role=Role.PERSON,
                language=dialogue["lang"],
                zone=dialogue["zone"],
                now=self.clock(),
            )
            self._set_up(session, person, dialogue)
        judged = []
        for number, told in enumerate(dialogue["turns"]):
            before = self._active(person)
            frame = self.frames.latest(person.id)
            started = perf_counter()
            turn = self._say(person, dialogue, told["user"], number)
            took_ms = (perf_counter() - started) * 1000
            index_turn(self.engine, self.embedder, turn.id)
            if self.verifies:
                propose = proposer(self.parts.model(), now=self.clock()) if self.proposes else None
                verify(self.engine, self.embedder, turn.id, now=self.clock(), propose=propose)
            after = self._active(person)
            shown = json.dumps([each.body for each in self.frames.since(person.id, frame, screen="s")])
            result = judge(told["expect"], before, after, turn, shown, zone=dialogue["zone"])
            result.took_ms = took_ms
            judged.append(result)
            self.clock.tick(minutes=1)
        return judged

    def _say(self, person: Person, dialogue: Mapping[str, Any], text: str, number: int) -> Turn:
        context = TurnContext(screen="s", device_id=None, zone=dialogue["zone"], language=dialogue["lang"])
        turn = self.conductor.accept(
            person, text=text, client_id=f"{dialogue['id']}-{number}", context=context
        )
        return self.conductor.wait(turn.id, 60)

    def _set_up(self, session: Any, person: Person, dialogue: Mapping[str, Any]) -> None:
        told_at = self.clock() - timedelta(days=3)
        for each in dialogue["setup"]:
            when = None
            if "when" in each:
                start = datetime.fromisoformat(each["when"])
                when = When(start=start, zone=dialogue["zone"], all_day="T" not in each["when"])
            people = tuple(each.get("people", ()))
            parts = [part.strip() for part in each["text"].split(",")]
            is_person = each["category"] == "person"
            new = NewCard(
                category=Category(each["category"]),
                text=each["text"],
                people=people or ((parts[0],) if is_person else ()),
                relation=parts[1] if is_person and len(parts) > 1 else "",
                language=dialogue["lang"],
                when=when,
            )
            cards.remember(session, person, new, embedder=self.embedder, now=told_at)

    def _active(self, person: Person) -> dict[int, Card]:
        with reading(self.engine) as session:
            return {card.id: card for card in card_rows.active(session, person.id)}


def judge(
    expect: Mapping[str, Any],
    before: Mapping[int, Card],
    after: Mapping[int, Card],
    turn: Turn,
    shown: str,
    *,
    zone: str,
) -> Judged:
    """Judge one turn by the rules of the dialogues' format."""
    result = Judged()
    made = [card for card in after.values() if _is_new(card, before)]
    _judge_cards(result, expect, made, zone=zone)
    low, high = expect["count"] if isinstance(expect["count"], list) else (expect["count"], expect["count"])
    fewest = _fewest(expect["cards"], made, zone=zone) if len(made) < low else low
    result.count_right = min(low, fewest) <= len(made) <= high
    if not result.count_right:
        result.notes.append(f"count {len(made)}, expected {expect['count']}: {[card.text for card in made]}")
    for words in expect["forbidden"]:
        for card in after.values():
            if has(f"{card.text} {card.title}", words):
                result.forbidden.append(words)
                result.notes.append(f"forbidden {words!r} in {card.text!r}")
    for words in expect["superseded"]:
        result.superseded += 1
        olds = [card for card in before.values() if has(card.text, words)]
        gone = bool(olds) and all(
            old.id not in after or after[old.id].text != old.text or after[old.id].when != old.when
            for old in olds
        )
        result.superseded_right += gone
        if not gone:
            result.notes.append(f"not superseded: {words!r}")
    for card in made:
        if not card.visible and card.public_id in shown:
            result.notes.append(f"silent card in a frame: {card.text!r}")
            result.reply_right = False
    _judge_reply(result, expect["reply"], turn.answer)
    return result


def _judge_cards(result: Judged, expect: Mapping[str, Any], made: Sequence[Card], *, zone: str) -> None:
    result.expected, result.made = len(expect["cards"]), len(made)
    used: set[int] = set()
    for wanted in expect["cards"]:
        alike = [card for card in made if _has_words(card, wanted)]
        result.alike += bool(alike)
        right = [card for card in alike if card.category.value in wanted["category"].split("|")]
        result.category_right += bool(right)
        seen = [card for card in right or alike if card.visible is wanted["visible"]]
        result.visible_right += bool(seen)
        full = [card for card in right if card in seen and _fits(card, wanted, zone=zone)]
        used.update(card.id for card in full)
        if full:
            result.met += 1
        else:
            near = f"near: {[(card.category.value, card.text, card.people, card.when) for card in alike]}"
            result.notes.append(
                f"missing {wanted['category']} {wanted['has']} {wanted.get('when', '')}; {near}"
            )
    high = expect["count"][1] if isinstance(expect["count"], list) else expect["count"]
    extras = [card for card in made if card.id not in used]
    allowed = max(0, high - len(used)) if expect["cards"] or high else 0
    result.wrong = max(0, len(extras) - allowed)
    if extras:
        result.notes.append(f"extra: {[(card.category.value, card.text) for card in extras]}")


def _judge_reply(result: Judged, reply: Mapping[str, Any], answer: str) -> None:
    result.has_reply = bool(reply["has"] or reply["has_not"])
    lacking = [each for each in reply["has"] if not has(answer, each)]
    unwanted = [each for each in reply["has_not"] if has(answer, each)]
    result.reply_right = result.reply_right and not lacking and not unwanted and bool(answer.strip())
    if lacking or unwanted or not answer.strip():
        result.notes.append(f"reply {answer!r} lacks {lacking}, has {unwanted}")


def _is_new(card: Card, before: Mapping[int, Card]) -> bool:
    old = before.get(card.id)
    if old is None:
        return True
    return (old.text, old.when, old.people, old.title, old.value) != (
        card.text, card.when, card.people, card.title, card.value,
    )  # fmt: skip


def _has_words(card: Card, wanted: Mapping[str, Any]) -> bool:
    held = words_of(card)
    if any(not has(held, each) for each in wanted["has"]):
        return False
    return not any(has(card.text, each) for each in wanted["has_not"])


def _fits(card: Card, wanted: Mapping[str, Any], *, zone: str) -> bool:
    if "about" in wanted and not has(words_of(card), wanted["about"]):
        return False
    people = " | ".join(card.people)
    if any(not has(people, name) for name in wanted.get("people", ())):
        return False
    return "when" not in wanted or _same_moment(card, wanted, zone=zone)


def _same_moment(card: Card, wanted: Mapping[str, Any], *, zone: str) -> bool:
    if card.when is None:
        return False
    start = datetime.fromisoformat(wanted["when"])
    if "T" not in wanted["when"]:
        return card.when.start.date() == start.date()
    if not wanted.get("rrule"):
        return card.when.start == start and not card.when.all_day and not card.when.rrule
    if not card.when.rrule:
        return False
    mine = rrulestr(card.when.rrule, dtstart=card.when.start)
    theirs = rrulestr(wanted["rrule"], dtstart=start)
    return _first(mine, start) == _first(theirs, start)


def _first(rule: Any, start: datetime, count: int = 8) -> list[datetime]:
    found: list[datetime] = []
    for moment in rule:
        if moment >= start:
            found.append(moment)
        if len(found) == count:
            break
    return found


def _fewest(wanted: Sequence[Mapping[str, Any]], made: Sequence[Card], *, zone: str) -> int:
    """How few cards can meet all entries: two entries may be met by the same card."""
    meeting = [{card.id for card in made if _has_words(card, each)} for each in wanted]
    if any(not each for each in meeting):
        return len(wanted)
    return len(set().union(*meeting)) if meeting else 0


def figures(judged: Iterable[Sequence[Judged]]) -> dict[str, Any]:
    """The benchmark's figures over dialogues."""
    dialogues = [list(each) for each in judged]
    turns = [turn for dialogue in dialogues for turn in dialogue]

    def share(right: int, total: int) -> float:
        return round(right / total, 3) if total else 1.0

    expected, alike = sum(t.expected for t in turns), sum(t.alike for t in turns)
    made, wrong = sum(t.made for t in turns), sum(t.wrong for t in turns)
    replies = [t for t in turns if t.has_reply]
    times = sorted(t.took_ms for t in turns)
    return {
        "dialogues": len(dialogues),
        "cards_recall": share(sum(t.met for t in turns), expected),
        "cards_precision": share(made - wrong, made),
        "category": share(sum(t.category_right for t in turns), alike),
        "visibility": share(sum(t.visible_right for t in turns), alike),
        "count_exact": share(sum(t.count_right for t in turns), len(turns)),
        "superseded": share(sum(t.superseded_right for t in turns), sum(t.superseded for t in turns)),
        "reply": share(sum(t.reply_right for t in replies), len(replies)),
        "forbidden_hits": sum(len(t.forbidden) for t in turns),
        "dialogues_right": share(
            sum(all(t.right for t in dialogue) for dialogue in dialogues), len(dialogues)
        ),
        "sentence_p50_ms": round(times[len(times) // 2], 1) if times else 0.0,
    }
