"""Whom each clause is about, and the clause as a sentence of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memory.language import TimeMention
from memory.listening.clauses import Clause, Role
from memory.listening.durable import Leaning
from memory.listening.mention import Mention
from memory.listening.order import in_order
from memory.listening.scene import Scene, strip
from memory.listening.tokens import Piece, Token

NOT_JUDGED = Leaning(0.0, 1.0, 0.0, 0.0, 0.0, 0.0)


@dataclass
class Subject:
    """Whom a clause is about, carried to the clauses that leave it out."""

    kind: str = ""  # "self", "person", "thing" or ""
    name: str = ""
    relation: str = ""
    words: str = ""  # as said: "my sister", "the lift"
    only_spoken: bool = False  # a "he" means them, a clause that leaves its subject out does not


@dataclass
class Told:
    """One clause prepared for judging."""

    clause: Clause
    piece: Piece
    mentions: tuple[Mention, ...]
    subject: Subject
    text: str
    lead: int = 0  # how many words at the beginning are the subject
    leaning: Leaning = NOT_JUDGED
    times: tuple[TimeMention, ...] = ()
    serves: bool = False  # tells what is regularly done for the household
    unreal: bool = False  # goes on with what is not so: "maybe I'll learn it and move to Vienna"
    conditional: bool = False  # hangs on an "if"
    gapped: bool = False  # its verb is the one before: "... and my son eighteen"


def prepare(
    scene: Scene, clause: Clause, before: Subject, spoken: Subject | None = None
) -> tuple[Told | None, Subject]:
    piece = strip(scene, clause.piece)
    if not piece:
        return None, before
    mentions = scene.people.find(piece)
    subject, lead = _subject(scene, piece, mentions, clause, before, spoken or before)
    text = _clause_text(scene, piece, clause, subject, lead)
    told = Told(clause, piece, mentions, subject, text, lead)
    told.times = tuple(scene.times(piece))
    told.serves = bool(scene.lex.search("service", piece.norm)) and any(t.date for t in told.times)
    return told, subject if subject.kind else before


def spoken_of(scene: Scene, told: Told | None, current: Subject, before: Subject) -> Subject:
    """Whom a "he" in the next clause means: the subject if a person, else the person named last."""
    if current.kind == "person":
        return current
    if told is None:
        return before
    people = [
        m
        for m in told.mentions
        if (m.owner in ("self", "article") and not m.plural) or m.known or (m.name and scene.lex.nouns)
    ]
    if people:
        return of_mention(people[-1], told.piece)
    named = scene.lex.search("naming", told.piece.norm)  # "a greyhound called Biscuit"
    if named is not None and named.start():
        name, last = scene.people.name_at(told.piece.words, told.piece.range_of(named)[1])
        if name and last >= len(told.piece):
            return Subject(kind="person", name=name, words=name)
    return before


def _subject(
    scene: Scene,
    piece: Piece,
    mentions: tuple[Mention, ...],
    clause: Clause,
    before: Subject,
    spoken: Subject,
) -> tuple[Subject, int]:
    """Whom a clause is about and how many of its first words say so."""
    lex, words = scene.lex, piece.words
    if is_age(scene, piece):
        alone = not before.kind and lex.has("elides_self", lex.language)
        return (Subject(kind="self") if alone else replace(before)), 0
    at = 0
    while at < len(words) and (lex.has("adverb", words[at].folded) or lex.has("filler", words[at].folded)):
        at += 1
    if at >= len(words):
        return before, 0
    if _of_oneself(scene, piece):
        return Subject(kind="self"), 0
    for mention in mentions:
        leads = mention.first <= at or (mention.first == at + 1 and lex.has("article", words[at].folded))
        if leads and mention.last > at:
            return of_mention(mention, piece), mention.last
    word = words[at].folded
    if clause.role is Role.RELATIVE and clause.antecedent:
        inner = scene.people.find(clause.antecedent)
        if inner:
            return of_mention(inner[-1], clause.antecedent), 0
    if lex.has("self", word) or word in lex.first_verbs:
        return Subject(kind="self"), 0
    if (lex.has("third", word) or _points(scene, piece, at)) and len(words) > 1:
        spoken = spoken if spoken.kind == "person" else _before(scene)
        return (replace(spoken), at + 1) if spoken.kind == "person" else (Subject(), 0)
    if spoken.kind == "person" and not clause.bare_verb and _of_third(scene, piece) is not None:
        return replace(spoken), 0
    if _left_out(scene, piece, clause, before, at) or _only_mine(scene, piece, at):
        return Subject(kind="self"), 0
    if clause.bare_verb or (word in lex.verbs and not lex.has("question_verb", word)):
        if lex.has("self", words[at + 1].folded if at + 1 < len(words) else ""):
            return Subject(kind="self"), 0
        for mention in mentions:
            if mention.first == at + 1 and not clause.bare_verb:
                return of_mention(mention, piece), 0
        by_itself = lex.first_verbs and any(w in lex.first_verbs for w in piece.folded)
        if before.kind != "person" and spoken.kind == "person" and not by_itself and lex.first_verbs:
            return replace(spoken), 0
        if before.kind == "self" and lex.first_verbs and not by_itself:
            return Subject(), 0
        return replace(before), 0
    inverted = _inverted(scene, piece, mentions)
    if inverted is not None:
        return inverted, 0
    if lex.has("possessive", word) or lex.has("article", word):
        return Subject(kind="thing", words=_noun_phrase(scene, piece, at)), 0
    return Subject(), 0


def _points(scene: Scene, piece: Piece, at: int) -> bool:
    """Whether a clause begins with "the one" for somebody spoken of: "die verträgt keine Zwiebeln"."""
    lex, words = scene.lex, piece.words
    return (
        lex.has("demonstrative", words[at].folded)
        and at + 1 < len(words)
        and words[at + 1].folded in lex.verbs
        and (not lex.has("ambiguous", words[at + 1].folded) or _no_noun(scene, words[at + 1]))
    )


def _no_noun(scene: Scene, word: Token) -> bool:
    """Whether a word is no noun because it has no capital, in a text that gives nouns theirs."""
    return bool(scene.lex.nouns) and not word.is_capital and not scene.people.lower


def _only_mine(scene: Scene, piece: Piece, at: int) -> bool:
    """Whether a clause begins with a verb that only "I" can have, and leaves it out: "Hab zwei Katzen"."""
    following = piece.words[at + 1].folded if at + 1 < len(piece) else ""
    other = any(scene.lex.has(kind, following) for kind in ("self", "third", "it", "you"))
    return scene.lex.has("only_first", piece.words[at].folded) and bool(following) and not other


def _left_out(scene: Scene, piece: Piece, clause: Clause, before: Subject, at: int) -> bool:
    """Whether "I" is left out before the verb, as in notes: "Can't abide marzipan", "Got two cats"."""
    lex = scene.lex
    word = piece.words[at].folded
    if clause.role is not Role.MAIN or not lex.has("elides_self", lex.language):
        return False
    mine = any(lex.has("reflexive", each) for each in piece.folded)
    if before.kind == "person" and not mine:
        return False
    following = piece.words[at + 1].folded if at + 1 < len(piece) else ""
    if at and lex.has("elided", piece.words[at - 1].folded):
        return not lex.has("commanded", word)
    if lex.has("elided", word):
        return not lex.has("commanded", following)
    own = word in lex.verbs and not word.endswith("s") and not lex.has("question_verb", word)
    return own and not (clause.bare_verb and before.kind) and not lex.has("commanded", word)


def _of_oneself(scene: Scene, piece: Piece) -> bool:
    """Whether a clause begins with the speaker's own name: "o meu nome é Ada", "I'm called Bo"."""
    match = scene.lex.begins("intro", piece.norm)
    if match is None:
        return False
    said = piece.part(*piece.range_of(match)).folded
    kinds = ("self_any", "possessive", "self")
    return any(w in scene.lex.first_verbs or any(scene.lex.has(kind, w) for kind in kinds) for w in said)


def _noun_phrase(scene: Scene, piece: Piece, at: int) -> str:
    """The subject's words up to its verb, a comma or what is said of it: "our cat"."""
    lex, words = scene.lex, piece.words
    end = at + 1
    while end < len(words) and end < at + 6:
        word = words[end].folded
        start, stop = words[end - 1].end, words[end].start
        comma = any(start <= t.start < stop for t in piece.tokens)
        if comma or any(lex.has(kind, word) for kind in ("relative", "negation", "adverb")):
            break
        led = any(lex.has(kind, words[end - 1].folded) for kind in ("article", "possessive", "preposition"))
        if word in lex.verbs and (not led or not lex.has("ambiguous", word)) and end > at + 1:
            break
        end += 1
    return " ".join(w.text for w in words[:end])


def _of_third(scene: Scene, piece: Piece) -> int | None:
    """Where the subject of a clause says whose it is by a pronoun: "her car ...", "the only thing he ..."."""
    lex, words = scene.lex, piece.words
    if not words or lex.has("third", words[0].folded):
        return None
    for at, word in enumerate(words[:5]):
        if word.folded in lex.verbs and at:
            return None
        if lex.has("third", word.folded) or lex.has("of_third", word.folded):
            return at
    return None


def _before(scene: Scene) -> Subject:
    """Whom the person's message before this one spoke of last."""
    if not scene.previous:
        return Subject()
    piece = Piece(scene.lex.tokens(scene.previous))
    found = [m for m in scene.people.find(piece) if m.owner in ("self", "article") or m.known]
    return of_mention(found[-1], piece) if found else Subject()


def _inverted(scene: Scene, piece: Piece, mentions: tuple[Mention, ...]) -> Subject | None:
    """The subject behind the verb, when something else stands first: "mittwochs hat meine Tochter ..."."""
    lex, words = scene.lex, piece.words
    for at, word in enumerate(words[:8]):
        if lex.has("self", word.folded):
            return Subject(kind="self")
        if word.folded in lex.verbs:
            for mention in mentions:
                if mention.first == at + 1:
                    return of_mention(mention, piece)
            if at + 1 < len(words) and lex.has("self", words[at + 1].folded):
                return Subject(kind="self")
            return None
    return None


def both_named(scene: Scene, piece: Piece, told: list[Told]) -> tuple[str, ...]:
    """The two people that a "both" means: the last two named ones before it in the sentence."""
    if not scene.lex.begins("both", piece.norm):
        return ()
    named = [m.name for t in told for m in t.mentions if m.name]
    return tuple(dict.fromkeys(named))[-2:]


def of_mention(mention: Mention, piece: Piece) -> Subject:
    """The person of a mention as a subject."""
    words = " ".join(word.text for word in piece.words[mention.first : mention.last])
    return Subject(kind="person", name=mention.name, relation=mention.relation, words=words)


def _clause_text(scene: Scene, piece: Piece, clause: Clause, subject: Subject, lead: int) -> str:
    """The clause as a sentence of its own: the subject it left out, or only a pronoun for it, put in."""
    said = piece.said(scene.text)
    if is_age(scene, piece):
        template = scene.lex.templates["age_self" if subject.kind in ("", "self") else "age"]
        return template.format(name=subject.name or subject.words, age=said)
    if clause.role is Role.RELATIVE and clause.antecedent:
        clause = replace(clause, antecedent=_own_thing(scene, clause.antecedent))
        if clause.link and scene.lex.has("verb_last", scene.lex.language):
            who = _who(scene, subject)
            if subject.kind != "person":
                who = _who(scene, Subject(words=clause.antecedent.said(scene.text)))
            return f"{who or clause.antecedent.said(scene.text)}, {clause.link} {said}"
        if subject.kind == "self":  # "the clinic where I work ..."
            return f"{clause.antecedent.said(scene.text)} {clause.link} {said}"
        who = subject.name or subject.words or clause.antecedent.said(scene.text)
        return re.sub(r" (?=['’](?:s|re|ve|ll|d|m)\b)", "", f"{who} {said}")
    said = in_order(scene, piece, clause, lead)
    if subject.kind == "thing" and clause.bare_verb and lead == 0:
        return f"{subject.words} {said}"
    if subject.kind != "person":
        return said
    name = _who(scene, subject)
    if _of_third(scene, piece) is not None and lead == 0 and not clause.bare_verb:
        return f"{name}: {said[0].lower()}{said[1:]}"
    word = piece.words[0].folded
    if (scene.lex.has("third", word) or _points(scene, piece, 0)) and lead:
        behind = _behind(piece, said, lead, scene)
        verb = piece.words[lead] if lead < len(piece) else None
        if verb is not None and verb.folded.startswith("'") and not behind.startswith(("'", "’")):
            behind = f"'{behind}"  # "hes coeliac"
        return re.sub(r" (?=['’])", "", f"{name} {behind}")
    if clause.bare_verb and not any(m.first == 0 for m in scene.people.find(piece)):
        return f"{name} {said}"
    return said


def _who(scene: Scene, subject: Subject) -> str:
    """The name of a subject, or its words as a sentence begins with them: "meinen Vater" is "mein Vater"."""
    if subject.name or not subject.words:
        return subject.name
    first, _, rest = subject.words.partition(" ")
    plain = scene.lex.templates.get(f"nominative_{first.lower()}", "")
    return f"{plain} {rest}" if plain else subject.words


def _behind(piece: Piece, said: str, lead: int, scene: Scene) -> str:
    """What is said behind the subject: in the order of a sentence where its first word is the subject."""
    start = piece.words[0].text
    if lead == 1 and said.startswith(start):
        return said[len(start) :].strip()
    return piece.part(lead).said(scene.text)


def _own_thing(scene: Scene, antecedent: Piece) -> Piece:
    """Of what stands before a relative clause, the speaker's own thing: "(wie bring ich) meinem Papagei"."""
    lex, words = scene.lex, antecedent.words
    starts = [i for i, word in enumerate(words) if lex.has("possessive", word.folded)]
    if not starts or not lex.nouns or any(word.folded in lex.verbs for word in words[starts[-1] :]):
        return antecedent
    return antecedent.part(starts[-1])


def is_age(scene: Scene, piece: Piece) -> bool:
    """Whether a clause is nothing but an age: "fifty-three"."""
    match = scene.lex.begins("age_alone", piece.norm)
    return match is not None and match.end() == len(piece.norm)
