"""Did the turn go well? From votes and what is said next; and the counters that follow from it."""

from memory.judge.projection import Recount, enact, history_of, recount, ripen, settle, tend
from memory.judge.turns import judge, still_right
from memory.judge.verdict import Verdict, read

__all__ = [
    "Recount",
    "Verdict",
    "enact",
    "history_of",
    "judge",
    "read",
    "recount",
    "ripen",
    "settle",
    "still_right",
    "tend",
]
