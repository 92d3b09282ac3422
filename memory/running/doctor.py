"""Tells what works and what does not: one clear verdict for each part."""

from __future__ import annotations

import shutil
import time
import zoneinfo
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from redis.exceptions import RedisError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from memory.clock import system_clock
from memory.config import Settings
from memory.errors import AppError, ConfigError
from memory.running import address
from memory.running.product import is_serving, prepare_var
from memory.running.worker import listening
from memory.storage import nearest
from memory.storage.engine import reading
from memory.storage.migrate import is_current
from memory.wiring import Wiring

_SKEW_S = 5.0


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What was found about one part."""

    part: str
    is_well: bool
    found: str
    is_needed: bool = True  # whether the product is ill without it


def examine(wiring: Wiring, *, try_model: Callable[[], tuple[str, str | None]]) -> list[Verdict]:
    """Look at every part; never raises for a part that is ill.

    Args:
        try_model: gives the model's name, and in plain words why it does not
            answer, or None when it does.
    """
    return [
        folder(wiring.settings),
        database(wiring),
        queue(wiring),
        model(try_model),
        clock(wiring),
        embedding(wiring),
        web(wiring.settings),
    ]


def report(verdicts: list[Verdict]) -> str:
    """The verdicts as lines for a terminal."""
    lines = []
    for verdict in verdicts:
        mark = "ok" if verdict.is_well else "ILL" if verdict.is_needed else "note"
        first, *rest = verdict.found.splitlines()
        lines.append(f"{verdict.part:<10} {mark:<5} {first}")
        lines += [f"{'':<17}{line}" for line in rest]
    return "\n".join(lines)


def is_well(verdicts: list[Verdict]) -> bool:
    """Whether every part that is needed works."""
    return all(verdict.is_well or not verdict.is_needed for verdict in verdicts)


def folder(settings: Settings) -> Verdict:
    """Whether what is remembered can be written down."""
    try:
        prepare_var(settings)
    except ConfigError as error:
        return _ill("folder", error.problems[0])
    free_gb = shutil.disk_usage(settings.var).free / 1e9
    return _well("folder", f"{settings.var} can be written; {free_gb:.1f} GB are free")


def database(wiring: Wiring) -> Verdict:
    """Whether the database answers and has the newest schema."""
    name = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}[wiring.engine.dialect.name]
    started = time.perf_counter()
    try:
        with reading(wiring.engine) as session:
            session.execute(text("SELECT 1"))
        taken_ms = 1000 * (time.perf_counter() - started)
        if not is_current(wiring.engine):
            return _ill("database", f"{name} answers, but its schema is not current: python app.py migrate")
        large = _large(wiring)
    except (SQLAlchemyError, AppError) as error:
        return _ill("database", f"{name} does not answer ({type(error).__name__}); see DATABASE_URL")
    return _well("database", f"{name} answers in {taken_ms:.0f} ms; the schema is current{large}")


def _large(wiring: Wiring) -> str:
    """On PostgreSQL, how the stores of persons who told very much are searched."""
    if wiring.engine.dialect.name != "postgresql":
        return ""
    with reading(wiring.engine) as session:
        preselects = nearest.is_there(session)
    most = wiring.settings.exact_search_most
    if preselects:
        return f"; pgvector preselects above {most:,} memories and messages of one person"
    return "; without pgvector (CREATE EXTENSION vector, as administrator) all stores are searched whole"


def queue(wiring: Wiring) -> Verdict:
    """Whether Valkey answers and each queue has a worker."""
    try:
        wiring.redis.ping()
        workers = listening(wiring.redis)
    except (RedisError, OSError) as error:
        advice = "see REDIS_URL" if wiring.settings.redis_url else "it runs while the product runs: make run"
        return _ill("queue", f"Valkey does not answer ({type(error).__name__}); {advice}")
    idle = [name for name, count in workers.items() if count == 0]
    if idle:
        return _ill(
            "queue",
            f"Valkey answers, but nobody works on {' and '.join(idle)}\n"
            "They start some seconds after the page; where they run alone: python app.py worker",
        )
    return _well("queue", "Valkey answers; workers: " + ", ".join(f"{n} {c}" for n, c in workers.items()))


def model(try_model: Callable[[], tuple[str, str | None]]) -> Verdict:
    """Whether the chosen model answers."""
    name, complaint = try_model()
    return _well("model", f"{name} answers") if complaint is None else _ill("model", f"{name}: {complaint}")


def clock(wiring: Wiring) -> Verdict:
    """Whether the clocks agree and the time zones are there."""
    if not zoneinfo.available_timezones():
        return _ill("clock", "no time zones are installed; install the package tzdata")
    skew_s = (wiring.clock() - system_clock()).total_seconds()
    if wiring.settings.clock_file is not None:
        return _note("clock", f"moved by {skew_s:+.0f} s through ASTERISM_CLOCK_FILE; for tests only")
    apart_s = _apart_from_database_s(wiring)
    if apart_s is not None and abs(apart_s) > _SKEW_S:
        return _ill(
            "clock", f"this machine and the database are {apart_s:+.0f} s apart; synchronise their clocks"
        )
    return _well(
        "clock", f"{wiring.clock():%Y-%m-%d %H:%M:%S} UTC; {len(zoneinfo.available_timezones())} zones"
    )


def _apart_from_database_s(wiring: Wiring) -> float | None:
    """How far the database's clock is ahead; None when it shares ours or does not answer."""
    if wiring.engine.dialect.name != "postgresql":
        return None
    try:
        with reading(wiring.engine) as session:
            told = session.scalar(text("SELECT clock_timestamp()"))
    except (SQLAlchemyError, AppError):
        return None
    return (told.astimezone(UTC) - system_clock()).total_seconds() if isinstance(told, datetime) else None


def embedding(wiring: Wiring) -> Verdict:
    """Whether texts can be embedded."""
    started = time.perf_counter()
    try:
        vector = wiring.embedder.encode_one("hello")
    except Exception as error:  # any failure of the library is the finding itself
        return _ill("embedding", f"texts cannot be embedded ({type(error).__name__}: {error})")
    taken_s = time.perf_counter() - started
    return _well(
        "embedding", f"{wiring.embedder.version}, {vector.shape[-1]} dimensions, loaded in {taken_s:.1f} s"
    )


def web(settings: Settings) -> Verdict:
    """Whether the pages are served, and what people miss by the way they are."""
    where = address.home(settings)
    if not is_serving(settings):
        return _note("web", f"nothing answers at {where}: make run")
    if settings.is_public and not settings.is_secure:
        return _note("web", f"answers at {where}\n{address.PLAIN_HTTP}")
    return _well("web", f"answers at {where}")


def _well(part: str, found: str) -> Verdict:
    return Verdict(part=part, is_well=True, found=found)


def _ill(part: str, found: str) -> Verdict:
    return Verdict(part=part, is_well=False, found=found)


def _note(part: str, found: str) -> Verdict:
    return Verdict(part=part, is_well=False, found=found, is_needed=False)
