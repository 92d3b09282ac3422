"""The words of a clause in the order of a sentence that stands alone."""

from __future__ import annotations

from memory.listening.clauses import Clause, Role
from memory.listening.scene import Scene
from memory.listening.tokens import Piece

_LEAST = 3  # words of a clause that can be out of order


def in_order(scene: Scene, piece: Piece, clause: Clause, lead: int) -> str:
    """The clause as said, its verb second where the language had put it last or first.

    "(weil) ich nachts Zeitungen austrage" keeps its order, as its verb would fall in two parts;
    "(dass) ich seit Jahren Orgel spiele" becomes "ich spiele seit Jahren Orgel", and "hocke ich nur
    noch im Garten" becomes "ich hocke nur noch im Garten".
    """
    lex, words, said = scene.lex, piece.words, piece.said(scene.text)
    if not lex.has("verb_last", lex.language) or len(words) < _LEAST:
        return said
    first, last = words[0], words[-1]
    if first.folded in lex.verbs and not lex.has("ambiguous", first.folded):
        if not lex.has("self", words[1].folded):
            return said
        verb = f"{first.text[0].lower()}{first.text[1:]}"
        return f"{words[1].text} {verb} {_between(scene, piece, 2, len(words))}"
    said_by_self = lex.has("self", first.folded)
    if clause.role not in (Role.CAUSE, Role.COMPLEMENT) and not said_by_self:
        return said
    if first.folded in lex.words.get("singular_self", ()) and not _of_first_person(scene, last.folded):
        return said
    end = _subject_end(scene, piece, lead)
    if not end or end >= len(words) - 1 or words[end].folded in lex.verbs:
        return said
    if not frozenset.__contains__(lex.verbs, last.folded) or last.is_capital:
        return said
    rest = _between(scene, piece, end, len(words) - 1)
    return f"{_between(scene, piece, 0, end)} {last.text} {rest}"


def _of_first_person(scene: Scene, verb: str) -> bool:
    return verb.endswith("e") or scene.lex.has("first_forms", verb)


def _subject_end(scene: Scene, piece: Piece, lead: int) -> int:
    """How many words at the beginning are the subject; 0 when that is not plain."""
    lex, words = scene.lex, piece.words
    if lex.has("self", words[0].folded) or lex.has("third", words[0].folded):
        return 1
    return lead


def _between(scene: Scene, piece: Piece, first: int, last: int) -> str:
    return piece.part(first, last).said(scene.text)
