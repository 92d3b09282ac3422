"""Does each reminder ring exactly once, and in time, whatever is killed? `make bench-firing`

Two dispatchers and two workers run as they do in the product, on SQLite and a real Valkey.
A seeded killer ends one of them with SIGKILL every few seconds and starts it anew. The clock
that all of them read jumps from one change of the clocks to the next, is set back by a
minute now and then, and once Valkey is emptied. A tenth of the reminders also go to a push
service of our own that decrypts them. The moments of the recurring ones are a table, written
by hand from the zones' rules. `QUICK=1` plays 200 reminders instead of 2,000.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from redis import Redis
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from memory.clock import FileClock, write_clock_file
from memory.config import Settings
from memory.records import Category
from memory.running import valkey
from memory.running.supervisor import die_with_parent
from memory.storage.engine import make_engine, reading, transaction
from memory.storage.migrate import upgrade
from memory.storage.tables import CardRow, DeliveryRow, DeviceRow, FrameRow, PersonRow, PushSubscriptionRow
from tests.notify.browser import Browser, push_service
from tests.servers import ROOT, clean_env

SEED = int(os.environ.get("SEED", "7"))
QUICK = os.environ.get("QUICK", "") == "1"

# Zone, what the wall clock shows, and the two instants at which that is, on the day before the
# change and on its day: a gap moves 02:30 to 03:30, of a double hour the first counts.
RECURRING = (
    ("America/New_York", "2026-03-07T07:15", "2026-03-07T12:15Z", "2026-03-08T11:15Z"),
    ("America/New_York", "2026-03-07T02:30", "2026-03-07T07:30Z", "2026-03-08T07:30Z"),
    ("Europe/Berlin", "2026-03-28T07:15", "2026-03-28T06:15Z", "2026-03-29T05:15Z"),
    ("Europe/Berlin", "2026-03-28T02:30", "2026-03-28T01:30Z", "2026-03-29T01:30Z"),
    ("Australia/Lord_Howe", "2026-04-04T07:15", "2026-04-03T20:15Z", "2026-04-04T20:45Z"),
    ("Europe/Berlin", "2026-10-24T02:30", "2026-10-24T00:30Z", "2026-10-25T00:30Z"),
    ("America/New_York", "2026-10-31T01:30", "2026-10-31T05:30Z", "2026-11-01T05:30Z"),
)
_LEAD = timedelta(seconds=2)  # between a jump of the clock and the first reminder
_SPREAD_S = 5.0  # single reminders around each instant
_SETTLE_S = 2.5
_START_S = 10.0  # a worker younger than this may still be starting
_PATIENCE_S = 90.0
_COMMANDS = {"dispatcher": ("scheduler",), "worker": ("worker", "prompt")}


@dataclass
class Play:
    """What happened."""

    expected: int
    missing: int
    twice: int
    frames_wrong: int  # firings without exactly one frame
    lateness_s: list[float]
    late: int  # marked as late
    pushed: int
    push_expected: int
    push_copies: int  # sent again under the same id, which the browser shows once
    push_lateness_s: list[float]
    kills: int
    ended: int  # processes that ended by themselves
    unsent: int

    def figures(self) -> dict[str, Any]:
        """The numbers to report."""
        return {
            "reminders": self.expected,
            "missing": self.missing,
            "twice": self.twice,
            "frames_wrong": self.frames_wrong,
            "unsent": self.unsent,
            "marked_late": self.late,
            "kills": self.kills,
            "ended": self.ended,
            "lateness_s": _quantiles(self.lateness_s),
            "push": {
                "expected": self.push_expected,
                "reached": self.pushed,
                "copies": self.push_copies,
                "lateness_s": _quantiles(self.push_lateness_s),
            },
        }


def _quantiles(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {}
    p50, p99, most = np.quantile(values, (0.5, 0.99, 1.0))
    return {"p50": round(float(p50), 2), "p99": round(float(p99), 2), "max": round(float(most), 2)}


@dataclass
class Crew:
    """The processes, and who kills them."""

    env: dict[str, str]
    log: Path
    lots: random.Random
    redis: Redis
    kinds: Sequence[str]
    kills: int = 0
    ended: int = 0  # by themselves
    _running: dict[str, tuple[subprocess.Popen[bytes], float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, name: str) -> None:
        """Start one process."""
        with self.log.open("ab") as output:
            process = subprocess.Popen(
                [sys.executable, str(ROOT / "app.py"), *_COMMANDS[name.partition("-")[0]]],
                env=clean_env(self.env),
                stdout=output,
                stderr=output,
                preexec_fn=die_with_parent,
            )
        self._running[name] = (process, time.monotonic())

    def revive(self) -> None:
        """Start anew what ended by itself, as the product's supervisor does."""
        with self._lock:
            for name, (process, _since) in list(self._running.items()):
                if process.poll() is not None:
                    self.ended += 1
                    self.start(name)

    def kill_one(self) -> None:
        """End a process with SIGKILL and start it anew; its twin must be up, so that the service is."""
        with self._lock:
            kinds = [kind for kind in self.kinds if self.is_up(kind)]
            if not kinds:
                return
            name = f"{self.lots.choice(kinds)}-{self.lots.choice((1, 2))}"
            process, _since = self._running[name]
            process.kill()
            process.wait()
            self.kills += 1
            self.start(name)

    def is_up(self, kind: str) -> bool:
        """Whether both processes of a kind do their work."""
        both = [self._running[f"{kind}-{number}"] for number in (1, 2)]
        if any(process.poll() is not None for process, _since in both):
            return False
        if kind == "dispatcher":  # each listens for wake-ups once it has begun
            return sum(int(each["psub"]) > 0 for each in self.redis.client_list(_type="pubsub")) >= 2
        return all(time.monotonic() - since > _START_S for _process, since in both)

    def start_all(self) -> None:
        """Start two of each kind, and wait until they have begun."""
        for kind in self.kinds:
            for number in (1, 2):
                self.start(f"{kind}-{number}")
        deadline = time.monotonic() + _PATIENCE_S
        while not all(self.is_up(kind) for kind in self.kinds):
            assert time.monotonic() < deadline, self.log.read_text()[-2000:]
            time.sleep(0.1)

    def end(self) -> None:
        """End all of them."""
        for process, _since in self._running.values():
            process.kill()
            process.wait()


def play(
    home: Path,
    *,
    count: int,
    instants: Sequence[datetime],
    seed: int,
    kinds: Sequence[str] = ("dispatcher", "worker"),
    spread_s: float = _SPREAD_S,
    settle_s: float = _SETTLE_S,
) -> Play:
    """Play reminders around instants of the zones' changes.

    Args:
        home: an empty folder for database, queue and logs.
        count: how many firings, the recurring ones among them.
        instants: which of the table's moments to visit.
        kinds: which processes run, two of each; without workers nothing is pushed.
        spread_s: real seconds over which the single ones of an instant are spread.
        settle_s: real seconds to wait after them.
    """
    lots = random.Random(seed)
    settings, env = _settings(home)
    clock_file = Path(env["ASTERISM_CLOCK_FILE"])
    clock = FileClock(clock_file)
    engine = make_engine(settings.database_url)
    upgrade(engine)
    with ExitStack() as stack:
        stack.callback(engine.dispose)
        redis = stack.enter_context(_valkey(settings))
        browser = stack.enter_context(push_service(_Stamping(clock)))
        due = _fill(
            engine,
            browser if "worker" in kinds else None,
            count=count,
            instants=instants,
            lots=lots,
            spread_s=spread_s,
        )
        crew = Crew(env=env, log=home / "crew.log", lots=lots, redis=redis, kinds=kinds)
        stack.callback(crew.end)
        _set_clock(clock_file, instants[0] - timedelta(minutes=5))
        crew.start_all()
        calm, over = threading.Event(), threading.Event()
        # It lives until the end: what a thread started is ended by the system with that thread.
        killer = threading.Thread(target=_kill, args=(crew, calm, over), daemon=True)
        killer.start()
        stack.callback(killer.join, 10)
        stack.callback(over.set)
        _visit(engine, clock_file, instants, redis, spread_s + settle_s)
        calm.set()
        _wait_sent(engine)
        return _examine(engine, due, browser, crew)


class _Stamping(Browser):
    """A browser that notes the product's time at which each message came."""

    def __init__(self, clock: FileClock) -> None:
        super().__init__()
        self._clock = clock
        self.times: dict[str, datetime] = {}

    def take(self, body: bytes, headers: dict[str, str]) -> None:
        super().take(body, headers)
        with self.arrived:
            self.times.setdefault(self.received[-1]["id"], self._clock())


def _settings(home: Path) -> tuple[Settings, dict[str, str]]:
    env = {
        "ASTERISM_VAR": str(home / "var"),
        "ASTERISM_CLOCK_FILE": str(home / "clock.json"),
        "DATABASE_URL": f"sqlite:///{home / 'bench.db'}",
        "ASTERISM_SWEEP": "86400",
    }
    write_clock_file(home / "clock.json", offset_s=0)
    return Settings.from_env(env, root=ROOT), env


@contextmanager
def _valkey(settings: Settings) -> Iterator[Redis]:
    process = subprocess.Popen(
        valkey.prepare(settings), stdout=subprocess.DEVNULL, preexec_fn=die_with_parent
    )
    while not valkey.is_answering(settings.valkey_socket):
        assert process.poll() is None, "Valkey ended while starting"
        time.sleep(0.02)
    client: Redis = Redis.from_url(settings.redis_address)
    try:
        yield client
    finally:
        client.close()
        process.kill()
        process.wait()


def _fill(
    engine: Engine,
    browser: Browser | None,
    *,
    count: int,
    instants: Sequence[datetime],
    lots: random.Random,
    spread_s: float,
) -> Counter[tuple[int, datetime]]:
    """Make people and reminders; gives each firing that is expected."""
    expected: Counter[tuple[int, datetime]] = Counter()
    start = instants[0] - timedelta(days=30)
    with transaction(engine) as session:
        owners: dict[str, list[PersonRow]] = {}
        for number, zone in enumerate(sorted({row[0] for row in RECURRING}) * 8):
            owner = PersonRow(
                email=f"{number}@example.org",
                name=f"Person {number}",
                password_hash="",
                role="person",
                language="en",
                zone=zone,
                created_at=start,
            )
            session.add(owner)
            owners.setdefault(zone, []).append(owner)
        session.flush()
        everyone = [owner for each in owners.values() for owner in each]
        if browser is not None:
            _subscribe(session, everyone[0], browser, start)
        visited = set(instants)
        rows: list[tuple[CardRow, list[datetime]]] = []
        for zone, wall, *moments in RECURRING:
            due = [datetime.fromisoformat(each) for each in moments]
            if set(due) <= visited:
                for owner in owners[zone]:
                    rows.append((_card(owner, wall, zone, due[0], "FREQ=DAILY;COUNT=2", start), due))
        while sum(len(due) for _row, due in rows) < count:
            at = instants[len(rows) % len(instants)] + timedelta(seconds=lots.uniform(0, spread_s))
            owner = everyone[0] if lots.random() < 0.1 else lots.choice(everyone[1:])
            wall = at.replace(tzinfo=None).isoformat(timespec="minutes")
            rows.append((_card(owner, wall, "UTC", at, None, start), [at]))
        session.add_all(row for row, _due in rows)
        session.flush()
        for row, due in rows:
            expected.update((row.id, each) for each in due)
    return expected


def _subscribe(session: Session, owner: PersonRow, browser: Browser, now: datetime) -> None:
    device = DeviceRow(person_id=owner.id, label="phone", last_seen_at=now)
    session.add(device)
    session.flush()
    session.add(
        PushSubscriptionRow(
            person_id=owner.id,
            device_id=device.id,
            endpoint=browser.endpoint,
            p256dh=browser.p256dh,
            auth=browser.auth,
            created_at=now,
        )
    )


def _card(owner: PersonRow, wall: str, zone: str, due: datetime, rule: str | None, made: datetime) -> CardRow:
    return CardRow(
        person_id=owner.id,
        category=Category.REMINDER.value,
        text="Something to be done",
        language="en",
        author="owner",
        visible=True,
        learned_at=made,
        mentioned_at=made,
        changed_at=made,
        starts_local=wall,
        zone=zone,
        rrule=rule,
        due_at=due,
    )


def _visit(
    engine: Engine, clock_file: Path, instants: Sequence[datetime], redis: Redis, length_s: float
) -> None:
    """Take the clock to each instant in turn, with its mischief."""
    for number, instant in enumerate(instants):
        _set_clock(clock_file, instant - _LEAD)
        time.sleep(_LEAD.total_seconds() + length_s)
        _wait_fired(engine, before=instant + timedelta(minutes=1))
        _wait_sent(engine)
        if number % 3 == 0:
            _set_clock(clock_file, instant - timedelta(seconds=50))  # a minute back: nothing rings twice
            time.sleep(1.5)
        if number == len(instants) // 2:
            redis.flushall()


def _wait_fired(engine: Engine, *, before: datetime) -> None:
    """Stay until all has rung: a jump of the clock would make seconds of lateness look like months."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        with reading(engine) as session:
            if session.scalar(select(CardRow.id).where(CardRow.due_at < before).limit(1)) is None:
                return
        time.sleep(0.2)


def _set_clock(clock_file: Path, moment: datetime) -> None:
    write_clock_file(clock_file, offset_s=moment.timestamp() - time.time())


def _kill(crew: Crew, calm: threading.Event, over: threading.Event) -> None:
    while not over.wait(crew.lots.uniform(1.5, 4.0)):
        crew.revive()
        if not calm.is_set():
            crew.kill_one()


def _wait_sent(engine: Engine) -> None:
    """Wait for what was in a killed worker's hands."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with reading(engine) as session:
            if session.scalar(select(DeliveryRow.id).where(DeliveryRow.sent_at.is_(None)).limit(1)) is None:
                return
        time.sleep(0.5)


def _examine(engine: Engine, expected: Counter[tuple[int, datetime]], browser: _Stamping, crew: Crew) -> Play:
    with reading(engine) as session:
        fired = session.scalars(select(DeliveryRow)).all()
        frames = [
            (frame.body["id"], frame.created_at)
            for frame in session.scalars(select(FrameRow).where(FrameRow.kind == "reminder"))
        ]
        reachable = set(session.scalars(select(PushSubscriptionRow.person_id)))
        told = dict(frames)
        happened = Counter((each.card_id, each.due_at) for each in fired)
        counts = Counter(frame_id for frame_id, _at in frames)
        due_of = {each.public_id: each.due_at for each in fired}
        copies = Counter(message["id"] for message in browser.received)
        return Play(
            expected=expected.total(),
            missing=(expected - happened).total(),
            twice=(happened - expected).total(),
            frames_wrong=sum(counts[name] != 1 for name in due_of) + len(counts.keys() - due_of.keys()),
            lateness_s=[(at - due_of[name]).total_seconds() for name, at in told.items() if name in due_of],
            late=sum(each.late for each in fired),
            pushed=len(copies),
            push_expected=sum(each.person_id in reachable for each in fired),
            push_copies=copies.total() - len(copies),
            push_lateness_s=[(at - due_of[each]).total_seconds() for each, at in browser.times.items()],
            kills=crew.kills,
            ended=crew.ended,
            unsent=sum(each.sent_at is None for each in fired),
        )


def every_instant() -> list[datetime]:
    """All moments of the table, in order."""
    return sorted({datetime.fromisoformat(each) for row in RECURRING for each in row[2:]})


def main() -> None:
    """Play, report, and fail when something rang twice, never, or too late."""
    instants = every_instant()
    if QUICK:
        berlin = [datetime.fromisoformat(each) for each in RECURRING[2][2:]]
        instants = sorted(berlin)
    with tempfile.TemporaryDirectory(prefix="asterism-firing-") as folder:
        played = play(Path(folder), count=200 if QUICK else 2_000, instants=instants, seed=SEED)
    figures = played.figures()
    print(json.dumps({"bench": "firing", "seed": SEED, **figures}))
    is_exact = not (played.missing or played.twice or played.frames_wrong or played.unsent)
    if not is_exact or figures["lateness_s"]["p99"] > 2.0:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
