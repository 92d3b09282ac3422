"""A person's sky from storage: its cards placed, and the places kept."""

from __future__ import annotations

import numpy as np
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from memory.constellation.placing import place
from memory.embedding import DIMENSIONS, Embedder
from memory.storage import sky
from memory.storage.engine import reading, transaction


def places_of(session: Session, person_id: int) -> dict[int, tuple[float, float]]:
    """A place for each active card that has none, by id: the same that `settle` will store."""
    given = sky.to_place(session, person_id, DIMENSIONS, Embedder.version)
    if not given.ids:
        return {}
    found = sky.pairs(session, person_id, given.ids)
    pairs = np.array([(a, b) for a, b, _ in found], dtype=np.int64).reshape(-1, 2)
    weights = np.array([weight for _, _, weight in found], dtype=np.float64)
    placed = place(given.vectors, given.themes, given.places, pairs, weights)
    changed = np.flatnonzero(~(placed == given.places).all(axis=1))
    return {given.ids[at]: (float(placed[at, 0]), float(placed[at, 1])) for at in changed}


def settle(engine: Engine, person_id: int) -> int:
    """Store a place for each card that has none; nothing else moves. Gives how many were stored."""
    with reading(engine) as session:
        found = places_of(session, person_id)
    if not found:
        return 0
    with transaction(engine) as session:
        return sky.store_places(session, person_id, ((each, x, y) for each, (x, y) in found.items()))
