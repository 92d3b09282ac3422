"""Where a clause begins in what was dictated without a comma."""

from __future__ import annotations

from memory.listening.look import Look

_GOES_ON = (  # kinds of word that a clause does not end with
    "preposition",
    "and",
    "or",
    "that",
    "article",
    "possessive",
    "relative",
    "self",
    "adverb",
    "wh",
)


class Dictated(Look):
    """Questions about places where only the words tell that a new clause begins."""

    dictated = False  # the sentence has no comma and words enough for several clauses

    def dictated_start(self, index: int) -> bool:
        lex, words = self.lex, self.words
        before = words[index - 1]
        if (
            before.folded in lex.verbs
            or any(lex.has(kind, before.folded) for kind in _GOES_ON)
            or any(lex.begins(kind, before.folded) for kind in ("condition", "because"))
        ):
            return False
        word = words[index]
        if lex.has("only_first", word.folded) and self._goes_on_of_self(index):
            return self.dictated  # "ich sitz in der backstube bin ja geselle in pirna"
        if self._inverted(index):
            return self.dictated
        if (
            lex.has("demonstrative", word.folded)
            and index + 1 < len(words)
            and not lex.has("wh", word.folded)
        ):
            verb = words[index + 1].folded
            if verb in lex.verbs and not lex.has("ambiguous", verb):
                return self.dictated  # "zu meinem opa der is 91"
        if lex.has("self", word.folded):
            return index + 1 < len(words) and words[index + 1].folded in lex.verbs
        following = words[index + 1].folded if index + 1 < len(words) else ""
        mine = word.folded in lex.first_verbs and not lex.has("ambiguous", word.folded)
        if mine or (lex.has("negation", word.folded) and following in lex.first_verbs):
            return self.dictated  # "tenho dois gatos moro em évora não suporto ..."
        if lex.has("third", word.folded) and lex.has("contracted", following):
            return self.dictated  # "my brother dwayne he's in amarillo"
        if lex.has("article", word.folded) and index + 1 < len(words):
            return lex.has("possessive", following) and self.starts(index)
        return lex.has("possessive", word.folded) and not self._open_object() and self.starts(index)

    def _goes_on_of_self(self, index: int) -> bool:
        """Whether "I" of the clause before is left out before a verb with more behind it."""
        own = any(self.lex.has("self", word.folded) for word in self.current)
        after = self.words[index + 1 : index + 3]
        subject = any(self.lex.has(kind, w.folded) for w in after for kind in ("self", "third", "it"))
        return own and len(after) == 2 and not subject and not self.comma[index + 1]

    def _inverted(self, index: int) -> bool:
        """Whether a part with its verb second begins at a word: "dabei darf ich", "nachts krieg ich"."""
        lex, words = self.lex, self.words
        if not lex.has("verb_last", lex.language) or index + 2 >= len(words):
            return False
        at = index + 1
        if lex.has("preposition", words[index].folded):  # "seit letztem jahr arbeite ich"
            while at < min(index + 5, len(words) - 2) and words[at].folded not in lex.verbs:
                if lex.has("and", words[at].folded):
                    return False
                at += 1
            if at == index + 1:
                return False
        subject = words[at + 1].folded
        own = lex.has("self", subject) or lex.has("third", subject) or lex.has("possessive", subject)
        return own and self.is_verb(at) and not lex.has("wh", words[index].folded)

    def _open_object(self) -> bool:
        """Whether the last verb still waits for its object, so that "my ..." is that object."""
        last = self.current[-1] if self.current else None
        return last is not None and last.folded in self.lex.verbs
