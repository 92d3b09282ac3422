"""Who is spoken of: people by relation and name, also when the keyboard made no capitals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.language import names
from memory.language.folding import fold
from memory.listening.heard import KnownPerson
from memory.listening.kin import Kin
from memory.listening.mention import Mention
from memory.listening.tokens import Kind, Piece, Token

_UMLAUT = re.compile("[äöü]", re.IGNORECASE)
_SPELLED_OUT = re.compile("([aou])e")


def _spelled_out(name: str, parts: list[str], said: list[str]) -> bool:
    """Whether folded words are a name with its umlauts written as two letters: "Joerg Mueller"."""
    return _UMLAUT.search(name) is not None and parts == [_SPELLED_OUT.sub(r"\1", word) for word in said]


@dataclass(frozen=True)
class People(Kin):
    """Finds people in pieces of one message."""

    def find(self, piece: Piece) -> tuple[Mention, ...]:
        """Mentions in order, without overlaps."""
        found: list[Mention] = []
        at = 0
        words = piece.words
        while at < len(words):
            mention = (
                self._related(piece, at)
                or self._known(piece, at)
                or self._called(piece, at)
                or self._titled(piece, at)
            )
            if mention is None:
                at += 1
                continue
            found.append(mention)
            at = max(mention.last, at + 1)
        found = self._apposed(piece, found)
        apart = {index for m in found for index in range(*m.apart)}
        found = [m for m in found if m.apart != (0, 0) or not apart & set(range(m.first, m.last))]
        taken = {index for m in found for index in range(m.first, m.last)} | apart
        found.extend(self._bare(piece, taken))
        return tuple(sorted(found, key=lambda m: m.first))

    # a possessive, perhaps words between, a relation, perhaps a name

    def _related(self, piece: Piece, at: int) -> Mention | None:
        lex, words = self.lex, piece.words
        two_steps = self._two_steps(piece, at)
        if two_steps is not None:
            return self._with_name(piece, two_steps)
        index, owner = at, ""
        if lex.has("article", words[index].folded) and self._possessive(words, index + 1):
            index += 1  # "a minha", "o meu"
        if lex.has("possessive", words[index].folded):
            owner = "self"
        elif lex.has("their", words[index].folded):
            owner = "other"
        elif lex.has("article", words[index].folded) or lex.has("relation_lead", words[index].folded):
            owner = "article"
        elif at == 0 and self._bare_relation_named(words):
            owner, index = "self", -1
        elif self._family_name(words, index):
            key = lex.relations[words[index].folded]
            return Mention(index, index + 1, "", words[index].text, key, "self")
        else:
            return None
        start = index + 1
        for skip in range(0, 3 if owner != "article" else 2):
            if start + skip >= len(words):
                return None
            if skip and not self._may_qualify(words[start + skip - 1]):
                return None
            relation = self._relation(words, start + skip)
            if relation is None:
                continue
            length, key, plural = relation
            plural = plural or self._both(words, start + skip + length, words[start + skip].folded)
            if owner == "article" and lex.has("title", words[start + skip].folded):
                return None  # "le docteur Achard": a name with its title
            if owner == "article" and not self._by_article(piece, start + skip, length):
                return None
            last = start + skip + length
            said = self._said(words[start:last])
            return self._with_name(piece, Mention(at, last, "", said, key, owner, plural=plural))
        return self._own_name(piece, at, start) if owner == "self" else None

    def _bare_relation_named(self, words: Sequence[Token]) -> bool:
        """Whether a relation without "my" stands before its name: "hubby Dan drives ..."."""
        if len(words) < 3 or not self.lex.has("bare_relation", words[0].folded):
            return False
        named = self.lex.has("first_name", words[1].folded)
        return named and (words[1].is_capital or self.lower)

    def _own_name(self, piece: Piece, at: int, start: int) -> Mention | None:
        """ "My Irmgard": a given name that is the speaker's own, whatever she is to them."""
        word = piece.words[start] if start < len(piece.words) else None
        if word is None or not self.lex.has("first_name", word.folded):
            return None
        if not (word.is_capital or self.lower):
            return None
        name, last = self._name(piece.words, start, sure=False)
        return Mention(at, last, name, known=self._is_known(name)) if name else None

    def _family_name(self, words: Sequence[Token], at: int) -> bool:
        """Whether a relation stands for a name: "Mum's at Willow Court"; not before one: "Nan Beryl"."""
        lex, word = self.lex, words[at]
        if at == 0 and lex.has("bare_relation", word.folded) and len(words) > 2:
            return words[1].folded in lex.verbs and not lex.has(
                "ambiguous", words[1].folded
            )  # "son's just passed"
        if not lex.has("family_name", word.folded) or (not word.is_capital and not self.lower):
            return False
        following = words[at + 1] if at + 1 < len(words) else None
        before = words[at - 1].folded if at else ""
        led = any(lex.has(kind, before) for kind in ("possessive", "their", "article"))
        return not led and not (following is not None and following.is_capital)

    def _possessive(self, words: Sequence[Token], at: int) -> bool:
        return at < len(words) and (
            self.lex.has("possessive", words[at].folded) or self.lex.has("their", words[at].folded)
        )

    def _may_qualify(self, word: Token) -> bool:
        """Whether a word may stand between "my" and the relation: "my lovely old neighbour"."""
        lex = self.lex
        return not (
            (word.folded in lex.verbs and not lex.has("qualifier", word.folded))
            or lex.has("preposition", word.folded)
            or lex.has("and", word.folded)
            or (lex.nouns and lex.has("article", word.folded))
            or word.kind is Kind.NUMBER
        )

    def _by_article(self, piece: Piece, at: int, length: int) -> bool:
        """Whether "the ..." names one of the speaker's own: the youngest, el mayor, the landlord Mr X."""
        words = piece.words
        folded = " ".join(word.folded for word in words[at : at + length])
        before = words[at - 1].folded if at else ""
        if self.lex.has("own_by_article", folded.replace(" ", "_")):
            return not any(self.lex.has("indefinite", w.folded) for w in words[max(0, at - 2) : at])
        if self._naming(piece, at + length) is not None:
            return not self.lex.has("indefinite", before)  # "the caretaker is called Renz"
        after = words[at + length : at + length + 3]
        if after and self.lex.has("article", after[0].folded):
            after = after[1:]  # "o porteiro, o senhor Pavão"
        return bool(after) and (
            self.lex.has("title", after[0].folded.rstrip("."))
            or (len(after) > 0 and after[0].is_capital and self._nameish(after[0], after_relation=True))
        )

    def _both(self, words: Sequence[Token], at: int, relation: str) -> bool:
        """Whether a word for one or several has several names behind it: "meine Töchter A und B"."""
        if relation not in names.plural_relation_words(self.lex.language):
            return False
        first, last = self._name(words, at, sure=False)
        joined = bool(first) and last + 1 < len(words) and self.lex.has("and", words[last].folded)
        return joined and bool(self._name(words, last + 1, sure=False)[0])

    def _with_name(self, piece: Piece, mention: Mention) -> Mention:
        """The mention with the name that follows it, by apposition or by a naming verb."""
        lex, words = self.lex, piece.words
        at = mention.last
        if mention.plural or at >= len(words):
            return mention
        naming = self._naming(piece, at)
        led = mention.first > 0 and lex.has("preposition", words[mention.first - 1].folded)
        if naming is not None and led:
            return mention  # "der Hund von meiner Tochter heißt Bruno": not she is called so
        if naming is not None:
            name, last = self._name(words, naming, sure=True)
            if name:
                return self._named(mention, name, last, named=True)
            return mention
        aside = self._aside(piece, at)
        if aside is not None:
            name, last = self._name(words, aside, sure=False)
            if name:
                return self._named(mention, name, last)
        appose = at
        if lex.has("article", words[appose].folded) and appose + 1 < len(words):
            appose += 1  # "a minha sogra, a dona Graciete"
            titled = lex.has("title", words[appose].folded.rstrip("."))
            capital = words[appose].is_capital and lex.language != "de"
            commas = any(token.text == "," for token in piece.tokens)
            given = lex.has("first_name", words[appose].folded)
            apart = self.lower and ((not commas and given) or "," in self._between(piece, at - 1, at))
            apart = apart or (lex.nouns and given and "," in self._between(piece, at - 1, at))
            if not titled and not capital and not apart:
                return self._apart(piece, mention)
        name, last = self._name(words, appose, sure=False)
        return self._named(mention, name, last) if name else self._apart(piece, mention)

    def _apart(self, piece: Piece, mention: Mention) -> Mention:
        """The mention with a name between commas behind a phrase: "our neighbour at 14, Mr Low, ..."."""
        lex, words = self.lex, piece.words
        if mention.owner != "self" or mention.last >= len(words):
            return mention
        if not any(lex.has(kind, words[mention.last].folded) for kind in ("preposition", "article")):
            return mention
        for at in range(mention.last + 1, min(len(words) - 1, mention.last + 6)):
            if words[at - 1].folded in lex.verbs:
                return mention
            if "," not in self._between(piece, at - 1, at):
                continue
            start = at + 1 if lex.has("article", words[at].folded) else at
            name, last = self._name(words, start, sure=False)
            ends = last >= len(words) or "," in self._between(piece, last - 1, last)
            if not name or (not words[start].is_capital and not self.lower) or not ends:
                return mention
            return replace(mention, name=name, known=self._is_known(name), apart=(at, last))
        return mention

    def _named(self, mention: Mention, name: str, last: int, *, named: bool = False) -> Mention:
        return Mention(
            mention.first,
            last,
            name,
            mention.relation,
            mention.key,
            mention.owner,
            known=self._is_known(name),
            named=named,
        )

    def _naming(self, piece: Piece, at: int) -> int | None:
        """Where the name starts behind a naming verb at word `at` ("is called", "heißt")."""
        rest = piece.part(at)
        match = self.lex.begins("naming", rest.norm)
        if match is None:
            return None
        return at + rest.range_of(match)[1]

    def _aside(self, piece: Piece, at: int) -> int | None:
        """Where the name starts that is told by the way: "the missus, that's Donna, ..."."""
        rest = piece.part(at)
        match = self.lex.begins("named_aside", rest.norm)
        start = at + rest.range_of(match)[1] if match else len(piece)
        if start >= len(piece) or "," not in self._between(piece, at - 1, at):
            return None
        word = piece.words[start]
        return start if word.is_capital or self.lex.has("first_name", word.folded) else None

    # names alone

    def _known(self, piece: Piece, at: int) -> Mention | None:
        for person in self.known:
            parts = fold(person.name).split()
            if not parts:
                continue
            for length in (len(parts), 1):
                said = [word.folded for word in piece.words[at : at + length]]
                if (
                    said == parts[:length]
                    or _spelled_out(person.name, parts[:length], said)
                    or (
                        length == 1
                        and self.lex.language in ("de", "en")
                        and said == [parts[0] + "s"]
                        and piece.words[at].is_capital
                    )
                ):
                    name = self._known_name(person, length)
                    return Mention(at, at + length, name, "", "", "", known=True)
        return None

    def _known_name(self, person: KnownPerson, length: int) -> str:
        return person.name if length > 1 else person.name.split()[0]

    def _called(self, piece: Piece, at: int) -> Mention | None:
        """A relation straight before a name: "Kollege Schmitz", "Tante Trude"."""
        lex, words = self.lex, piece.words
        relation = self._relation(words, at) if lex.nouns and (words[at].is_capital or self.lower) else None
        if relation is None or relation[2] or at + relation[0] >= len(words):
            return None
        if lex.has("title", words[at].folded) and not lex.has("kin_title", words[at].folded):
            return None  # "Frau Meier"
        if at and lex.has("role_lead", words[at - 1].folded):
            return None  # "als Kind Akkordeon gelernt"
        following = words[at + relation[0]]
        if not (following.is_capital or lex.has("first_name", following.folded)):
            return None
        if lex.has("title", following.folded.rstrip(".")) or words[at].end + 1 < following.start:
            return None
        name, last = self._name(words, at + relation[0], sure=False)
        if not name:
            return None
        said = self._said(words[at : at + relation[0]])
        return Mention(at, last, name, said, relation[1], "self", known=self._is_known(name))

    def _titled(self, piece: Piece, at: int) -> Mention | None:
        word = piece.words[at]
        if not self.lex.has("title", word.folded.rstrip(".")) or self.lex.has("adverb", word.folded):
            return None
        small = not word.is_capital and word.folded in self.lex.verbs  # "mag Kaffee" is no "Mag. Kaffee"
        if small or (self.lex.has("self_any", word.folded) and not word.is_capital):
            return None  # French "me" is no "Maître"
        name, last = self._name(piece.words, at, sure=False)
        if not name:
            return None
        mention = Mention(at, last, name, "", "", "", known=self._is_known(name))
        own = at > 0 and self.lex.has("possessive", piece.words[at - 1].folded)
        return mention if own else self._of(piece, mention)

    def _of(self, piece: Piece, mention: Mention) -> Mention:
        """The mention with the house that somebody is from: "Herr Wieczorek von der Hausverwaltung"."""
        lex, words = self.lex, piece.words
        at = mention.last
        if mention.known or at + 1 >= len(words) or not lex.has("affiliation", words[at].folded):
            return mention
        start = at + 2 if lex.has("article", words[at + 1].folded) else at + 1
        if start >= len(words) or words[start].kind is not Kind.WORD or words[start].folded in lex.common:
            return mention
        if any(lex.has(kind, words[start].folded) for kind in ("first_name", "title")):
            return mention
        if lex.nouns and not (words[start].is_capital or self.lower):
            return mention
        return replace(mention, last=start + 1, relation=words[start].text, key="contact", owner="self")

    def _apposed(self, piece: Piece, found: list[Mention]) -> list[Mention]:
        """A relation after the name it belongs to: "Tobias, my brother-in-law"."""
        joined: list[Mention] = []
        for mention in found:
            before = joined[-1].last if joined else 0
            if mention.relation and not mention.name and mention.owner == "self":
                for width in (2, 1):
                    start = mention.first - width
                    if start < before:
                        continue
                    between = self._between(piece, mention.first - 1, mention.first)
                    name, last = self._name(piece.words, start, sure=False)
                    word = piece.words[start]
                    fits = word.is_capital or self._is_known(word.text) or self.lower
                    given = self.lex.has("first_name", word.folded) or self._is_known(word.text)
                    if self.lex.nouns and start and not given:
                        fits = False  # "... im Fernstudium, mein Vater ..."
                    if name and last == mention.first and fits and ("," in between or "(" in between):
                        mention = Mention(
                            start,
                            mention.last,
                            name,
                            mention.relation,
                            mention.key,
                            mention.owner,
                            known=self._is_known(name),
                        )
                        break
            joined.append(mention)
        return [
            m
            for i, m in enumerate(joined)
            if not any(o is not m and o.first <= m.first and m.last <= o.last for o in joined)
        ]

    def _between(self, piece: Piece, first: int, last: int) -> str:
        start, end = piece.words[first].end, piece.words[last].start
        return "".join(token.text for token in piece.tokens if start <= token.start < end)

    def _bare(self, piece: Piece, taken: set[int]) -> list[Mention]:
        """Names without relation or title: capitals inside a sentence, and first names."""
        lex, found = self.lex, []
        at = 0
        while at < len(piece.words):
            word = piece.words[at]
            if at in taken or not self._bare_name(piece, at):
                at += 1
                continue
            last = at + 1
            while last < len(piece.words) and last not in taken and last - at < 3:
                following = piece.words[last]
                if piece.words[last - 1].end + 1 < following.start or not (
                    following.is_capital and self._nameish(following, after_relation=False)
                ):
                    break
                last += 1
            text = " ".join(self._capital(w, lex) for w in piece.words[at:last])
            if (
                lex.language == "de"
                and last == at + 1
                and word.folded.endswith("s")
                and lex.has("first_name", word.folded[:-1])
            ):
                text = text[:-1]  # genitive: Emils
            found.append(Mention(at, last, text, "", "", "", known=self._is_known(text)))
            at = last
        return found

    def _bare_name(self, piece: Piece, at: int) -> bool:
        lex, word = self.lex, piece.words[at]
        if word.kind is not Kind.WORD or lex.has("notname", word.folded):
            return False
        before = piece.words[at - 1] if at else None
        if before is not None and lex.has("saint", before.folded):
            return False  # "at St Mary's": a house
        given = lex.has("first_name", word.folded) or (
            lex.language == "de" and word.folded.endswith("s") and lex.has("first_name", word.folded[:-1])
        )
        verb = word.folded in lex.verbs and not (word.is_capital and at)
        if given and (word.is_capital or self.lower) and not verb:
            return (
                word.is_capital
                or before is None
                or not lex.has("article", before.folded)
                or (lex.language in ("pt", "de"))
            )
        if self._with_self(piece, at):
            return word.is_capital or self.lower
        if not (word.is_capital or self.lower) or word.folded in lex.common:
            return False
        if self._paired(piece, at):
            return True
        if not word.is_capital:
            return False
        after = piece.words[at + 1].folded if at + 1 < len(piece.words) else ""
        if lex.has("genitive", after) and self._nameish(word, after_relation=False):
            return True
        if before is None or not self._nameish(word, after_relation=lex.language == "de"):
            return False
        if lex.has("with", before.folded) and not lex.nouns:
            return not lex.has("with_not", word.folded)
        if lex.language == "de" or not lex.has("name_article", before.folded):
            return False
        lead = piece.words[at - 2].folded if at > 1 else ""
        return not lex.has("motion", lead) and not lex.has("place_preposition", lead)

    def _paired(self, piece: Piece, at: int) -> bool:
        """Whether the word is one of two capitalised ones joined by "and", with a verb beside them."""
        lex, words = self.lex, piece.words
        for first in (at, at - 2):
            if first < 0 or first + 2 >= len(words) or not lex.has("and", words[first + 1].folded):
                continue
            pair = (words[first], words[first + 2])
            if not all(self._nameish(w, after_relation=True) for w in pair):
                continue
            if not all(w.is_capital or self.lower for w in pair):
                continue
            if (lex.nouns or self.lower) and not any(
                lex.has("first_name", w.folded) or self._is_known(w.text) for w in pair
            ):
                continue  # "Müllbeutel und Spülmaschinensalz"
            before = words[first - 1].folded if first else ""
            after = words[first + 3].folded if first + 3 < len(words) else ""
            if (
                lex.has("article", before)
                or lex.has("possessive", before)
                or lex.has("place_preposition", before)
            ):
                continue
            clitic = words[first + 4].folded if first + 4 < len(words) else ""
            if (
                after in lex.verbs
                or before in lex.verbs
                or (lex.has("clitic", after) and clitic in lex.verbs)
            ):
                return True
        return False

    def _with_self(self, piece: Piece, at: int) -> bool:
        """Whether the word stands beside "and I" ("babsi und ich", "joaquín y yo")."""
        words, lex = piece.words, self.lex
        if words[at].folded in lex.common or lex.has("notname", words[at].folded):
            return False
        if (
            at > 1
            and lex.has("and", words[at - 1].folded)
            and lex.has("self_coordinated", words[at - 2].folded)
        ):
            return True
        return (
            at + 2 < len(words)
            and lex.has("and", words[at + 1].folded)
            and lex.has("self_coordinated", words[at + 2].folded)
        )
