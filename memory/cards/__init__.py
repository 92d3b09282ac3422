"""What is remembered: kept once, found again, corrected, forgotten."""

from memory.cards.identity import Match, compare, covered, same_statement, subject_key
from memory.cards.nature import SILENT, is_coming, is_visible
from memory.cards.remember import (
    Outcome,
    Remembered,
    complete,
    edit,
    forget,
    purge,
    remember,
    restore,
    undo_forget,
)
from memory.cards.reminders import reopen, skip, snooze, tick

__all__ = [
    "SILENT",
    "Match",
    "Outcome",
    "Remembered",
    "compare",
    "complete",
    "covered",
    "edit",
    "forget",
    "is_coming",
    "is_visible",
    "purge",
    "remember",
    "reopen",
    "restore",
    "same_statement",
    "skip",
    "snooze",
    "subject_key",
    "tick",
    "undo_forget",
]
