"""Gives the model in force: asked anew each turn, so that a connected model holds from the next one."""

from __future__ import annotations

import threading

from memory.config import Settings
from memory.embedding import Embedder
from memory.llm.choose import Connection, load_connection
from memory.llm.interface import Model


class ModelChooser:
    """Calling it gives the model in force. Safe from several threads; keeps a remote client between turns."""

    def __init__(self, settings: Settings, embedder: Embedder) -> None:
        self._settings = settings
        self._embedder = embedder
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._remote: Model | None = None
        self._embedded: Model | None = None

    def __call__(self) -> Model:
        connection = load_connection(self._settings)
        with self._lock:
            if connection is None:
                if self._embedded is None:
                    from memory.llm.embedded import EmbeddedModel  # its tables take a moment to load

                    self._embedded = EmbeddedModel(self._embedder)
                return self._embedded
            if self._remote is None or connection != self._connection:
                # Imported here: a product that answers by itself need not load a provider's library.
                from memory.llm.remote import RemoteModel

                self._connection = connection
                self._remote = RemoteModel(
                    connection,
                    timeout_s=self._settings.model_timeout_s,
                    longest_chars=self._settings.model_longest_chars,
                )
            return self._remote
