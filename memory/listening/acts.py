"""What a sentence does: ask, forget, call off, change who speaks, set a rule ..."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from memory.language import TimeMention, find_span, fold, numbers, terms
from memory.listening.heard import Candidate, Forgetting, Question, Request
from memory.listening.lexicon import Lexicon
from memory.listening.regions import Sentence
from memory.listening.scene import Scene, sentence_case, strip
from memory.listening.tokens import Piece
from memory.records import Category

_QUOTES = tuple('«»"“„‚‘‹›')
_LAST_HOUR = 24
_LONGEST_NAME = 3  # words
_ITEMS = {
    "skip": "skip",
    "cancel": "cancel",
    "move": "move",
    "done": "done",
    "snooze": "snooze",
    "other_one": "other_one",
}


_SMALL = (
    "it",
    "third",
    "copula",
    "preposition",
    "article",
    "adverb",
    "and",
    "dangling",
    "that",
    "self_any",
)
_DENIES = 3  # words before a moment among which a "not" denies it


@dataclass(frozen=True)
class Speaker:
    """Who holds the phone from now on: a name and what they are to the owner; "" is the owner."""

    name: str
    relation: str = ""


def forgetting(scene: Scene, piece: Piece) -> Forgetting | None:
    """What a sentence asks to forget, or None. "Don't forget" and "I forgot" ask for nothing."""
    lex, norm = scene.lex, piece.norm
    told = _told_before(scene, piece)
    if told is not None:
        return told
    match = lex.search("forget", norm)
    if match is None:
        return None
    other = lex.search("forget_not", norm)
    if other and other.start() <= match.end() and match.start() <= other.end():
        return None
    first, last = piece.range_of(match)
    after, before = piece.part(last), piece.part(0, first)
    bare = last - first == 1
    if bare and any(w in lex.verbs for w in before.folded):
        return None  # "you have to remove your shoes": nobody commands it
    topic = after if len(after) >= 1 else before
    if len(before) and lex.begins("topic_first", before.norm):
        topic = before
    closer = _which_one(scene, topic)
    topic = _plain(scene, topic)
    tail = lex.search("forget_tail", topic.norm)
    if tail and len(topic) > 1 + tail.group().count(" "):
        topic = topic.without(*topic.range_of(tail))
    everything = bool(lex.begins("everything", topic.norm)) and len(topic) <= 5
    said = f"{topic.said(scene.text)} {closer}".strip(" ,.!?;:")
    return Forgetting(topic=said, everything=everything)


def _told_before(scene: Scene, piece: Piece) -> Forgetting | None:
    """The matter said first and the command behind it: "the thing about my overdraft, delete it, ..."."""
    lex = scene.lex
    lead = lex.begins("topic_told", piece.norm)
    if lead is None:
        return None
    start = piece.range_of(lead)[1]
    for at in range(start + 1, len(piece)):
        rest = piece.part(at)
        if lex.begins("forget_not", rest.norm):
            return None
        asked = lex.begins("forget_it", rest.norm)
        # Without a comma only a short command that ends there is one: "she just forgets it" is told.
        end = rest.range_of(asked)[1] if asked else 0
        if asked and (comma_at(piece, at) or len(rest) - end <= 1 or comma_at(rest, end)):
            topic = _plain(scene, piece.part(start, at))
            tail = lex.search("forget_tail", topic.norm)  # "was ich dir über Ida erzählt hab, ..."
            if tail and len(topic) > 1 + tail.group().count(" "):
                topic = topic.without(*topic.range_of(tail))
            return Forgetting(topic=topic.said(scene.text).strip(" ,.!?;:"), everything=False)
    return None


def _which_one(scene: Scene, piece: Piece) -> str:
    """The words behind a comma that say which is meant ("my old address, the Elm Grove one"), or ""."""
    for at in range(1, len(piece.words)):
        if not comma_at(piece, at):
            continue
        match = scene.lex.begins("which_one", piece.part(at).norm)
        if match:
            return piece.part(at).part(*piece.part(at).range_of(match)).said(scene.text)
    return ""


def _plain(scene: Scene, piece: Piece) -> Piece:
    """The words that say what, without "that thing about", "please", and reasons behind it."""
    lex = scene.lex
    changed = True
    while changed and len(piece) > 1:
        changed = False
        for name in ("topic_lead", "closer_end"):
            match = lex.begins(name, piece.norm) if name == "topic_lead" else None
            if match and match.end() and match.end() < len(piece.norm):
                piece, changed = piece.part(piece.range_of(match)[1]), True
    return strip(scene, _to_comma(piece)) or piece


def comma_at(piece: Piece, at: int) -> bool:
    """Whether a comma stands before word `at`."""
    if not 0 < at < len(piece.words):
        return False
    start, end = piece.words[at - 1].end, piece.words[at].start
    return any(start <= t.start < end and t.text in ",;–-" for t in piece.tokens)


def _to_comma(piece: Piece) -> Piece:
    """The part before the first comma: what follows gives reasons ("..., I don't want it brought up")."""
    for index in range(1, len(piece.words)):
        start, end = piece.words[index - 1].end, piece.words[index].start
        if any(start <= t.start < end and t.text in ",;" for t in piece.tokens):
            return piece.part(0, index)
    return piece


def on_item(scene: Scene, piece: Piece) -> Request | None:
    """What a sentence does to something that is to be done: cancel, move, tick off, snooze."""
    lex = scene.lex
    piece = _behind_reason(scene, plainly(lex, piece))
    norm = piece.norm
    for name, verb in _ITEMS.items():
        match = lex.begins(name, norm)
        if match is None and name == "done":
            match = lex.search("done_tail", norm)
        if match is None and name in ("cancel", "other_one", "move"):
            match = lex.search(name, norm)
            if match and match.start() and name == "move" and not lex.search("todo_noun", norm):
                match = None
        if match is None or _is_quoted(scene, piece, piece.range_of(match)[0]):
            continue
        if name == "move" and lex.search("new_alarm", norm):
            continue  # "set me an alarm": a new one
        times = scene.times(piece, tense="future")
        told = [t for t in times if t.date is not None]
        swap = swapped_day(scene, piece)
        if swap is not None and name in ("cancel", "move"):
            verb, told = "move", [swap[1]]  # "isn't Wednesday, it's Thursday" calls nothing off
        elif name == "cancel" and told and lex.search("not_but", norm):
            verb = "move"  # "nicht am Mittwoch, sondern am Donnerstag"
        if name == "move" and not told and not _says_how_far(scene, piece, times):
            continue
        first, last = piece.range_of(match)
        rest = piece.without(first, last) if len(piece) > last - first else piece
        if not first and comma_at(piece, last):
            rest = Piece(())  # "that's done, paid him this morning": what follows gives the reason
        rest = rest.outside([span for t in times for span in t.spans])
        topic = _plain(scene, rest).said(scene.text) if rest else ""
        when = told[0].when(scene.zone) if told and name in ("move", "snooze", "cancel", "skip") else None
        return Request(verb=verb, topic=topic.strip(" ,.!?;:"), when=when)
    return None


def _behind_reason(scene: Scene, piece: Piece) -> Piece:
    """A move without the reason that is told first: "I'll be at church then, make it quarter past two"."""
    for at in range(2, len(piece)):
        rest = piece.part(at)
        if not comma_at(piece, at) or not scene.lex.begins("move_it", rest.norm):
            continue
        if scene.times(rest, tense="future") and any(w in scene.lex.verbs for w in piece.folded[:at]):
            return rest
    return piece


def plainly(lex: Lexicon, piece: Piece, *, apart: bool = False) -> Piece:
    """A command without what only asks nicely at its end: "turn that alarm off, would you".

    Args:
        apart: only where a comma stands before it ("remind me to say thanks" says what of).
    """
    tag = lex.search("asks_nicely", piece.norm)
    first = piece.range_of(tag)[0] if tag else 0
    return piece.part(0, first) if first and (not apart or comma_at(piece, first)) else piece


def other_day(scene: Scene, piece: Piece) -> Request | None:
    """ "Not the twelfth, the thirteenth": what was just spoken of is on another day."""
    swap = swapped_day(scene, piece)
    if swap is None or scene.lex.search("birthday", fold(scene.previous)):
        return None
    rest = piece.outside([span for time in swap for span in time.spans])
    if any(not _is_small(scene, w.folded) and not scene.lex.has("negation", w.folded) for w in rest.words):
        return None
    return Request(verb="move", topic="", when=swap[1].when(scene.zone))


def _is_small(scene: Scene, word: str) -> bool:
    return any(scene.lex.has(kind, word) for kind in _SMALL)


def swapped_day(scene: Scene, piece: Piece) -> tuple[TimeMention, TimeMention] | None:
    """The moment that a sentence denies and the one it puts in its place, or None.

    "The meeting isn't on Wednesday, it's on Thursday", "não é quarta, é quinta".
    """
    lex = scene.lex
    told = [t for t in scene.times(piece, tense="future") if t.date is not None and not t.rrule]
    if len(told) != 2:
        return None
    first, second = sorted(told, key=lambda t: t.span[0])

    def denied(time: TimeMention) -> bool:
        at = next((i for i, w in enumerate(piece.words) if w.start >= time.span[0]), len(piece))
        near = range(max(0, at - _DENIES), at)
        cut = max((i for i in range(1, at + 1) if comma_at(piece, i)), default=0)
        return any(lex.has("negation", piece.words[i].folded) for i in near if i >= cut)

    if denied(first) == denied(second):
        return None
    between = [w for w in piece.words if first.span[1] <= w.start < second.span[0]]
    if not all(_is_small(scene, w.folded) or lex.has("negation", w.folded) for w in between):
        return None
    return (first, second) if denied(first) else (second, first)


def _is_quoted(scene: Scene, piece: Piece, at: int) -> bool:
    """Whether word `at` is the first between quotation marks: the title of a chapter calls nothing off."""
    return at > 0 and scene.text[: piece.words[at].start].rstrip()[-1:] in _QUOTES


def _says_how_far(scene: Scene, piece: Piece, times: Sequence[TimeMention]) -> bool:
    """Whether a move without a moment tells its way: "same time", "an hour later", "by half an hour"."""
    if any(t.same_time or t.relative_after or t.relative_before for t in times):
        return True
    said = piece.said(scene.text)
    if find_span(said, language=scene.lex.language, now=scene.now) is not None:
        return True
    told = numbers.find(said, scene.lex.language)  # "move the alarm to seven"
    ends = len(told) == 1 and told[0].span[1] >= len(said.rstrip(" .!"))
    bare = ends and 0 < told[0].value <= _LAST_HOUR
    points = any(
        scene.lex.has(kind, word) for kind in ("it", "that", "demonstrative") for word in piece.folded
    )
    return bare and (points or scene.lex.search("todo_noun", piece.norm) is not None)


def speaker(scene: Scene, piece: Piece) -> Speaker | None:
    """Who takes the phone, or that the owner has it again; None when nothing of it is said."""
    lex, norm = scene.lex, piece.norm
    back = lex.begins("speaker_back", norm)
    if back and back.end() >= len(norm) - 12:
        return Speaker("")
    match = lex.begins("speaker", norm)
    if match is None:
        return None
    group = next(name for name, said in match.groupdict().items() if said)
    first, last = piece.range_of(match, group)
    first += lex.has("article", piece.folded[first])
    found = _who(scene, piece.part(first), piece.part(first, last))
    if found is None:
        return None
    change, words = found
    open_end = match.end(group) == len(norm)  # the pattern took all that follows
    if not open_end and first + words < last:
        return None  # "my sister's address": no person
    ends = first + words if open_end else max(piece.range_of(match)[1], first + words)
    return change if _hands_over(lex, piece, ends) else None


def _who(scene: Scene, rest: Piece, part: Piece) -> tuple[Speaker, int] | None:
    """Whom a piece begins with, and how many words say it; somebody never heard of by a capital alone."""
    named = next((m for m in scene.people.find(rest) if m.first == 0 and (m.name or m.relation)), None)
    if named is not None:
        return Speaker(named.name or named.relation, named.relation), named.last
    lex = scene.lex
    name = list(takewhile(lambda word: word.is_capital, part.words))
    if not 1 <= len(name) <= _LONGEST_NAME or lex.has("notname", name[0].folded):
        return None
    if lex.nouns and not (lex.has("first_name", name[0].folded) or name[0].folded in lex.relations):
        return None
    return Speaker(" ".join(word.text for word in name)), len(name)


def _hands_over(lex: Lexicon, piece: Piece, at: int) -> bool:
    """Whether nothing but the way of handing over follows: "for a minute", but not "a bike" or "my keys"."""
    rest = piece.part(at)
    if not rest:
        return True
    before = piece.words[at - 1].end
    if any(before <= token.start < rest.start for token in piece.tokens):  # a comma: it is told by itself
        return True
    tail = lex.begins("speaker_tail", rest.norm)
    return tail is not None and tail.end() >= len(rest.norm)


def guest(scene: Scene, piece: Piece, change: Speaker) -> list[Candidate]:
    """The card of a guest who says what they are to the owner; none for somebody known."""
    if any(k.name.casefold() == change.name.casefold() for k in scene.known):
        return []
    return [
        Candidate(
            category=Category.PERSON,
            text=f"{change.name}, {change.relation}",
            span=(piece.start, piece.end),
            subject=change.name,
            relation=change.relation,
            people=(change.name,),
            why="takes the phone",
        )
    ]


def is_item(scene: Scene, piece: Piece) -> bool:
    """Whether a sentence does something to a thing to be done, and not to its code."""
    item = scene.lex.search("todo_noun", piece.norm)
    if item is None or on_item(scene, piece) is None:
        return False
    code = scene.lex.search("ask_code", piece.norm)
    if code is None:
        return True
    # Which is the head? "The alarm code", "o código do alarme" are codes, "a reminder for the code" is none.
    between = piece.norm[item.end() : code.start()].split()
    if code.start() > item.end():
        return bool(between)
    return not 1 <= len(piece.norm[code.end() : item.start()].split()) <= 3


def question(scene: Scene, sentence: Sentence, piece: Piece) -> Question | None:
    """The question of a sentence taken apart, or None when it asks nothing."""
    lex, norm = scene.lex, piece.norm
    tag = lex.search("tag", sentence.piece.norm)  # "I gave up coffee, you know?" asks nothing
    tells = lex.begins("because_start", norm) or (  # "Quem me corta o cabelo é a Dália"
        sentence.mark != "?" and lex.begins("what_is", norm)
    )
    asks = (
        (sentence.mark == "?" and tag is None)
        or (bool(lex.begins("question", norm)) and not tells)
        or bool(lex.begins("recall", norm))
        or bool(lex.begins("know", norm))
        or bool(lex.begins("last_talk", norm))
        or about_person(scene, piece)
    )
    if not asks:
        return None
    mentions = scene.people.find(piece)
    own = any(
        lex.has("self_any", w) or lex.has("possessive", w) or w in lex.first_verbs for w in piece.folded
    )
    return Question(
        topic=" ".join(terms(sentence.piece.said(scene.text), lex.language)),
        names=tuple(dict.fromkeys(m.name for m in mentions if m.name)),
        relations=tuple(dict.fromkeys(m.key for m in mentions if m.key)),
        attribute=_asked(scene, norm),
        about_speaker=own and not any(m.name for m in mentions),
    )


def about_person(scene: Scene, piece: Piece) -> bool:
    """Whether a sentence asks what there is to know of one of the person's people ("tell me about Petra")."""
    if not scene.lex.begins("know_person", piece.norm):
        return False
    return any(m.known or m.owner in ("self", "article") for m in scene.people.find(piece))


def _asked(scene: Scene, norm: str) -> str:
    """What a question asks for: name, age, when, where ... or ""."""
    for name in (
        "phone",
        "code",
        "age",
        "birthday",
        "name",
        "job",
        "when",
        "where",
        "who",
        "number",
        "color",
    ):
        if scene.lex.search(f"ask_{name}", norm):
            return name
    return ""


def is_request(scene: Scene, piece: Piece) -> bool:
    """Whether a sentence asks for work or for general knowledge."""
    words = piece.folded
    own = (
        len(words) > 1 and scene.lex.has("verb_last", scene.lex.language) and scene.lex.has("self", words[1])
    )
    if own and words[0].endswith("e") and words[0] in scene.lex.verbs:
        return False  # "mache ich ...": told, not commanded
    return bool(scene.lex.begins("request", piece.norm))


def rule(scene: Scene, piece: Piece) -> str:
    """A standing instruction for the assistant in the person's words, or ""."""
    if scene.lex.begins("rule", piece.norm) and len(piece) <= 30:
        return sentence_case(piece.said(scene.text))
    return ""


def personal(scene: Scene, piece: Piece) -> bool:
    """Whether a question is about the person, their people, things or days."""
    lex = scene.lex
    if any(lex.has("self_any", w) or lex.has("possessive", w) for w in piece.folded):
        return True
    if any(w in lex.first_verbs for w in piece.folded):
        return True
    return any(m.name or m.owner in ("self", "article") for m in scene.people.find(piece))
