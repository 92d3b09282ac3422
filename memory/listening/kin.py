"""Words for what somebody is to somebody, and people who are two steps away: "my sister's husband Colin"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.language import names
from memory.listening.mention import Mention
from memory.listening.naming import Naming
from memory.listening.tokens import Piece, Token

TWO_STEPS = "kin"  # key of a relation that is somebody else's: the words say whose


@dataclass(frozen=True)
class Kin(Naming):
    """What words say of relations."""

    def _relation(self, words: Sequence[Token], at: int) -> tuple[int, str, bool] | None:
        """Length, stable key and plural of the relation that starts at word `at`."""
        lex = self.lex
        for parts in lex.relation_starts.get(words[at].folded, ()):
            if tuple(word.folded for word in words[at : at + len(parts)]) == parts:
                return len(parts), lex.relations[" ".join(parts)], False
        key = names.plural_relation_words(lex.language).get(words[at].folded)
        if key:
            return 1, key, True
        for tail in lex.words.get("relation_ends", ()):  # "Skatbruder", "Reitlehrerin", "Lungenarzt"
            if words[at].folded.endswith(tail) and len(words[at].folded) > len(tail) + 2:
                return (1, lex.relations[tail], False) if tail in lex.relations else None
        return None

    def _said(self, words: Sequence[Token]) -> str:
        return " ".join(word.text for word in words)

    def _two_steps(self, piece: Piece, at: int) -> Mention | None:
        """Somebody's somebody: "my sister's husband", "Lachlans Frau", "a mulher do meu irmão"."""
        led = self._owner_first(piece, at) or self._owner_behind(piece, at)
        if led is None:
            return None
        start, last = led
        said = re.sub(r" (?=['’])", "", self._said(piece.words[start:last]))
        return Mention(at, last, "", said, TWO_STEPS, "self")

    def _owner_first(self, piece: Piece, at: int) -> tuple[int, int] | None:
        """First and last word of "sister's husband" behind "my", or of "Lachlan's wife"."""
        lex, words = self.lex, piece.words
        start, end = at, at
        if lex.has("possessive", words[at].folded) and at + 1 < len(words):
            own = self._relation(words, at + 1)
            start, end = at + 1, at + 1 + own[0] if own else at
            hasty = self._hasty_genitive(words, at + 1)
            last = self._somebody(words, hasty) if 0 < hasty < len(words) else 0
            if last:
                return start, last  # "my brother in laws lad"
        elif words[at].is_capital and self._nameish(words[at], after_relation=True):
            end = at + 1
        if end == at or end >= len(words):
            return None
        if lex.has("genitive", words[end].folded) and end + 1 < len(words):
            end += 1
        elif not (lex.nouns and start == at and self._is_genitive(words[at])):
            return None
        last = self._somebody(words, end)
        return (start, last) if last else None

    def _hasty_genitive(self, words: Sequence[Token], at: int) -> int:
        """Where a relation with an s of possession and no apostrophe ends ("mums"); 0 when none starts."""
        if not self.lex.has("genitive", "'s"):
            return 0
        for parts, _ in self.lex.relations.items():
            said = parts.split()
            there = [word.folded for word in words[at : at + len(said)]]
            if there == [*said[:-1], f"{said[-1]}s"]:
                return at + len(said)
        return 0

    def _is_genitive(self, word: Token) -> bool:
        """Whether a name ends with the German s of possession: "Lachlans"."""
        name = word.folded[:-1]
        given = self.lex.has("first_name", name) or any(p.name.casefold() == name for p in self.known)
        return word.folded.endswith("s") and given

    def _owner_behind(self, piece: Piece, at: int) -> tuple[int, int] | None:
        """First and last word of "mulher do meu irmão", "Sohn meiner Schwester" behind their article."""
        lex, words = self.lex, piece.words
        if not lex.has("article", words[at].folded) or lex.has("indefinite", words[at].folded):
            return None
        end = self._somebody(words, at + 1) if at + 1 < len(words) else 0
        if not end or end >= len(words):
            return None
        of = lex.has("of_owner", words[end].folded)
        owner = end + 1 if of else end
        if owner + 1 < len(words) and lex.has("article", words[owner].folded):
            owner += 1  # "de a minha irmã"
        if owner >= len(words):
            return None
        if lex.has("possessive", words[owner].folded) and owner + 1 < len(words) and (of or lex.nouns):
            relation = self._relation(words, owner + 1)
            return (at + 1, owner + 1 + relation[0]) if relation else None
        if of and words[owner].is_capital and self._nameish(words[owner], after_relation=True):
            return at + 1, owner + 1
        return None

    def _somebody(self, words: Sequence[Token], at: int) -> int:
        """Where a relation, or a word for a child, that starts at a word ends; 0 when none starts."""
        relation = self._relation(words, at)
        if relation is not None and not relation[2]:
            return at + relation[0]
        return at + 1 if self.lex.has("kin_child", words[at].folded) else 0
