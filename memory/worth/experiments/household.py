"""The world of the experiments on text: memories of a household, requests, and what comes of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.worth.experiments.minilm import MiniLM

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STALE, FRESH = "bus_old", "bus_new"
SPECIALIST, HITCHHIKER = "boiler_pressure", "boiler_installer"
SHOWN = 4  # memories a retrieval shows at most
RELEVANT = 0.25  # cosine below which a memory has nothing to do with a request
NOISE = 0.03  # standard deviation of a retrieval score: people phrase things anew each time
WRONG = 0.06  # chance of success of a request that is answered from the stale memory
MISSING = 0.15  # chance of success without any memory that the request needs


@dataclass(frozen=True, kw_only=True)
class Household:
    """Memories by index, requests by index, and how alike they are."""

    names: tuple[str, ...]
    topics: tuple[str, ...]  # of each request
    chance: Floats  # of each request to be asked; sums to 1
    success: Floats  # of each request, when what it needs is shown
    needs: NDArray[np.bool_]  # (requests, memories)
    similarity: Floats  # (requests, memories), cosine

    def index(self, name: str) -> int:
        """The row of a memory."""
        return self.names.index(name)


@lru_cache(maxsize=2)
def load(model_folder: Path) -> Household:
    """The household with similarities from all-MiniLM-L6-v2, which must be installed in `model_folder`.

    Raises:
        Unavailable: it is not.
    """
    corpus = json.loads((Path(__file__).parent / "corpus.json").read_text(encoding="utf-8"))
    names = [memory["name"] for memory in corpus["memories"]]
    requests = [(topic, query) for topic in corpus["topics"] for query in topic["queries"]]
    model = MiniLM(model_folder)
    memories = model.encode([memory["text"] for memory in corpus["memories"]])
    asked = model.encode([query for _, query in requests])
    return Household(
        names=tuple(names),
        topics=tuple(topic["name"] for topic, _ in requests),
        chance=np.array([topic["share"] / len(topic["queries"]) for topic, _ in requests]),
        success=np.array([topic["success"] for topic, _ in requests]),
        needs=np.array([[name in topic["needs"] for name in names] for topic, _ in requests]),
        similarity=(asked @ memories.T).astype(np.float64),
    )


def requests(world: Household, episodes: int, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """Which request each episode brings, and the score of each memory for it: (episodes, memories)."""
    asked = rng.choice(len(world.chance), size=episodes, p=world.chance / world.chance.sum())
    return asked, world.similarity[asked] + rng.normal(0.0, NOISE, size=(episodes, len(world.names)))


def retrieve(scores: Floats, among: Iterable[int], most: int = SHOWN) -> list[int]:
    """The best relevant memories, best first."""
    relevant = [memory for memory in among if scores[memory] >= RELEVANT]
    return sorted(relevant, key=lambda memory: -scores[memory])[:most]


def chance_of_success(world: Household, request: int, shown: list[int], *, changed: bool) -> float:
    """How likely the request is served by these memories.

    Once the world has changed, the stale memory misleads the requests that it used to serve, even
    beside the memory that replaced it.
    """
    stale = world.index(STALE)
    useful = [memory for memory in shown if world.needs[request, memory]]
    if changed and world.needs[request, stale] and stale in shown:
        return WRONG
    return float(world.success[request]) if useful else MISSING
