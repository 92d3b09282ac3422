"""What is to be done: reminders, tasks and memos out of one sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from memory.language import TimeMention, find_times, locate_span
from memory.language.folding import fold
from memory.language.times.hours import PART_TIMES
from memory.listening.acts import comma_at
from memory.listening.heard import Candidate
from memory.listening.scene import Scene, sentence_case, strip
from memory.listening.tokens import Kind, Piece, Token
from memory.records import Category, When

BEGUN = "a note begun"  # by its title: what it says, the sentences behind tell
_ERRAND = 14  # words of a sentence that is nothing but an errand


@dataclass(frozen=True)
class Found:
    """What a command made, and the words of the sentence it did not use."""

    candidate: Candidate | None
    rest: Piece


def reminder(scene: Scene, piece: Piece, *, base: When | None = None) -> Found | None:
    """The reminder that a sentence asks for, or None.

    Args:
        scene: the message.
        piece: one sentence.
        base: an event told in the same message, for "an hour before".
    """
    match = scene.lex.search("remind", piece.norm)
    if match is None or asks_back(scene, piece) or no_command(scene, piece):
        return None
    first, last = piece.range_of(match)
    body = piece.without(first, last)
    times = [t for t in scene.times(piece, tense="future")]
    main = _best(times)
    when, missing = _due(scene, main, times, base)
    if when is not None and not when.rrule and main is not None and main.past:
        when, missing = None, True  # "remind me yesterday at five": it is asked for again
    timer = _timer(scene, piece)
    if timer is not None:
        when, missing = timer.when, False
        text = _body(scene, body.outside([timer.span]), [])
        if len(words := text.split()) > 2 and scene.lex.has("preposition", words[0].casefold()):
            text = sentence_case(" ".join(words[1:]))  # "timer auf zwölf Minuten für die Nudeln"
    else:
        text = _body(scene, body, times)
    if _wakes(scene, piece) and not has_matter(scene, text):
        noun = scene.lex.search("alarm_noun", piece.norm)
        named = piece.part(*piece.range_of(noun)) if noun else piece.part(first, last)
        text = sentence_case(named.said(scene.text))
    if not text:
        return None
    return Found(
        Candidate(
            category=Category.REMINDER,
            text=text,
            span=(piece.start, piece.end),
            people=tuple(m.name for m in scene.people.find(piece) if m.name),
            when=when,
            missing_time=missing,
            why=f"asked to be reminded: {match.group()}",
        ),
        Piece(()),
    )


def no_command(scene: Scene, piece: Piece) -> bool:
    """Whether the words of a command are told of somebody: "nobody wakes me"."""
    match = scene.lex.search("remind", piece.norm)
    told = scene.lex.search("remind_not", piece.norm) if match else None
    return bool(match and told and match.start() < told.end() and told.start() < match.end())


def asks_back(scene: Scene, piece: Piece) -> bool:
    """Whether "remind me ..." asks for something told before; a recurrence right after it does not.

    "Rappelle-moi tous les codes" asks, "rappelle-moi tous les jours de courir" wants to be rung.
    """
    lex = scene.lex
    if not lex.begins("recall", piece.norm):
        return False
    match = lex.begins("remind", piece.norm)
    if match is None:
        return True
    after = piece.part(piece.range_of(match)[1])
    if not after:
        return True
    first = after.words[0].start
    return not any(t.rrule and t.span[0] <= first < t.span[1] for t in scene.times(piece, tense="future"))


def has_matter(scene: Scene, text: str) -> bool:
    """Whether a text says what an alarm is for, and not only "auf", "for", "de"."""
    lex = scene.lex
    words = [t.folded for t in lex.tokens(text) if t.kind in (Kind.WORD, Kind.NUMBER)]
    kinds = ("preposition", "dangling", "hollow", "article")
    return any(
        not any(lex.has(kind, w) for kind in kinds) and not lex.begins("remind_tail", w) for w in words
    )


@dataclass(frozen=True)
class _Timer:
    when: When
    span: tuple[int, int]  # of the words that tell how long it runs


def _timer(scene: Scene, piece: Piece) -> _Timer | None:
    """When a timer rings that a sentence sets ("a timer for ten minutes"), None where it sets none."""
    if scene.lex.search("timer_noun", piece.norm) is None:
        return None
    said = scene.text[piece.start : piece.end]
    found = locate_span(said, language=scene.lex.language, now=scene.now)
    if found is None:
        return None
    runs, start, end = found
    rings = (scene.now + runs).replace(second=0, microsecond=0, tzinfo=None)
    return _Timer(When(start=rings, zone=scene.zone), (piece.start + start, piece.start + end))


def _wakes(scene: Scene, piece: Piece) -> bool:
    """Whether the command says by itself what for: "wake me"."""
    return bool(scene.lex.search("wake", piece.norm))


def of_sentence(scene: Scene, told: Piece, command: Piece) -> Candidate | None:
    """A reminder of what one sentence told, asked for by another ("... Give me a shout?")."""
    times = [*scene.times(told, tense="future"), *scene.times(command, tense="future")]
    text = _body(scene, told, times)
    if not text:
        return None
    when, missing = _due(scene, _best(times), times, None)
    return Candidate(
        category=Category.REMINDER,
        text=text,
        span=(told.start, told.end),
        people=tuple(m.name for m in scene.people.find(told) if m.name),
        when=when,
        missing_time=missing,
        why="asked to be reminded of the sentence before",
    )


def _best(times: list[TimeMention]) -> TimeMention | None:
    """The moment that a reminder is for: a recurrence first, else one with a day and an hour."""
    told = [t for t in times if t.date is not None and not t.relative_before]
    if not told:
        return None
    return max(told, key=lambda t: (bool(t.rrule), t.time is not None, t.has_date))


def _due(
    scene: Scene, main: TimeMention | None, times: list[TimeMention], base: When | None
) -> tuple[When | None, bool]:
    """When it fires, and whether its hour is still to be asked for."""
    told_before = next((t for t in times if t.relative_before), None)
    before = told_before.relative_before if told_before is not None else None
    if told_before is not None and before is not None:
        if told_before.date is not None and told_before.local is not None and told_before.time is not None:
            return When(start=told_before.local, zone=scene.zone), False  # "the day before at six"
        start = base.start if base and (told_before.time or not base.all_day) else None
        if start is None and main is not None and main.time is not None:
            start = main.local
        if start is None:
            return None, True
        start -= before
        if told_before.time is not None:
            start = datetime.combine(start.date(), told_before.time)
        elif told_before.part:  # "the evening before": not the hour of the event
            start = datetime.combine(start.date(), PART_TIMES[told_before.part])
        return When(start=start, zone=scene.zone), False
    if main is None:
        return None, True
    when = main.when(scene.zone)
    return when, main.time is None


def _body(scene: Scene, body: Piece, times: list[TimeMention]) -> str:
    """What to be reminded of: without the command, the moment and the words that only joined them."""
    lex = scene.lex
    body = body.outside([span for t in times for span in t.spans])
    changed = True
    while changed and body:
        changed = False
        body, before = strip(scene, body), len(body)
        match = lex.begins("remind_link", body.norm)
        if match and match.end() and len(body) > 1:
            body = body.part(body.range_of(match)[1])
        while len(body) > 1 and (
            lex.has("dangling", body.words[-1].folded) or lex.has("remind_end", body.words[-1].folded)
        ):
            body = body.part(0, len(body) - 1)
        tail = lex.search("remind_tail", body.norm)
        if tail and len(body) > len(tail.group().split()):
            body = body.without(*body.range_of(tail))
        changed = len(body) != before
    match = lex.search("remind", body.norm)
    if match:
        body = body.without(*body.range_of(match))
    if all(lex.has("hollow", word) for word in body.folded):
        return ""  # "sag mir ne halbe Stunde vorher Bescheid": of what, was told before
    return sentence_case(body.said(scene.text))


def matter(scene: Scene, body: Piece, times: list[TimeMention]) -> str:
    """What a command without its verb is about; "" when only the moment is left."""
    return _body(scene, body, times)


def task(scene: Scene, piece: Piece) -> Found | None:
    """The task that a sentence puts on a list, or None."""
    if scene.lex.begins("question", piece.norm) and not scene.lex.begins("request", piece.norm):
        return None  # "O que há na minha lista?" puts nothing on it
    lex = scene.lex
    match = lex.search("task", piece.norm)
    if match is None:
        return None
    groups = match.groupdict()
    first, last = piece.range_of(match)
    named = "body" if groups.get("body") else "body2" if groups.get("body2") else ""
    if named:
        start, end = piece.range_of(match, named)
        if first and all(_is_pronoun(scene, word.folded) for word in piece.words[start:end]):
            end = start  # "I must do the gutters, put that on my list"
            last = len(piece)
        body = Piece([*piece.part(0, first).tokens, *piece.part(start, end).tokens, *piece.part(last).tokens])
    else:
        body = piece.without(first, last)
    times = [t for t in scene.times(body, tense="future") if t.date is not None]
    text = _body(scene, body, [])
    if not text:
        return None
    when = times[0].when(scene.zone) if times and not times[0].rrule else None
    return Found(
        Candidate(
            category=Category.TASK,
            text=text,
            span=(piece.start, piece.end),
            people=tuple(m.name for m in scene.people.find(piece) if m.name),
            when=when,
            why=f"asked to list: {match.group()}",
        ),
        Piece(()),
    )


def errand(scene: Scene, piece: Piece) -> Candidate | None:
    """The task of a sentence that says nothing but what is to be done once: "I need to buy stamps"."""
    lex = scene.lex
    match = lex.begins("errand", piece.norm)
    if match is None or len(piece) > _ERRAND or lex.search("habitual", piece.norm):
        return None
    if lex.search("always", piece.norm) or lex.search("hypothetical", piece.norm):
        return None
    if any(t.date is not None or t.rrule for t in scene.times(piece, tense="future")):
        return None  # what has a day is an event; what recurs is a habit
    named = "body" if match.groupdict().get("body") else "body2"
    body = piece.part(*piece.range_of(match, named))
    return Candidate(
        category=Category.TASK,
        text=sentence_case(body.said(scene.text)),
        span=(piece.start, piece.end),
        people=tuple(m.name for m in scene.people.find(piece) if m.name),
        why=f"to be done once: {match.group()}",
    )


def _is_pronoun(scene: Scene, word: str) -> bool:
    return any(scene.lex.has(kind, word) for kind in ("it", "third", "demonstrative", "clitic"))


def memo(scene: Scene, piece: Piece) -> Found | None:
    """The note that a sentence dictates, or None. The words of the note stay as they were said."""
    lex = scene.lex
    match = lex.search("memo", piece.norm)
    if match is None:
        return None
    first, last = piece.range_of(match)
    if first and scene.people.find(piece.part(0, first)) and last == first + 1:
        return None  # "o meu pai escreve poemas": somebody writes, nobody is asked to
    asking = lex.has("wh", piece.folded[0]) or lex.begins("question", piece.norm)
    if first and asking and not any(comma_at(piece, at) for at in range(1, first + 1)):
        return None  # "was notier ich da als Adresse?": asks what to write
    body = piece.without(first, last) if first > 4 else piece.part(last)
    headed = bool(lex.begins("memo_titled", body.norm))
    title, body = _title(scene, body)
    text = _clean_note(scene, body)
    if not text and not title:
        return None
    if not text:
        text, title = title, ""
    return Found(
        Candidate(
            category=Category.MEMO,
            text=text,
            span=(piece.start, piece.end),
            title=title,
            consult=True,
            why=f"{BEGUN if headed and not title else 'asked for a note'}: {match.group()}",
        ),
        Piece(()),
    )


def obligation(scene: Scene, text: str) -> bool:
    """Whether a note says something to be done ("that I have to buy stamps")."""
    return bool(scene.lex.begins("obligation", fold(text)))


def _title(scene: Scene, body: Piece) -> tuple[str, Piece]:
    """Title and content: "titled Paint: ...", "« crêpes » : ...", "about the paint: ..."."""
    lex = scene.lex
    tokens = list(body.tokens)
    match = lex.begins("memo_link", body.norm)
    named = False
    if match and match.end():
        named = bool(lex.begins("memo_titled", body.norm))
        body = body.part(body.range_of(match)[1])
        tokens = list(body.tokens)
    colon = next((i for i, t in enumerate(tokens) if t.text == ":" and t.kind is Kind.PUNCT), None)
    if colon is not None:
        head = [t for t in tokens[:colon] if t.kind in (Kind.WORD, Kind.NUMBER)]
        if 0 < len(head) <= 8:
            return sentence_case(Piece(head).said(scene.text)), Piece(tokens[colon + 1 :])
        if not head:
            return "", Piece(tokens[colon + 1 :])
    if named and body:
        cut = next((i for i, t in enumerate(tokens) if t.text in ",-–—"), None)
        if cut:
            return sentence_case(Piece(tokens[:cut]).said(scene.text)), Piece(tokens[cut + 1 :])
    return "", body


def _clean_note(scene: Scene, body: Piece) -> str:
    tokens: list[Token] = list(body.tokens)
    while tokens and tokens[0].kind is Kind.PUNCT and tokens[0].text in ',:;.-–—»"“”':
        tokens.pop(0)
    piece = Piece(tokens)
    match = scene.lex.begins("memo_link", piece.norm) if piece else None
    if match and match.end() and len(piece) > 1:
        piece = piece.part(piece.range_of(match)[1])
    said = piece.said(scene.text) if piece.tokens else ""
    return sentence_case(re.sub(r"\s*[.,;]$", "", said))


def answer_time(scene: Scene, piece: Piece, on: datetime | None) -> tuple[When, bool] | None:
    """A bare moment that answers a question, and whether it names an hour."""
    found = find_times(
        scene.text, language=scene.lex.language, now=scene.now, tense="future", on=on.date() if on else None
    )
    told = _best(list(found))
    if told is None:
        return None
    when = told.when(scene.zone)
    return (when, told.time is not None) if when else None


def due(scene: Scene, times: list[TimeMention], base: When | None) -> tuple[When | None, bool]:
    """When something already told is to be reminded of, and whether the hour is missing."""
    main = _best(times)
    if main is None and not any(t.relative_before for t in times) and base is not None:
        return base, base.all_day
    return _due(scene, main, times, base)
