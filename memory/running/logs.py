"""Logging for every process: one line an entry, ids beside the words, never a person's text."""

from __future__ import annotations

import logging
import sys

_OWN = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}


class LineFormatter(logging.Formatter):
    """Writes `time LEVEL logger: message key=value …`, with what was handed in as `extra`."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

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
