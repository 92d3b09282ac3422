"""Words as they are typed in haste ("im", "dont", "w my mate") read as what they stand for.

Only how a word is looked up changes; the card keeps what was typed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from memory.language.folding import fold
from memory.listening.tokens import Kind, Token

if TYPE_CHECKING:
    from memory.listening.lexicon import Lexicon


@dataclass(frozen=True)
class Before:
    """A spelling that means something else only in front of certain words: "its raining", "me mam"."""

    meant: str
    kinds: tuple[str, ...]  # word sets; "verb", "relation" and "number" as well
    words: frozenset[str]
    starts: bool  # only at the beginning of the message or of a part of it


@dataclass(frozen=True)
class Spelling:
    """What spellings of one language stand for."""

    always: Mapping[str, str] = field(default_factory=dict)  # "im" -> "i 'm"
    before: Mapping[str, Before] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Spelling:
        """From the table `[spelling]` of a language file."""
        before = {
            word: Before(
                str(rule["as"]),
                tuple(rule.get("kinds", "").split()),
                frozenset(rule.get("words", "").split()),
                bool(rule.get("starts", False)),
            )
            for word, rule in data.get("before", {}).items()
        }
        return cls(dict(data.get("always", {})), before)

    def read(self, tokens: Sequence[Token], lex: Lexicon) -> tuple[Token, ...]:
        """The tokens with hasty spellings looked up as what they mean, and cut where they are two words."""
        if not self.always and not self.before:
            return tuple(tokens)
        found: list[Token] = []
        for index, token in enumerate(tokens):
            meant = self.always.get(token.folded) if token.kind is Kind.WORD else None
            if meant is None and token.kind is Kind.WORD and token.folded in self.before:
                meant = self._meant(tokens, index, lex)
            found.extend(_cut(token, meant) if meant else (token,))
        return tuple(found)

    def written_out(self, text: str) -> str:
        """The text with hasty spellings as they are meant ("im" is "i'm"), for the classifier."""
        if not self.always:
            return text
        words = []
        for word in text.split(" "):
            bare = word.rstrip(".,;:!?")
            meant = self.always.get(fold(bare))
            words.append(re.sub(r" (?=['’])", "", meant) + word[len(bare) :] if meant else word)
        return " ".join(words)

    def _meant(self, tokens: Sequence[Token], index: int, lex: Lexicon) -> str | None:
        rule = self.before[tokens[index].folded]
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if following is None or following.kind not in (Kind.WORD, Kind.NUMBER):
            return None
        if rule.starts and index and tokens[index - 1].kind is not Kind.PUNCT:
            return None
        word = following.folded
        fits = (
            word in rule.words
            or ("number" in rule.kinds and following.kind is Kind.NUMBER)
            or ("relation" in rule.kinds and _is_relation(tokens, index + 1, lex))
            or ("verb" in rule.kinds and word in lex.verbs)
            or any(lex.has(kind, word) for kind in rule.kinds)
        )
        return rule.meant if fits else None


def _is_relation(tokens: Sequence[Token], at: int, lex: Lexicon) -> bool:
    """Whether a whole relation stands at `at`: "next door neighbour", not the "next" of "next Friday"."""
    wholes = lex.relation_starts.get(tokens[at].folded, ())
    return any(tuple(token.folded for token in tokens[at : at + len(whole)]) == whole for whole in wholes)


def _cut(token: Token, meant: str) -> list[Token]:
    """The token as one or more: cut by the letters of what it means, where these are its own letters."""
    parts = meant.split()
    if len(parts) == 1:
        return [replace(token, folded=meant, norm="")]
    letters = [part.replace("'", "") for part in parts]
    if "".join(letters) != token.folded:
        return [replace(token, folded=parts[0], norm="")]
    cut, at = [], token.start
    for part, own in zip(parts, letters, strict=True):
        text = token.text[at - token.start : at - token.start + len(own)]
        cut.append(Token(text, part, at, at + len(own), token.kind))
        at += len(own)
    return cut
