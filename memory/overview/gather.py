"""Ask all sources at once; whatever answers is kept."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, wait
from dataclasses import dataclass, field
from time import perf_counter

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory.overview.blocks import Block, Entry
from memory.storage.engine import reading

log = logging.getLogger(__name__)

Source = Callable[[Session], Sequence[Entry]]


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """What the sources brought, and what is missing with its reason: "late" or the error's class."""

    blocks: tuple[Block, ...]
    missing: Mapping[str, str] = field(default_factory=dict)
    timings_ms: Mapping[str, float] = field(default_factory=dict)


def gather(
    sources: Mapping[str, Source], *, engine: Engine, executor: Executor, deadline_s: float
) -> Gathered:
    """Ask every source in parallel, each on a connection of its own.

    A source that fails or takes longer than `deadline_s` seconds becomes an empty
    block with its name and reason in `missing`; the others are not touched by it.
    """
    started = perf_counter()
    futures = {executor.submit(_ask, source, engine, deadline_s): name for name, source in sources.items()}
    done, late = wait(futures, timeout=max(0.0, deadline_s - (perf_counter() - started)))
    blocks: list[Block] = []
    missing: dict[str, str] = {}
    timings: dict[str, float] = {}
    for future in late:
        future.cancel()  # one that has not begun must not run for nobody
        missing[futures[future]] = "late"
        log.warning("overview source late", extra={"source": futures[future]})
    for future in done:
        name = futures[future]
        # Broad on purpose: a bug in one source must not silence the whole turn.
        if (error := future.exception()) is not None:
            missing[name] = type(error).__name__
            log.error("overview source failed", extra={"source": name, "error": type(error).__name__})
        else:
            entries, took_ms = future.result()
            timings[name] = took_ms
            blocks.append(Block(source=name, entries=tuple(entries)))
    for name in missing:
        blocks.append(Block(source=name))
    return Gathered(blocks=tuple(blocks), missing=dict(sorted(missing.items())), timings_ms=timings)


def _ask(source: Source, engine: Engine, deadline_s: float) -> tuple[Sequence[Entry], float]:
    started = perf_counter()
    with reading(engine, timeout_s=deadline_s) as session:
        entries = source(session)
    return entries, (perf_counter() - started) * 1000
