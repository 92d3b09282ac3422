"""The output gate: the one door through which text reaches the browser.

It holds back the unfinished sentence and releases whole ones. Each passes a list of
checks, to which the parts of the product add; a check may replace or drop it before
any frame carries it. What is stored is what was released, to the letter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from memory.conductor.sentences import split
from memory.decisions.guard import Settled
from memory.records import Card


@dataclass(frozen=True, kw_only=True)
class GateView:
    """What a check may look at: the state of the turn at this moment."""

    language: str
    said: str
    visible: tuple[Card, ...] = ()  # made in this turn
    silent: tuple[Card, ...] = ()
    asked_if_kept: bool = False
    short_ids: dict[str, int] = field(default_factory=dict)  # "c1" -> card id
    settled: Settled = field(default_factory=Settled)  # what holds, also what this turn decided


class Check(Protocol):
    """One rule about what may be said."""

    @property
    def name(self) -> str:
        """Short name for the trace."""

    def __call__(self, sentence: str, view: GateView) -> str | None:
        """The sentence as it may go out: unchanged, replaced, or None to drop it.

        "" keeps it back for now: a later one may bring it along, or `at_end` does.
        """


@runtime_checkable
class Waits(Protocol):
    """A check that keeps sentences back until it has heard more."""

    def at_end(self, view: GateView) -> str:
        """What may go out of all that was kept back, now that the answer ends."""


class Gate:
    """Feeds text in, gets releasable text out. Belongs to one turn; not thread-safe."""

    def __init__(self, checks: Sequence[Check], *, fallback: str) -> None:
        """`fallback` is said when nothing else was left: an answer is never empty."""
        self._checks = checks
        self._fallback = fallback
        self._held = ""
        self._released = ""
        self._fed = False
        self._dropped = False
        self.interventions: Counter[str] = Counter()

    @property
    def released(self) -> str:
        """Everything that went out so far."""
        return self._released

    def feed(self, delta: str, view: GateView) -> str:
        """Take more text; returns what may go out now, often ""."""
        self._fed = self._fed or bool(delta.strip())
        sentences, self._held = split(self._held + delta)
        return self._let_out(sentences, view)

    def rest(self, view: GateView) -> str:
        """A model's call ended: no more comes to what was held, so it is looked at now."""
        rest, self._held = self._held, ""
        return self._let_out([rest] if rest.strip() else [], view) + self._let_out_late(view)

    def close(self, view: GateView) -> str:
        """The answer ends; returns the rest that may go out, or the fallback when all was dropped."""
        rest, self._held = self._held, ""
        out = self._let_out([rest] if rest.strip() else [], view)
        if not self._dropped:
            out += self._let_out_late(view)
        if self._fed and not self._released.strip():
            self.interventions["fallback"] += 1
            self._released = self._fallback
            return self._fallback
        return out

    def add(self, sentence: str) -> str:
        """Release one of the conductor's own sentences, which no check needs to see."""
        self._released += sentence
        return sentence

    def take_back(self, text: str) -> None:
        """What was let out last never reached a frame: it does not count as said."""
        self._released = self._released.removesuffix(text)

    def drop_held(self) -> None:
        """Forget the unfinished sentence: the person pressed stop, or a human took over."""
        self._held = ""
        self._dropped = True

    def _let_out_late(self, view: GateView) -> str:
        """What the checks had kept back, past those that come after them."""
        late = [
            self._let_out([text], view, checks=self._checks[index + 1 :])
            for index, check in enumerate(self._checks)
            if isinstance(check, Waits) and (text := check.at_end(view))
        ]
        return "".join(late)

    def _let_out(
        self, sentences: Sequence[str], view: GateView, *, checks: Sequence[Check] | None = None
    ) -> str:
        out = ""
        for sentence in sentences:
            checked: str | None = sentence
            for check in self._checks if checks is None else checks:
                before = checked or ""
                checked = check(before, view)
                if checked == "":
                    break  # kept back for now
                if checked is None or before not in checked:
                    self.interventions[check.name] += 1
                if checked is None:
                    break
            out += checked or ""
        if not self._released:
            out = out.lstrip()
        self._released += out
        return out
