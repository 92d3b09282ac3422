"""Memory Worth: which memories still serve, decided by outcomes and fair trials. Pure.

docs/memory-worth.md explains the whole; the numbers are in `policy.py`.
"""

from memory.worth.description import Description, Point, describe, history
from memory.worth.episode import Act, Episode, Move, Use
from memory.worth.ledger import (
    ContextTally,
    Ledger,
    act,
    differences,
    fold,
    follows,
    needed,
    record,
)
from memory.worth.policy import POLICY, Policy
from memory.worth.ranking import (
    Offer,
    draw,
    explores,
    is_served,
    may_withhold,
    needs_asking,
    term,
    was_asked_in_vain,
)
from memory.worth.state import Companion, Status, Trial, WorthState
from memory.worth.status import SILENCED, ripen
from memory.worth.trial import Lots

__all__ = [
    "POLICY",
    "SILENCED",
    "Act",
    "Companion",
    "ContextTally",
    "Description",
    "Episode",
    "Ledger",
    "Lots",
    "Move",
    "Offer",
    "Point",
    "Policy",
    "Status",
    "Trial",
    "Use",
    "WorthState",
    "act",
    "describe",
    "differences",
    "draw",
    "explores",
    "fold",
    "follows",
    "history",
    "is_served",
    "may_withhold",
    "needed",
    "needs_asking",
    "record",
    "ripen",
    "term",
    "was_asked_in_vain",
]
