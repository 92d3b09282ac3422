"""What a question tells of the speaker by likeness: "a cellar that, like ours, floods", "folk like me"."""

from __future__ import annotations

from dataclasses import replace

from memory.listening.heard import Candidate
from memory.listening.scene import Scene, sentence_case
from memory.listening.tokens import Piece
from memory.records import Category


def left_out(scene: Scene, piece: Piece, told: Candidate) -> Candidate:
    """What a request tells of what it leaves out, by its name: "a cake without coconut, I hate the stuff"."""
    lex = scene.lex
    before = Piece([token for token in piece.tokens if token.end <= told.span[0]])
    noun = lex.search("left_out", before.norm) if before else None
    words = Piece(lex.tokens(told.text))
    why = lex.search("left_out_why", words.norm)
    if noun is None or why is None:
        return told
    start = words.words[words.range_of(why, "it")[0]].start
    what = before.part(*before.range_of(noun, "what")).said(scene.text)
    return replace(told, text=f"{told.text[:start]}{what}")


def _opens_noun(scene: Scene, word: str) -> bool:
    lex = scene.lex
    return lex.has("article", word) and not lex.has("that", word)


def like_mine(scene: Scene, piece: Piece) -> Candidate | None:
    """What a question tells of the speaker's own thing: "a cellar that, like ours, floods every spring"."""
    lex = scene.lex
    match = lex.search("like_mine", piece.norm)
    if match is None:
        return _like_me(scene, piece)
    at, last = piece.range_of(match)
    start = at
    while start > 0 and not _opens_noun(scene, piece.folded[start - 1]):
        start -= 1
    if start == 0:
        return None
    if start > 1 and lex.has(
        "relative", piece.words[start - 1].folded
    ):  # "..., der wie meiner": its noun is before
        start -= 1
        while start > 0 and not lex.has("article", piece.words[start - 1].folded):
            start -= 1
    inside = any(lex.has("relative", w) or lex.has("that", w) for w in piece.folded[start:at])
    end = len(piece) if inside else last
    part = piece.part(start, end)
    return Candidate(
        category=Category.FACT,
        text=sentence_case(part.said(scene.text)),
        span=(part.start, part.end),
        why=f"one's own thing: {match.group()}",
    )


def _like_me(scene: Scene, piece: Piece) -> Candidate | None:
    """What a question tells of the speaker as of somebody else: "for someone who, like me, has a bad hip"."""
    lex = scene.lex
    match = lex.search("like_me", piece.norm)
    behind = piece.range_of(match)[1] if match else len(piece)
    if behind + 1 < len(piece) and lex.has("relative", piece.folded[behind]):  # "a person like me, who ..."
        own = piece.part(behind + 1)
        text = sentence_case(own.said(scene.text))
        span = (own.start, own.end)
        return Candidate(category=Category.FACT, text=text, span=span, why="like oneself")
    start = lex.search("someone_who", piece.norm)
    if match is None or start is None or start.end() > match.end():
        return None
    first, last = piece.range_of(match)
    at = piece.range_of(start)[1]
    words = [*piece.words[at:first], *piece.words[last:]]
    while words and (lex.has("dangling", words[-1].folded) or lex.has("and", words[-1].folded)):
        words.pop()
    if len(words) < 2:
        return None
    ends = [words[0].start, words[-1].end]
    part = Piece([t for t in piece.tokens if t in words or (t.text in "'’" and ends[0] < t.start < ends[1])])
    return Candidate(
        category=Category.FACT,
        text=sentence_case(part.said(scene.text)),
        span=(piece.words[at].start, words[-1].end),
        why=f"like oneself: {match.group()}",
    )
