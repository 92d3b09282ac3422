"""Whose words a message holds: pasted text, quotations and play are told apart from the person's own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.language.terms import stop_words
from memory.listening.lexicon import Lexicon
from memory.listening.pasting import pasted
from memory.listening.tokens import Kind, Piece, Token

LONG = 1500  # characters from which on a message is taken to hold pasted text
_TAIL_SENTENCES = 4  # how many sentences after a long text can be the person's own
_HEAD_SENTENCES = 2

_DAY_AND_MONTH = re.compile(r"\d{1,2}\.\d{1,2}")
_QUOTED = re.compile(
    r"«(?P<a>[^»]+)»|»(?P<b>[^«]+)«|“(?P<c>[^”“]+)[”“]|„(?P<d>[^“”\"]+)[“”\"]|\"(?P<e>[^\"]+)\""
    r"|(?<![\w])[‘'](?P<f>(?:[^'‘’\n]|(?<=\w)[’'](?=\w)){3,})[’'](?!\w)|‹(?P<g>[^›]+)›"
)


@dataclass(frozen=True)
class Quote:
    """Words between quotation marks, and where they stand."""

    start: int  # with the marks
    end: int
    inner: tuple[int, int]


@dataclass(frozen=True)
class Sentence:
    """One sentence of the person's own words."""

    piece: Piece
    mark: str  # the sign at its end: "?", "!", "." or ""
    quotes: tuple[Quote, ...] = ()
    play: bool = False  # said in a role
    after_colon: bool = False


def quotations(text: str, outside: Sequence[tuple[int, int]]) -> list[Quote]:
    """Quotations in the person's own part of the text."""
    found = []
    for match in _QUOTED.finditer(text):
        if any(start <= match.start() < end for start, end in outside):
            continue
        found.append(Quote(match.start(), match.end(), match.span(match.lastgroup or 0)))
    return found


def sentences(text: str, tokens: Sequence[Token], lex: Lexicon) -> list[Sentence]:
    """The person's own sentences; each with the quotations in it, which are not among its words."""
    gone = pasted(text)
    quotes = [quote for quote in quotations(text, gone) if _is_speech(text, quote, tokens, lex)]
    kept = [t for t in tokens if not any(start <= t.start < end for start, end in gone)]
    found = []
    for group, mark in _groups(kept, lex, quotes):
        inside = tuple(q for q in quotes if group[0].start - 3 <= q.start <= group[-1].end + 3)
        words = [t for t in group if not any(q.start <= t.start < q.end for q in quotes)]
        if words or inside:
            found.append(Sentence(Piece(words), mark, inside))
    if len(text) - sum(end - start for start, end in gone) > LONG:
        found = _around_paste(found, lex)
    return _with_play(found, lex)


def _is_speech(text: str, quote: Quote, tokens: Sequence[Token], lex: Lexicon) -> bool:
    """Whether a quotation is what somebody says, and not a title, a name or a code."""
    inner = [t for t in tokens if quote.inner[0] <= t.start < quote.inner[1]]
    words = [t for t in inner if t.kind is not Kind.PUNCT]
    if len(words) <= 1:
        return False
    if len(words) <= 5 and all(t.is_capital for t in words) and not lex.nouns:
        return False  # 'Setting Plaster'
    before = Piece([t for t in tokens if t.end <= quote.start][-4:])
    behind = Piece([t for t in tokens if t.start >= quote.end][:6])
    if len(words) <= 12 and (lex.search("list_noun", behind.norm) or lex.search("list_noun", before.norm)):
        return False  # "pop 'renew passport' on my list"
    if lex.search("title_before", before.norm) and len(words) <= 8:
        return False
    return not (len(words) <= 5 and not any(t.folded in lex.verbs for t in words))


def _groups(tokens: Sequence[Token], lex: Lexicon, quotes: Sequence[Quote]) -> list[tuple[list[Token], str]]:
    """Tokens of each sentence with the sign that ends it."""
    groups: list[tuple[list[Token], str]] = []
    current: list[Token] = []
    for index, token in enumerate(tokens):
        current.append(token)
        quoted = any(q.start < token.start < q.end - 1 for q in quotes)
        if token.kind is Kind.PUNCT and not quoted and _ends(tokens, index, lex):
            # a run of signs ends one sentence: "?!", "..."
            following = tokens[index + 1] if index + 1 < len(tokens) else None
            if following is not None and following.kind is Kind.PUNCT and following.text in ".!?…":
                continue
            mark = "?" if any(t.text == "?" for t in current[-4:] if t.kind is Kind.PUNCT) else token.text
            groups.append((current, mark if mark in ".!?" else "."))
            current = []
    if current:
        groups.append((current, ""))
    return [(group, mark) for group, mark in groups if group]


def _ends(tokens: Sequence[Token], index: int, lex: Lexicon) -> bool:
    """Whether the sign at `index` ends a sentence."""
    token = tokens[index]
    if token.text in "!?…;" or token.text.startswith("\n"):
        return True
    if token.text != ".":
        return False
    before = tokens[index - 1] if index else None
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    if after is None or before is None:
        return True
    if after.start == token.end and after.kind is not Kind.PUNCT:
        return False
    letter = len(before.text) == 1 and before.kind is Kind.WORD
    initial = letter and (before.text.isupper() or not after.is_capital)  # "d. h. zwei"
    short = before.kind is Kind.WORD and (lex.has("abbreviation", before.folded) or initial)
    if short and before.end == token.start:
        return False
    if not lex.has("ordinal_dot", lex.language):
        return True
    if _DAY_AND_MONTH.fullmatch(before.text):  # "am 3.4. Zahnarzt"; not "am 3.4. Danach ..."
        return after.is_capital and after.folded in stop_words(lex.language)
    if not before.text.isdigit() or len(before.text) > 2:
        return True
    lead = tokens[index - 2] if index > 1 else None
    if lead is not None and lex.has("ordinal_lead", lead.folded):
        return after.is_capital and after.folded in stop_words(lex.language)
    return after.is_capital and not lex.has("month", after.folded)


def _around_paste(found: list[Sentence], lex: Lexicon) -> list[Sentence]:
    """Of a long message, the person's own words before and after the text they pasted."""
    head: list[Sentence] = []
    for index, sentence in enumerate(found[:_HEAD_SENTENCES]):
        if _addressed(sentence, lex):
            head = found[: index + 1]
    tail_from = len(found)
    for index in range(max(len(head), len(found) - _TAIL_SENTENCES), len(found)):
        if _addressed(found[index], lex):
            tail_from = index
            break
    return head + found[tail_from:]


def _addressed(sentence: Sentence, lex: Lexicon) -> bool:
    """Whether a sentence speaks to the assistant: a question, a request, "by the way"."""
    norm = sentence.piece.norm
    return len(norm) < 400 and (
        sentence.mark == "?"
        or bool(lex.search("aside", norm))
        or bool(lex.begins("request", norm))
        or bool(lex.begins("remind", norm))
    )


def _with_play(found: list[Sentence], lex: Lexicon) -> list[Sentence]:
    """Sentences marked that are said in a role, from its announcement to its end."""
    marked, playing, played = [], False, False
    for sentence in found:
        norm = sentence.piece.norm
        if lex.begins("play_out", norm) or (playing and lex.search("play_out", norm)):
            playing_now = False
        elif (played and lex.search("play_back", norm)) or lex.search("play_in", norm):
            playing = playing_now = played = True  # "back" alone may be from holidays
        else:
            playing_now = playing
        if lex.begins("play_out", norm):
            playing = False
        marked.append(Sentence(sentence.piece, sentence.mark, sentence.quotes, play=playing_now))
    return marked
