"""`make bench-thread`: conversations over real sockets while everything that can break is broken.

Two web processes under gunicorn and two workers on the movable clock. Lines are cut
at every stage, web processes and workers are killed with -9, a writer holds the
database, Valkey is restarted and forgets its queues. At the end the rows are counted.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy import text

from memory.queue import JobName, JobQueue
from memory.running.supervisor import die_with_parent
from memory.running.valkey import find_binary, is_answering
from memory.storage.engine import make_engine
from memory.storage.migrate import upgrade
from tests.benchmarks.thread_phone import CUTS, Phone, Unanswered
from tests.servers import ROOT, clean_env, new_server
from tests.stage import Stage

_AT_ONCE = 24
_LOCK_S = 3.0
_WITHIN_MINUTES = 20  # between the halves of a conversation: it goes on
_SETTLE_S = 600.0  # a loaded machine takes its time over what the broken queues left
_BETWEEN_MINUTES = 31  # between two conversations: a new one begins


class Server(Stage):
    """The web server of this benchmark."""

    def command(self) -> list[str]:
        """What starts it."""
        return [sys.executable, "-m", "tests.benchmarks.thread_server", str(self.workers)]

    def web_pids(self) -> list[int]:
        """The processes that serve, without the one that watches them."""
        assert self._process is not None
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [int(each) for each in children]


@dataclass
class Valkey:
    """A Valkey that can be killed and forgets everything then."""

    home: Path
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its address."""
        return f"unix://{self.home / 's'}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        with suppress(FileNotFoundError):
            (self.home / "s").unlink()
        self._process = subprocess.Popen(
            [find_binary(), "--port", "0", "--unixsocket", self.home / "s", "--dir", self.home, "--save", "",
             "--loglevel", "warning"],
            stdout=subprocess.DEVNULL,
            preexec_fn=die_with_parent,
        )  # fmt: skip
        until = time.monotonic() + 20
        while not is_answering(self.home / "s"):
            if time.monotonic() > until:
                raise RuntimeError("Valkey does not answer")
            time.sleep(0.02)

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


@dataclass
class Workers:
    """Two background workers, each started again when it was killed."""

    server: Server
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, count: int = 2) -> None:
        """Start as many as are missing."""
        self.processes = [each for each in self.processes if each.poll() is None]
        log = (self.server.var / "worker.log").open("ab")
        while len(self.processes) < count:
            self.processes.append(
                subprocess.Popen(
                    [sys.executable, str(ROOT / "app.py"), "worker", "background"],
                    env=clean_env(self.server.env),
                    stdout=log,
                    stderr=log,
                    preexec_fn=die_with_parent,
                )
            )
        log.close()

    def kill_one(self, lots: random.Random) -> None:
        """Kill one, whatever it is doing, and start another."""
        victim = lots.choice(self.processes)
        victim.kill()
        victim.wait()
        self.start()

    def stop(self) -> None:
        """End all."""
        for each in self.processes:
            each.kill()
            each.wait()


@dataclass
class Chaos:
    """Breaks one thing after the other until it is told to stop."""

    server: Server
    workers: Workers
    valkey: Valkey
    database: Path
    lots: random.Random
    every_s: float
    done: Counter[str] = field(default_factory=Counter)
    _over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Break things, in turn, with random pauses."""
        acts = [self._web, self._lock, self._worker, self._valkey]
        number = 0
        while not self._over.wait(self.every_s * self.lots.uniform(0.6, 1.4)):
            acts[number % len(acts)]()
            number += 1

    def stop(self) -> None:
        """Break nothing more."""
        self._over.set()

    def _web(self) -> None:
        pids = self.server.web_pids()
        if len(pids) > 1:  # the other one goes on serving meanwhile
            with suppress(ProcessLookupError):
                os.kill(self.lots.choice(pids), signal.SIGKILL)
            self.done["web processes killed"] += 1

    def _worker(self) -> None:
        self.workers.kill_one(self.lots)
        self.done["workers killed"] += 1

    def _lock(self) -> None:
        writer = sqlite3.connect(self.database, isolation_level=None, timeout=10)
        try:
            writer.execute("BEGIN IMMEDIATE")
            time.sleep(_LOCK_S)
            writer.execute("ROLLBACK")
            self.done["database held"] += 1
        except sqlite3.OperationalError:
            pass  # it was too busy to be held
        finally:
            writer.close()

    def _valkey(self) -> None:
        self.valkey.kill()
        time.sleep(0.5)
        self.valkey.start()
        self.workers.start()
        self.done["Valkey restarted"] += 1


def main() -> None:
    """Run, print a table, and one JSON object at the end."""
    started = time.perf_counter()
    quick = bool(os.environ.get("QUICK"))
    seed = int(os.environ.get("SEED", "7"))
    lots = random.Random(seed)
    persons, rounds = (8, 2) if quick else (100, 3)
    with tempfile.TemporaryDirectory(prefix="ast-thread-") as folder:
        home = Path(folder)
        valkey = Valkey(home)
        valkey.start()
        database = home / "asterism.db"
        prepare(database)
        server = new_server(Server, home / "var", f"sqlite:///{database}", valkey.url, 2, {})
        workers = Workers(server)
        workers.start()
        chaos = Chaos(server, workers, valkey, database, lots, every_s=2.0 if quick else 4.0)
        try:
            phones = [
                Phone(server.url, server.cookie(server.person(name=f"P{each}")), f"screen-{each}")
                for each in range(persons)
            ]
            playing = threading.Thread(target=play, args=(server, phones, chaos.stop, rounds, seed))
            playing.start()
            chaos.run()  # in this thread: what a thread starts here would end with it
            playing.join()
            settled_s = settle(server, workers, JobQueue(Redis.from_url(valkey.url)))
            result = judge(server, phones, rounds=rounds)
        finally:
            chaos.stop()
            for phone in phones:
                phone.cut()
            workers.stop()
            server.kill()
            valkey.kill()
            server.parts.engine.dispose()
    result |= {
        "settled_s": round(settled_s, 1),
        "broken": dict(chaos.done),
        "persons": persons,
        "quick": quick,
        "seed": seed,
        "seconds": round(time.perf_counter() - started, 1),
    }
    for name, value in result.items():
        print(f"{name:28} {value}")
    print(json.dumps(result))


def prepare(database: Path) -> None:
    """A migrated database that also counts how often a summary is written."""
    engine = make_engine(f"sqlite:///{database}")
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE bench_summaries (conversation_id INTEGER)"))
        connection.execute(
            text(
                "CREATE TRIGGER bench_count AFTER UPDATE OF summarised_at ON conversations "
                "WHEN new.summarised_at IS NOT NULL BEGIN "
                "INSERT INTO bench_summaries VALUES (new.id); END"
            )
        )
    engine.dispose()


def play(server: Server, phones: list[Phone], at_end: Callable[[], None], rounds: int, seed: int) -> None:
    """One conversation a person and round, in two halves with a pause that does not end it."""

    def half(number: int, part: int, place: int) -> None:
        own = random.Random(f"{seed}:{number}:{part}:{place}")
        for step in range(own.choice((1, 2))):
            verb = own.choice(("tell", "remind"))
            words = f"{verb} me of the heron {number} {part} {step}"
            try:
                phones[place].say(f"r{number}-{part}-{step}", words, own.choice(CUTS))
            except Unanswered:
                phones[place].faults["no end heard"] += 1

    queue = JobQueue(Redis.from_url(server.env["REDIS_URL"]))
    try:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for number in range(rounds):
                for part in (0, 1):
                    list(pool.map(lambda place, n=number, p=part: half(n, p, place), range(len(phones))))
                    print(f"round {number + 1} of {rounds}, half {part + 1}", flush=True)
                    server.move_clock(minutes=_BETWEEN_MINUTES if part else _WITHIN_MINUTES)
                    for _ in range(3):
                        queue.enqueue(JobName.SWEEP)  # some persons speak before it runs, some while it runs
    finally:
        at_end()


def settle(server: Server, workers: Workers, queue: JobQueue) -> float:
    """Sweep until nothing is left to be done; gives how many seconds that took."""
    started = time.monotonic()
    until = started + _SETTLE_S
    while time.monotonic() < until:
        server.move_clock(minutes=5)
        workers.start()
        with suppress(RedisError):
            queue.enqueue(JobName.SWEEP, unique="interval")  # as the scheduler does
        time.sleep(2)
        with server.parts.engine.connect() as connection:
            left = connection.execute(
                text(
                    "SELECT (SELECT count(*) FROM conversations WHERE summarised_at IS NULL) + "
                    "(SELECT count(*) FROM turns WHERE state IN ('waiting', 'running')) + "
                    "(SELECT count(*) FROM turns WHERE verified_at IS NULL)"
                )
            ).scalar_one()
        if left == 0:
            break
    return time.monotonic() - started


def judge(server: Server, phones: list[Phone], *, rounds: int) -> dict[str, Any]:
    """Compare what was sent with what the rows hold."""
    with server.parts.engine.connect() as connection:
        rows = connection.execute(
            text("SELECT person_id, client_id, conversation_id, state, id FROM turns ORDER BY id")
        ).all()
        people = [row[0] for row in connection.execute(text("SELECT id FROM people ORDER BY id"))]
        written = Counter(
            row[0] for row in connection.execute(text("SELECT conversation_id FROM bench_summaries"))
        )
        archived = [
            row[0]
            for row in connection.execute(text("SELECT id FROM conversations WHERE archived_at IS NOT NULL"))
        ]
        cards = connection.execute(
            text("SELECT count(*) - count(DISTINCT person_id || text) FROM cards WHERE status = 'active'")
        ).scalar_one()
        unverified = connection.execute(
            text("SELECT count(*) FROM turns WHERE verified_at IS NULL")
        ).scalar_one()
    tally: Counter[str] = Counter()
    for person_id, phone in zip(people, phones, strict=True):
        own = [row for row in rows if row[0] == person_id]
        held = [row[1] for row in own]
        sent = [client_id for client_id, _ in phone.sent]
        states = {row[1]: row[3] for row in own}
        tally["sent"] += len(sent)
        tally["answered"] += sum(states.get(each) == "answered" for each in sent)
        tally["interrupted"] += sum(states.get(each) == "interrupted" for each in sent)
        tally["lost"] += sum(states.get(each) not in ("answered", "interrupted") for each in sent)
        tally["doubled"] += len(held) - len(set(held)) + phone.faults["one message, two turns"]
        tally["doubled"] += phone.faults["one turn, two ends"]
        tally["out_of_order"] += held != sent
        tally["out_of_order"] += phone.faults["frames twice or out of order"]
        tally["no end heard"] += phone.faults["no end heard"]
        of_round = [{row[2] for row in own if row[1].startswith(f"r{each}-")} for each in range(rounds)]
        tally["split"] += sum(len(each) > 1 for each in of_round)
        tally["merged"] += sum(bool(a & b) for a, b in itertools.pairwise(of_round))
    counts = [written[each] for each in archived]
    times = sorted(each for phone in phones for each in phone.caught_up_ms)
    return {
        "conversations": len(archived),
        **{
            name: tally[name]
            for name in (
                "sent", "answered", "interrupted", "lost", "doubled", "out_of_order", "split", "merged",
                "no end heard",
            )
        },
        "summaries_min": min(counts, default=0),
        "summaries_max": max(counts, default=0),
        "cards_doubled": cards,
        "unverified": unverified,
        "reconnections": len(times),
        "caught_up_p50_ms": round(times[len(times) // 2], 1) if times else None,
        "caught_up_p95_ms": round(times[int(0.95 * len(times))], 1) if times else None,
    }  # fmt: skip


if __name__ == "__main__":
    main()
