"""A human takes over: the request, the claim, the sheet, the return."""

from memory.handover.asking import ask, ask_after_failures, expire, standing, withdraw
from memory.handover.holding import claim, decide, note, pass_on, return_to_assistant, say, undecide
from memory.handover.sheet import Line, Sheet, draw

__all__ = [
    "Line",
    "Sheet",
    "ask",
    "ask_after_failures",
    "claim",
    "decide",
    "draw",
    "expire",
    "note",
    "pass_on",
    "return_to_assistant",
    "say",
    "standing",
    "undecide",
    "withdraw",
]
