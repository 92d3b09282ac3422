"""Is this word a name, and how far does the name go? Also when the keyboard made no capitals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory.language import names
from memory.language.folding import fold
from memory.listening.heard import KnownPerson
from memory.listening.lexicon import Lexicon
from memory.listening.tokens import Kind, Token


@dataclass(frozen=True)
class Naming:
    """What is a name in one message."""

    lex: Lexicon
    known: Sequence[KnownPerson]
    lower: bool  # the message has no capitals: names have to be guessed from their place

    def _name(self, words: Sequence[Token], at: int, *, sure: bool) -> tuple[str, int]:
        """The name at word `at`, capitals restored, and where it ends; "" when there is none.

        Args:
            sure: a naming verb stands before it, so that any word but a function word is the name.
        """
        lex = self.lex
        start, titled = at, False
        while at < len(words) and lex.has("title", words[at].folded.rstrip(".")):
            at, titled = at + 1, True
        first = at
        while at < len(words) and at - first < 4:
            word = words[at]
            if at > first and words[at - 1].end + 1 < word.start:
                break  # punctuation between
            if self._particle(words, at, first):
                at += 1
                continue
            if not (sure or titled) and self._object(words, at):
                break
            family = at > first and self._family(words, at, sure=sure or titled)
            if not self._nameish(
                word, after_relation=at == first or family, sure=(sure or titled) and at == first
            ):
                break
            if at > first and not word.is_capital:
                break
            at += 1
        while at > first and self._particle(words, at - 1, -1) and not words[at - 1].is_capital:
            at -= 1
        if at == first:
            return "", start
        return " ".join(self._capital(word, lex) for word in words[start:at]), at

    def _family(self, words: Sequence[Token], at: int, *, sure: bool) -> bool:
        """Whether a capital word behind a given name is the family's, where every noun has a capital."""
        if not self.lex.nouns or not words[at].is_capital:
            return False
        following = words[at + 1] if at + 1 < len(words) else None
        ends = following is None or following.start > words[at].end + 1 or following.folded in self.lex.verbs
        return sure or ends or self.lex.has("and", following.folded if following else "")

    def _object(self, words: Sequence[Token], at: int) -> bool:
        """Whether a noun is what the verb behind it speaks of: "weil mein Mann Zöliakie hat"."""
        lex, word = self.lex, words[at]
        verb = words[at + 1].folded if at + 1 < len(words) else ""
        if not lex.nouns or not lex.has("takes_object", verb):
            return False
        after = words[at + 2] if at + 2 < len(words) else None
        ends = after is None or after.start > words[at + 1].end + 1 or lex.has("and", after.folded)
        return ends and not lex.has("first_name", word.folded) and not self._is_known(word.text)

    def name_at(self, words: Sequence[Token], at: int) -> tuple[str, int]:
        """The name in a list of people at word `at`, and where it ends; "" when there is none."""
        return self._name(words, at, sure=False)

    def _particle(self, words: Sequence[Token], at: int, first: int) -> bool:
        if words[at].folded not in names.particles(self.lex.language) or words[at].is_capital:
            return False
        following = words[at + 1] if at + 1 < len(words) else None
        return at > first and following is not None and (following.is_capital or first == -1)

    def _capital(self, word: Token, lex: Lexicon) -> str:
        if word.is_capital or lex.has("title", word.folded.rstrip(".")):
            keep = word.text
            if self.lower and lex.language == "de" and keep[:1].islower():
                keep = keep.capitalize()
            return keep
        if word.folded in names.particles(lex.language):
            return word.text
        return "-".join(part.capitalize() for part in word.text.split("-"))

    def _nameish(self, word: Token, *, after_relation: bool, sure: bool = False) -> bool:
        """Whether a word can be a name at this place."""
        lex = self.lex
        if word.kind is not Kind.WORD or len(word.text) < 2 or word.text[0] in "'’-" or word.text[-1] in "'’":
            return False
        if lex.has("their", word.folded) or lex.has("possessive", word.folded):
            return False
        if self._is_known(word.text):
            return True
        if lex.has("notname", word.folded) or word.folded in names.not_names(lex.language):
            return False
        if lex.has("first_name", word.folded):
            return word.is_capital or after_relation
        if word.is_capital:
            return lex.language != "de" or sure or (after_relation and not self._german_noun(word))
        if sure:
            return word.folded not in lex.common or lex.has("first_name", word.folded)
        if not after_relation or not self.lower:
            return False
        if lex.nouns and word.folded.endswith(("erin", "istin", "hander", "ung", "heit", "keit", "schaft")):
            return False  # "meine frau rechtshänderin"
        if lex.nouns and word.folded.endswith("t"):
            return False  # "die kleine glüht": a verb that no table holds
        return word.folded not in lex.common and word.folded not in names.titles(lex.language)

    def _german_noun(self, word: Token) -> bool:
        return word.folded.endswith(("ung", "heit", "keit", "schaft", "tion", "chen", "erei", "ment"))

    def _is_known(self, name: str) -> bool:
        folded = fold(name)
        return any(
            folded == fold(person.name) or folded == fold(person.name).split(" ")[0]
            for person in self.known
            if person.name
        )
