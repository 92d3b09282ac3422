"""Consistency: a model that contradicts itself, with the decision store and its guard, and without.

    python -m tests.benchmarks.bench_consistency [--conversations N] [--seed N] [--show]

Each conversation decides three to six of the shipped keys early, of every type (some are changed again),
goes on with small talk to 30 to 200 turns, and is then asked again in other words. A third of the answers
contradict what was decided: in figures and words, with relative and numeric dates, with ranges; half of
these do so a second time when they are asked for again. Of the others two thirds name other values
legitimately: what held before, another order, opening hours, others, stock and prices, a proposal. Now and
then a right sentence about something else stands beside. The same script is played without store and guard.

Seven parts are reported apart. `first` (consistency.toml) was at hand while the guard was being tuned;
`after` was written when it stood. `fresh` and `held` (consistency_keys.toml, all keys) were written before
their author had read the guard. At first sight of them (200 conversations, seed 7) 195 of 548 contradictions
were shown and 23 % of the good answers held back: that is the only blind figure. The guard was then rebuilt,
so that an answer to what is settled goes out only with the settled value in it, and its words were filled up
by the same hand that had written the sentences, looking at the failures of `fresh` first (`held` then: 20 of
720 contradictions, 23 of 1,452 false alarms, sentence by sentence) and of `held` afterwards. What today's
run shows is no longer unseen.

`outside` and `unseen` (consistency_outside.toml) are by another hand, who never saw the guard or its
failures. At first sight of both (sentence by sentence, three draws each, questions by the same hand) 377 of
720 contradictions were shown and 18 of 1,440 good answers held back. The guard was mended on the failures of
`outside` only; nobody has looked at those of `unseen`: there 20 of 180 were shown once `outside` stood at
none, 7 of 60 at the end.

`later` (consistency_later.toml) is by a further hand, with questions of its own that its sentences answer.
It was written after everything else, and nobody has looked at what the guard does with it; only counts were
read. With words alone 32 % of its questions were understood, and 16 % of its contradictions found where
nothing had been asked. Two small networks (memory/decisions/leaning.py) were then trained on some thousand
sentences of seven other hands; `first`, `after`, `fresh` and `outside` are among them, `held`, `unseen` and
`later` are not. A further measure, `passing`, says each sentence of those three in answer to a question about
the packing.

Later the networks read four more hands, and the guard was taught what an answer names beside the settled
value: 4 of 584 contradictions were shown then (all of `later`; 17 before), 9 of 1,216 good answers touched
(20 before). While the latter were looked into, the ends of some thirty good answers were printed, a dozen
of them of the unread parts; no contradiction of those was.

Small talk goes into the thread's rows as it would have been stored; what is decided, asked and answered runs
through the conductor.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Engine

from memory.config import LANGUAGES
from memory.decisions.guard import View, look
from memory.llm.scripted import Call, Say, ScriptedModel, Step
from memory.storage import decisions as rows
from memory.storage.engine import make_engine, reading
from memory.storage.migrate import upgrade
from tests import factories
from tests.benchmarks.consistency_lines import (
    KEYS,
    LATER,
    NEW,
    OLD,
    OLD_NAME,
    OUTSIDE,
    PARTS,
    SLOT,
    draw,
    fill,
    plain,
    sentences,
)
from tests.conductor.playing import Stage, stage
from tests.decisions.settling import holding
from tests.fakes import T0, FakeClock

UNREAD = ("held", "unseen", "later")  # parts whose failures are counted, not read
ASKED = 9  # questions a conversation
SMALL = {
    "en": ("Is box {n} packed in paper?", "Yes, in brown paper."),
    "de": ("Ist Karton {n} in Papier verpackt?", "Ja, in braunem Papier."),
    "pt": ("A caixa {n} vai embrulhada em papel?", "Sim, em papel pardo."),
    "fr": ("Le carton {n} est-il emballé dans du papier ?", "Oui, dans du papier kraft."),
    "es": ("¿La caja {n} va envuelta en papel?", "Sí, en papel de estraza."),
}


@dataclass
class Score:
    """What came of one way of playing."""

    asked: Counter[str] = field(default_factory=Counter)
    shown: Counter[str] = field(default_factory=Counter)  # contradictions that reached the person
    false: Counter[str] = field(default_factory=Counter)  # good answers held back or changed
    examples: list[str] = field(default_factory=list)
    store_right: int = 0
    turns: int = 0


def play(engine: Engine, language: str, seed: int, score: Score, *, store: bool, tmp: Path) -> None:
    """One conversation."""
    lots = random.Random(seed)
    clock = FakeClock(T0)
    current: list[ScriptedModel] = [ScriptedModel()]
    with stage(engine, clock, model=lambda: current[0], tmp=tmp) as talk:

        def turn(said: str, *steps: Step) -> str:
            current[0] = ScriptedModel(steps)
            clock.tick(minutes=1)
            score.turns += 1
            return talk.say(said, language=language).answer

        truth = _decide(turn, language, clock, lots, store=store)
        _small_talk(engine, talk, lots.randint(30, 200) - ASKED - len(truth), clock, score, language)
        for _ in range(ASKED):
            _ask(turn, language, truth, clock, lots, score)
        with reading(engine) as session:
            held = {each.key: each.value for each in rows.current(session, talk.person.id, now=clock())}
        score.store_right += held == truth
        if store and held != truth:
            score.examples.append(f"store {language}: {held} instead of {truth}")


def _decide(
    turn: Any, language: str, clock: FakeClock, lots: random.Random, *, store: bool
) -> dict[str, str]:
    """Three to six keys are decided, some of them twice."""
    truth: dict[str, str] = {}
    kinds = lots.sample(list(KEYS.by_name), lots.randint(3, 6))
    for key in [*kinds, *lots.sample(kinds, lots.randint(0, 2))]:
        value = draw(key, language, clock(), lots, taken=[*truth.values()])
        part = "old" if key in OLD_NAME and lots.random() < 0.5 else "new"
        table = OLD[language][OLD_NAME[key]] if part == "old" else NEW[language][key]
        said = plain(lots.choice(table["say"]), key, value, language, clock())
        truth[key] = value
        told = value if lots.random() < 0.5 else plain(f"{{{SLOT[key]}}}", key, value, language, clock())
        if key == "delivery_window" and told != value:
            told = said
        call: Step = [Call("record_decision", {"key": key, "value": told})]
        turn(said, *([call] if store else []), [Say("OK.")])
    return truth


def _small_talk(
    engine: Engine, talk: Stage, count: int, clock: FakeClock, score: Score, language: str
) -> None:
    with reading(engine) as session:
        held = rows.matters(session, talk.person.id)
    conversation = held[0].conversation_id if held else None
    if conversation is None:
        conversation = talk.say("…").conversation_id
    said, answer = SMALL[language]
    for number in range(max(0, count)):
        clock.tick(seconds=20)
        factories.turn(
            engine,
            talk.person,
            conversation,
            said=said.format(n=number),
            answer=answer,
            created_at=clock(),
            client_id=f"small-{number}",
        )
        score.turns += 1


def _ask(
    turn: Any, language: str, truth: dict[str, str], clock: FakeClock, lots: random.Random, score: Score
) -> None:
    key = lots.choice(list(truth))
    value, now = truth[key], clock()
    part = lots.choice([each for each in PARTS if sentences(language, key, each, "wrong")])
    other = draw(key, language, now, lots, taken=[*truth.values()])
    question = lots.choice(_questions(language, key, part))
    beside = _beside(language, truth, key, now, lots)
    right = fill(lots.choice(sentences(language, key, part, "wrong")), key, value, language, now, lots)
    if lots.random() < 1 / 3:
        wrong = fill(lots.choice(sentences(language, key, part, "wrong")), key, other, language, now, lots)
        again = wrong if lots.random() < 0.5 else right
        answer = turn(question, [Say(f"{beside}{wrong}", 5)], [Say(f"{beside}{again}")])
        score.asked[f"wrong_{part}"] += 1
        if wrong in answer:
            score.shown[part] += 1
            score.examples.append(f"shown {part} {language} {key}: {wrong} [{value}] ({question})")
        return
    fine = fill(lots.choice(sentences(language, key, part, "fine")), key, other, language, now, lots)
    expected = beside + (f"{right} {fine}" if lots.random() < 2 / 3 else right)
    answer = turn(question, [Say(expected, 5)], [Say(expected)])
    score.asked[f"fine_{part}"] += 1
    if answer != expected:
        score.false[part] += 1
        score.examples.append(f"false {part} {language} {key}: {expected} [{value}] -> {answer}")


def _questions(language: str, key: str, part: str) -> list[str]:
    if part == "later":
        later: list[str] = LATER[language][key]["ask"]
        return later
    asks = [*NEW[language][key]["ask"], *OLD[language].get(OLD_NAME.get(key, ""), {}).get("ask", ())]
    return [*asks, *OUTSIDE[language][key]["ask"]]


def _passing() -> dict[str, dict[str, int]]:
    """Each sentence of the parts that nothing was trained on, in answer to a question for something else."""
    lots, now = random.Random(5), datetime(2026, 3, 2, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
    told = {}
    for part in ("held", "unseen", "later"):
        counts: Counter[str] = Counter()
        for language in LANGUAGES:
            for key in KEYS.by_name:
                for group in ("wrong", "fine"):
                    for template in sentences(language, key, part, group):
                        value = draw(key, language, now, lots)
                        other = draw(key, language, now, lots, taken=(value,))
                        sentence = fill(template, key, other, language, now, lots)
                        counts[group] += 1
                        counts[f"{group} held"] += _is_held(sentence, key, value, language, now)
        told[part] = {
            "contradictions": counts["wrong"],
            "shown": counts["wrong"] - counts["wrong held"],
            "good_sentences": counts["fine"],
            "false_alarms": counts["fine held"],
        }
    return told


def _is_held(sentence: str, key: str, value: str, language: str, now: datetime) -> bool:
    view = View(
        keys=KEYS,
        settled=holding({key: value}, now=now),
        said=SMALL[language][0].format(n=3),
        language=language,
        now=now,
        zone="Europe/Berlin",
    )
    return look(sentence, view).contradicts is not None


def _beside(language: str, truth: dict[str, str], key: str, now: datetime, lots: random.Random) -> str:
    """Now and then a right sentence about something else stands first."""
    others = [each for each in truth if each != key]
    if not others or lots.random() > 0.25:
        return ""
    other = lots.choice(others)
    return (
        fill(
            lots.choice(sentences(language, other, "fresh", "wrong")),
            other,
            truth[other],
            language,
            now,
            lots,
        )
        + " "
    )


def main() -> None:
    """Run, print, and end with one JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    quick = os.environ.get("QUICK") == "1"
    parser.add_argument("--conversations", type=int, default=20 if quick else 200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--show", action="store_true", help="print what went wrong, but for what is held back"
    )
    told = parser.parse_args()
    started = time.perf_counter()
    scores = {True: Score(), False: Score()}
    with tempfile.TemporaryDirectory() as folder:
        engine = make_engine(f"sqlite:///{folder}/consistency.db")
        upgrade(engine)
        for number in range(told.conversations):
            language = LANGUAGES[number % len(LANGUAGES)]
            for store, score in scores.items():
                play(engine, language, told.seed * 1000 + number, score, store=store, tmp=Path(folder))
            if (number + 1) % 20 == 0:
                print(f"{number + 1} conversations, {time.perf_counter() - started:.0f} s")
        engine.dispose()
    _report(scores, told, time.perf_counter() - started, quick=quick)


def _report(scores: dict[bool, Score], told: argparse.Namespace, seconds: float, *, quick: bool) -> None:
    ours, without = scores[True], scores[False]
    if told.show:
        print(*(each for each in ours.examples if each.split()[1] not in UNREAD), sep="\n")
    fine = {part: ours.asked[f"fine_{part}"] for part in PARTS}
    parts = {
        part: {
            "contradictions": ours.asked[f"wrong_{part}"],
            "shown": ours.shown[part],
            "shown_without_store": without.shown[part],
            "good_answers": fine[part],
            "false_alarms": ours.false[part],
        }
        for part in PARTS
    }
    for part, figures in parts.items():
        print(part, *(f"{name} {value}" for name, value in figures.items()), sep="  ")
    passing = _passing()
    for part, shares in passing.items():
        print("passing", part, *(f"{name} {value}" for name, value in shares.items()), sep="  ")
    print(
        json.dumps(
            {
                "conversations": told.conversations,
                "turns": ours.turns,
                "contradictions": sum(ours.asked[f"wrong_{part}"] for part in PARTS),
                "contradictions_shown": sum(ours.shown.values()),
                "contradictions_without_store": sum(without.shown.values()),
                "false_alarm_rate": round(sum(ours.false.values()) / max(1, sum(fine.values())), 4),
                "store_right": round(ours.store_right / told.conversations, 4),
                "parts": parts,
                "passing": passing,
                "quick": quick,
                "seed": told.seed,
                "seconds": round(seconds, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
