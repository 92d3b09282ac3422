"""A value put right alone: "sorry, Kaltenbrunner", "no, 47" after a message that said another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from memory.language import numbers
from memory.language.folding import fold
from memory.listening.clauses import Clause, Role
from memory.listening.scene import Scene, strip
from memory.listening.tokens import Kind, Piece, Token

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
