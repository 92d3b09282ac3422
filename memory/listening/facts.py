"""What is told: facts, people and events out of the clauses of a sentence."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from memory.language import fold
from memory.listening import events
from memory.listening.clauses import Clause, Role
from memory.listening.durable import leanings
from memory.listening.events import company, event_of, hour_only, leans_back, numbered, with_hour
from memory.listening.heard import Candidate
from memory.listening.judging import (
    AMONG,
    APART,
    CONDITIONAL,
    CORRECTED,
    HEALERS,
    INSTEAD,
    LIVED,
    LOOSE,
    about_self,
    attribute_of,
    has_code,
    lasting,
)
from memory.listening.persons import only_names, persons_of
from memory.listening.scene import Scene, sentence_case
from memory.listening.subjects import Subject, Told, both_named, prepare, spoken_of
from memory.listening.tokens import Kind, Piece
from memory.records import Category

_AT_A_NAME = 7  # words of a clause that says where somebody is now


def hear_told(
    scene: Scene,
    clauses: list[Clause],
    *,
    correcting: bool = False,
    asked: bool = False,
    subject: Subject | None = None,
) -> tuple[list[Candidate], Subject]:
    """Candidates of the told clauses of one sentence, and whom it spoke of last.

    Args:
        scene: the message.
        clauses: clauses in order; those that ask or command are not among them.
        correcting: the sentence puts something right.
        asked: the clauses stand beside a question or request.
        subject: whom the sentence before spoke of.
    """
    clauses = _put_right(scene, clauses) if correcting else clauses
    said = clauses
    clauses = [replace(c, piece=_without_wrong(scene, c.piece)) for c in clauses]
    denied = any(now.piece is not before.piece for now, before in zip(clauses, said, strict=True))
    told, current = _prepared(scene, clauses, subject or Subject())
    judge = _Judge(scene, told, correcting=correcting or denied)
    for number, each in enumerate(told):
        event = None if asked or each.conditional else event_of(scene, each, told[number + 1 :], judge.tense)
        if event is None:
            judge.state(each)
        else:
            judge.live(number, event)
    return _distinct(introduced(judge.found)), current


def _prepared(scene: Scene, clauses: list[Clause], subject: Subject) -> tuple[list[Told], Subject]:
    """The clauses with subjects and leanings, and whom they spoke of last."""
    told: list[Told] = []
    spoken = subject  # the person spoken of last, for "he" and "she"
    current = Subject() if subject.only_spoken else subject
    hanging = _hanging(scene, clauses)
    for number, clause in enumerate(clauses):
        prepared, current = prepare(scene, clause, current, spoken)
        spoken = spoken_of(scene, prepared, current, spoken)
        if clause.role is not Role.CONDITION and prepared is not None:
            prepared.conditional = number in hanging
            pair = both_named(scene, prepared.piece, told)
            if len(pair) == 2:
                prepared.text = f"{pair[0]}, {pair[1]}: {prepared.text}"
            told.append(prepared)
    told = [t for t in told if not _is_comment(scene, t)]
    told = [t for i, t in enumerate(told) if not _only_antecedent(scene, t, told[i + 1 : i + 2])]
    told = [t for i, t in enumerate(told) if not _only_leads(scene, t, told[i + 1 : i + 2])]
    spelt = [scene.lex.spelling.written_out(_without_names(scene, t)) for t in told]
    for each, leaning in zip(told, leanings(spelt, scene.lex.language), strict=True):
        each.leaning = leaning
    for before, each in pairwise(told):
        verbless = scene.lex.verbs.isdisjoint(each.piece.folded)  # "(torn between the red one) and the blue"
        bare = each.clause.joined and (each.clause.bare_verb or verbless)
        reported = _reported(scene, before, each)
        feigned = before.unreal or bool(scene.lex.search("hypothetical", before.piece.norm))
        each.unreal = reported or (bare and feigned)
        if _is_gapped(scene, before, each):
            each.gapped, each.serves, each.leaning = True, before.serves, before.leaning
    if told and current.kind != "person" and scene.lex.search("naming", told[-1].piece.norm):
        current = replace(spoken, only_spoken=True) if spoken.kind == "person" else current
    return told, current


def _without_names(scene: Scene, told: Told) -> str:
    """A clause's text with a pronoun for whole names: who it is says nothing of what the clause leans to."""
    text = told.text
    for mention in told.mentions:
        if " " in mention.name and not mention.relation:
            text = text.replace(mention.name, scene.lex.templates.get("somebody", mention.name))
    return text


def _hanging(scene: Scene, clauses: list[Clause]) -> set[int]:
    """Which clauses hang on an "if": those behind it, or the one before when none is behind."""
    hanging: set[int] = set()
    for number, clause in enumerate(clauses):
        first = clause.piece.words[0].folded if clause.piece else ""
        if clause.role is not Role.CONDITION or scene.lex.has("whether", first):
            continue  # "ich weiß nicht, ob ..." makes nothing unreal
        if scene.lex.begins("addressed_if", clause.piece.norm):
            continue  # "... if you ever need it" makes nothing unreal either
        if number and scene.lex.has("verb_last", scene.lex.language) and not _unreal_mood(scene, clauses):
            continue  # "..., wenn wir weg sind": whenever
        after = range(number + 1, len(clauses))
        hanging |= set(after)
        if not after or (clauses[number + 1].joined and not clauses[number + 1].bare_verb):
            hanging |= {i for i in (number - 1,) if i >= 0}
    return hanging


def _unreal_mood(scene: Scene, clauses: list[Clause]) -> bool:
    """Whether a verb of a sentence says by its form that it is not so."""
    return any(scene.lex.search("hypothetical", clause.piece.norm) for clause in clauses)


def _reported(scene: Scene, before: Told, each: Told) -> bool:
    """Whether a clause is what somebody thinks of the speaker: "my sister says that I'm lazy"."""
    if each.clause.role is not Role.COMPLEMENT or each.subject.kind != "self" or each.clause.joined:
        return False
    healer = any(m.key in HEALERS for m in before.mentions)
    return (
        before.subject.kind == "person" and not healer and bool(scene.lex.search("speech", before.piece.norm))
    )


def _is_gapped(scene: Scene, before: Told, each: Told) -> bool:
    """Whether a clause leaves out the verb of the one before: "glass on the 9th", "my son eighteen"."""
    lex, words = scene.lex, each.piece.words
    if each.clause.role is not Role.MAIN or len(words) < 2 or any(w.folded in lex.verbs for w in words):
        return False
    if not before.gapped and not any(w in lex.verbs for w in before.piece.folded):
        return False
    more = len(words) > each.lead
    return more and (bool(each.lead) or bool(each.times) or any(w.kind is Kind.NUMBER for w in words))


def _is_comment(scene: Scene, told: Told) -> bool:
    """Whether a relative clause speaks of all that was said before it: ", which is a nightmare at work"."""
    if told.clause.role is not Role.RELATIVE or told.subject.kind == "person":
        return False
    whole = any(w in scene.lex.verbs for w in told.clause.antecedent.folded)
    own = any(scene.lex.has("self_any", w) or w in scene.lex.first_verbs for w in told.piece.folded)
    return whole and not own and not has_code(told.piece) and scene.lex.has("comment", fold(told.clause.link))


class _Judge:
    """Collects what the clauses of one sentence hold, in the light of each other."""

    def __init__(self, scene: Scene, told: list[Told], *, correcting: bool) -> None:
        self.scene = scene
        self.told = told
        self.correcting = correcting
        self.found: list[Candidate] = []
        self.several = sum(lasting(scene, t, None)[0] for t in told)
        self.lived: Candidate | None = None
        self.tense = events.tense_of(scene, told)

    def live(self, number: int, event: Candidate) -> None:
        """Take an event; what else the sentence says of it joins it."""
        each = self.told[number]
        if self.lived is not None and (event.when == self.lived.when or hour_only(each)):
            return
        event = with_hour(event, self.told)
        before = self.told[number - 1]
        own = [c for c in self.found if c.span[0] == before.piece.start]
        # A trait with a name of its own (a diet, a trade) is no beginning of what happens.
        lasts = any(before.leaning.lasting > APART or c.attribute for c in own)
        denied = bool(
            self.scene.lex.search("no_longer", before.piece.norm)
        )  # "it isn't on Thursday now, ..."
        if number and leans_back(self.scene, each) and (denied or (not before.times and not lasts)):
            gone = (before.piece.start, before.piece.end)
            self.found = [c for c in self.found if c.span != gone]
            text = f"{before.text}, {event.text[0].lower()}{event.text[1:]}"
            event = replace(event, text=sentence_case(text))
        self.lived = event
        self.found.append(event)
        self.found.extend(persons_of(self.scene, each, "", skip_known=True))

    def state(self, each: Told) -> None:
        """Take a statement, if it is lasting enough for where it stands."""
        if self.lived is not None and each.piece.end <= self.lived.span[1]:
            if each.clause.bare_verb:
                return  # the event tells it: "... came and fixed the leak"
            named = bool(self.scene.lex.search("naming", each.piece.norm))  # "der hieß Imran"
            if company(self.scene, each) or named or numbered(self.scene, each):
                self.found.extend(persons_of(self.scene, each, "", skip_known=True))
                return
        if self._new_value(each) or events.told_on(self.scene, self.lived, each):
            return
        threshold = CONDITIONAL if each.conditional else None
        if threshold is None and self._instead(each):
            threshold = 0.0 if self._at_a_name(each) else INSTEAD
        following = self.told[self.told.index(each) + 1 :][:1]
        if threshold is None and following and self._instead(following[0]) and self._at_a_name(following[0]):
            threshold = 0.0  # "saí da Worten, agora estou na Fnac"
        if threshold is None and self.lived is not None and self.lived.when is not None:
            past = self.lived.when.start < self.scene.now.replace(tzinfo=None)
            threshold = LIVED if past else None
        habit = any(t.rrule for t in each.times) or bool(self.scene.lex.search("always", each.piece.norm))
        if threshold is None and each.clause.result and not habit:
            threshold = LOOSE  # "so ...": mostly a remark
        elif threshold is None and self.several and not lasting(self.scene, each, None)[0]:
            threshold = AMONG  # facts come together
        self.found.extend(_statement(self.scene, each, threshold, correcting=self.correcting))

    def _instead(self, each: Told) -> bool:
        """Whether a clause says what holds in place of what the one before ends: "..., I'm at Litto now"."""
        at = next((i for i, told in enumerate(self.told) if told is each), 0)
        lex = self.scene.lex
        ended = bool(at) and bool(lex.search("no_longer", self.told[at - 1].piece.norm))
        same = ended and self.told[at - 1].subject.kind == each.subject.kind
        return same and bool(lex.search("now_instead", each.piece.norm))

    def _at_a_name(self, each: Told) -> bool:
        """Whether a clause says no more than at which house somebody is: "I'm at Screwfix now"."""
        words = each.piece.words
        led = any(self.scene.lex.has("preposition", w.folded) for w in words)
        return led and len(words) <= _AT_A_NAME and any(w.is_capital for w in words[1:])

    def _new_value(self, each: Told) -> bool:
        """Take the "it" that says the new value of what was spoken of before ("..., it's half five now")."""
        at = next((i for i, told in enumerate(self.told) if told is each), 0)
        lex, words = self.scene.lex, each.piece.folded
        while len(words) > 3 and lex.has("adverb", words[0]):
            words = words[1:]
        leads = len(words) > 2 and lex.has("it", words[0]) and lex.has("copula", words[1])
        numbers = (w.kind is Kind.NUMBER or lex.begins("number_word", w.folded) for w in each.piece.words)
        valued = bool(each.times) or any(numbers)
        if not at or not leads or any(m.relation for m in each.mentions):
            return False
        before = self.told[at - 1]
        denied = bool(lex.search("no_longer", before.piece.norm))
        named = any(m.name for m in each.mentions)  # "I've switched dentists, it's Dr Abara now"
        if not (self.correcting and valued) and not has_code(each.piece) and not denied and not named:
            return False
        gone = (before.piece.start, before.piece.end)
        self.found = [c for c in self.found if c.span != gone]
        text = f"{before.text}, {each.text}"
        span = (before.piece.start, each.piece.end)
        why = "new value of what was said before"
        fact = Candidate(category=Category.FACT, text=sentence_case(text), span=span, why=why)
        self.found.append(replace(fact, negated=denied, sensitive=has_code(each.piece)))
        return True


def _only_leads(scene: Scene, told: Told, after: list[Told]) -> bool:
    """Whether a part without a verb says only where the next one is: "no para-choque | estava escrito"."""
    lex, words = scene.lex, told.piece.words
    verb = any(w.folded in lex.verbs and not lex.has("preposition", w.folded) for w in words)  # "da" is both
    if verb or any(w.kind is Kind.NUMBER for w in words) or told.times or told.mentions:
        return False
    led = lex.has("preposition", words[0].folded)
    return led and any(t.piece.start <= told.piece.end + 1 and not t.clause.joined for t in after)


def _only_antecedent(scene: Scene, told: Told, after: list[Told]) -> bool:
    """Whether a clause without a verb is only what the relative clause behind it speaks of."""
    verb = any(w in scene.lex.verbs for w in told.piece.folded)
    return not verb and any(
        t.clause.role is Role.RELATIVE and t.subject.kind in ("self", "person") and t.clause.antecedent
        for t in after
    )


def introduced(found: list[Candidate]) -> list[Candidate]:
    """A new person's card takes the first statement that was made about them ("..., who loves pottery")."""
    merged: list[Candidate] = []
    bare: dict[str, int] = {}
    first = [c for c in found if c.category is Category.PERSON]
    for candidate in [*first, *(c for c in found if c.category is not Category.PERSON)]:
        at = bare.get(candidate.subject)
        if (
            candidate.category is Category.FACT
            and at is not None
            and candidate.text.startswith(candidate.subject)
        ):
            said = _uncontracted(candidate.text.removeprefix(candidate.subject).strip(" ,:"))
            person = merged[at]
            span = (min(person.span[0], candidate.span[0]), max(person.span[1], candidate.span[1]))
            merged[at] = replace(
                person,
                text=f"{person.text}, {said}",
                span=span,
                attribute=candidate.attribute or person.attribute,
                value=candidate.value or person.value,
                sensitive=candidate.sensitive,
            )
            del bare[candidate.subject]
            continue
        if candidate.category is Category.PERSON and candidate.text.count(",") == 1:
            bare[candidate.subject] = len(merged)
        merged.append(candidate)
    return merged


def _uncontracted(said: str) -> str:
    """What is said of a person without the end of a contraction: "'s nine now" is "nine now"."""
    return re.sub(r"^['’](?:s|re) (?!got\b|been\b|had\b)", "", said)


def _put_right(scene: Scene, clauses: list[Clause]) -> list[Clause]:
    """Without the denied half of "Nia isn't four, she's five": the right half names her instead of "she"."""
    kept: list[Clause] = []
    for clause in clauses:
        before = kept[-1].piece if kept else None
        pronoun = bool(clause.piece) and any(
            scene.lex.has(kind, clause.piece.folded[0]) for kind in ("third", "it")
        )
        denied = before is not None and any(scene.lex.has("negation", w) for w in before.folded)
        first = clause.piece.folded[0] if clause.piece else ""
        again = before is not None and first in before.folded  # "no es el jueves, es el viernes"
        copula = clause.bare_verb and again and scene.lex.has("copula", first)
        if before is not None and (pronoun or copula) and denied:
            verb = next((i for i, w in enumerate(before.folded) if w in scene.lex.verbs), 0)
            if verb:
                subject = before.part(0, verb)
                subject = Piece([t for t in subject.tokens if not scene.lex.has("negation", t.folded)])
                said = clause.piece if copula else clause.piece.part(1)
                said = _with_shared(scene, before.part(verb), said) if copula else said
                kept[-1] = Clause(Piece([*subject.tokens, *said.tokens]), Role.MAIN)
                continue
        kept.append(clause)
    return kept


def _with_shared(scene: Scene, denied: Piece, said: Piece) -> Piece:
    """The right half with what it shares with the denied one: "isn't allergic to cats, it's to dogs"."""
    lex = scene.lex
    if len(said) < 3 or not lex.has("preposition", said.folded[1]):
        return said
    at = next((i for i, w in enumerate(denied.folded) if i > 1 and lex.has("preposition", w)), 0)
    return Piece([*denied.words[:at], *said.words[1:]]) if at else said


def _statement(scene: Scene, told: Told, threshold: float | None, *, correcting: bool) -> list[Candidate]:
    """The fact of a clause, if it is lasting, and the people it names."""
    lex, piece = scene.lex, told.piece
    if correcting and threshold is None:
        threshold = CORRECTED
    keep, why = lasting(scene, told, threshold)
    text = told.text
    head = next((m for m in told.mentions if m.last == told.lead and m.first <= 1 and m.name), None)
    rest = piece.part(head.last).folded if head is not None else []
    spelled = (
        len(rest) <= 3 and bool(rest) and lex.has("preposition", rest[0])
    )  # "called Marguerite with a u"
    naming_only = head is not None and head.named and (len(rest) <= 1 or spelled)
    persons = persons_of(scene, told, text if keep and not naming_only else "", skip_known=True)
    if not keep or naming_only:
        return persons
    if (
        any(p.text.count(",") > 1 or p.why.endswith("+") for p in persons)
        and head is not None
        and not head.known
    ):
        return persons  # the person's card says it
    if only_names(scene, told, persons):
        return persons
    if persons and told.subject.kind not in ("self", "person") and not about_self(scene, told):
        return [replace(persons[0], text=f"{persons[0].text}, {text}"), *persons[1:]]
    rule = attribute_of(scene, told)
    attribute, value, sensitive = rule if rule else ("", "", False)
    about = told.subject
    fact = Candidate(
        category=Category.FACT,
        text=sentence_case(text),
        span=(piece.start, piece.end),
        subject=about.name or about.relation if about.kind == "person" else "",
        attribute=attribute,
        value=value,
        people=tuple(m.name for m in told.mentions if m.name),
        sensitive=sensitive or has_code(piece),
        negated=bool(lex.search("no_longer", piece.norm))
        or any(lex.has("negation", w) for w in piece.folded),
        why=why,
    )
    return [*persons, fact]


def _without_wrong(scene: Scene, piece: Piece) -> Piece:
    """A clause without what it denies in passing: "twelve, not eleven", "nicht Lenz, sondern Renz"."""
    for name in ("not_but", "but_not"):
        match = scene.lex.search(name, piece.norm)
        if match is None or scene.lex.search("no_longer", piece.norm):
            continue
        first, last = piece.range_of(match, "gone")
        if name == "but_not" and not _comma_before(piece, first) and not _alike(piece, first, last):
            continue
        kept = list(piece.without(first, last).tokens)
        start = piece.words[first].start  # the comma before, or behind, what was denied goes with it
        end = piece.words[last - 1].end
        after = (
            kept.index(next(t for t in kept if t.start >= end)) if any(t.start >= end for t in kept) else None
        )
        before = max((i for i, t in enumerate(kept) if t.end <= start), default=None)
        if name == "not_but" and after is not None and kept[after].kind is Kind.PUNCT:
            del kept[after]
        if before is not None and kept[before].kind is Kind.PUNCT:
            del kept[before]
        return Piece(kept)
    return piece


def _alike(piece: Piece, first: int, last: int) -> bool:
    """Whether what is denied without a comma is of one kind with what stands before it: "Pryce not Price"."""
    if not first:
        return False
    right, wrong = piece.words[first - 1], piece.words[last - 1]
    numbers = right.kind is Kind.NUMBER and wrong.kind is Kind.NUMBER
    return numbers or (right.is_capital and wrong.is_capital and first > 1)


def _comma_before(piece: Piece, at: int) -> bool:
    if at == 0 or at >= len(piece.words):
        return False
    start, end = piece.words[at - 1].end, piece.words[at].start
    return any(start <= token.start < end and token.kind is Kind.PUNCT for token in piece.tokens)


def _distinct(found: list[Candidate]) -> list[Candidate]:
    seen: dict[tuple[str, str], Candidate] = {}
    for candidate in found:
        seen.setdefault((candidate.category, candidate.text.casefold()), candidate)
    return list(seen.values())
