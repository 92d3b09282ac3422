"""What somebody else says in quotation marks: about them, never about the speaker."""

from __future__ import annotations

from dataclasses import replace

from memory.listening.clauses import Clause, Role
from memory.listening.facts import hear_told
from memory.listening.heard import Candidate
from memory.listening.regions import Sentence
from memory.listening.scene import Scene
from memory.listening.tokens import Piece, Token
from memory.records import Category

_SURE = 0.8


def hear_quotes(scene: Scene, sentence: Sentence) -> list[Candidate]:
    """Cards about a named person whom the sentence quotes; nothing from songs, films, adverts."""
    lex, around = scene.lex, sentence.piece
    if lex.search("quote_source", around.norm) or not lex.search("speech", around.norm):
        return []
    mentions = [m for m in scene.people.find(around) if m.name]
    if len(mentions) != 1:
        return []
    speaker = mentions[0]
    found: list[Candidate] = []
    for quote in sentence.quotes:
        start, end = quote.inner
        inner = scene.text[start:end]
        tokens = [_shifted(token, start) for token in lex.tokens(inner)]
        for clause in scene.splitter.split(Piece(tokens)):
            told, _ = hear_told(scene, [Clause(clause.piece, Role.MAIN)])
            found.extend(_theirs(scene, speaker.name, c) for c in told if _certain(c))
    return found


def _shifted(token: Token, by: int) -> Token:
    return replace(token, start=token.start + by, end=token.end + by)


def _certain(candidate: Candidate) -> bool:
    """Whether a quoted statement is a trait to keep, and not a saying: only rows of the table count."""
    return candidate.category is Category.FACT and candidate.attribute.split(":")[0] in (
        "diet",
        "allergy",
        "job",
        "age",
        "home",
    )


def _theirs(scene: Scene, name: str, candidate: Candidate) -> Candidate:
    said = candidate.text.strip(" .!")
    return replace(
        candidate,
        text=f"{name}: «{said}»",
        subject=name,
        people=(name,),
        why=f"{name}'s own words: {candidate.why}",
    )
