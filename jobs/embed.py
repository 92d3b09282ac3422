"""After an import: give what came its vectors, so that it is found by its meaning, and its places."""

from __future__ import annotations

from jobs.wiring import wiring
from memory.constellation import settle
from memory.portability import importing


def run(*, person_id: int) -> int:
    """Embed what has no vector yet. Killed anywhere it goes on from there; running it twice changes nothing.

    Returns:
        How many texts were embedded.
    """
    parts = wiring()
    done = importing.embed_missing(parts.engine, parts.embedder, person_id)
    if done:
        parts.frames.drop_copies(person_id)  # web processes hold what came without its vectors
        settle(parts.engine, person_id)
    return done
