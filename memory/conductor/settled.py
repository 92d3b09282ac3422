"""The check that keeps what is decided decided: no sentence goes out that states another value.

The first one that does is held back with all that follows, and the answer is asked for
once more with the contradiction named. What contradicts even then gives way to the
sentence from the store. An answer to the plain question what was settled waits until it
has said so: in whatever words another value comes, it never goes out in its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy.orm import Session

from memory import language as lang
from memory.conductor.gate import GateView
from memory.conductor.phrases import phrase
from memory.decisions.guard import Settled, View, asked_directly, look, said_in
from memory.decisions.leaning import asked_for
from memory.decisions.log import matter_name, told
from memory.decisions.naming import asked_about
from memory.decisions.schema import Keys, KeyType
from memory.records import Conversation, Decision
from memory.storage import decisions as rows

_OR = re.compile(r"(?<!\w)(?:or|oder|ou|o|u)(?!\w)")
_NEAR = 2  # words beside an "or" that name what was offered


class SettledValues:
    """Compares each sentence with the settled values. One for a turn."""

    name = "settled"

    def __init__(self, keys: Keys, *, zone: str, now: datetime) -> None:
        self._keys = keys
        self._zone = zone
        self._now = now
        self._about: frozenset[str] = frozenset()
        self._told: frozenset[str] = frozenset()
        self._waiting = ""  # sentences of an answer that has not said the settled value that it was asked for
        self._aside = True  # these only ask, propose, or speak of something else
        self._asked: tuple[Settled, bool] | None = None
        self._asking: tuple[str, Mapping[str, float]] | None = None  # a message and what it leans to ask for
        self._corrected: set[int] = set()
        self._said: set[str] = set()  # of the first answer
        self.contradicted: Decision | None = None
        self.sentence = ""  # the first one held back
        self.asked_again = False

    @property
    def wants_another_answer(self) -> bool:
        """Whether a sentence was held back and the answer was not yet asked for again."""
        return self.contradicted is not None and not self.asked_again

    @property
    def corrected(self) -> tuple[int, ...]:
        """Ids of decisions whose contradiction gave way to the store's sentence."""
        return tuple(sorted(self._corrected))

    def __call__(self, sentence: str, view: GateView) -> str | None:
        if self.wants_another_answer:
            return None
        if self.asked_again and sentence.strip() in self._said:
            return None  # the person has read it
        if any(card.when is not None for card in view.visible):
            return sentence  # it confirms a reminder or an event of this turn
        seen = self._seen(view)
        looked = look(sentence, seen)
        self._about, self._told = looked.about, looked.told
        if looked.contradicts is not None:
            self._waiting, self._aside = "", True
            if not self.asked_again:
                self.contradicted, self.sentence = looked.contradicts, sentence
                return None
            self._told |= {looked.contradicts.key}
            return self.correction(looked.contradicts, view.language)
        asked = asked_directly(seen)
        if asked and not asked & self._told:
            self._waiting += sentence
            self._aside = self._aside and looked.aside
            return ""
        sentence, self._waiting = self._waiting + sentence, ""
        if not self.asked_again:
            self._said.add(sentence.strip())
        return sentence

    def is_asked(self, view: GateView) -> bool:
        """Whether the person asks what was settled: then "noted are six" announces nothing, it answers."""
        if self._asked is None or self._asked[0] is not view.settled:
            self._asked = (view.settled, bool(asked_directly(self._seen(view))))
        return self._asked[1]

    def reads_back(self, sentence: str, view: GateView) -> bool:
        """Whether a sentence answers a question with a settled value: "German is noted" announces nothing."""
        asks = view.said.rstrip().endswith("?")
        return asks and bool(view.settled.decisions) and bool(said_in(sentence, self._bare(view)))

    def at_end(self, view: GateView) -> str:
        """What waited for the settled value, if it only spoke of something else; or the store's sentence."""
        waiting, self._waiting = self._waiting, ""
        is_aside, self._aside = self._aside, True
        if not waiting or self.wants_another_answer:
            return ""
        if is_aside:
            return waiting
        seen = self._seen(view)
        asked = asked_directly(seen)
        decision = min(
            (each for each in asked_about(seen) if each.key in asked),
            key=lambda each: (each.matter != view.settled.here, each.id),
            default=None,
        )
        if decision is None:  # it was withdrawn in this turn
            return waiting
        if not self.asked_again:
            self.contradicted, self.sentence = decision, waiting
            return ""
        return self.correction(decision, view.language) or ""

    def _seen(self, view: GateView) -> View:
        seen = self._bare(view)
        if not view.settled.decisions:
            return seen
        if self._asking is None or self._asking[0] != view.said:
            self._asking = (view.said, asked_for(view.said, seen))
        return replace(seen, asking=self._asking[1])

    def _bare(self, view: GateView) -> View:
        return View(
            keys=self._keys,
            settled=view.settled,
            said=view.said,
            language=view.language,
            now=self._now,
            zone=self._zone,
            about=self._about,
            told=self._told,
        )

    def correction(self, decision: Decision, language: str) -> str | None:
        """The store's sentence for a decision, once."""
        if decision.id in self._corrected:
            return None
        self._corrected.add(decision.id)
        label, value = told(self._keys, decision, language=language, now=self._now, zone=self._zone)
        return phrase("settled", language).format(label=label, value=value) + " "

    def named(self, language: str, *, released: str) -> str:
        """What the model is told when it is asked again."""
        if self.contradicted is None:
            return ""
        label, value = told(self._keys, self.contradicted, language=language, now=self._now, zone=self._zone)
        note = (
            f"Your answer was held back: it said “{_plain(self.sentence)}”, but settled is {label}: {value}. "
            "Answer again, with the settled value as it stands; it changes only with record_decision, "
            "on the person's own word."
        )
        if released.strip():
            note += f" The person has read “{_plain(released)}” already: go on from there."
        return note


def _plain(text: str) -> str:
    return " ".join(text.replace("<", "‹").replace(">", "›").split())


def load(
    session: Session,
    keys: Keys,
    *,
    person_id: int,
    conversation: Conversation,
    answers: Sequence[str],
    language: str,
    now: datetime,
) -> Settled:
    """What holds for a person now, with the other values that were held or offered.

    Args:
        answers: of the assistant in this conversation.
    """
    decisions = tuple(rows.current(session, person_id, now=now))
    rivals = {}
    for each in decisions:
        key = keys.get(each.key)
        if key is None or key.type not in (KeyType.TEXT, KeyType.ADDRESS):
            continue
        former = rows.history(session, person_id, matter=each.matter, key=each.key)
        rivals[each.matter, each.key] = frozenset(
            {one.value for one in former if one.value != each.value}
        ) | offered(each.value, answers, language)
    return Settled(decisions=decisions, here=matter_name(conversation), rivals=rivals)


def offered(value: str, answers: Sequence[str], language: str) -> frozenset[str]:
    """What was offered beside a value: "oak" in "the oak table or the beech one?" when beech was taken."""
    own = set(lang.terms(value, language))
    rivals: set[str] = set()
    for sentence in (part for answer in answers for part in re.split(r"(?<=[.!?])\s+", answer)):
        if not own & set(lang.terms(sentence, language)):
            continue
        parts = _OR.split(lang.fold(sentence))
        for part in parts if len(parts) > 1 else ():
            words = lang.surface_terms(part, language)[-_NEAR:]
            if words and not own & set(lang.terms(part, language)):
                # The word that tells things apart stands first in "oak table", last in "mesa de roble".
                rivals.add(words[0] if language in ("en", "de") else words[-1])
    return frozenset(rivals)
