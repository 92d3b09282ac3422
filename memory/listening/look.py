"""What a place in a sentence looks like: does a clause start there, is this word its verb?"""

from __future__ import annotations

from collections.abc import Sequence

from memory.listening.lexicon import Lexicon
from memory.listening.tokens import Kind, Piece, Token

_LEAST_VERB = 5  # letters of an unknown word that can be a verb
_NAME_WORDS = 3  # words of a name told by the way
WINDOW = 9  # words in which a clause's verb is looked for
# Kinds of words that are the end of no noun phrase.
_NO_NOUN = (
    *("article", "preposition", "and", "or", "adverb", "negation"),
    *("self_any", "clitic", "third", "it", "wh"),
)


class Look:
    """Questions about the words of one sentence. Nothing is changed by asking."""

    def __init__(self, lex: Lexicon, piece: Piece, words: Sequence[Token], comma: Sequence[bool]) -> None:
        self.lex = lex
        self.piece = piece
        self.words = words
        self.comma = comma  # for each word whether a comma, dash or bracket stands before it
        # Nouns have capitals here and this text uses them: what has none is no noun.
        self.cased = lex.nouns and any(word.is_capital for word in words[1:])
        self.current: list[Token] = []  # the clause that is being filled

    def verb_last(self, index: int) -> bool:
        """Whether the part that begins at a word ends with its verb, as German subordinate clauses do."""
        end = self.part_end(index)
        last = self.words[end - 1]
        return end > index + 1 and (last.folded in self.lex.verbs or self.verb_like(last))

    def own_subject(self, index: int) -> bool:
        """Whether a subject of its own follows a "that"."""
        at = self.skip_adverbs(index)
        if at >= len(self.words):
            return False
        word = self.words[at].folded
        lex = self.lex
        return (
            word not in lex.verbs
            and any(lex.has(kind, word) for kind in ("possessive", "article", "self", "third", "their"))
        ) or word in lex.first_verbs

    def part_end(self, index: int) -> int:
        end = index + 1
        while (
            end < len(self.words) and not self.comma[end] and not self.lex.has("and", self.words[end].folded)
        ):
            end += 1
        return end

    def comma_after(self, index: int) -> int:
        end = index + 1
        while end < len(self.words) and not self.comma[end]:
            end += 1
        return end

    def skip_adverbs(self, index: int) -> int:
        while index < len(self.words) and (
            self.lex.has("adverb", self.words[index].folded)
            or self.lex.has("filler", self.words[index].folded)
        ):
            index += 1
        return index

    def bare_start(self, index: int) -> bool:
        """Whether a clause begins with its verb (its subject is the one before)."""
        at = self.skip_adverbs(index)
        if at >= len(self.words):
            return False
        word = self.words[at].folded
        following = self.words[at + 1].folded if at + 1 < len(self.words) else ""
        if self.lex.has("clitic", word) and following in self.lex.verbs:
            return following not in self.lex.first_verbs
        return (
            word in self.lex.verbs
            and word not in self.lex.first_verbs
            and not self.lex.has("self", following)
            and not self.lex.has("third", following)
        )

    def starts(self, index: int) -> bool:
        """Whether a clause with a verb of its own can start at a word."""
        lex, words = self.lex, self.words
        at = self.skip_adverbs(index)
        if at >= len(words) or self._only_denied(index):
            return False
        word = words[at].folded
        if lex.begins("exist", self.piece.part(at).norm):
            return True
        mine = any(w.folded in lex.first_verbs for w in self.current)
        if word in lex.first_verbs and (mine or not lex.has("ambiguous", word)):
            return True
        for near in range(at + 1, min(len(words) - 1, at + 3)):  # "fisch mag ich nicht"
            if self.comma[near]:
                break  # "..., sondern Optiker, da hab ich ...": another part's verb
            if self.is_verb(near) and lex.has("self", words[near + 1].folded):
                return True
        pronoun = lex.has("self", word) or lex.has("third", word)
        if (pronoun or lex.has("it", word)) and self.verb_follows(at + 1):
            return True
        if pronoun:
            following = words[at + 1] if at + 1 < len(words) else None
            return (
                lex.has("self", word)
                and following is not None
                and following.kind is Kind.WORD
                and following.folded not in lex.common
                and not self.comma[at + 1]
            )
        if lex.has("clitic", word) and at + 1 < len(words) and words[at + 1].folded in lex.verbs:
            return True
        if lex.has("wh", word):
            return bool(lex.begins("question", self.piece.part(at).norm))
        if word in lex.verbs:
            led_in = at > index and lex.has("before_verb", words[at - 1].folded)  # "e só volta em março"
            return led_in or not self.doubtful(words[at])
        led = lex.has("preposition", word) or lex.has("time_lead", word)
        return (led and self.subject_after_verb(at)) or self.noun_and_verb(at)

    def _only_denied(self, index: int) -> bool:
        """Whether a part between commas only says what is not so: ", not the 30th"."""
        if not self.comma[index] or not self.lex.has("negation", self.words[index].folded):
            return False
        end = self.comma_after(index)
        pointed = index + 1 < end and self.lex.has("demonstrative", self.words[index + 1].folded)
        return not pointed and not any(self.words[at].folded in self.lex.verbs for at in range(index, end))

    def verb_follows(self, index: int) -> bool:
        """Whether the verb comes next, behind adverbs, negations and small pronouns at most."""
        lex = self.lex
        at = index
        while at < len(self.words) and at < index + 4:
            word = self.words[at].folded
            if word in lex.verbs:
                return True
            small = any(
                lex.has(kind, word) for kind in ("adverb", "negation", "clitic", "self_any", "filler")
            )
            if not small:
                return False
            at += 1
        return False

    def noun_and_verb(self, index: int) -> bool:
        """A noun phrase with its verb behind; or two of a kind: "the bike lock 000", "my son eighteen"."""
        lex, words = self.lex, self.words
        lead = words[index]
        leads = (
            lex.has("possessive", lead.folded)
            or lex.has("article", lead.folded)
            or lex.has("their", lead.folded)
            or lead.is_capital
            or lex.has("first_name", lead.folded)
            or lead.folded in lex.relation_starts
            or lex.has("pronoun_start", lead.folded)
        )
        if leads and (self.verb_within(index + 1, 7, same_part=True) or self._relation_leads(index)):
            return True
        if not leads and self.comma[index] and index + 2 < len(words):
            leads = True
        end = self.part_end(index)
        numbers = sum(1 for word in words[index:end] if self.is_number(word))
        left = any(self.is_number(word) for word in self.current)
        return leads and bool(numbers) and left and not self.has_verb(words[index:end]) and end - index >= 2

    def _relation_leads(self, index: int) -> bool:
        """ "her husband brews the beer": somebody's relation with more behind it, whatever the verb is."""
        lex, words = self.lex, self.words
        at = index
        while (
            at < len(words)
            and at < index + 2
            and any(lex.has(kind, words[at].folded) for kind in ("article", "possessive", "their"))
        ):
            at += 1
        owned = any(lex.has(kind, w.folded) for w in words[index:at] for kind in ("possessive", "their"))
        for parts in lex.relation_starts.get(words[at].folded, ()) if at < len(words) and owned else ():
            end = at + len(parts)
            if tuple(w.folded for w in words[at:end]) != parts or end + 1 >= len(words) or self.comma[end]:
                continue
            after = words[end].folded
            if self.genitive(words, end):
                continue  # "my sister's eldest"
            return not any(
                lex.has(kind, after) for kind in ("and", "or", "preposition", "relative", "adverb")
            )
        return False

    def is_number(self, word: Token) -> bool:
        return word.kind is Kind.NUMBER or bool(self.lex.begins("number_word", word.folded))

    def subject_after_verb(self, index: int) -> bool:
        """A phrase first, then verb and subject: "and since May I live", "und seit Mai wohne ich"."""
        lex, words = self.lex, self.words
        for at in range(index + 1, min(len(words), index + 6)):
            if self.comma[at] and at > index + 1 and not lex.has("self", words[at].folded):
                return False
            if lex.has("self", words[at].folded) or words[at].folded in lex.first_verbs:
                return words[at].folded in lex.first_verbs or self.verb_near(at)
            if self.is_verb(at) and at > index + 1:
                return True
        return False

    def verb_near(self, index: int) -> bool:
        around = self.words[max(0, index - 1) : index + 4]
        return any(word.folded in self.lex.verbs for word in around)

    def verb_within(self, index: int, width: int = WINDOW, *, same_part: bool = False) -> bool:
        at, last = index, min(len(self.words), index + width)
        while at < last:
            if same_part and self.comma[at]:
                resumed = self.past_apposition(at)
                if resumed is None:
                    return False
                at, last, same_part = resumed, min(len(self.words), resumed + 3), False
                continue
            word = self.words[at].folded
            if same_part and at > index + 2 and self.lex.has("and", word):
                return False
            if self.is_verb(at):
                return True
            at += 1
        return False

    def _names_aside(self, index: int) -> bool:
        """Whether a part between commas only names the person before it: ", that's Donna, ..."."""
        part = self.piece.part(index, self.comma_after(index))
        match = self.lex.begins("named_aside", part.norm)
        if match is None or not index or not self.comma[index]:
            return False
        rest = part.part(part.range_of(match)[1])
        named = bool(rest) and (rest.words[0].is_capital or self.lex.has("first_name", rest.folded[0]))
        return named and len(rest) <= _NAME_WORDS and self._relation_before(index)

    def _relation_before(self, index: int) -> bool:
        """Whether a relation word ends right before a word."""
        lex, words = self.lex, self.words
        for start in range(max(0, index - 3), index):
            for parts in lex.relation_starts.get(words[start].folded, ()):
                if tuple(w.folded for w in words[start:index]) == parts:
                    return True
        return False

    def past_apposition(self, index: int) -> int | None:
        """Behind a name between commas ("our youngest, Bethan, can't ..."): where the clause goes on."""
        if self._names_aside(index):
            end = self.comma_after(index)
            return end if end < len(self.words) else None
        verb_last = self.lex.has("verb_last", self.lex.language)
        if verb_last and self.lex.has("relative", self.words[index].folded) and self.verb_last(index):
            end = self.comma_after(index)  # "meine Irmgard, die früher Hebamme war, ist ..."
            return end if end < len(self.words) else None
        for at in range(index + 1, min(len(self.words), index + 5)):
            if self.words[at - 1].folded in self.lex.verbs:
                return None
            if self.comma[at]:
                return at
        return None

    def has_verb(self, words: Sequence[Token]) -> bool:
        for index, word in enumerate(words):
            after = words[index + 1].folded if index + 1 < len(words) else ""
            if word.folded not in self.lex.verbs or self.lex.has("part_of_day", after):
                continue  # "às cinco da tarde": no "dá" in it
            if self.genitive(words, index):
                continue
            if not self.doubtful(word):
                return True
            if (index and self.governs(words[index - 1].folded)) or (
                not index and word.folded in self.lex.first_verbs
            ):
                return True
        return False

    def is_verb(self, index: int) -> bool:
        """Whether the word is a verb here: one that can be a noun too is none behind "the", "my", "of"."""
        word = self.words[index].folded
        if word not in self.lex.verbs:
            following = self.words[index + 1] if index + 1 < len(self.words) else None
            return self.verb_like(self.words[index]) and not (
                following and following.is_capital and index == 0
            )
        if self.genitive(self.words, index):
            return False
        if not self.doubtful(self.words[index]):
            return True
        return index > 0 and self.governs(self.words[index - 1].folded)

    def genitive(self, words: Sequence[Token], index: int) -> bool:
        """Whether the s of "my sister's eldest" says whose somebody is, and is no "is"."""
        lex = self.lex
        if not index or index + 1 >= len(words) or not lex.has("genitive", words[index].folded):
            return False
        owner, owned = words[index - 1], words[index + 1].folded
        kin = owned in lex.relation_starts or lex.has("kin_child", owned)
        return kin and (owner.is_capital or owner.folded in lex.relation_starts)

    def verb_like(self, word: Token) -> bool:
        """Whether a word that no table knows looks like "he does it": "verdaut", in a text with capitals."""
        lex, folded = self.lex, word.folded
        if not self.cased or word.is_capital or word.kind is not Kind.WORD or len(folded) < _LEAST_VERB:
            return False
        return folded.endswith("t") and folded not in lex.common and not lex.begins("participle", folded)

    def doubtful(self, word: Token) -> bool:
        """Whether a verb form may be a noun here."""
        lex = self.lex
        if not lex.has("ambiguous", word.folded):
            return False
        other = ("adverb", "preposition", "adjective", "filler", "possessive")
        return not self.cased or word.is_capital or any(lex.has(kind, word.folded) for kind in other)

    def governs(self, before: str) -> bool:
        """Whether a verb can stand behind a word."""
        lex = self.lex
        kinds = ("article", "possessive", "their", "preposition", "and", "or", "time_lead", "adjective")
        return not any(lex.has(kind, before) for kind in kinds)

    def number_alone(self, index: int) -> bool:
        """Whether only an age stands between two commas: "I'm Priyanka, fifty-three, ..."."""
        end = self.comma_after(index)
        if end - index > 5:
            return False
        norm = self.piece.part(index, end).norm
        match = self.lex.begins("age_alone", norm)
        return bool(match) and match.end() == len(norm) if match else False

    def subject_like(self, words: Sequence[Token]) -> bool:
        """Whether words without a verb are the subject of what follows ("my landlord, Mr Okafor,")."""
        lex = self.lex
        return any(
            lex.has("possessive", word.folded)
            or lex.has("self", word.folded)
            or lex.has("article", word.folded)
            for word in words
        ) or any(word.is_capital for word in words[1:])

    # what a bare "que" speaks of: "tenho uma filha que estuda", not "acho que estuda"

    def noun_before(self, index: int) -> bool:
        """Whether a noun phrase stands right before a word, so that a "that" there speaks of it.

        Only for languages whose "that" is their relative word too; "I told my mother that ..." has none.
        """
        lex, words = self.lex, self.words
        if not lex.words.get("telling") or any(lex.has("telling", word.folded) for word in self.current):
            return False
        last = words[index - 1].folded
        if lex.has("those", last):
            return True  # "sou daqueles que ..."
        if self.is_verb(index - 1) or lex.has("that_noun", last):
            return False
        if any(lex.has(kind, last) for kind in _NO_NOUN) and not words[index - 1].is_capital:
            return False
        for at in range(index - 2, max(-1, index - 6), -1):
            word = words[at].folded
            if any(lex.has(kind, word) for kind in ("article", "possessive", "their")):
                return True
            if self.is_number(words[at]) or lex.has("contracted", word):
                return True
            if word in lex.verbs and not lex.has("ambiguous", word):
                return False
        return False

    def own_person_before(self, index: int) -> bool:
        """Whether one of the speaker's people stands right before a word: "my mother", "my cousin Xavier"."""
        lex, words = self.lex, self.words
        for start in range(max(1, index - 5), index):
            if not lex.has("possessive", words[start - 1].folded):
                continue
            for parts in lex.relation_starts.get(words[start].folded, ()):
                end = start + len(parts)
                named = words[end:index]
                if tuple(w.folded for w in words[start:end]) == parts and all(
                    w.is_capital or lex.has("first_name", w.folded) or lex.has("adjective_age", w.folded)
                    for w in named
                ):
                    return True
        return False
