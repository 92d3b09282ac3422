"""What is put right: a value alone ("no, 47") after a message that said another, "not A but B"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from memory.language import numbers
from memory.language.folding import fold
from memory.listening.acts import comma_at
from memory.listening.clauses import Clause, Role
from memory.listening.draft import Draft
from memory.listening.heard import Candidate, Correction
from memory.listening.scene import Scene, strip
from memory.listening.tokens import Kind, Piece, Token
from memory.records import Category

_MOST = 4  # words of a value that stands alone
_ALIKE = 0.5  # how much two words that are no names must share


@dataclass(frozen=True)
class Swap:
    """The message before with the right value in it, and both values as they were written."""

    text: str
    right: str
    wrong: str
    span: tuple[int, int]  # of the right value, in this message


def swapped(scene: Scene, clauses: Sequence[Clause]) -> Swap | None:
    """What the message before says with a bare value of this one in place of its own, or None.

    A number stands for a number, a moment for a moment, a name for the name it is most like.
    """
    alone = _alone(scene, clauses)
    if alone is None or not scene.previous:
        return None
    right = alone.said(scene.text)
    before = _counterpart(scene, alone)
    if before is None:
        return None
    start, end = before
    wrong = scene.previous[start:end]
    if fold(wrong) == fold(right):
        return None
    text = scene.previous[:start] + right + scene.previous[end:]
    return Swap(text, right, wrong, (alone.start, alone.end))


def _alone(scene: Scene, clauses: Sequence[Clause]) -> Piece | None:
    """The one part that says nothing but a value."""
    lex, found = scene.lex, []
    for clause in clauses:
        piece = strip(scene, clause.piece)
        if clause.role is Role.CAUSE:
            continue  # "..., she was born in 43": why it is so
        if not piece or lex.search("correction_only", piece.norm) or lex.search("correction", piece.norm):
            continue
        found.append(piece)
    if len(found) != 1 or len(found[0]) > _MOST or any(w in lex.verbs for w in found[0].folded):
        return None
    small = ("article", "negation", "it", "adverb", "and")
    words = list(found[0].words)
    for end in (0, -1):  # inside, they belong to it: "setenta e oito"
        while words and any(lex.has(kind, words[end].folded) for kind in small):
            words.pop(end)
    return Piece(words) if words else None


def _counterpart(scene: Scene, right: Piece) -> tuple[int, int] | None:
    """Where the message before has the value that the right one replaces."""
    spoken = _number_in_words(scene, right)
    if spoken is not None:
        return spoken
    tokens = scene.lex.tokens(scene.previous)
    before = Piece(tokens)
    if any(word.kind is Kind.NUMBER for word in right.words):
        numbers = [word for word in before.words if word.kind is Kind.NUMBER]
        best = _most_like(right.norm, numbers)
        return (best.start, best.end) if best is not None else None
    named = [m for m in scene.people.find(before) if m.name]
    if named and (right.words[0].is_capital or scene.people.lower):
        words = before.words
        last = max(named, key=lambda m: SequenceMatcher(None, fold(m.name), right.norm).ratio())
        end = words[last.last - 1].end
        length = len(last.name.split()[-1])
        return end - length, end
    alike = _most_like(right.norm, [w for w in before.words if w.folded not in scene.lex.common])
    if alike is None or SequenceMatcher(None, alike.folded, right.norm).ratio() < _ALIKE:
        return None
    return alike.start, alike.end


def _number_in_words(scene: Scene, right: Piece) -> tuple[int, int] | None:
    """Where the message before says a number in words, when the right value is one: "no, eighty-three"."""
    language = scene.lex.language
    said = numbers.find(right.said(scene.text), language)
    if len(said) != 1 or not said[0].in_words:
        return None
    before = [n for n in numbers.find(scene.previous, language) if n.value > 1 and n.value != said[0].value]
    nearest = min(before, key=lambda n: abs(n.value - said[0].value), default=None)
    return nearest.span if nearest is not None else None


def _most_like(norm: str, words: Sequence[Token]) -> Token | None:
    return max(words, key=lambda w: SequenceMatcher(None, w.folded, norm).ratio(), default=None)


def named_before(scene: Scene, told: list[Candidate], draft: Draft) -> list[Candidate]:
    """What was told; an event that only says when takes its matter from before."""
    lex = scene.lex
    event = next((c for c in told if c.category is Category.EVENT), None)
    before = draft.candidates[-1] if draft.candidates else None
    if event is None or before is None or draft.last is None or before.span[0] < draft.last.start:
        return told
    words = [fold(word.strip(".,;:!?")) for word in event.text.split()]
    thin = ("preposition", "adverb", "copula", "article", "it", "dangling")
    matter = [w for w in words if w not in lex.verbs and not any(lex.has(kind, w) for kind in thin)]
    if before.category is not Category.FACT or before.attribute:
        return told
    first = words[0] if words else ""
    second = words[1] if len(words) > 1 else ""
    it = lex.has("it", first.split("'")[0]) and ("'" in first or lex.has("copula", second))
    verb = first in lex.verbs and first not in lex.first_verbs
    theirs = bool(event.people) or any(lex.has("possessive", word) for word in words)
    hangs = (it or verb) and not theirs
    if matter and not hangs:
        return told
    draft.candidates.pop()
    span = (before.span[0], event.span[1])
    people = tuple(dict.fromkeys((*before.people, *event.people)))
    text = f"{before.text}, {event.text[0].lower()}{event.text[1:]}" if matter else before.text
    joined = replace(event, text=text, span=span, people=people, why=f"{event.why}, named before")
    return [joined if c is event else c for c in told]


def correct(scene: Scene, core: Piece, told: list[Candidate], draft: Draft) -> None:
    """Put right: what is wrong and what is right, as far as the sentence says both."""
    lex = scene.lex
    wrong = right = ""
    for name in ("said_meant", "meant_not", "not_but", "but_not"):
        match = lex.search(name, core.norm)
        if match is not None:
            wrong = core.part(*core.range_of(match, "wrong")).said(scene.text)
            named = bool(match.groupdict().get("right"))
            right = _up_to_clause(scene, core.part(*core.range_of(match, "right"))) if named else ""
            break
    if not draft.correcting and not wrong:
        return
    people = [c for c in told if c.category is Category.PERSON and c.attribute.startswith("relation:")]
    if wrong and len(told) == 1 and people:
        right = people[0].value
    if not right:
        right = told[0].text if told else core.said(scene.text)
    if draft.correcting or told:
        first = told[0] if told else None
        draft.fields["correction"] = Correction(
            right=right,
            wrong=wrong,
            subject=first.subject if first else draft.subject.name or draft.subject.relation,
            attribute=first.attribute if first else "",
        )


def _up_to_clause(scene: Scene, right: Piece) -> str:
    """A right value without the clause behind it: "Zimmermann, da hab ich mich verplappert"."""
    at = next((n for n in range(1, len(right)) if comma_at(right, n)), len(right))
    later = any(word in scene.lex.verbs for word in right.part(at).folded)
    return (right.part(0, at) if later else right).said(scene.text)
