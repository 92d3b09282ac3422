"""Logging for every process: one line an entry, ids beside the words, never a person's text."""

from __future__ import annotations

import copy
import logging
import sys
import traceback
from typing import Any

_OWN = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


class LineFormatter(logging.Formatter):
    """Writes `time LEVEL logger: message key=value …`, with what was handed in as `extra`."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """The whole entry. The traceback that another formatter left on the record is not used."""
        own = copy.copy(record)
        own.exc_text = None
        return super().format(own)

    def formatException(self, ei: Any) -> str:
        """Where it broke and the errors' classes. What an error says may be a person's words."""
        told: list[str] = []
        error: BaseException | None = ei[1]
        while error is not None:
            frames = "".join(traceback.format_tb(error.__traceback__))
            told.append(f"{frames}{type(error).__module__}.{type(error).__qualname__}")
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "\n\n".join(["Traceback, the cause last:", *told])

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The line without the traceback."""
        told = " ".join(f"{key}={value}" for key, value in record.__dict__.items() if key not in _OWN)
        line = super().formatMessage(record)
        return f"{line} {told}" if told else line


def configure(level: str) -> None:
    """Send everything from `level` up to standard error. Libraries speak from WARNING up."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in ("memory", "jobs", "app", "asterism"):
        logging.getLogger(name).setLevel(level)
