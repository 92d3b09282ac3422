"""One sentence into clauses: one for each thing it says, also when dictated without a comma."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from memory.listening.dictated import Dictated
from memory.listening.lexicon import Lexicon
from memory.listening.tokens import Kind, Piece, Token

_DICTATED = 8  # words from which on a sentence without commas may hold several clauses
_MAX_WORDS = 120  # a longer "sentence" is cut here: nobody says one


class Role(StrEnum):
    """What a clause does in its sentence."""

    MAIN = "main"
    CAUSE = "cause"  # "because my daughter ..."
    RELATIVE = "relative"  # "who is allergic ..."
    CONDITION = "condition"  # "if ..."
    COMPLEMENT = "complement"  # "... that my sister ..."
    QUESTION = "question"


@dataclass
class Clause:
    """A clause and how it hangs on the one before."""

    piece: Piece
    role: Role
    antecedent: Piece = field(default_factory=lambda: Piece(()))  # what a relative clause speaks of
    joined: bool = False  # by "and": shares subject and role with the one before
    link: str = ""  # the relative word, as said
    result: bool = False  # opened by "so", "therefore"
    bare_verb: bool = False  # begins with a verb: its subject is the one before


class Splitter:
    """Cuts the sentences of one language."""

    def __init__(self, lex: Lexicon) -> None:
        self.lex = lex

    def split(self, piece: Piece, whole: Sequence[tuple[int, int]] = ()) -> list[Clause]:
        """Clauses in order. All words of the piece are in exactly one of them, but for connecting words.

        Args:
            piece: a sentence.
            whole: places in the message that are never cut inside, such as "five and a half".
        """
        words = piece.words[:_MAX_WORDS]
        comma = self._commas(piece)
        walk = _Walk(self, piece, words, comma, whole)
        return walk.run()

    def _commas(self, piece: Piece) -> list[bool]:
        """For each word whether a comma, dash or bracket stands before it."""
        marks, seen = [], False
        for token in piece.tokens:
            if token.kind in (Kind.WORD, Kind.NUMBER):
                marks.append(seen)
                seen = False
            elif (token.kind is Kind.PUNCT and token.text in ",;:–—()-") or token.kind is Kind.SIGN:
                seen = True
        return marks


class _Walk(Dictated):
    """One pass over the words of a sentence."""

    def __init__(
        self,
        splitter: Splitter,
        piece: Piece,
        words: Sequence[Token],
        comma: list[bool],
        whole: Sequence[tuple[int, int]],
    ) -> None:
        super().__init__(splitter.lex, piece, words, comma)
        self.fixed = [any(start < word.start < end for start, end in whole) for word in words]
        self.dictated = not any(comma[1:]) and len(words) >= _DICTATED
        self.done: list[Clause] = []
        self.role = Role.MAIN
        self.joined = False
        self.bare = False
        self.antecedent = Piece(())
        self.link = ""
        self.result = False
        self.gaps: set[int] = set()  # places where the clause goes on behind a relative one

    def run(self) -> list[Clause]:
        index = self._opening()
        while index < len(self.words):
            index = self._step(index)
        self._close()
        return self.done

    def _opening(self) -> int:
        """Role of the first clause when its first word tells: because, if."""
        for name, role in (
            ("because", Role.CAUSE),
            ("because_start", Role.CAUSE),
            ("condition", Role.CONDITION),
        ):
            match = self.lex.begins(name, self.piece.norm)
            asking = self.lex.has("wh", self.words[0].folded)
            if match and name == "because_start" and (asking or not any(self.comma[1:])):
                continue
            if match:
                self.role = role
                length = self.piece.range_of(match)[1]
                if role is Role.CONDITION:
                    self.current.extend(self.words[:length])
                return length
        return 0

    def _close(self) -> None:
        while len(self.current) > 1 and self.lex.has("and", self.current[-1].folded):
            self.current.pop()
        if self.current:
            tokens = self._without_gaps(self._with_punctuation(self.current))
            self.done.append(
                Clause(
                    Piece(tokens),
                    self.role,
                    self.antecedent,
                    self.joined,
                    bare_verb=self.bare,
                    link=self.link,
                    result=self.result,
                )
            )
        self.current = []
        self.link, self.result = "", False
        self.antecedent = Piece(())

    def _with_punctuation(self, words: list[Token]) -> list[Token]:
        """The words of a clause and the signs between them (a code keeps its brackets, a title its colon)."""
        inside = {id(word) for word in words}
        kept: list[Token] = []
        for token in self.piece.tokens:
            if id(token) in inside:
                kept.append(token)
            elif token.kind not in (Kind.WORD, Kind.NUMBER) and words[0].start < token.start < words[-1].end:
                previous = max((w for w in words if w.end <= token.start), key=lambda w: w.end)
                if self.piece.tokens.index(token) and all(
                    between.kind not in (Kind.WORD, Kind.NUMBER) or id(between) in inside
                    for between in self.piece.tokens
                    if previous.start <= between.start <= token.start
                ):
                    kept.append(token)
        return kept

    def _without_gaps(self, tokens: list[Token]) -> list[Token]:
        """The tokens without the comma that led to a relative clause which was taken out."""
        return [
            token
            for index, token in enumerate(tokens)
            if token.text != "," or index + 1 >= len(tokens) or tokens[index + 1].start not in self.gaps
        ]

    def _open(self, role: Role, *, joined: bool = False, bare: bool = False) -> None:
        self._close()
        self.role, self.joined, self.bare = role, joined, bare

    def _step(self, index: int) -> int:
        """Take the word at `index` into the current clause, or open a new one; the next index."""
        lex = self.lex
        if self.fixed[index]:
            self.current.append(self.words[index])
            return index + 1
        if self._names_aside(index):  # "the missus, that's Donna, she runs ..."
            end = self.comma_after(index)
            self.current.extend(self.words[index:end])
            return end
        rest = self.piece.part(index)
        has_left = self.has_verb(self.current) or (self.dictated and self._said_by_itself())
        comma = self.comma[index]
        asking = bool(index) and lex.has("wh", self.words[index - 1].folded)  # "como é que ..."
        if index and (comma or has_left) and not asking:
            for name, role in (("because", Role.CAUSE), ("condition", Role.CONDITION)):
                match = lex.begins(name, rest.norm)
                length = rest.range_of(match)[1] if match else 0
                if match and not comma and self._only_stresses(index):
                    continue
                if match and self.verb_within(index + length):
                    self._open(role)
                    if role is Role.CONDITION:
                        self.current.extend(self.words[index : index + length])
                    return index + length
        word = self.words[index]
        if index and has_left:
            match = lex.begins("result", rest.norm)
            if match:
                self._open(Role.MAIN)
                self.result = True
                return index + rest.range_of(match)[1]
        if index and lex.begins("wh_oath", rest.norm):  # "where on earth did I put it"
            self._open(Role.QUESTION)
            self.current.append(word)
            return index + 1
        if index and lex.has("relative", word.folded) and self._is_relative(index, comma):
            return self._relative(index, has_left)
        if index and (comma or self.dictated) and self._led_relative(index, comma):
            return self._relative(index + 1, has_left, lead=word.text + " ")
        if index and self._is_question(index, comma, has_left):
            self._open(Role.QUESTION)
            self.current.append(word)
            return index + 1
        if index and lex.has("and", word.folded):
            return self._and(index, has_left)
        if index and comma:
            following = self._comma(index, has_left)
            if following is not None:
                return following
        if index and has_left and lex.has("that", word.folded) and self._complement(index):
            self._open(Role.COMPLEMENT)
            return index + 1
        reason = self.role in (Role.CAUSE, Role.CONDITION)
        if index and (self.dictated or reason) and has_left and self.dictated_start(index):
            self._open(Role.MAIN)
            self.current.append(word)
            return index + 1
        self.current.append(word)
        return index + 1

    def _only_stresses(self, index: int) -> bool:
        """Whether a "denn" only stresses a question: "wo ist denn der Schlüssel"."""
        lex, first = self.lex, self.words[0].folded
        asks = any(lex.has("wh", word.folded) for word in self.words[:3])  # "bis wann muss ich denn"
        return lex.has("particle", self.words[index].folded) and (asks or first in lex.verbs)

    # each kind of boundary

    def _is_relative(self, index: int, comma: bool) -> bool:
        lex, before = self.lex, self.words[index - 1]
        if not self.verb_within(index + 1):
            return False
        if lex.has("that", self.words[index].folded) and self.own_subject(index + 1):
            return False  # "que ma boîte est ...": a complement
        if not comma and self._says_who(index):
            return False
        if lex.has("no_that_after", before.folded) or lex.begins("cleft", Piece(self.current).norm):
            return False
        if not comma and self.has_verb(self.current) and self.noun_before(index):
            return self.own_person_before(index)
        if lex.has("verb_last", lex.language) and not self.verb_last(index):
            return False
        if comma:
            return True
        return (
            before.folded not in lex.verbs
            and not lex.has("preposition", before.folded)
            and not lex.has("and", before.folded)
            and not lex.has("adverb", before.folded)
            and not lex.has("no_bare_relative", self.words[index].folded)
        )

    def _says_who(self, index: int) -> bool:
        """Whether "who does my accounts" only leads to a name: "the one who does my accounts is Priti"."""
        if not self.lex.begins("one_who", Piece(self.current).norm):
            return False
        end = self.comma_after(index)
        return any(
            self.lex.has("copula", self.words[at].folded) and self.words[at + 1].is_capital
            for at in range(index + 1, end - 1)
        )

    def _led_relative(self, index: int, comma: bool) -> bool:
        """Whether a relative clause begins with a preposition: ", auf der ich Maschinist bin"."""
        lex, at = self.lex, index + 1
        if not lex.has("verb_last", lex.language) or at >= len(self.words):
            return False
        led = lex.has("preposition", self.words[index].folded) and lex.has("relative", self.words[at].folded)
        after = self.words[at + 1].folded if at + 1 < len(self.words) else ""
        if not comma and not any(lex.has(kind, after) for kind in ("self", "third", "possessive", "article")):
            return False  # "dass die Probe in der Schule ist"
        return led and self.verb_last(at)

    def _relative(self, index: int, has_left: bool, lead: str = "") -> int:
        """A relative clause: up to the comma behind which the main clause goes on, or to its end."""
        antecedent = Piece(self._with_punctuation(self.current[-7:])) if self.current else Piece(())
        link = lead + self.words[index].text
        stop = None if has_left else self._resumes(index + 1)
        if has_left and self.lex.has("verb_last", self.lex.language):
            end = self.comma_after(index + 1)
            ends = end < len(self.words) and self.words[end - 1].folded in self.lex.verbs
            stop = end if ends and not self.starts(end) and self._goes_on(end) else None
        if stop is not None:
            inner = Piece(self._with_punctuation(list(self.words[index + 1 : stop])))
            self.done.append(Clause(inner, Role.RELATIVE, antecedent, bare_verb=True, link=link))
            self.gaps.add(self.words[stop].start)
            return stop
        self._open(Role.RELATIVE, bare=True)
        self.antecedent = antecedent
        self.link = link
        return index + 1

    def _goes_on(self, index: int) -> bool:
        """Whether the main clause goes on behind a relative one, and not a further part of that."""
        word = self.words[index].folded
        return not any(self.lex.has(kind, word) for kind in ("relative", "and", "that"))

    def _resumes(self, index: int) -> int | None:
        """Where the main clause goes on behind a relative one: a comma with a verb after it."""
        if self.lex.has("verb_last", self.lex.language):
            at = self.comma_after(index)
            return at if at < len(self.words) and self.verb_within(at) else None
        for at in range(index + 1, min(len(self.words), index + 15)):
            if self.comma[at]:
                following = self.skip_adverbs(at)
                if following < len(self.words) and self.words[following].folded in self.lex.verbs:
                    return at
        return None

    def _is_question(self, index: int, comma: bool, has_left: bool) -> bool:
        if not has_left or not (comma or self.dictated or self.lex.has("and", self.words[index - 1].folded)):
            return False
        word = self.words[index]
        if not self.lex.has("wh", word.folded) and not comma:
            return False
        if not comma and self.lex.has("relative", word.folded) and self.noun_before(index):
            return False  # "ao laboratório onde sou analista"
        if self.lex.has("that", word.folded):
            return False  # "que soy celíaca": a reason; the question word has its accent
        if self.words[index - 1].folded in self.lex.verbs or self.lex.has(
            "preposition", self.words[index - 1].folded
        ):
            return False
        return bool(self.lex.begins("question", self.piece.part(index).norm))

    def _said_by_itself(self) -> bool:
        """Whether the words so far can be a clause whose verb is not in the tables: "I breed budgies"."""
        if len(self.current) < 3 or self.lex.has("self", self.current[-1].folded):
            return False
        return self.lex.has("self", self.current[0].folded) or self.current[0].folded in self.lex.first_verbs

    def _and(self, index: int, has_left: bool) -> int:
        following = index + 1
        if following >= len(self.words):
            return following
        if self.lex.has("that", self.words[following].folded) and self.verb_within(following + 1):
            self._open(self.role if self.role is not Role.MAIN else Role.COMPLEMENT, joined=True)
            return following + 1
        if self.lex.has("relative", self.words[following].folded) and self.role is Role.RELATIVE:
            antecedent = self.antecedent
            self._open(Role.RELATIVE, joined=True, bare=True)
            self.antecedent = antecedent
            return following + 1
        after = self.words[following + 1].folded if following + 1 < len(self.words) else ""
        stressed = self.lex.has("self_any", self.words[following].folded)
        if has_left and stressed and self.lex.has("self", after) and self.verb_within(following + 1):
            self._open(Role.MAIN, joined=True)  # "and me I sell cloth"
            return following + 1
        listed = self.bare and self._cut_off()  # "..., retired, widowed, and I have"
        coded = any(self.is_number(word) for word in self.current)  # "the bike lock 000 and the gate ..."
        alone = bool(self.current) and self.lex.has("self", self.current[-1].folded)
        pair = alone and not self.has_verb(self.current)  # "eu e o meu avô"
        if (has_left or listed or coded) and not pair and self.starts(following):
            role = self.role if self.role is not Role.QUESTION else Role.MAIN
            antecedent = self.antecedent
            bare = self.bare_start(following)
            if role is Role.RELATIVE and not bare:
                role = Role.MAIN
            self._open(role, joined=True, bare=bare)
            if role is Role.RELATIVE:
                self.antecedent = antecedent
            return following + self._result(following)
        self.current.append(self.words[index])
        return following

    def _result(self, index: int) -> int:
        """How many words at `index` only say that something follows ("so", "por isso"); notes it."""
        rest = self.piece.part(index)
        match = self.lex.begins("result", rest.norm)
        if not match or self.role is Role.RELATIVE:
            return 0
        length = rest.range_of(match)[1]
        if index + length >= len(self.words) or not self.verb_within(index + length):
            return 0
        self.result = True
        return length

    def _comma(self, index: int, has_left: bool) -> int | None:
        """Open a clause behind a comma if one starts there; the index to go on from, or None."""
        lex = self.lex
        if has_left and self.number_alone(index):
            end = self.comma_after(index)
            self._open(Role.MAIN, bare=True)
            self.current.extend(self.words[index:end])
            self._open(Role.MAIN, bare=True)
            return end
        contracted = index + 1 < len(self.words) and lex.has("contracted", self.words[index + 1].folded)
        that = lex.has("that", self.words[index].folded) and not contracted  # "that's" points
        if that and self.verb_within(index + 1):
            self._open(self.role if self.role is Role.CAUSE else Role.COMPLEMENT, joined=True)
            return index + 1
        if lex.begins("address_part", self.piece.part(index).norm) and not self.dictated:
            return None  # "..., number 14, second floor": goes with the street before it
        if (
            self.current
            and lex.has("wh", self.current[0].folded)
            and lex.has("copula", self.words[index].folded)
        ):
            return None  # "wer uns die Bücher macht, ist die Frau Odenthal"
        own = self.lex.has("self", self.words[index].folded) and self._said_by_itself()
        if not self.starts(index) or not (has_left or own or self._cut_off()):
            return None
        if self._infinitive(index):
            return None
        since = lex.has("verb_last", lex.language) and lex.has("since", self.current[0].folded)
        if since and self.current[-1].folded in lex.verbs and self.words[index].folded in lex.verbs:
            return None  # "seit die Kleine da ist, hab ich ...": one thing is said
        bare = self.bare_start(index)
        role = self.role if bare and self.role in (Role.CAUSE, Role.RELATIVE) else Role.MAIN
        antecedent = self.antecedent
        self._open(role, bare=bare)
        if role is Role.RELATIVE:
            self.antecedent = antecedent
        self.current.append(self.words[index])
        return index + 1

    def _infinitive(self, index: int) -> bool:
        """Whether a part is nothing but an infinitive of the clause before: ", schenken, ..."."""
        lex, word = self.lex, self.words[index].folded
        return (
            lex.has("verb_last", lex.language)
            and word.endswith("en")
            and word in lex.verbs
            and self.part_end(index) == index + 1
        )

    def _cut_off(self) -> bool:
        """Whether what stands before a comma is an interjection of its own ("long day,")."""
        norm = Piece(self.current).norm if self.current else ""
        if norm and (self.lex.begins("state", norm) or self.lex.search("named_here", norm)):
            return True
        return bool(self.current) and not self.subject_like(self.current)

    def _complement(self, index: int) -> bool:
        following = index + 1
        if following >= len(self.words) or not self.verb_within(following):
            return False
        if self.lex.has("contracted", self.words[following].folded):
            return False
        if index and self.lex.has("no_that_after", self.words[index - 1].folded):
            return False
        if self.lex.begins("cleft", Piece(self.current).norm):
            return False
        if not self.comma[index] and self.noun_before(index):
            return False  # "a flat that has no lift": part of what is said of it
        if any(self.lex.has("so_that", word.folded) for word in self.current):
            return False  # "tão desastrada que ..."
        return self.starts(following) or self.words[following].is_capital
