"""What `listen` alone hears in the first turns of dialogues: recall and precision of its candidates.

`python -m tests.benchmarks.listen_candidates FILE [--show] [--aside] [--lang xx]`. FILE has one dialogue a
line (id, lang, zone, now, setup, turns); a turn may also stand alone as {lang, user, cards, count}.
Every third dialogue is kept aside: its figures are reported apart and its texts never shown.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

from memory.language import fold
from memory.listening import Candidate, Heard, KnownPerson, listen


@dataclass
class Score:
    """Counts over turns."""

    wanted: int = 0
    found: int = 0
    kept: int = 0
    spurious: int = 0
    turns: int = 0
    right: int = 0
    problems: list[str] = field(default_factory=list)

    def line(self) -> str:
        """Recall, precision and the share of turns that are wholly right."""
        recall = self.found / self.wanted if self.wanted else 1.0
        precision = 1 - self.spurious / self.kept if self.kept else 1.0
        return (
            f"recall {recall:.3f} ({self.found}/{self.wanted}) precision {precision:.3f} "
            f"({self.spurious} of {self.kept} not wanted) turns right {self.right}/{self.turns}"
        )


def words_of(candidate: Candidate) -> str:
    """All words of a candidate's card, folded."""
    when = candidate.when.start.isoformat() if candidate.when else ""
    parts = [candidate.text, candidate.title, candidate.relation, candidate.subject, *candidate.people, when]
    return fold(" ".join(parts))


def fits(card: dict[str, Any], candidate: Candidate, zone: str) -> bool:
    """Whether a candidate is the expected card."""
    if candidate.category.value not in card["category"].split("|"):
        return False
    words, text = words_of(candidate), fold(candidate.text)
    if not all(any(fold(option) in words for option in each.split("|")) for each in card.get("has", ())):
        return False
    if any(fold(each) in text for each in card.get("has_not", ())):
        return False
    if any(fold(each) not in fold(" ".join(candidate.people)) for each in card.get("people", ())):
        return False
    if not card.get("when"):
        return True
    return any(_same_moment({**card, "when": when}, candidate) for when in card["when"].split("|"))


def _same_moment(card: dict[str, Any], candidate: Candidate) -> bool:
    if candidate.when is None:
        return False
    wanted = datetime.fromisoformat(card["when"])
    got = candidate.when.start
    if "T" not in card["when"] or candidate.missing_time:
        return wanted.date() == got.date()
    if wanted != got:
        return False
    if not card.get("rrule"):
        return candidate.when.rrule is None
    if not candidate.when.rrule:
        return False
    until = wanted + timedelta(days=120)
    return rrulestr(card["rrule"], dtstart=wanted).between(wanted, until, inc=True) == rrulestr(
        candidate.when.rrule, dtstart=got
    ).between(wanted, until, inc=True)


def heard_of(dialogue: dict[str, Any]) -> Heard:
    """What is heard in a dialogue's first turn."""
    people = [
        KnownPerson(name=card["text"].split(",")[0])
        for card in dialogue.get("setup", ())
        if card["category"] == "person"
    ]
    zone = dialogue.get("zone", "Europe/London")
    now = datetime.fromisoformat(dialogue.get("now", "2026-06-08T10:00")).replace(tzinfo=ZoneInfo(zone))
    user = dialogue["turns"][0]["user"] if "turns" in dialogue else dialogue["user"]
    return listen(user, language=dialogue["lang"], now=now, zone=zone, known=people)


def judge(dialogue: dict[str, Any], heard: Heard, score: Score) -> None:
    """Count one turn."""
    expect = dialogue["turns"][0]["expect"] if "turns" in dialogue else dialogue
    user = dialogue["turns"][0]["user"] if "turns" in dialogue else dialogue["user"]
    zone = dialogue.get("zone", "Europe/London")
    cards = expect.get("cards", [])
    if not cards and "no-time" in dialogue.get("tags", ()):
        heard_reminders = [c for c in heard.candidates if c.category.value == "reminder" and c.missing_time]
        score.turns += 1
        score.right += len(heard_reminders) == 1 and len(heard.candidates) == 1
        if len(heard_reminders) != 1:
            score.problems.append(f"{dialogue.get('id', '')} NO TIME {user}")
        return
    missed = [card for card in cards if not any(fits(card, c, zone) for c in heard.candidates)]
    count = expect.get("count", len(cards))
    low, high = count if isinstance(count, list) else (count, count)
    over = max(0, len(heard.candidates) - high)
    forbidden = [
        each for each in expect.get("forbidden", ()) for c in heard.candidates if fold(each) in words_of(c)
    ]
    extra = [c for c in heard.candidates if not any(fits(card, c, zone) for card in cards)]
    spurious = max(over, len(extra) - max(0, high - len(cards)))
    score.wanted += len(cards)
    score.found += len(cards) - len(missed)
    score.kept += len(heard.candidates)
    score.spurious += spurious
    score.turns += 1
    if not missed and not over and len(heard.candidates) >= low and not forbidden and not spurious:
        score.right += 1
        return
    got = "\n".join(
        f"      {c.category.value} | {c.text} | {c.subject} | {c.people} | "
        f"{c.when.start if c.when else ''} {c.when.rrule if c.when else ''} | {c.why}"
        for c in heard.candidates
    )
    wanted = "; ".join(f"{c['category']}:{c.get('has')}{c.get('when', '')}" for c in missed)
    score.problems.append(
        f"{dialogue.get('id', '')} {dialogue['lang']} {user}\n   missed {wanted or '-'} count {low}..{high} "
        f"{'FORBIDDEN ' + str(forbidden) if forbidden else ''} {[a.value for a in heard.acts]}\n{got}"
    )


def main() -> None:
    """Print figures by language, tuned and kept aside."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="+")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--whole", action="store_true", help="nothing is kept aside")
    parser.add_argument("--lang", default="")
    given = parser.parse_args()
    scores: dict[str, Score] = defaultdict(Score)
    for path in given.file:
        for index, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            if not line.strip():
                continue
            dialogue = json.loads(line)
            if given.lang and dialogue["lang"] != given.lang:
                continue
            part = "kept aside" if index % 3 == 2 and not given.whole else "tuned"
            heard = heard_of(dialogue)
            judge(dialogue, heard, scores[part])
            judge(dialogue, heard, scores[f"{part} {dialogue['lang']}"])
    for name in sorted(scores):
        print(f"{name:14} {scores[name].line()}")
    if given.show:
        print("\n".join(scores["tuned"].problems))


if __name__ == "__main__":
    main()
